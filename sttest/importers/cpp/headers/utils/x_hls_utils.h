// Constants of types and logarithms, as libraries ask for them.
#ifndef STTEST_X_HLS_UTILS_H
#define STTEST_X_HLS_UTILS_H
#include <limits>
#include "../ap_fixed.h"
namespace hls {
template <unsigned long N> struct CeilLog2 { enum { value = 1 + CeilLog2<(N + 1) / 2>::value }; };
template <> struct CeilLog2<1> { enum { value = 0 }; };
template <> struct CeilLog2<0> { enum { value = 0 }; };
// Of fixed point, signed: the least value and the greatest.
template <class T> struct numeric_limits {
  static T min() {
    if constexpr (std::is_arithmetic_v<T>) return std::numeric_limits<T>::lowest();
    else return T(-std::ldexp(1.0, T::iwidth - 1));
  }
  static T max() {
    if constexpr (std::is_arithmetic_v<T>) return std::numeric_limits<T>::max();
    else return T(std::ldexp(1.0, T::iwidth - 1) - std::ldexp(1.0, T::iwidth - T::width));
  }
};
}  // namespace hls
#endif
