// ap_int and ap_uint for C simulation: the part of the documented interface (AMD UG1399, "C++ arbitrary
// precision integer types") that emitted kernels use.  Up to 64 bits a value is one machine word, kept in range
// after every assignment (two's complement, wrapping); arithmetic happens in the machine type it converts to.
// Wider values are bit vectors that are only cut and assembled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sttest {

template <int W, bool Signed>
using word_t = std::conditional_t<
    (W <= 8), std::conditional_t<Signed, std::int8_t, std::uint8_t>,
    std::conditional_t<
        (W <= 16), std::conditional_t<Signed, std::int16_t, std::uint16_t>,
        std::conditional_t<(W <= 32), std::conditional_t<Signed, std::int32_t, std::uint32_t>,
                           std::conditional_t<Signed, std::int64_t, std::uint64_t>>>>;

// What a value becomes in an expression: wide enough that sums and products of two values of up to 32 bits are exact.
template <int W>
using expression_t = std::conditional_t<(W <= 15), int, long long>;

constexpr std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

template <int W, bool Signed>
class small_int {
 public:
  constexpr small_int() = default;
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  constexpr small_int(T value) : value_(wrapped(static_cast<std::int64_t>(value))) {}
  template <int V, bool S>
  constexpr small_int(const small_int<V, S>& other) : value_(wrapped(static_cast<std::int64_t>(other.word()))) {}

  // A part of a wide value.
  template <class T, class Word = typename T::part_of_wide>
  small_int(const T& part) : value_(wrapped(static_cast<std::int64_t>(static_cast<Word>(part)))) {}

  constexpr operator expression_t<W>() const { return static_cast<expression_t<W>>(value_); }
  constexpr word_t<W, Signed> word() const { return value_; }
  constexpr int to_int() const { return static_cast<int>(value_); }
  constexpr unsigned to_uint() const { return static_cast<unsigned>(value_); }
  constexpr long long to_int64() const { return static_cast<long long>(value_); }

  // Bits high..low as an unsigned number.
  constexpr std::uint64_t range(int high, int low) const {
    return (static_cast<std::uint64_t>(value_) >> low) & low_bits(high - low + 1);
  }
  constexpr std::uint64_t operator()(int high, int low) const { return range(high, low); }
  constexpr bool operator[](int bit) const { return range(bit, bit) != 0; }

  template <class T>
  small_int& operator+=(T other) {
    return *this = small_int(static_cast<std::int64_t>(value_) + static_cast<std::int64_t>(other));
  }
  template <class T>
  small_int& operator-=(T other) {
    return *this = small_int(static_cast<std::int64_t>(value_) - static_cast<std::int64_t>(other));
  }
  template <class T>
  small_int& operator*=(T other) {
    return *this = small_int(static_cast<std::int64_t>(value_) * static_cast<std::int64_t>(other));
  }
  small_int& operator++() { return *this += 1; }

 private:
  static constexpr word_t<W, Signed> wrapped(std::int64_t value) {
    const std::uint64_t kept = static_cast<std::uint64_t>(value) & low_bits(W);
    const std::uint64_t sign = std::uint64_t{1} << (W - 1);
    return static_cast<word_t<W, Signed>>(Signed ? static_cast<std::int64_t>((kept ^ sign) - sign)
                                                 : static_cast<std::int64_t>(kept));
  }

  word_t<W, Signed> value_ = 0;
};

// A vector of more than 64 bits; range() reads and writes up to 64 of them.
template <int W>
class wide_bits {
  static constexpr int kWords = (W + 63) / 64;

 public:
  class reference {
   public:
    using part_of_wide = std::uint64_t;

    reference(wide_bits& bits, int high, int low) : bits_(bits), high_(high), low_(low) {}
    operator std::uint64_t() const { return bits_.get(high_, low_); }
    template <class T>
    reference& operator=(const T& value) {
      bits_.set(high_, low_, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
      return *this;
    }
    reference& operator=(const reference& other) {
      bits_.set(high_, low_, static_cast<std::uint64_t>(other));
      return *this;
    }

   private:
    wide_bits& bits_;
    int high_, low_;
  };

  wide_bits() = default;
  wide_bits(int value) { words_[0] = static_cast<std::uint64_t>(value); }

  reference range(int high, int low) { return {*this, high, low}; }
  std::uint64_t range(int high, int low) const { return get(high, low); }
  reference operator()(int high, int low) { return {*this, high, low}; }
  std::uint64_t operator()(int high, int low) const { return get(high, low); }

  bool operator==(const wide_bits& other) const {
    for (int i = 0; i < kWords; ++i)
      if (words_[i] != other.words_[i]) return false;
    return true;
  }

 private:
  std::uint64_t get(int high, int low) const {
    const int word = low / 64, shift = low % 64;
    std::uint64_t value = words_[word] >> shift;
    if (shift != 0 && high / 64 != word) value |= words_[word + 1] << (64 - shift);
    return value & low_bits(high - low + 1);
  }
  void set(int high, int low, std::uint64_t value) {
    const int word = low / 64, shift = low % 64;
    const std::uint64_t mask = low_bits(high - low + 1);
    value &= mask;
    words_[word] = (words_[word] & ~(mask << shift)) | (value << shift);
    if (shift != 0 && high / 64 != word) {
      words_[word + 1] = (words_[word + 1] & ~(mask >> (64 - shift))) | (value >> (64 - shift));
    }
  }

  std::uint64_t words_[kWords] = {};
};

}  // namespace sttest

template <int W>
using ap_int = sttest::small_int<W, true>;

template <int W>
using ap_uint = std::conditional_t<(W <= 64), sttest::small_int<(W <= 64 ? W : 64), false>, sttest::wide_bits<W>>;
