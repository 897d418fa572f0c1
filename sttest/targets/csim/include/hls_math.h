// hls_math for C simulation: every function in binary64, rounded once to binary32, which is what the reference
// engine computes too; the results of the C library's float functions differ from machine to machine.
#pragma once

#include <cmath>

namespace hls {

inline float exp(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }
inline float log(float x) { return static_cast<float>(std::log(static_cast<double>(x))); }
inline float tanh(float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); }
inline float sqrt(float x) { return static_cast<float>(std::sqrt(static_cast<double>(x))); }
inline float rsqrt(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline float sin(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
inline float cos(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
inline float erf(float x) { return static_cast<float>(std::erf(static_cast<double>(x))); }
inline float pow(float x, float y) {
  return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}
inline float fabs(float x) { return std::fabs(x); }
inline float abs(float x) { return std::fabs(x); }
// Halves go to the even neighbour: the rounding mode that C and C++ start with.
inline float rint(float x) { return std::nearbyint(x); }
inline float roundeven(float x) { return std::nearbyint(x); }
inline float fmax(float x, float y) { return std::fmax(x, y); }
inline float fmin(float x, float y) { return std::fmin(x, y); }

}  // namespace hls
