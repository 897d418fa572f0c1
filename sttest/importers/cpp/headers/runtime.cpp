// Runs a design as a Kahn network, a coroutine per process, and writes down in which stage each stream is accessed.
//
//   design TABLE OUT collect|place    TABLE: loops, sites and limits (layout.py writes it); OUT.json and OUT.bin are written.
//
// Streams are never full here.  All times come from TABLE: what runs decides only which accesses there are, in order.
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace {
using std::string;
using std::vector;
constexpr int READ = 0, WRITE = 1, WAIT = 2, NONE = -1;
constexpr long ENTRY = 1, GAP = 2;  // stages before the first loop of a process, and between two loops
constexpr size_t STACK = 32 << 20;
constexpr int MOST_ROUNDS = 16;  // until stages keep all that they have to

enum Mode { SEQUENTIAL, PIPELINE, MEMBER, UNROLLED };
struct Loop {
  int mode = SEQUENTIAL, inner = NONE;  // inner: of a pipeline, the loop whose iterations it starts
  long interval = 1, latency = 0, reported = 0, factor = 1;
  long entries = 0, least = 0, most = 0, needed = 0;  // needed: interval that its accesses of one stream need
};
struct Access { int site, stream, op; vector<std::pair<int, long>> lane; };
struct Placed { vector<long> early, late, text, apart, first; long length, interval = 1; bool relaxed; };
struct Active { int loop; long count, base; };
struct Run { long origin, end, first, last; };
struct Proc {
  int number, function, parent, site, occurrence, loop, called = NONE;  // called: the site of its call
  bool is_task = false, is_blocked = false;
  int blocked_stream = NONE, blocked_site = NONE;
  long now = ENTRY, end = ENTRY, origin = 0;
  vector<Access> pending;
  vector<int64_t> early, late, text, apart, first;
  vector<int32_t> op, at;
  vector<Run> runs;
  std::map<int, long> relaxed;
};
struct Stream {
  string name;
  void *self;
  long bits, depth, initial = 0;
  string kind;
  bool is_port, is_array = false, is_early = false;  // is_early: made before there is a variable to name it after
  std::deque<uint64_t> words;
  long tokens = 0, taken = 0;
  struct Coroutine *waiting = nullptr;
};
struct Variable { char *low, *high; string name; vector<long> extents; long bits = 0; int owner, stream = NONE; string kind; long depth = 0; std::map<int, int> users, places; };
struct Coroutine {
  ucontext_t context;
  Proc *proc, *home;
  Coroutine *parent = nullptr;
  void (*body)(void *) = nullptr;
  void *arguments = nullptr;
  bool is_task = false, is_done = false;
  long children = 0, activation = 0;
  bool has_spawned = false;
  std::map<int, int> occurrences;
  int tasks = 0;  // started so far, some of them before the region begins
  vector<Active> active;
  vector<size_t> frames;
  int pipe = NONE;  // place in ``active`` of the loop that is a pipeline
  bool is_fresh = false;
};

vector<Loop> loops;
std::unordered_map<int, long> least, tail, straight;
std::unordered_map<uint64_t, long> needs;
std::unordered_map<int, int> block_of;         // of sites
std::set<std::pair<int, int>> exclusive;  // blocks of which no iteration comes to both
std::unordered_map<uint64_t, Placed> placements;
std::unordered_map<int, int> guarded, joins, polls;  // joins: of a loop of a region, the one whose process it is part of
// All accesses that iterations of a pipeline have, in the order of the text: its schedule is one, whatever an iteration skips.
struct Union {
  vector<Access> all;
  vector<uint64_t> keys;
  std::unordered_map<uint64_t, int> place;
  std::set<std::pair<uint64_t, uint64_t>> together;  // those of one end of a stream that an iteration had
  std::set<uint64_t> seen;                           // iterations, by what they have
  bool is_placed = false;
  Placed placed;
};
std::map<int, Union> unions;
bool collects = false;
vector<Stream *> streams;
vector<Variable> variables;
vector<Proc *> procs;
std::map<vector<int>, Proc *> proc_of;
std::map<std::pair<int, string>, int> stream_of;
std::deque<Coroutine *> ready;
vector<Coroutine *> joining, everyone;
Coroutine *current;
ucontext_t scheduler;
int site = NONE;
long most_accesses = 1 << 27, accesses = 0, task_tokens = 64;
string untimed, failure;
std::map<string, std::pair<long, string>> directives;
char *lowest = (char *)~0ul, *highest = nullptr;

void fail(const string &what) {
  failure = what;
  setcontext(&scheduler);
  abort();
}

// --- Stages of one iteration: as the text orders them, reads early and writes late, and the other way round

bool diverges(const Access &a, const Access &b) {
  for (size_t i = 0; i < a.lane.size() && i < b.lane.size(); i++) {
    if (a.lane[i].first != b.lane[i].first) return false;
    if (a.lane[i].second != b.lane[i].second) return true;
  }
  return false;
}

// What the accesses of an iteration have to keep.  ``of``: what is known of its loop, if it is a pipeline's.
struct Order {
  const vector<Access> &all;
  const Union *of;
  long interval;  // between iterations; 0 where none follows
  int strictness = 0;  // from 1 on no read waits for a write before it, from 2 on no access for another one of its stream
  bool is_ordered = true, has_least = true;
  vector<int> port;         // end of a stream, -1 for none
  vector<bool> are_apart;   // of two accesses, where an iteration never has both

  Order(const vector<Access> &all, const Union *of, long interval) : all(all), of(of), interval(of ? interval : 0) {
    for (const Access &each : all) port.push_back(each.stream == NONE || each.op == WAIT ? -1 : 2 * each.stream + each.op);
    vector<int> block;
    for (const Access &each : all) {
      auto known = block_of.find(each.site);
      block.push_back(known == block_of.end() ? -1 : known->second);
    }
    if (!of || std::set<int>(block.begin(), block.end()).size() < 2) return;
    separate([&](size_t i, size_t j) {
      if (block[i] < 0 || block[j] < 0 || block[i] == block[j] || diverges(all[i], all[j])) return false;
      return exclusive.count(std::minmax(block[i], block[j])) > 0;
    });
  }

  // The report has a shorter interval than all of one end need: the tool found out which are in no iteration together.
  void believe() {
    separate([&](size_t i, size_t j) {
      return port[i] >= 0 && port[i] == port[j] && !of->together.count(std::minmax(of->keys[i], of->keys[j]));
    });
  }

  template <class F> void separate(F are_exclusive) {
    size_t count = all.size();
    are_apart.resize(count * count, false);
    for (size_t j = 0; j < count; j++)
      for (size_t i = 0; i < j; i++)
        if (are_exclusive(i, j)) are_apart[i * count + j] = true;
  }

  bool excludes(size_t i, size_t j) const { return !are_apart.empty() && are_apart[i * all.size() + j]; }

  bool contend(size_t i, size_t j) const { return port[i] >= 0 && port[i] == port[j] && !excludes(i, j); }

  // The most accesses of one end that may be in one iteration.
  long chain() const {
    vector<long> depth(all.size(), 1);
    long longest = 1;
    for (size_t j = 0; j < all.size(); j++) {
      for (size_t i = 0; i < j; i++)
        if (contend(i, j)) depth[j] = std::max(depth[j], depth[i] + 1);
      longest = std::max(longest, depth[j]);
    }
    return longest;
  }

  // Stages that access ``j`` stands after ``i`` at least, which comes before it in the text; -1 where nothing is known.
  long gap(size_t i, size_t j) const {
    const Access &a = all[i], &b = all[j];
    long found = -1;
    if (excludes(i, j)) return -1;
    bool is_lane = diverges(a, b);
    if (!is_lane && strictness < 3) {
      auto need = needs.find((uint64_t)a.site << 32 | (uint32_t)b.site);
      if (need != needs.end()) found = need->second;
    }
    if (a.op == WAIT || b.op == WAIT) return std::max(found, a.op == WAIT ? 1l : 0l);
    if (strictness < 2 && contend(i, j)) found = std::max(found, 1l);
    if (!is_lane && strictness < 1) found = std::max(found, a.op == WRITE && b.op == READ ? 1l : 0l);
    return found;
  }

  // An end of a stream is accessed in the order of iterations: all that one has, before the first of the next.
  // Moves stages in one direction; whether it moved any.
  bool in_turn(vector<long> &at, int direction, bool are_reads_fixed) const {
    if (!is_ordered || !interval) return false;
    std::unordered_map<int, long> end;
    for (size_t i = 0; i < all.size(); i++) {
      if (port[i] < 0) continue;
      auto known = end.emplace(port[i], direction * at[i]);
      known.first->second = std::max(known.first->second, direction * at[i]);
    }
    bool moved = false;
    for (size_t i = 0; i < all.size(); i++) {
      if (port[i] < 0 || (are_reads_fixed && all[i].op == READ)) continue;
      long least = end[port[i]] - (interval - 1);
      if (direction * at[i] < least) at[i] = direction * least, moved = true;
    }
    return moved;
  }

  bool asap(long length, vector<long> &at, const vector<long> *fixed) const {
    bool moves = true;
    at.assign(all.size(), 0);
    for (size_t j = 0; j < all.size(); j++) {
      auto first = least.find(all[j].site);
      if (first != least.end() && has_least && strictness < 3) at[j] = first->second;
    }
    for (int round = 0; moves && round < MOST_ROUNDS; round++) {
      for (size_t j = 0; j < all.size(); j++) {
        for (size_t i = 0; i < j; i++) {
          long stages = gap(i, j);
          if (stages >= 0) at[j] = std::max(at[j], at[i] + stages);
        }
        if (fixed && all[j].op == READ) at[j] = (*fixed)[j];
      }
      moves = in_turn(at, 1, fixed);
    }
    bool fits = !moves;
    for (long each : at) fits = fits && (!length || each < length);
    return fits;
  }

  void alap(long length, vector<long> &at, const vector<long> *fixed) const {
    bool moves = true;
    at.assign(all.size(), length - 1);
    for (size_t k = 0; k < all.size(); k++) {
      auto after = tail.find(all[k].site);
      if (after != tail.end() && strictness < 3) at[k] -= after->second;
    }
    for (int round = 0; moves && round < MOST_ROUNDS; round++) {
      for (size_t k = all.size(); k-- > 0;) {
        for (size_t j = k + 1; j < all.size(); j++) {
          long stages = gap(k, j);
          if (stages >= 0) at[k] = std::min(at[k], at[j] - stages);
        }
        if (fixed && all[k].op == READ) at[k] = (*fixed)[k];
      }
      moves = in_turn(at, -1, fixed);
    }
  }

  // Reads that contend in stages of their own, as early as ``at`` says where that fits.
  void spread(vector<long> &at, long length) const {
    vector<long> high(all.size(), std::max(0l, length - 1));
    bool moves = true;
    for (int round = 0; moves && round < MOST_ROUNDS; round++) {
      for (size_t j = 0; j < all.size(); j++)
        for (size_t i = 0; i < j && all[j].op == READ; i++)
          if (contend(i, j)) at[j] = std::max(at[j], at[i] + 1);
      for (size_t k = all.size(); k-- > 0;)
        for (size_t j = k + 1; j < all.size() && all[k].op == READ; j++)
          if (contend(k, j)) high[k] = std::min(high[k], high[j] - 1);
      vector<long> before = at;
      bool up = in_turn(at, 1, false), down = in_turn(high, -1, false);
      for (size_t i = 0; i < all.size(); i++) if (all[i].op != READ) at[i] = before[i];
      moves = (up && at != before) || down;
    }
    for (size_t i = 0; i < all.size(); i++)
      if (all[i].op == READ) at[i] = std::max(0l, std::min(at[i], high[i]));
  }
};

Placed arranged(Order order, long length, bool is_fixed);

uint64_t key_of(const Access &each) {
  uint64_t hash = 1469598103934665603ull;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211ull; hash ^= hash >> 29; };
  mix(each.site + 2), mix(each.op);
  for (auto &[loop, place] : each.lane) mix(loop), mix(place);
  return hash;
}

// Adds the accesses of an iteration to those that are known of its loop; gives the place of each.
vector<int> joined(Union &of, const vector<Access> &some) {
  vector<int> found;
  std::set<uint64_t> own;  // filled where something is new
  int last = -1;
  for (const Access &each : some) {
    uint64_t key = key_of(each);
    for (auto known = of.place.find(key); known != of.place.end() && known->second <= last && !found.empty(); known = of.place.find(key)) key = key * 31 + 7;
    auto known = of.place.find(key);
    if (known == of.place.end()) {
      if (own.empty())
        for (const Access &one : some) own.insert(key_of(one));
      // Behind those that only other iterations have, and that stand before it in the text.
      for (last++; last < (int)of.all.size() && !own.count(of.keys[last]); last++)
        if (of.all[last].lane != each.lane || of.all[last].site > each.site) break;
      of.all.insert(of.all.begin() + last, each);
      of.keys.insert(of.keys.begin() + last, key);
      for (size_t i = last; i < of.keys.size(); i++) of.place[of.keys[i]] = (int)i;
      for (int &before : found) if (before >= last) before++;
    } else {
      last = known->second;
    }
    found.push_back(last);
  }
  return found;
}

const Placed &placed(const vector<Access> &all, long length, bool is_fixed) {
  uint64_t hash = 1469598103934665603ull ^ (uint64_t)length * 31 + is_fixed;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211ull; hash ^= hash >> 29; };
  for (const Access &each : all) {
    mix(each.site + 2), mix(each.stream + 2), mix(each.op);
    for (auto &[loop, place] : each.lane) mix(loop), mix(place);
  }
  auto known = placements.find(hash);
  if (known != placements.end()) return known->second;
  return placements.emplace(hash, arranged(Order(all, nullptr, 0), length, is_fixed)).first->second;
}

// What is kept, in turn: a report that it does not fit into shows that the tool kept less.
bool is_kept(Order &order, long length, bool is_fixed, vector<long> &first) {
  struct Kept { int strictness; bool is_ordered, has_least; };
  static const Kept REPORTED[] = {{0, true, true}, {0, true, false}, {1, true, false}, {0, false, false}, {1, false, false}, {2, false, false}};
  static const Kept ESTIMATED[] = {{0, true, true}, {0, false, true}};
  vector<Kept> all;
  if (is_fixed) all.assign(std::begin(REPORTED), std::end(REPORTED));
  else all.assign(std::begin(ESTIMATED), std::end(ESTIMATED));
  for (Kept &each : all) {
    order.strictness = each.strictness, order.is_ordered = each.is_ordered, order.has_least = each.has_least;
    if (order.asap(is_fixed ? length : 0, first, nullptr)) return true;
  }
  order.strictness = 3;
  return false;
}

// The shortest interval from ``interval`` on that leaves room for the order of an iteration and for that of iterations.
long wide_enough(Order order, long interval) {
  vector<long> at;
  order.interval = interval;
  if (order.asap(0, at, nullptr)) return interval;
  long low = interval, high = interval;  // too short, long enough
  order.is_ordered = false, order.asap(0, at, nullptr);
  for (long each : at) high = std::max(high, each + 1);
  for (order.is_ordered = true; low + 1 < high;) {
    order.interval = (low + high) / 2;
    (order.asap(0, at, nullptr) ? high : low) = order.interval;
  }
  return high;
}

Placed arranged(Order order, long length, bool is_fixed) {
  Placed made;
  const vector<Access> &all = order.all;
  size_t count = all.size();
  vector<long> first, last;
  long chain = order.interval ? order.chain() : 0;
  if (is_fixed && chain > order.interval) order.believe();
  made.interval = order.interval;
  if (!is_fixed && order.interval) {
    order.interval = made.interval = wide_enough(order, std::max(made.interval, chain));
  }
  if (!is_kept(order, length, is_fixed, first)) {
    order.asap(0, first, nullptr);
    for (long &each : first) each = std::min(each, std::max(0l, length - 1));
  }
  // Where there is room, the first stage only finds out whether there is an iteration.
  long end = 0;
  for (long each : first) end = std::max(end, each);
  if (is_fixed && end + 1 < length)
    for (long &each : first) each++;
  made.relaxed = order.strictness > 0 || !order.is_ordered;
  made.length = std::max(length, 1l);
  for (size_t i = 0; i < count; i++) {
    auto after = tail.find(all[i].site);
    if (!is_fixed) made.length = std::max(made.length, first[i] + 1 + (after == tail.end() ? 0 : after->second));
  }
  // Reads early, writes as late as the reads after them allow.
  order.alap(made.length, last, nullptr);
  for (size_t i = 0; i < count; i++) last[i] = std::max(last[i], first[i]);
  order.alap(made.length, made.early, &first);
  for (size_t i = 0; i < count; i++) made.early[i] = std::max(made.early[i], first[i]);
  order.asap(0, made.late, &last);
  for (size_t i = 0; i < count; i++) made.late[i] = std::min(made.late[i], std::max(last[i], 0l));
  made.first = first;
  // As the text has them, also across lanes: what a condition guards is a stage later, and so is what follows it.
  made.text = made.early;
  for (size_t i = 0; i < count; i++) {
    if (all[i].op != READ) continue;
    long now = first[i] + (guarded.count(all[i].site) ? 1 : 0);
    for (size_t k = 0; k < i; k++)
      if (all[k].op == READ && !order.excludes(k, i)) now = std::max(now, made.text[k]);
    made.text[i] = std::min(now, std::max(0l, made.length - 1));
  }
  // Lanes a stage apart: the first lane's read of several streams stands before the others'.
  made.apart = made.early;
  std::map<int, size_t> lanes;
  for (size_t i = 0; i < count; i++) {
    if (all[i].op != READ) continue;
    const Access &before = all[lanes.emplace(all[i].site, i).first->second];
    if (diverges(before, all[i]) && before.stream != all[i].stream && made.length > 1)
      made.apart[i] = std::min(made.length - 1, made.apart[i] + 1);
  }
  if (order.strictness < 2) order.spread(made.text, made.length), order.spread(made.apart, made.length);
  return made;
}

void emit(Proc *proc, const vector<Access> &all, const Placed &found, long base, const vector<int> *places = nullptr) {
  for (size_t k = 0; k < all.size(); k++) {
    size_t i = k;
    if (all[k].stream == NONE || streams[all[k].stream]->is_port || all[k].op == WAIT) continue;
    if (places) i = (*places)[k];
    proc->early.push_back(base + found.early[i]);
    proc->late.push_back(base + found.late[i]);
    proc->text.push_back(base + found.text[i]);
    proc->apart.push_back(base + found.apart[i]);
    proc->first.push_back(base + found.first[i]);
    proc->op.push_back(2 * all[k].stream + all[k].op);
    proc->at.push_back(all[k].site);
  }
}

// --- Where a process is: loops that it is in, and the stage in which what follows begins

void flush_segment(Proc *proc) {
  if (proc->pending.empty()) return;
  auto known = straight.find(proc->function);
  long length = known == straight.end() ? 0 : known->second;
  const Placed &found = placed(proc->pending, length, length > 0);
  emit(proc, proc->pending, found, proc->now);
  proc->end = proc->now + found.length;
  proc->now = proc->end + GAP;
  proc->pending.clear();
}

// Notes which accesses of one end of a stream an iteration has, once for all that have the same.
void note_together(Union &of, const vector<int> &places) {
  uint64_t hash = 1469598103934665603ull;
  for (int each : places) hash = (hash ^ of.keys[each]) * 1099511628211ull, hash ^= hash >> 29;
  if (!of.seen.insert(hash).second) return;
  std::map<int, vector<uint64_t>> ends;
  for (int each : places) {
    const Access &one = of.all[each];
    if (one.stream == NONE || one.op == WAIT) continue;
    vector<uint64_t> &known = ends[2 * one.stream + one.op];
    for (uint64_t key : known) of.together.insert(std::minmax(key, of.keys[each]));
    known.push_back(of.keys[each]);
  }
}

void flush_iteration(Coroutine *co) {
  Proc *proc = co->proc;
  if (proc->pending.empty()) return;
  Active &pipe = co->active[co->pipe];
  Loop &loop = loops[pipe.loop];
  Union &of = unions[pipe.loop];
  vector<int> places = joined(of, proc->pending);
  if (collects) {
    if (loop.reported) note_together(of, places);
    proc->pending.clear();
    return;
  }
  if (!of.is_placed) of.placed = arranged(Order(of.all, &of, loop.interval), loop.latency, loop.reported), of.is_placed = true;
  const Placed &found = of.placed;
  if (found.relaxed) proc->relaxed[pipe.loop]++;
  if (!loop.reported) loop.latency = std::max(loop.latency, found.length), loop.needed = found.interval;
  emit(proc, proc->pending, found, pipe.base + std::max(0l, (pipe.count - 1) / loop.factor) * loop.interval, &places);
  proc->pending.clear();
}

void leave_loop(Coroutine *co) {
  Proc *proc = co->proc;
  Active active = co->active.back();
  Loop &loop = loops[active.loop];
  if (loop.entries == 1 || active.count < loop.least) loop.least = active.count;
  loop.most = std::max(loop.most, active.count);
  int place = (int)co->active.size() - 1;
  if (co->pipe == place) {
    flush_iteration(co);
    proc->end = active.base + std::max(0l, (active.count + loop.factor - 1) / loop.factor - 1) * loop.interval + std::max(1l, loop.latency);
    proc->now = proc->end + GAP;
    co->pipe = NONE;
  } else if (co->pipe == NONE && loop.mode != UNROLLED) {
    flush_segment(proc);
    long length = loop.reported ? active.base + active.count * loop.latency : proc->now;
    proc->end = length;
    proc->now = proc->end + GAP;
  }
  co->active.pop_back();
  if (proc->loop != NONE && co->active.size() == (co->frames.empty() ? 0 : co->frames.back())) co->proc = co->home;
}

Proc *process(int function, int parent, int at, int occurrence, int loop) {
  Proc *&found = proc_of[{function, parent, at, occurrence, loop}];
  if (!found) {
    found = new Proc();
    found->number = (int)procs.size(), found->function = function, found->parent = parent;
    found->site = at, found->occurrence = occurrence, found->loop = loop;
    procs.push_back(found);
  }
  return found;
}

void end_run(Proc *proc) {
  if (proc->runs.empty()) return;
  proc->runs.back().end = proc->end;
  proc->runs.back().last = (long)proc->op.size();
}

void begin_run(Proc *proc) {
  end_run(proc);
  proc->origin = proc->runs.empty() ? 0 : proc->end + 1;
  proc->now = proc->end = proc->origin + ENTRY;
  proc->runs.push_back({proc->origin, 0, (long)proc->op.size(), 0});
}

void enter_loop(Coroutine *co, int number) {
  Loop &loop = loops[number];
  bool is_outer = co->active.size() == (co->frames.empty() ? 0 : co->frames.back());
  if (is_outer && co->activation && co->home->loop == NONE && co->frames.size() <= 1) {
    // A loop of the region itself runs beside its calls, as a process of its own.
    flush_segment(co->proc);
    auto known = joins.find(number);
    co->proc = process(co->home->function, co->home->number, NONE, 0, known == joins.end() ? number : known->second);
    if (known == joins.end() || co->proc->runs.empty()) begin_run(co->proc);
  }
  loop.entries++;
  if (co->pipe == NONE && loop.mode != UNROLLED) flush_segment(co->proc);
  co->active.push_back({number, 0, co->proc->now});
  if (co->pipe == NONE && loop.mode == PIPELINE) co->pipe = (int)co->active.size() - 1, co->is_fresh = false;
}

void finish(Coroutine *co) {
  while (!co->active.empty()) leave_loop(co);
  flush_segment(co->proc);
  end_run(co->proc);
}

// --- Coroutines

void resume_next() { swapcontext(&current->context, &scheduler); }

void start(unsigned high, unsigned low) {
  auto *co = (Coroutine *)((uintptr_t)high << 32 | low);
  do co->body(co->arguments);
  while (co->is_task);
  finish(co);
  co->is_done = true;
  if (co->parent && !co->is_task) co->parent->children--;
  setcontext(&scheduler);
}

Coroutine *coroutine(void (*body)(void *), void *arguments, Proc *proc, Coroutine *parent, bool is_task) {
  auto *co = new Coroutine();
  co->body = body, co->arguments = arguments, co->proc = co->home = proc, co->parent = parent, co->is_task = is_task;
  everyone.push_back(co);
  getcontext(&co->context);
  void *stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) fail("no memory for the stack of a process");
  mprotect(stack, 1 << 16, PROT_NONE);  // calls that never end stop here, and not in the stack below
  co->context.uc_stack.ss_sp = stack, co->context.uc_stack.ss_size = STACK;
  makecontext(&co->context, (void (*)())start, 2, (unsigned)((uintptr_t)co >> 32), (unsigned)(uintptr_t)co);
  return co;
}

void spawn(void (*body)(void *), void *given, long bytes, int at, bool is_task) {
  void *arguments = malloc(bytes + 16);
  memcpy(arguments, given, bytes);
  Coroutine *co = current;
  if (!is_task) flush_segment(co->proc);
  int occurrence = is_task ? co->tasks++ : co->occurrences[at]++;
  co->has_spawned = true;
  Proc *proc = process(NONE, co->home->number, at, occurrence, is_task ? -2 : NONE);
  proc->is_task = is_task, proc->called = is_task ? site : at;
  if (is_task) proc->loop = NONE;
  begin_run(proc);
  auto *child = coroutine(body, arguments, proc, co, is_task);
  if (!is_task) co->children++;
  ready.push_front(co);
  ready.push_front(child);
  resume_next();
}

void run_all() {
  getcontext(&scheduler);
  if (!failure.empty()) return;
  while (true) {
    Coroutine *next = nullptr;
    if (!ready.empty()) {
      next = ready.front();
      ready.pop_front();
    } else {
      for (size_t i = joining.size(); i-- > 0 && !next;) {
        if (joining[i]->children) continue;
        next = joining[i];
        joining.erase(joining.begin() + i);
      }
    }
    if (!next) return;
    current = next;
    // A coroutine that ends comes back through setcontext, to the line after getcontext.
    setcontext(&next->context);
  }
}

Stream *stream_at(void *self) {
  long number = *(long *)self;
  if (number > 0 && number <= (long)streams.size()) return streams[number - 1];
  auto *made = new Stream();
  made->self = self, made->bits = 0, made->depth = 0, made->is_port = true;
  streams.push_back(made);
  *(long *)self = (long)streams.size();
  return made;
}

vector<std::pair<int, long>> lane() {
  vector<std::pair<int, long>> found;
  for (size_t i = current->pipe == NONE ? 0 : current->pipe; i < current->active.size(); i++) {
    Loop &loop = loops[current->active[i].loop];
    if (loop.mode == UNROLLED) found.push_back({current->active[i].loop, current->active[i].count});
    else if (loop.factor > 1) found.push_back({current->active[i].loop, (current->active[i].count - 1) % loop.factor});
  }
  return found;
}

void note(int stream, int op) {
  if (++accesses > most_accesses) fail("too many accesses");
  current->proc->pending.push_back({site, stream, op, lane()});
}

int number_of(Stream *stream) { return (int)*(long *)stream->self - 1; }

void await(Stream *stream) {
  int number = number_of(stream);
  note(number, READ);
  int here = site;
  while (!stream->tokens) {
    if (stream->is_port && !(current->is_task && stream->taken >= task_tokens)) break;
    current->home->is_blocked = true;
    current->home->blocked_stream = number, current->home->blocked_site = here;
    stream->waiting = current;
    resume_next();
  }
  current->home->is_blocked = false;
  stream->taken++;
}

void given(Stream *stream) {
  Coroutine *co = current;
  bool is_first = co->activation && !co->has_spawned && co->proc == co->home && co->active.empty();
  if (is_first && !stream->is_port) stream->initial++;
  else note(number_of(stream), WRITE);
  if (stream->is_port) return;
  stream->tokens++;
  if (stream->waiting) {
    ready.push_back(stream->waiting);
    stream->waiting = nullptr;
  }
}

Variable *variable_at(void *self) {
  auto *place = (char *)self;
  if (place < lowest || place >= highest) return nullptr;
  for (size_t i = variables.size(); i-- > 0;)
    if (place >= variables[i].low && place < variables[i].high) return &variables[i];
  return nullptr;
}

string name_at(void *self, long size) {
  Variable *of = variable_at(self);
  if (!of) return "";
  long place = (char *)self - of->low, total = 1;
  string name = of->name;
  for (long extent : of->extents) total *= extent;
  long element = (of->high - of->low) / total, rest = place / element;
  for (size_t i = 0; i < of->extents.size(); i++) {
    total /= of->extents[i];
    name += "[" + std::to_string(rest / total) + "]";
    rest %= total;
  }
  if (element > size) name += "@" + std::to_string(place % element / size);
  return name;
}

// What the project's settings say of a stream.
void settle(Stream *stream) {
  auto asked = directives.find(stream->name.substr(0, stream->name.find('[')));
  if (asked != directives.end()) stream->depth = asked->second.first, stream->kind = asked->second.second;
}
}  // namespace

extern "C" {
void sttest_design(void);

void sttest_site(int number) { site = number; }

void sttest_enter(int function) {
  Coroutine *co = current;
  co->frames.push_back(co->active.size());
  if (co->frames.size() == 1) {
    if (co->home->function == NONE) co->home->function = function;
  }
}

void sttest_leave(void) {
  Coroutine *co = current;
  while (co->active.size() > co->frames.back()) leave_loop(co);
  co->frames.pop_back();
}

void sttest_at(int loop) {
  Coroutine *co = current;
  while (co->active.size() > co->frames.back() && co->active.back().loop != loop) leave_loop(co);
}

void sttest_iteration(int number) {
  Coroutine *co = current;
  size_t place = co->active.size();
  while (place > co->frames.back() && co->active[place - 1].loop != number) place--;
  if (place == co->frames.back()) enter_loop(co, number);
  else while (co->active.size() > place) leave_loop(co);
  Active &active = co->active.back();
  Loop &loop = loops[number];
  if (co->pipe == NONE && loop.mode == UNROLLED) {
    active.count++;
    return;
  }
  if (co->pipe == NONE) {
    flush_segment(co->proc);
    if (loop.reported && active.count) {
      long inside = co->proc->now - GAP - (active.base + (active.count - 1) * loop.latency);
      if (inside > loop.latency && failure.empty()) untimed = untimed.empty() ? "loop " + std::to_string(number) + " " + std::to_string(inside) : untimed;
      co->proc->now = active.base + active.count * loop.latency;
    }
    active.count++;
    return;
  }
  Active &pipe = co->active[co->pipe];
  if (&pipe != &active) active.count++;
  if (loops[pipe.loop].inner == number) {
    if (!co->is_fresh && pipe.count % loops[pipe.loop].factor == 0) flush_iteration(co);
    pipe.count++;
    co->is_fresh = false;
  } else if (loop.mode == MEMBER || &pipe == &active) {
    flush_iteration(co);
    co->is_fresh = true;
  }
}

void sttest_array(void *self, long, long bits, const char *, long depth, const char *kind);
void sttest_variable(void *self, long bytes, const char *name, const char *extents, long bits) {
  int owner = current->home->number;
  Variable *found = nullptr;
  for (Variable &each : variables)
    if (each.owner == owner && each.name == name) found = &each;
  if (!found) {
    variables.push_back({});
    found = &variables.back();
    found->name = name, found->owner = owner;
    for (const char *at = extents; *at;) {
      found->extents.push_back(strtol(at, (char **)&at, 10));
      if (*at) at++;
    }
  }
  found->low = (char *)self, found->high = found->low + bytes;
  lowest = std::min(lowest, found->low), highest = std::max(highest, found->high);
  for (Stream *each : streams) {
    if (!each->is_early || each->self < found->low || each->self >= found->high) continue;
    each->name = name_at(each->self, 8), each->is_early = false, found->kind = "unsync";
    settle(each);
  }
  auto asked = directives.find(name);
  if (asked == directives.end() && !found->extents.empty()) asked = directives.find("*");
  if (asked != directives.end() && bits) sttest_array(self, bytes, bits, name, asked->second.first, asked->second.second.c_str());
}

void sttest_touch(void *self, int op) {
  Variable *found = variable_at(self);
  if (!found) return;
  if (found->stream != NONE) {
    note(found->stream, op);
    return;
  }
  found->users[current->proc->number] |= op == WRITE ? 2 : 1;
  found->places.emplace(current->proc->number, site);
}

void sttest_new(void *self, long bits, long depth) {
  string name = name_at(self, 8);
  if (Variable *around = variable_at(self)) around->kind = "unsync";  // its streams are its channels
  int owner = current ? current->home->number : NONE;  // outside of functions, it is made before the top begins
  if (name.empty()) name = "@" + std::to_string(streams.size());
  auto key = std::make_pair(owner, name);
  auto known = stream_of.find(key);
  if (known != stream_of.end()) {
    Stream *old = streams[known->second];
    *(long *)self = known->second + 1;
    old->self = self, old->tokens = 0, old->words.clear();
    return;
  }
  auto *made = new Stream();
  made->self = self, made->bits = bits, made->depth = depth, made->is_port = false, made->name = name;
  made->is_early = !current;
  settle(made);
  stream_of[key] = (int)streams.size();
  streams.push_back(made);
  *(long *)self = (long)streams.size();
}

void sttest_join(void) {
  if (!current || !current->has_spawned) return;
  joining.push_back(current);
  resume_next();
}
void sttest_end(void *) { sttest_join(); }

unsigned long sttest_read(void *self) {
  Stream *stream = stream_at(self);
  await(stream);
  if (!stream->tokens) return 0;
  stream->tokens--;
  unsigned long value = stream->words.empty() ? 0 : stream->words.front();
  if (!stream->words.empty()) stream->words.pop_front();
  return value;
}
void sttest_write(void *self, unsigned long value) {
  Stream *stream = stream_at(self);
  if (!stream->is_port) stream->words.push_back(value);
  given(stream);
}
void sttest_read_bytes(void *self, void *value, long size) {
  Stream *stream = stream_at(self);
  await(stream);
  memset(value, 0, size);
  if (!stream->tokens) return;
  stream->tokens--;
  for (long i = 0; i < size && !stream->words.empty(); i += 8) {
    memcpy((char *)value + i, &stream->words.front(), std::min(8l, size - i));
    stream->words.pop_front();
  }
}
void sttest_write_bytes(void *self, const void *value, long size) {
  Stream *stream = stream_at(self);
  for (long i = 0; i < size && !stream->is_port; i += 8) {
    uint64_t word = 0;
    memcpy(&word, (const char *)value + i, std::min(8l, size - i));
    stream->words.push_back(word);
  }
  given(stream);
}
long sttest_untimed(void *self, const char *what) {
  bool is_empty = !strcmp(what, "empty");
  auto poll = polls.find(site);
  if (poll != polls.end() && poll->second == is_empty && (is_empty || !strcmp(what, "read_nb"))) {
    Stream *stream = stream_at(self);
    while (!stream->tokens && !stream->is_port) {
      current->home->is_blocked = true;
      current->home->blocked_stream = number_of(stream), current->home->blocked_site = site;
      stream->waiting = current;
      resume_next();
    }
    current->home->is_blocked = false;
    return !is_empty;
  }
  fail(string("untimed ") + std::to_string(site) + " " + what);
  return 0;
}
void sttest_first(void *self, long tokens) {
  Stream *stream = stream_at(self);
  stream->initial = tokens, stream->tokens = tokens;
  for (long i = 0; i < tokens; i++) stream->words.push_back(1);
}
void sttest_stream(void *self, long size, const char *spelling, long depth, const char *kind) {
  for (long at = 0; at < size; at += 8) {
    Stream *stream = stream_at((char *)self + at);
    if (depth > 0) stream->depth = depth;
    stream->kind = kind;
    if (size == 8 && stream->name.find('@') != string::npos) stream->name = spelling;
  }
}
void sttest_array(void *self, long, long bits, const char *, long depth, const char *kind) {
  Variable *found = variable_at(self);
  if (!found) return;
  found->kind = kind, found->depth = depth;
  if (strcmp(kind, "fifo") && *kind) return;
  if (found->stream != NONE) return;
  auto *made = new Stream();
  static vector<long *> numbers;
  numbers.push_back(new long((long)streams.size() + 1));
  made->self = numbers.back(), made->bits = bits, made->depth = depth, made->name = found->name;
  made->is_port = false, made->is_array = true;
  found->stream = (int)streams.size();
  streams.push_back(made);
}
void sttest_dataflow(void) {
  current->activation++;
  current->has_spawned = false;
  current->occurrences.clear();
}
void sttest_wait(void) { note(NONE, WAIT); }
void sttest_pipeline(long) {}
void sttest_unroll(long) {}
void sttest_flatten(long) {}
void sttest_tripcount(long) {}
void sttest_task(void (*body)(void *), void *arguments, long bytes) {
  if (!current) {
    failure = "global";
    return;
  }
  if (!current->activation) current->activation = 1;
  spawn(body, arguments, bytes, -2, true);
}
void sttest_spawn(void (*body)(void *), void *arguments, long bytes, int at) { spawn(body, arguments, bytes, at, false); }
long sttest_ready(void *const *ends, long count, long from) {
  while (true) {
    for (long i = 0; i < count; i++) {
      Stream *stream = stream_at(ends[(from + i) % count]);
      if (stream->tokens || stream->is_port) return (from + i) % count;
    }
    for (long i = 0; i < count; i++) stream_at(ends[i])->waiting = current;
    resume_next();
  }
}
void *sttest_memory(void) {
  constexpr size_t SIZE = 256 << 20;
  void *found = mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) fail("no memory for a port");
  return (char *)found + SIZE / 4;
}
}

namespace {
string quoted(const string &text) {
  string made = "\"";
  for (char c : text) if (c != '"' && c != '\\' && c >= ' ') made += c;
  return made + "\"";
}

void read_table(const char *path) {
  FILE *file = fopen(path, "r");
  char kind[16];
  long a, b, c, d, e, f, g;
  while (file && fscanf(file, "%15s %ld %ld %ld %ld %ld %ld %ld", kind, &a, &b, &c, &d, &e, &f, &g) == 8) {
    string what = kind;
    if (what == "loop") {
      if ((size_t)a >= loops.size()) loops.resize(a + 1);
      loops[a].mode = (int)b, loops[a].inner = (int)c, loops[a].interval = d, loops[a].latency = e, loops[a].reported = f, loops[a].factor = g;
    } else if (what == "need") needs[(uint64_t)a << 32 | (uint32_t)b] = c;
    else if (what == "least") least[(int)a] = b;
    else if (what == "tail") tail[(int)a] = b;
    else if (what == "joins") joins[(int)a] = (int)b;
    else if (what == "poll") polls[(int)a] = (int)b;
    else if (what == "exclusive") exclusive.insert(std::minmax((int)a, (int)b));
    else if (what == "within") block_of[(int)a] = (int)b;
    else if (what == "guarded") guarded[(int)a] = 1;
    else if (what == "straight") straight[(int)a] = b;
    else if (what == "stream") {
      char name[256], type[32];
      if (fscanf(file, "%255s %31s", name, type) == 2) directives[name] = {a, strcmp(type, "-") ? type : ""};
    } else if (what == "limits") most_accesses = a, task_tokens = b;
  }
  if (file) fclose(file);
}

void write_result(const string &path) {
  FILE *data = fopen((path + ".bin").c_str(), "wb"), *text = fopen((path + ".json").c_str(), "w");
  if (!data || !text) exit(3);
  fprintf(text, "{\"failure\": %s, \"untimed\": %s, \"streams\": [", quoted(failure).c_str(), quoted(untimed).c_str());
  for (size_t i = 0; i < streams.size(); i++) {
    Stream &s = *streams[i];
    fprintf(text, "%s{\"name\": %s, \"bits\": %ld, \"depth\": %ld, \"initial\": %ld, \"kind\": %s, \"port\": %d, \"array\": %d}",
            i ? ", " : "", quoted(s.name).c_str(), s.bits, s.depth, s.initial, quoted(s.kind).c_str(), s.is_port, s.is_array);
  }
  fprintf(text, "], \"processes\": [");
  for (size_t i = 0; i < procs.size(); i++) {
    Proc &p = *procs[i];
    fprintf(text, "%s{\"function\": %d, \"parent\": %d, \"site\": %d, \"loop\": %d, \"task\": %d, \"blocked\": %d, \"stream\": %d, \"at\": %d, \"end\": %ld, \"count\": %zu, \"runs\": [",
            i ? ", " : "", p.function, p.parent, p.called, p.loop, p.is_task, p.is_blocked, p.blocked_stream, p.blocked_site, p.end, p.op.size());
    for (size_t r = 0; r < p.runs.size(); r++)
      fprintf(text, "%s[%ld, %ld, %ld, %ld]", r ? ", " : "", p.runs[r].origin, p.runs[r].end, p.runs[r].first, p.runs[r].last);
    fprintf(text, "], \"relaxed\": [");
    bool is_first = true;
    for (auto &[loop, count] : p.relaxed) fprintf(text, "%s%d", is_first ? "" : ", ", loop), is_first = false;
    fprintf(text, "]}");
    fwrite(p.early.data(), 8, p.early.size(), data);
    fwrite(p.late.data(), 8, p.late.size(), data);
    fwrite(p.text.data(), 8, p.text.size(), data);
    fwrite(p.apart.data(), 8, p.apart.size(), data);
    fwrite(p.first.data(), 8, p.first.size(), data);
    fwrite(p.op.data(), 4, p.op.size(), data);
    fwrite(p.at.data(), 4, p.at.size(), data);
  }
  fprintf(text, "], \"variables\": [");
  for (size_t i = 0; i < variables.size(); i++) {
    Variable &v = variables[i];
    fprintf(text, "%s{\"name\": %s, \"stream\": %d, \"kind\": %s, \"depth\": %ld, \"users\": {", i ? ", " : "", quoted(v.name).c_str(), v.stream, quoted(v.kind).c_str(), v.depth);
    bool is_first = true;
    for (auto &[proc, how] : v.users) fprintf(text, "%s\"%d\": [%d, %d]", is_first ? "" : ", ", proc, how, v.places[proc]), is_first = false;
    fprintf(text, "}}");
  }
  fprintf(text, "], \"loops\": [");
  for (size_t i = 0; i < loops.size(); i++)
    fprintf(text, "%s[%ld, %ld, %ld, %ld]", i ? ", " : "", loops[i].entries, loops[i].least, loops[i].most, loops[i].needed);
  fprintf(text, "]}\n");
  fclose(data);
  fclose(text);
}

void whole(void *) { sttest_design(); }
}  // namespace

// What iterations have, for a further run.
void write_unions(const string &path) {
  FILE *file = fopen(path.c_str(), "w");
  if (!file) exit(3);
  for (auto &[loop, of] : unions)
    for (size_t i = 0; i < of.all.size(); i++) {
      Access &each = of.all[i];
      fprintf(file, "%d %d %d %d %zu", loop, each.site, each.stream, each.op, each.lane.size());
      for (auto &[inner, place] : each.lane) fprintf(file, " %d %ld", inner, place);
      fprintf(file, " %lu\n", (unsigned long)of.keys[i]);
    }
  fclose(file);
  file = fopen((path + ".together").c_str(), "w");
  if (!file) exit(3);
  for (auto &[loop, of] : unions)
    for (auto &[one, other] : of.together) fprintf(file, "%d %lu %lu\n", loop, (unsigned long)one, (unsigned long)other);
  fclose(file);
}

void read_unions(const string &path) {
  FILE *file = fopen(path.c_str(), "r");
  int loop;
  Access each;
  size_t lanes;
  unsigned long key;
  while (file && fscanf(file, "%d %d %d %d %zu", &loop, &each.site, &each.stream, &each.op, &lanes) == 5) {
    each.lane.assign(lanes, {});
    for (auto &[inner, place] : each.lane)
      if (fscanf(file, "%d %ld", &inner, &place) != 2) exit(3);
    if (fscanf(file, "%lu", &key) != 1) exit(3);
    Union &of = unions[loop];
    of.place[key] = (int)of.all.size();
    of.all.push_back(each), of.keys.push_back(key);
  }
  if (file) fclose(file);
  file = fopen((path + ".together").c_str(), "r");
  unsigned long other;
  while (file && fscanf(file, "%d %lu %lu", &loop, &key, &other) == 3) unions[loop].together.insert({key, other});
  if (file) fclose(file);
}

int main(int count, char **given) {
  if (count != 4) return 2;
  read_table(given[1]);
  collects = !strcmp(given[3], "collect");
  if (!collects) read_unions(string(given[2]) + ".unions");
  Proc *top = process(NONE, NONE, NONE, 0, NONE);
  begin_run(top);
  ready.push_back(coroutine(whole, nullptr, top, nullptr, false));
  run_all();
  // What still waits has accesses that no iteration's end has placed yet; a task's last wait is its end.
  for (Coroutine *co : everyone) {
    if (co->is_done) continue;
    if (co->is_task && co->home->is_blocked && !co->proc->pending.empty()) co->proc->pending.pop_back();
    finish(co);
  }
  for (Proc *each : procs) end_run(each);
  if (collects) write_unions(string(given[2]) + ".unions");
  write_result(given[2]);
  fflush(nullptr);
  _exit(0);
}
