#include "sttest_hls.h"
namespace hls {
template <class... A> STTEST_INLINE void print(const char *, A...) {}
}
