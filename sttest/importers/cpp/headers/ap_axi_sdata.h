#ifndef STTEST_AP_AXI_SDATA_H
#define STTEST_AP_AXI_SDATA_H
#include "ap_fixed.h"
#include "ap_int.h"
template <class T, int U, int I, int D> struct sttest_axis {
  static constexpr long width = sttest::Bits<T>::value, sttest_bits = width + 2 * ((width + 7) / 8) + 1 + U + I + D;
  T data;
  ap_uint<(width + 7) / 8> keep, strb;
  ap_uint<U ? U : 1> user;
  ap_uint<1> last;
  ap_uint<I ? I : 1> id;
  ap_uint<D ? D : 1> dest;
  T get_data() const { return data; }
  void set_data(const T &given) { data = given; }
  bool get_last() const { return last; }
  void set_last(bool given) { last = given; }
  void set_keep(const decltype(keep) &given) { keep = given; }
  decltype(keep) get_keep() const { return keep; }
  void set_strb(const decltype(strb) &given) { strb = given; }
  decltype(strb) get_strb() const { return strb; }
  void keep_all() { keep = -1; }
  void set_user(const decltype(user) &given) { user = given; }
  void set_id(const decltype(id) &given) { id = given; }
  void set_dest(const decltype(dest) &given) { dest = given; }
  decltype(user) get_user() const { return user; }
  decltype(id) get_id() const { return id; }
  decltype(dest) get_dest() const { return dest; }
};
template <int W, int U = 0, int I = 0, int D = 0, int E = 0> struct ap_axiu : sttest_axis<ap_uint<W>, U, I, D> {};
template <int W, int U = 0, int I = 0, int D = 0, int E = 0> struct ap_axis : sttest_axis<ap_int<W>, U, I, D> {};
template <int W, int U = 0, int I = 0, int D = 0> using qdma_axis = ap_axiu<W, U, I, D>;
namespace hls {
template <class T, int U = 0, int I = 0, int D = 0, int E = 0, bool X = false> struct axis : sttest_axis<T, U, I, D> {};
template <class T, int E = 0> using axis_data = axis<T>;
}  // namespace hls
#endif
