// hls::stream_of_blocks for C simulation (AMD UG1399, "HLS stream of blocks"): blocks that one process fills while
// another reads the one before; a lock holds a block until it goes out of scope.
#pragma once

#include <cstddef>

#include "sttest_process.h"

namespace sttest {

// What a lock does to a stream, whatever its blocks are.
class locked_channel : public channel {
 public:
  using channel::channel;
  using channel::next_to_read;
  using channel::next_to_write;
  using channel::note_read;
  using channel::note_write;
};

}  // namespace sttest

namespace hls {

template <class Block, int DEPTH = 2>
class stream_of_blocks : public sttest::locked_channel {
 public:
  explicit stream_of_blocks(const char* name = "blocks")
      : sttest::locked_channel(name, DEPTH), blocks_(new Holder[DEPTH]) {}
  ~stream_of_blocks() {
    sttest::scheduler::get().finish();
    delete[] blocks_;
  }

  Block& operator[](std::size_t place) { return blocks_[place].block; }

 private:
  struct Holder {
    Block block = {};
  };
  Holder* const blocks_;
};

template <class Block>
class write_lock {
 public:
  template <int DEPTH>
  explicit write_lock(stream_of_blocks<Block, DEPTH>& stream) : block_(stream[stream.next_to_write()]), of_(stream) {}
  write_lock(const write_lock&) = delete;
  write_lock& operator=(const write_lock&) = delete;
  ~write_lock() { of_.note_write(); }
  auto& operator[](std::size_t index) { return block_[index]; }

 private:
  Block& block_;
  sttest::locked_channel& of_;
};

template <class Block>
class read_lock {
 public:
  template <int DEPTH>
  explicit read_lock(stream_of_blocks<Block, DEPTH>& stream) : block_(stream[stream.next_to_read()]), of_(stream) {}
  read_lock(const read_lock&) = delete;
  read_lock& operator=(const read_lock&) = delete;
  ~read_lock() { of_.note_read(); }
  const auto& operator[](std::size_t index) const { return block_[index]; }

 private:
  const Block& block_;
  sttest::locked_channel& of_;
};

}  // namespace hls
