#ifndef STTEST_HLS_VECTOR_H
#define STTEST_HLS_VECTOR_H
#include "sttest_hls.h"
namespace hls {
template <class T, std::size_t N> struct vector {
  static constexpr long sttest_bits = (long)N * sttest::Bits<T>::value;
  T lanes[N];
  vector() = default;
  vector(const T &each) { for (std::size_t i = 0; i < N; i++) lanes[i] = each; }
  T &operator[](std::size_t lane) { return lanes[lane]; }
  const T &operator[](std::size_t lane) const { return lanes[lane]; }
#define STTEST_EACH(OP) \
  vector &operator OP##=(const vector &with) { for (std::size_t i = 0; i < N; i++) lanes[i] = lanes[i] OP with.lanes[i]; return *this; } \
  friend vector operator OP(vector first, const vector &with) { return first OP##= with; }
  STTEST_EACH(+) STTEST_EACH(-) STTEST_EACH(*) STTEST_EACH(/)
#undef STTEST_EACH
  T reduce_add() const { T sum = lanes[0]; for (std::size_t i = 1; i < N; i++) sum = sum + lanes[i]; return sum; }
};
}  // namespace hls
#endif
