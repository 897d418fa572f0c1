// half for C simulation: IEEE binary16 as storage, converted to and from float (rounded to nearest even).
#pragma once

#include <cstdint>
#include <cstring>

class half {
 public:
  half() = default;
  half(float value) : bits_(narrowed(value)) {}
  operator float() const { return widened(bits_); }

 private:
  static std::uint32_t pattern(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  static float number(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  static std::uint16_t narrowed(float value) {
    const std::uint32_t bits = pattern(value), magnitude = bits & 0x7fffffffu;
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);    // NaN
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);   // rounds to infinity
    if (magnitude < 0x38800000u) {
      // Below the smallest normal number: adding 0.5 leaves the mantissa, rounded by the addition, in the low bits.
      const std::uint32_t rounded = pattern(number(magnitude) + 0.5f) - pattern(0.5f);
      return static_cast<std::uint16_t>(sign | rounded);
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
  }

  static float widened(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16u, exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
    if (exponent == 0x1fu) return number(sign | 0x7f800000u | (mantissa << 13));
    if (exponent != 0) return number(sign | ((exponent + 112u) << 23) | (mantissa << 13));
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
    return sign != 0 ? -magnitude : magnitude;
  }

  std::uint16_t bits_ = 0;
};
