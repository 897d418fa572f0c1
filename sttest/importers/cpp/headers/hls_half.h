// Half precision as single precision of 16 bits.
#ifndef STTEST_HLS_HALF_H
#define STTEST_HLS_HALF_H
#include "sttest_hls.h"
struct half {
  static constexpr long sttest_bits = 16;
  float value;
  half() = default;
  half(float from) : value(from) {}
  operator float() const { return value; }
};
#endif
