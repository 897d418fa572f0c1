// hls::stream for C simulation (AMD UG1399, "HLS stream library"): a FIFO that really has DEPTH places.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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
class stream<T, 0> : public sttest::channel {
 public:
  stream() : stream("stream", 0) {}
  explicit stream(const char* name) : stream(name, 0) {}
  ~stream() override {
    sttest::scheduler::get().finish();
    if (dump_ != nullptr) std::fclose(dump_);
    sttest::scheduler::get().remove(this);
  }

  bool empty() const { return held() == 0; }
  bool full() const { return held() == depth; }
  std::size_t size() const { return held(); }

  void write(const T& token) {
    while (full()) sttest::scheduler::get().wait(*this, true);
    places_[tokens_in % depth] = token;
    note_write();
    if (dump_ != nullptr) std::fwrite(&token, sizeof(T), 1, dump_);
    sttest::scheduler::get().wake(reader);
  }
  T read() {
    while (empty()) sttest::scheduler::get().wait(*this, false);
    T token = places_[tokens_out % depth];
    ++tokens_out;
    sttest::scheduler::get().wake(writer);
    return token;
  }
  void read(T& token) { token = read(); }
  stream& operator<<(const T& token) {
    write(token);
    return *this;
  }
  stream& operator>>(T& token) {
    token = read();
    return *this;
  }

 protected:
  stream(const char* name, std::size_t tokens)
      : sttest::channel(name, sttest::scheduler::get().depth_of(name, tokens == 0 ? 2 : tokens)),
        places_(depth),
        dump_(opened(name)) {}

 private:
  static std::FILE* opened(const char* name) {
    const char* folder = std::getenv("STTEST_STREAMS");
    if (folder == nullptr) return nullptr;
    std::FILE* file = std::fopen((std::string(folder) + "/" + name + ".bin").c_str(), "wb");
    if (file == nullptr) {
      std::fprintf(stderr, "cannot write the tokens of stream %s\n", name);
      std::_Exit(1);
    }
    return file;
  }

  std::vector<T> places_;
  std::FILE* dump_;
};

}  // namespace hls
