// The processes of a dataflow region as coroutines on one thread, so that bounded streams block as in hardware.
//
// A kernel's top function declares streams and calls processes through STTEST_PROCESS, which here only notes the
// call.  The first stream that goes out of scope, at the end of the top function, runs them all to their end while
// every stream still lives.  If all that are left wait for each other the run ends there, with a report of who
// waits for what: a dataflow network's outcome does not depend on the order in which its processes run.
//
// Environment: STTEST_STREAMS names a folder that gets every token of every stream, one file each, raw;
// STTEST_DEPTHS a file with a line "<stream> <places>" for each stream that is to have another depth.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sttest {

constexpr int kDeadlock = 3;
constexpr std::size_t kStackBytes = std::size_t{16} << 20;  // address space; only what is touched takes memory

// All of a stream that does not depend on what its tokens are: kernels have many types of them, and every function of
// a template is compiled for each.
class channel {
 public:
  channel(const char* name, std::size_t depth);
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  std::string name;
  std::size_t depth;
  std::uint64_t tokens_in = 0, tokens_out = 0, peak = 0;

  std::uint64_t held() const { return tokens_in - tokens_out; }

  struct process* reader = nullptr;  // who waits for a token
  struct process* writer = nullptr;  // who waits for a place

 protected:
  ~channel();

  // Waits for a place, or a token; its number.
  std::size_t next_to_write();
  std::size_t next_to_read();

  // The place has been filled, or read.
  void note_write();
  void note_read();
};

struct process {
  std::string name;
  void (*run)(void* call) = nullptr;
  void* call = nullptr;
  ucontext_t context{};
  void* stack = nullptr;
  bool done = false;
  const channel* waits_for = nullptr;
  bool waits_to_write = false;
};

struct fifo_record {
  std::string name;
  std::size_t depth;
  std::uint64_t written, read, peak;
};

class scheduler {
 public:
  static scheduler& get() {
    static scheduler one;
    return one;
  }

  // A call holds references only, so that its memory is all that is to be given back.  A std::function per process
  // would take more time to compile than the process.
  template <class Call>
  void spawn(const char* name, const Call& call) {
    static_assert(std::is_trivially_destructible<Call>::value, "a call holds references only");
    add(name, &run<Call>, new Call(call));
  }

  // Runs what was spawned; called by the first channel that ends.
  void finish() {
    if (running_ || processes_.empty()) return;
    running_ = true;
    for (auto& each : processes_) start(*each);
    while (!ready_.empty()) {
      current_ = ready_.front();
      ready_.pop_front();
      swapcontext(&main_, &current_->context);
    }
    running_ = false;
    if (report_blocked()) {
      note_all();
      write_report("deadlock");
      std::fflush(nullptr);
      std::_Exit(kDeadlock);
    }
    for (auto& each : processes_) {
      munmap(each->stack, kStackBytes);
      ::operator delete(each->call);
    }
    processes_.clear();
  }

  void wait(channel& on, bool to_write) {
    process* self = current_;
    (to_write ? on.writer : on.reader) = self;
    self->waits_for = &on;
    self->waits_to_write = to_write;
    swapcontext(&self->context, &main_);
    self->waits_for = nullptr;
  }

  void wake(process*& waiting) {
    if (waiting == nullptr) return;
    ready_.push_back(waiting);
    waiting = nullptr;
  }

  void add(channel* made) { channels_.push_back(made); }
  void remove(channel* gone) {
    note(*gone);
    for (auto& each : channels_)
      if (each == gone) each = nullptr;
  }

  // Places of a stream: those that it declares, or others that the environment asks for.
  std::size_t depth_of(const char* name, std::size_t declared) const {
    const auto found = depths_.find(name);
    return found == depths_.end() ? declared : found->second;
  }

  void report_to(std::string path) { report_path_ = std::move(path); }

  void write_report(const char* verdict) const {
    std::FILE* out = report_path_.empty() ? stdout : std::fopen(report_path_.c_str(), "w");
    if (out == nullptr) return;
    std::fprintf(out, "{\"verdict\": \"%s\", \"fifos\": [", verdict);
    const char* comma = "";
    for (const auto& row : records_) {
      std::fprintf(out, "%s\n {\"name\": \"%s\", \"depth\": %zu, \"written\": %llu, \"read\": %llu, \"peak\": %llu}", comma,
                   row.name.c_str(), row.depth, static_cast<unsigned long long>(row.written),
                   static_cast<unsigned long long>(row.read), static_cast<unsigned long long>(row.peak));
      comma = ",";
    }
    std::fprintf(out, "],\n \"blocked\": [");
    comma = "";
    for (const auto& each : processes_) {
      if (each->waits_for == nullptr) continue;
      std::fprintf(out, "%s\n {\"process\": \"%s\", \"waits_to\": \"%s\", \"fifo\": \"%s\"}", comma, each->name.c_str(),
                   each->waits_to_write ? "write" : "read", each->waits_for->name.c_str());
      comma = ",";
    }
    std::fprintf(out, "]}\n");
    if (out != stdout) std::fclose(out);
  }

 private:
  template <class Call>
  static void run(void* call) {
    (*static_cast<const Call*>(call))();
  }

  void add(const char* name, void (*run)(void*), void* call) {
    auto made = std::make_unique<process>();
    made->name = name;
    made->run = run;
    made->call = call;
    ready_.push_back(made.get());
    processes_.push_back(std::move(made));
  }

  scheduler() {
    const char* path = std::getenv("STTEST_DEPTHS");
    if (path == nullptr) return;
    std::ifstream file(path);
    std::string name;
    for (std::size_t places; file >> name >> places;) depths_[name] = places;
  }

  void start(process& each) {
    each.stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (each.stack == MAP_FAILED) {
      std::fprintf(stderr, "no memory for the stack of process %s\n", each.name.c_str());
      std::_Exit(1);
    }
    getcontext(&each.context);
    each.context.uc_stack.ss_sp = each.stack;
    each.context.uc_stack.ss_size = kStackBytes;
    each.context.uc_link = &main_;
    makecontext(&each.context, &scheduler::trampoline, 0);
  }

  static void trampoline() {
    process* self = get().current_;
    self->run(self->call);
    self->done = true;
  }

  bool report_blocked() const {
    for (const auto& each : processes_)
      if (!each->done) return true;
    return false;
  }

  void note(const channel& of) { records_.push_back({of.name, of.depth, of.tokens_in, of.tokens_out, of.peak}); }
  void note_all() {
    for (const channel* each : channels_)
      if (each != nullptr) note(*each);
  }

  std::vector<std::unique_ptr<process>> processes_;
  std::deque<process*> ready_;
  std::vector<channel*> channels_;
  std::vector<fifo_record> records_;
  std::map<std::string, std::size_t> depths_;
  process* current_ = nullptr;
  ucontext_t main_{};
  std::string report_path_;
  bool running_ = false;
};

inline channel::channel(const char* given, std::size_t tokens) : name(given), depth(tokens) { scheduler::get().add(this); }

inline channel::~channel() { scheduler::get().remove(this); }

inline std::size_t channel::next_to_write() {
  while (held() == depth) scheduler::get().wait(*this, true);
  return tokens_in % depth;
}

inline std::size_t channel::next_to_read() {
  while (held() == 0) scheduler::get().wait(*this, false);
  return tokens_out % depth;
}

inline void channel::note_write() {
  ++tokens_in;
  if (held() > peak) peak = held();
  scheduler::get().wake(reader);
}

inline void channel::note_read() {
  ++tokens_out;
  scheduler::get().wake(writer);
}

// A channel whose tokens may go to a file.
class dumped_channel : public channel {
 protected:
  dumped_channel(const char* name, std::size_t declared) : channel(name, places(name, declared)) { open(); }
  ~dumped_channel() {
    if (dump_ != nullptr) std::fclose(dump_);
  }

  void become(const char* given, std::size_t declared) {
    name = given;
    depth = places(given, declared);
    if (dump_ != nullptr) std::fclose(dump_);
    open();
  }

  void note_token(const void* token, std::size_t bytes) {
    note_write();
    if (dump_ != nullptr) std::fwrite(token, bytes, 1, dump_);
  }

 private:
  static std::size_t places(const char* name, std::size_t declared) {
    return scheduler::get().depth_of(name, declared == 0 ? 2 : declared);
  }

  void open() {
    const char* folder = std::getenv("STTEST_STREAMS");
    if (folder == nullptr || name.empty()) return;
    dump_ = std::fopen((std::string(folder) + "/" + name + ".bin").c_str(), "wb");
    if (dump_ != nullptr) return;
    std::fprintf(stderr, "cannot write the tokens of stream %s\n", name.c_str());
    std::_Exit(1);
  }

  std::FILE* dump_ = nullptr;
};

// The FIFOs of one token's words: all have its depth, those behind the first are called after it with a number.
template <class Stream, std::size_t WORDS>
void name_words(Stream (&fifos)[WORDS], const char* name, std::size_t tokens) {
  const std::size_t places = scheduler::get().depth_of(name, tokens);
  for (std::size_t word = 0; word < WORDS; ++word) {
    const std::string number = word == 0 ? "" : "[" + std::to_string(word) + "]";
    fifos[word].become((name + number).c_str(), places);
  }
}

}  // namespace sttest

#define STTEST_FIFO(fifos, name, depth) ::sttest::name_words(fifos, name, depth)
#define STTEST_PROCESS(function, ...) ::sttest::scheduler::get().spawn(#function, [&] { function(__VA_ARGS__); })
