// Integers of any width, with the arithmetic of 64 bits where they have no more; wider ones only hold and shift words.
#ifndef STTEST_AP_INT_H
#define STTEST_AP_INT_H
#include <string>
#include "sttest_hls.h"

template <int W, bool S> struct sttest_ap;
template <class A, class = void> struct sttest_is_ap : std::false_type {};
template <class A> struct sttest_is_ap<A, std::void_t<decltype(A::sttest_bits), decltype(A::sttest_ap_words)>> : std::true_type {};

template <int W, bool S> struct sttest_ap {
  static constexpr long sttest_bits = W;
  static constexpr int width = W, words = (W + 63) / 64, sttest_ap_words = words;
  using native = std::conditional_t<S, long, unsigned long>;
  static constexpr native kept(native v) {
    if constexpr (W >= 64) return v;
    else return (native)((unsigned long)v << (64 - W)) >> (64 - W);
  }
  native v[words];

  struct Part {
    sttest_ap &of;
    int hi, lo;
    operator unsigned long() const { return of.get(hi, lo); }
    unsigned long to_uint64() const { return of.get(hi, lo); }
    unsigned to_uint() const { return (unsigned)of.get(hi, lo); }
    int to_int() const { return (int)of.get(hi, lo); }
    template <class T> Part &operator=(const T &from) {
      if constexpr (sttest_is_ap<T>::value) for (int i = 0; i < T::words && lo + 64 * i <= hi; i++) of.set(hi, lo + 64 * i, from.v[i]);
      else of.set(hi, lo, (unsigned long)from);
      return *this;
    }
    Part &operator=(const Part &from) { of.set(hi, lo, (unsigned long)from); return *this; }
    template <int V, bool Z> operator sttest_ap<V, Z>() const { return of.template cut<V, Z>(hi, lo); }
  };
  sttest_ap() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>> constexpr sttest_ap(T from) : v{} {
    v[0] = kept((native)from);
    for (int i = 1; i < words; i++) v[i] = (long)from < 0 && std::is_signed_v<T> ? (native)-1 : 0;
  }
  template <int V, bool Z> sttest_ap(const sttest_ap<V, Z> &from) {
    for (int i = 0; i < words; i++) v[i] = i < from.words ? (native)from.v[i] : (Z && (long)from.v[from.words - 1] < 0 ? (native)-1 : 0);
    if (words == 1) v[0] = kept(v[0]);
  }
  template <int V, bool Z> sttest_ap(const typename sttest_ap<V, Z>::Part &from) : sttest_ap((unsigned long)from) {}
  sttest_ap(const char *text, int base = 10) : sttest_ap(std::strtol(text, nullptr, base)) {}
  operator native() const { return v[0]; }

  unsigned long get(int hi, int lo) const {
    int word = lo / 64, shift = lo % 64, count = hi - lo + 1;
    unsigned long found = (unsigned long)v[word] >> shift;
    if (shift && word + 1 < words) found |= (unsigned long)v[word + 1] << (64 - shift);
    return count >= 64 ? found : found & ((1ul << count) - 1);
  }
  void set(int hi, int lo, unsigned long value) {
    int count = hi - lo + 1;
    for (int i = 0; i < count && i < 64; i++) {
      int bit = lo + i;
      unsigned long mask = 1ul << (bit % 64), word = (unsigned long)v[bit / 64];
      v[bit / 64] = (native)((value >> i & 1) ? word | mask : word & ~mask);
    }
    if (words == 1) v[0] = kept(v[0]);
  }
  template <int V, bool Z> sttest_ap<V, Z> cut(int hi, int lo) const {
    sttest_ap<V, Z> found = 0;
    for (int i = 0; i < found.words && lo + 64 * i <= hi; i++) found.v[i] = get(hi < lo + 64 * i + 63 ? hi : lo + 64 * i + 63, lo + 64 * i);
    return found;
  }
  Part range(int hi, int lo) { return {*this, hi, lo}; }
  Part operator()(int hi, int lo) { return {*this, hi, lo}; }
  sttest_ap range(int hi, int lo) const { return cut<W, S>(hi, lo); }
  sttest_ap operator()(int hi, int lo) const { return cut<W, S>(hi, lo); }
  Part operator[](int bit) { return {*this, bit, bit}; }
  bool operator[](int bit) const { return get(bit, bit); }
  Part bit(int bit) { return {*this, bit, bit}; }
  bool test(int bit) const { return get(bit, bit); }
  Part range() { return {*this, W - 1, 0}; }
  void reverse() {
    sttest_ap old = *this;
    for (int i = 0; i < W; i++) set(W - 1 - i, W - 1 - i, old.get(i, i));
  }
  int length() const { return W; }
  int to_int() const { return (int)v[0]; }
  unsigned to_uint() const { return (unsigned)v[0]; }
  long to_long() const { return (long)v[0]; }
  long to_int64() const { return (long)v[0]; }
  unsigned long to_ulong() const { return (unsigned long)v[0]; }
  unsigned long to_uint64() const { return (unsigned long)v[0]; }
  bool to_bool() const { return v[0] != 0; }
  double to_double() const { return (double)v[0]; }
  bool or_reduce() const { for (int i = 0; i < words; i++) if (v[i]) return true; return false; }
  std::string to_string(int = 10) const { return std::to_string(v[0]); }
#define STTEST_ASSIGN(OP) template <class T> sttest_ap &operator OP##=(const T &from) { v[0] = kept((native)(v[0] OP (native)from)); return *this; }
  STTEST_ASSIGN(+) STTEST_ASSIGN(-) STTEST_ASSIGN(*) STTEST_ASSIGN(/) STTEST_ASSIGN(%)
  STTEST_ASSIGN(&) STTEST_ASSIGN(^)
#undef STTEST_ASSIGN
  template <class T> sttest_ap &operator|=(const T &from) {
    if constexpr (sttest_is_ap<T>::value) for (int i = 0; i < words && i < T::words; i++) v[i] |= (native)from.v[i];
    else v[0] = kept(v[0] | (native)from);
    return *this;
  }
  sttest_ap &operator<<=(int by) {
    if (words == 1) { v[0] = by > 63 ? 0 : kept((native)((unsigned long)v[0] << by)); return *this; }
    sttest_ap before = *this;
    for (int i = 0; i < words; i++) v[i] = 0;
    for (int i = W - 1; i >= by; i--) set(i, i, before.get(i - by, i - by));
    return *this;
  }
  sttest_ap &operator>>=(int by) {
    if (words == 1) { v[0] = by > 63 ? (v[0] < 0 ? -1 : 0) : v[0] >> by; return *this; }
    for (int i = 0; i < W; i++) set(i, i, i + by < W ? get(i + by, i + by) : 0);
    return *this;
  }
  template <class T = sttest_ap> std::enable_if_t<(T::words > 1), T> operator<<(int by) const { T made = *this; made <<= by; return made; }
  template <class T = sttest_ap> std::enable_if_t<(T::words > 1), T> operator>>(int by) const { T made = *this; made >>= by; return made; }
  sttest_ap &operator++() { return *this += 1; }
  sttest_ap &operator--() { return *this -= 1; }
  sttest_ap operator++(int) { sttest_ap before = *this; *this += 1; return before; }
  sttest_ap operator--(int) { sttest_ap before = *this; *this -= 1; return before; }
};
template <int W> struct ap_int : sttest_ap<W, true> { using sttest_ap<W, true>::sttest_ap; ap_int() = default; using sttest_ap<W, true>::operator++; };
template <int W> struct ap_uint : sttest_ap<W, false> { using sttest_ap<W, false>::sttest_ap; ap_uint() = default; };
template <int W> using ap_bigint = ap_int<W>;
#endif
