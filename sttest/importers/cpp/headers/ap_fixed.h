// Fixed point as the nearest double, rounded down and wrapped to its width: control seldom depends on more.
#ifndef STTEST_AP_FIXED_H
#define STTEST_AP_FIXED_H
#include <cmath>
#include "ap_int.h"
enum ap_q_mode { AP_RND, AP_RND_ZERO, AP_RND_MIN_INF, AP_RND_INF, AP_RND_CONV, AP_TRN, AP_TRN_ZERO };
enum ap_o_mode { AP_SAT, AP_SAT_ZERO, AP_SAT_SYM, AP_WRAP, AP_WRAP_SM };

template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O> struct sttest_fixed {
  static constexpr long sttest_bits = W;
  static constexpr int width = W, iwidth = I;
  double value;
  static double kept(double given) {
    double scale = std::ldexp(1.0, W - I), whole = Q == AP_TRN ? std::floor(given * scale) : std::floor(given * scale + 0.5);
    double span = std::ldexp(1.0, W), low = S ? -span / 2 : 0, high = low + span - 1;
    if (O == AP_WRAP || O == AP_WRAP_SM) whole -= span * std::floor((whole - low) / span);
    else whole = whole < low ? low : whole > high ? high : whole;
    return whole / scale;
  }
  sttest_fixed() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> sttest_fixed(T from) : value(kept((double)from)) {}
  template <int V, int J, bool Z, ap_q_mode P, ap_o_mode R> sttest_fixed(const sttest_fixed<V, J, Z, P, R> &from) : value(kept(from.value)) {}
  template <int V, bool Z> sttest_fixed(const sttest_ap<V, Z> &from) : value(kept((double)from.v[0])) {}
  operator double() const { return value; }
  double to_double() const { return value; }
  float to_float() const { return (float)value; }
  int to_int() const { return (int)value; }
  ap_uint<W> range(int = W - 1, int = 0) const { return (unsigned long)(long)std::ldexp(value, W - I); }
  int length() const { return W; }
#define STTEST_ASSIGN(OP) template <class T> sttest_fixed &operator OP##=(const T &from) { value = kept(value OP (double)from); return *this; }
  STTEST_ASSIGN(+) STTEST_ASSIGN(-) STTEST_ASSIGN(*) STTEST_ASSIGN(/)
#undef STTEST_ASSIGN
  sttest_fixed operator<<(int by) const { return std::ldexp(value, by); }
  sttest_fixed operator>>(int by) const { return std::ldexp(value, -by); }
};
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP, int N = 0> struct ap_fixed : sttest_fixed<W, I, true, Q, O> {
  using sttest_fixed<W, I, true, Q, O>::sttest_fixed;
  ap_fixed() = default;
};
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP, int N = 0> struct ap_ufixed : sttest_fixed<W, I, false, Q, O> {
  using sttest_fixed<W, I, false, Q, O>::sttest_fixed;
  ap_ufixed() = default;
};
#endif
