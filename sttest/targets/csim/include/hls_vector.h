// hls::vector for C simulation (AMD UG1399, "Vector data types"): a fixed number of elements that move as one.
#pragma once

#include <cstddef>

namespace hls {

template <class T, std::size_t N>
class vector {
 public:
  vector() = default;
  vector(const T& value) {
    for (std::size_t i = 0; i < N; ++i) elements_[i] = value;
  }
  T& operator[](std::size_t index) { return elements_[index]; }
  const T& operator[](std::size_t index) const { return elements_[index]; }

 private:
  T elements_[N] = {};
};

}  // namespace hls
