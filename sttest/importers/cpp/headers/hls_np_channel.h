// Channels of one to many and many to one, each with a process of its own that passes tokens on.
#ifndef STTEST_HLS_NP_CHANNEL_H
#define STTEST_HLS_NP_CHANNEL_H
#include "hls_task.h"
namespace hls {
namespace sttest_np {
// Inputs take turns; of an input that has nothing, the next one's token passes.
template <class T, int N> void merge(stream<T> (&in)[N], stream<T> &out, int &turn) {
  void *ends[N];
  for (int i = 0; i < N; i++) ends[i] = &in[i];
  int place = (int)sttest_ready(ends, N, turn);
  turn = (place + 1) % N;
  out.write(in[place].read());
}
template <class T, int N> void split(stream<T> &in, stream<T> (&out)[N], int &turn) {
  T value = in.read();
  out[turn].write(value);
  turn = (turn + 1) % N;
}
}  // namespace sttest_np

namespace merge {
template <class T, int N, int DEPTH = 2, int OUT = 2> class round_robin {
 public:
  STTEST_INLINE round_robin() { task_(sttest_np::merge<T, N>, in, out, turn_); }
  STTEST_INLINE round_robin(const char *) : round_robin() {}
  stream<T> in[N];
  stream<T> out;

 private:
  int turn_ = 0;
  task task_;
};
template <class T, int N, int DEPTH = 2, int OUT = 2> using load_balance = round_robin<T, N, DEPTH, OUT>;
}  // namespace merge

namespace split {
template <class T, int N, int DEPTH = 2, int OUT = 2> class round_robin {
 public:
  STTEST_INLINE round_robin() { task_(sttest_np::split<T, N>, in, out, turn_); }
  STTEST_INLINE round_robin(const char *) : round_robin() {}
  stream<T> in;
  stream<T> out[N];

 private:
  int turn_ = 0;
  task task_;
};
template <class T, int N, int DEPTH = 2, int OUT = 2> using load_balance = round_robin<T, N, DEPTH, OUT>;
}  // namespace split
}  // namespace hls
#endif
