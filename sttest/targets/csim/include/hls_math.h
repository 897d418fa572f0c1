// hls_math for C simulation: the functions that emitted kernels call, and float arithmetic as an FPGA's operators have it,
// without subnormal numbers (AMD PG060): operands that are subnormal are zeros, and so are results that are still below
// 2^-126 when they have been rounded to 24 bits.  A processor other than x86 keeps subnormal numbers here.
#pragma once

#include <cmath>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sttest {

// Sets the modes of the thread that starts the program, which its coroutines and later threads take over.
struct without_subnormals {
  without_subnormals() {
#if defined(__SSE2__)
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
  }
};
inline const without_subnormals from_the_start;

}  // namespace sttest

namespace hls {

inline float sqrt(float x) { return std::sqrt(x); }
inline float fabs(float x) { return std::fabs(x); }
inline float abs(float x) { return std::fabs(x); }
// Halves go to the even neighbor: the rounding mode that C and C++ start with.
inline float rint(float x) { return std::nearbyint(x); }
inline float roundeven(float x) { return std::nearbyint(x); }
inline float fmax(float x, float y) { return std::fmax(x, y); }
inline float fmin(float x, float y) { return std::fmin(x, y); }

}  // namespace hls
