// What every translation unit sees first: markers that pragmas become, and the streams that record their accesses.
#ifndef STTEST_HLS_H
#define STTEST_HLS_H
#include <array>
#include <cassert>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#define STTEST_INLINE inline __attribute__((always_inline))

// Of runtime.cpp. A stream is named by its address until it has a number; one that was never made is a port of the top.
extern "C" {
void sttest_new(void *self, long bits, long depth);
void sttest_end(void *self);
unsigned long sttest_read(void *self);
void sttest_write(void *self, unsigned long value);
void sttest_read_bytes(void *self, void *value, long size);
void sttest_write_bytes(void *self, const void *value, long size);
long sttest_untimed(void *self, const char *what);
void sttest_first(void *self, long tokens);
void sttest_stream(void *self, long size, const char *spelling, long depth, const char *kind);
void sttest_array(void *self, long bytes, long bits, const char *spelling, long depth, const char *kind);
void sttest_dataflow(void);
void sttest_join(void);
void sttest_wait(void);
void sttest_pipeline(long interval);
void sttest_unroll(long factor);
void sttest_flatten(long is_on);
void sttest_tripcount(long most);
void sttest_task(void (*body)(void *), void *arguments, long bytes);
long sttest_ready(void *const *streams, long count, long from);
}

namespace sttest {
template <class T, class = void> struct Bits { static constexpr long value = 8 * (long)sizeof(T); };
template <> struct Bits<bool> { static constexpr long value = 1; };
template <class T> struct Bits<T, std::void_t<decltype(T::sttest_bits)>> { static constexpr long value = T::sttest_bits; };
template <class A, class B> struct Bits<std::pair<A, B>> { static constexpr long value = Bits<A>::value + Bits<B>::value; };
template <class T> struct Bits<std::complex<T>> { static constexpr long value = 2 * Bits<T>::value; };
template <class T, std::size_t N> struct Bits<T[N]> { static constexpr long value = (long)N * Bits<T>::value; };

struct Dataflow {
  STTEST_INLINE Dataflow() { sttest_dataflow(); }
  STTEST_INLINE ~Dataflow() { sttest_join(); }
};
}  // namespace sttest

namespace hls {
template <class T, int DEPTH = 0> class stream;

template <class T> class stream<T, 0> {
 public:
  using value_type = T;
  STTEST_INLINE stream() { sttest_new(this, sttest::Bits<T>::value, 0); }
  STTEST_INLINE stream(const char *) { sttest_new(this, sttest::Bits<T>::value, 0); }
  stream(const stream &) = delete;
  stream &operator=(const stream &) = delete;
  STTEST_INLINE ~stream() { sttest_end(this); }
  STTEST_INLINE T read() {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 8) {
      unsigned long bits = sttest_read(this);
      T value;
      __builtin_memcpy((void *)&value, &bits, sizeof(T));
      return value;
    } else {
      T value;
      sttest_read_bytes(this, (void *)&value, sizeof(T));
      return value;
    }
  }
  STTEST_INLINE void read(T &value) { value = read(); }
  STTEST_INLINE void write(const T &value) {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 8) {
      unsigned long bits = 0;
      __builtin_memcpy(&bits, (const void *)&value, sizeof(T));
      sttest_write(this, bits);
    } else {
      sttest_write_bytes(this, (const void *)&value, sizeof(T));
    }
  }
  STTEST_INLINE stream &operator<<(const T &value) { write(value); return *this; }
  STTEST_INLINE stream &operator>>(T &value) { read(value); return *this; }
  STTEST_INLINE bool empty() const { return sttest_untimed((void *)this, "empty"); }
  STTEST_INLINE bool full() const { return sttest_untimed((void *)this, "full"); }
  STTEST_INLINE unsigned size() const { return (unsigned)sttest_untimed((void *)this, "size"); }
  STTEST_INLINE unsigned capacity() const { return (unsigned)sttest_untimed((void *)this, "capacity"); }
  STTEST_INLINE bool read_nb(T &value) {
    if (!sttest_untimed(this, "read_nb")) return false;
    read(value);
    return true;
  }
  STTEST_INLINE bool write_nb(const T &value) {
    if (!sttest_untimed(this, "write_nb")) return false;
    write(value);
    return true;
  }

 protected:
  struct Deep { long depth; };
  STTEST_INLINE stream(Deep deep) { sttest_new(this, sttest::Bits<T>::value, deep.depth); }

 private:
  long number_;
};

template <class T, int DEPTH> class stream : public stream<T, 0> {
 public:
  STTEST_INLINE stream() : stream<T, 0>(typename stream<T, 0>::Deep{DEPTH}) {}
  STTEST_INLINE stream(const char *) : stream<T, 0>(typename stream<T, 0>::Deep{DEPTH}) {}
};
}  // namespace hls

namespace sttest {
template <class T> struct IsStream : std::false_type {};
template <class T, int D> struct IsStream<hls::stream<T, D>> : std::true_type {};

// #pragma HLS stream variable=V depth=D type=K
template <class T>
STTEST_INLINE void stream_of(T &variable, const char *spelling, long depth, const char *kind) {
  using E = std::remove_cv_t<std::remove_all_extents_t<T>>;
  if constexpr (IsStream<E>::value) {
    sttest_stream((void *)&variable, sizeof(T), spelling, depth, kind);
  } else if constexpr (!std::is_pointer_v<T>) {
    sttest_array((void *)&variable, sizeof(T), Bits<E>::value, spelling, depth, kind);
  }
}
}  // namespace sttest

#ifndef hls_thread_local
#define hls_thread_local
#endif
namespace hls {
template <class... A> STTEST_INLINE void fence(A &&...) {}  // calls keep the order of the text anyhow
}
inline void ap_wait() { sttest_wait(); }
inline void ap_wait_n(int cycles) { for (int i = 0; i < cycles; i++) sttest_wait(); }
#endif
