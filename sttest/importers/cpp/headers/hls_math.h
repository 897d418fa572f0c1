#ifndef STTEST_HLS_MATH_H
#define STTEST_HLS_MATH_H
#include <cmath>
#include "ap_fixed.h"
namespace hls {
#define STTEST_ONE(NAME) STTEST_INLINE float NAME(float x) { return std::NAME(x); } STTEST_INLINE double NAME(double x) { return std::NAME(x); } \
  template <int W, int I, ap_q_mode Q, ap_o_mode O> ap_fixed<W, I, Q, O> NAME(const ap_fixed<W, I, Q, O> &x) { return std::NAME((double)x); }
STTEST_ONE(exp) STTEST_ONE(log) STTEST_ONE(sqrt) STTEST_ONE(sin) STTEST_ONE(cos) STTEST_ONE(tan) STTEST_ONE(tanh) STTEST_ONE(atan)
STTEST_ONE(floor) STTEST_ONE(ceil) STTEST_ONE(round) STTEST_ONE(erf) STTEST_ONE(exp2) STTEST_ONE(log2) STTEST_ONE(cbrt)
#undef STTEST_ONE
STTEST_INLINE float rsqrt(float x) { return 1.0f / std::sqrt(x); }
STTEST_INLINE float recip(float x) { return 1.0f / x; }
template <class T> STTEST_INLINE T abs(T x) { return x < 0 ? T(-x) : x; }
template <class T> STTEST_INLINE T fabs(T x) { return x < 0 ? T(-x) : x; }
template <class T> STTEST_INLINE T max(T a, T b) { return a > b ? a : b; }
template <class T> STTEST_INLINE T min(T a, T b) { return a < b ? a : b; }
template <class T> STTEST_INLINE T fmax(T a, T b) { return a > b ? a : b; }
template <class T> STTEST_INLINE T fmin(T a, T b) { return a < b ? a : b; }
template <class T> STTEST_INLINE bool signbit(T x) { return std::signbit((double)x); }
template <class T> STTEST_INLINE bool isnan(T x) { return std::isnan((double)x); }
template <class T> STTEST_INLINE bool isinf(T x) { return std::isinf((double)x); }
STTEST_INLINE float pow(float a, float b) { return std::pow(a, b); }
STTEST_INLINE double pow(double a, double b) { return std::pow(a, b); }
STTEST_INLINE float fmod(float a, float b) { return std::fmod(a, b); }
STTEST_INLINE float atan2(float a, float b) { return std::atan2(a, b); }
}  // namespace hls
#endif
