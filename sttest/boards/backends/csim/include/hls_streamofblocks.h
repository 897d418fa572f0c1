// hls::stream_of_blocks for C simulation (AMD UG1399, "HLS stream of blocks"): blocks that one process fills while
// another reads the one before; a lock holds a block until it goes out of scope.
#pragma once

#include <cstddef>
#include <memory>

#include "sttest_process.h"

namespace hls {

template <class Block, int DEPTH = 2>
class stream_of_blocks : public sttest::channel {
 public:
  explicit stream_of_blocks(const char* name = "blocks") : sttest::channel(name, DEPTH), blocks_(new Holder[DEPTH]) {}
  ~stream_of_blocks() override {
    sttest::scheduler::get().finish();
    sttest::scheduler::get().remove(this);
  }

  Block& acquire_to_write() {
    while (held() == depth) sttest::scheduler::get().wait(*this, true);
    return blocks_[tokens_in % depth].block;
  }
  void release_written() {
    note_write();
    sttest::scheduler::get().wake(reader);
  }
  Block& acquire_to_read() {
    while (held() == 0) sttest::scheduler::get().wait(*this, false);
    return blocks_[tokens_out % depth].block;
  }
  void release_read() {
    ++tokens_out;
    sttest::scheduler::get().wake(writer);
  }

 private:
  struct Holder {
    Block block = {};
  };
  std::unique_ptr<Holder[]> blocks_;
};

template <class Block>
class write_lock {
 public:
  template <int DEPTH>
  explicit write_lock(stream_of_blocks<Block, DEPTH>& stream)
      : block_(stream.acquire_to_write()), release_([&stream] { stream.release_written(); }) {}
  write_lock(const write_lock&) = delete;
  write_lock& operator=(const write_lock&) = delete;
  ~write_lock() { release_(); }
  auto& operator[](std::size_t index) { return block_[index]; }

 private:
  Block& block_;
  std::function<void()> release_;
};

template <class Block>
class read_lock {
 public:
  template <int DEPTH>
  explicit read_lock(stream_of_blocks<Block, DEPTH>& stream)
      : block_(stream.acquire_to_read()), release_([&stream] { stream.release_read(); }) {}
  read_lock(const read_lock&) = delete;
  read_lock& operator=(const read_lock&) = delete;
  ~read_lock() { release_(); }
  const auto& operator[](std::size_t index) const { return block_[index]; }

 private:
  const Block& block_;
  std::function<void()> release_;
};

}  // namespace hls
