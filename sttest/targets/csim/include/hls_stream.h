// hls::stream for C simulation (AMD UG1399, "HLS stream library"): a FIFO that really has DEPTH places.
#pragma once

#include <cstddef>

#include "sttest_process.h"

namespace hls {

// Depth 0 is the tool's default of two places.
template <class T, int DEPTH = 0>
class stream : public stream<T, 0> {
 public:
  stream() : stream<T, 0>("stream", DEPTH) {}
  explicit stream(const char* name) : stream<T, 0>(name, DEPTH) {}
};

// What processes take by reference, whatever the depth.
template <class T>
class stream<T, 0> : public sttest::dumped_channel {
 public:
  stream() : stream("", 0) {}
  explicit stream(const char* name) : stream(name, 0) {}
  ~stream() {
    sttest::scheduler::get().finish();
    delete[] places_;
  }

  bool empty() const { return held() == 0; }
  bool full() const { return held() == depth; }
  std::size_t size() const { return held(); }

  void write(const T& token) {
    places_[next_to_write()] = token;
    note_token(&token, sizeof(T));
  }
  T read() {
    T token = places_[next_to_read()];
    note_read();
    return token;
  }
  void read(T& token) { token = read(); }

  // Another name and depth, before the first token.
  void become(const char* name, std::size_t tokens) {
    sttest::dumped_channel::become(name, tokens);
    delete[] places_;
    places_ = new T[depth]();
  }
  stream& operator<<(const T& token) {
    write(token);
    return *this;
  }
  stream& operator>>(T& token) {
    token = read();
    return *this;
  }

 protected:
  stream(const char* name, std::size_t tokens) : sttest::dumped_channel(name, tokens), places_(new T[depth]()) {}

 private:
  T* places_;
};

}  // namespace hls
