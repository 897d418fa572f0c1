// Tasks that run for ever: their bodies are called again and again, until nothing comes any more.
#ifndef STTEST_HLS_TASK_H
#define STTEST_HLS_TASK_H
#include <tuple>
#include "sttest_hls.h"
namespace hls {
class task {
 public:
  task() = default;
  template <class F, class... A> STTEST_INLINE task(F &&body, A &&...arguments) { start(body, arguments...); }
  template <class F, class... A> STTEST_INLINE void operator()(F &&body, A &&...arguments) { start(body, arguments...); }

 private:
  template <class F, class... A> STTEST_INLINE static void start(F &body, A &...arguments) {
    using Call = std::pair<F *, std::tuple<A *...>>;
    Call call{&body, std::tuple<A *...>{&arguments...}};
    sttest_task([](void *given) {
      Call &made = *static_cast<Call *>(given);
      std::apply([&](auto *...each) { (*made.first)(*each...); }, made.second);
    }, &call, sizeof(call));
  }
};
}  // namespace hls
#endif
