// A stream of blocks is two streams of turns: blocks that are full, and blocks that are free.
#ifndef STTEST_HLS_STREAMOFBLOCKS_H
#define STTEST_HLS_STREAMOFBLOCKS_H
#include "hls_np_channel.h"
#include "sttest_hls.h"
namespace hls {
template <class Block, int DEPTH = 2> class stream_of_blocks {
 public:
  stream_of_blocks() { begin(); }
  stream_of_blocks(const char *) { begin(); }
  Block &next(int &place) {
    Block &found = blocks_[place];
    place = (place + 1) % DEPTH;
    return found;
  }
  stream<bool, DEPTH> full, free;
  int reads = 0, writes = 0;

 private:
  void begin() { sttest_first(&free, DEPTH); }
  Block blocks_[DEPTH];
};

template <class Block> class read_lock {
 public:
  template <int D> read_lock(stream_of_blocks<Block, D> &from) : free_(from.free), block_(take(from)) {}
  ~read_lock() { free_.write(true); }
  operator Block &() { return block_; }
  auto &operator[](std::size_t place) { return block_[place]; }

 private:
  template <int D> static Block &take(stream_of_blocks<Block, D> &from) {
    from.full.read();
    return from.next(from.reads);
  }
  stream<bool> &free_;
  Block &block_;
};

template <class Block> class write_lock {
 public:
  template <int D> write_lock(stream_of_blocks<Block, D> &to) : full_(to.full), block_(take(to)) {}
  ~write_lock() { full_.write(true); }
  operator Block &() { return block_; }
  auto &operator[](std::size_t place) { return block_[place]; }

 private:
  template <int D> static Block &take(stream_of_blocks<Block, D> &to) {
    to.free.read();
    return to.next(to.writes);
  }
  stream<bool> &full_;
  Block &block_;
};
}  // namespace hls
#endif
