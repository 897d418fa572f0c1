"""The top-k engine in C++ for Vitis HLS, and a kernel that has one between streams."""

from sttest_systems.spatten.top_k import PASS_CYCLES, SEED, TAPS, TopKFormat

_TEXT = """\
#include <ap_int.h>
#include <hls_stream.h>

#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif

typedef ap_uint<{bits}> score_t;
typedef ap_uint<32> job_t;  // how many scores there are (bits 15 to 0), and how many are kept
struct row_t {{
  score_t score[{lanes}];
}};
struct kept_t {{
  score_t score[{lanes}];
  ap_uint<{place}> place[{lanes}];
}};

// Row `number` of a set gives its pivot if as many low bits of the shift register are 0 as the number has.
static bool gives_pivot(unsigned number, unsigned random) {{
  for (int by = 1; by < 16; by *= 2) number |= number >> by;
  return (random & number) == 0;
}}

static unsigned next_random(unsigned random) {{ return random >> 1 ^ (random & 1 ? {taps} : 0); }}

// What is greater than the pivot of a set, or less, packed into rows behind those that it had.
struct set_t {{
  row_t row[{rows}];
  row_t rest;
  int front, back, held, written, size;
  score_t pivot;

  void append(const row_t& full, unsigned random) {{
    row[back] = full;
    back = back == {rows} - 1 ? 0 : back + 1;
    if (gives_pivot(written++, random)) pivot = full.score[0];
  }}
  void pack(score_t score, unsigned random) {{
    rest.score[held++] = score;
    ++size;
    if (held < {lanes}) return;
    append(rest, random);
    held = 0;
  }}
  void finish(unsigned random) {{
    if (held) append(rest, random);
    held = 0;
  }}
  void start_pass() {{ written = 0, size = 0; }}
  void drop() {{ front = back; }}
}};

// Keeps the k largest scores of each job in the order in which they come, of equal ones the first.  `steps` are cycles
// of each job that nothing holds back: a pass has {pass_cycles} beyond the rows that it reads.
static void engine(
  hls::stream<job_t>& jobs, hls::stream<row_t>& rows, hls::stream<kept_t>& kept, int count, int* steps
) {{
  static row_t all[{rows}];
  static set_t sets[2];
#pragma HLS array_partition variable=sets type=complete dim=1
  for (int job = 0; job < count; ++job) {{
    const job_t now = jobs.read();
    const unsigned word = now.to_uint();
    const int scores = word & 65535;
    int rank = word >> 16, cycles = 1;
    const int full = (scores + {lanes} - 1) / {lanes};
    unsigned random = {seed};
    sets[0].drop();
    sets[0].start_pass();
    for (int r = 0; r < full; ++r, ++cycles) {{
#pragma HLS pipeline II=1
      all[r] = rows.read();
      sets[0].append(all[r], random);
      random = next_random(random);
    }}
    score_t threshold = 0;
    int ties = scores, held = scores, current = 0;
    for (bool found = rank == scores; !found;) {{
      threshold = sets[current].pivot;
      sets[0].start_pass();
      sets[1].start_pass();
      int equal = 0;
      for (int first = 0; first < held; first += {lanes}, ++cycles) {{
#pragma HLS pipeline II=1
        set_t& from = sets[current];
        const row_t row = from.row[from.front];
        from.front = from.front == {rows} - 1 ? 0 : from.front + 1;
        for (int lane = 0; lane < {lanes}; ++lane) {{
#pragma HLS unroll
          if (first + lane >= held) break;
          const score_t score = row.score[lane];
          if (score > threshold) sets[0].pack(score, random);
          else if (score < threshold) sets[1].pack(score, random);
          else ++equal;
        }}
        random = next_random(random);
      }}
      sets[0].finish(random);
      sets[1].finish(random);
      random = next_random(random);
      cycles += {pass_cycles};
      const int more = sets[0].size;
      if (rank <= more) {{
        current = 0;
      }} else if (rank > more + equal) {{
        rank -= more + equal;
        current = 1;
      }} else {{
        found = true;
        ties = rank - more;
        sets[0].drop();
        sets[1].drop();
      }}
      if (!found) {{
        held = sets[current].size;
        sets[1 - current].drop();
      }}
    }}
    kept_t out = {{}};
    int filled = 0;
    for (int r = 0; r < full; ++r, ++cycles) {{
#pragma HLS pipeline II=1
      for (int lane = 0; lane < {lanes}; ++lane) {{
#pragma HLS unroll
        const score_t score = all[r].score[lane];
        if (r * {lanes} + lane >= scores || score < threshold) continue;
        if (score == threshold && ties-- <= 0) continue;
        out.score[filled] = score;
        out.place[filled++] = r * {lanes} + lane;
        if (filled < {lanes}) continue;
        kept.write(out);
        out = kept_t();
        filled = 0;
      }}
    }}
    if (filled) kept.write(out);
    steps[job] = cycles + {pass_cycles};
  }}
}}

static void feed(
  const unsigned* job, const score_t* scores, hls::stream<job_t>& jobs, hls::stream<row_t>& rows, int count
) {{
  for (int j = 0; j < count; ++j) {{
    const int size = job[j] & 65535;
    jobs.write(job_t(job[j]));
    for (int first = 0; first < size; first += {lanes}) {{
#pragma HLS pipeline II=1
      row_t row = {{}};
      for (int lane = 0; lane < {lanes} && first + lane < size; ++lane) row.score[lane] = *scores++;
      rows.write(row);
    }}
  }}
}}

static void drain(const unsigned* job, hls::stream<kept_t>& kept, score_t* scores, int* places, int count) {{
  for (int j = 0; j < count; ++j) {{
    const int size = job[j] >> 16;
    for (int first = 0; first < size; first += {lanes}) {{
#pragma HLS pipeline II=1
      const kept_t row = kept.read();
      for (int lane = 0; lane < {lanes} && first + lane < size; ++lane) {{
        *scores++ = row.score[lane];
        *places++ = static_cast<int>(row.place[lane].to_uint());
      }}
    }}
  }}
}}

// Searches so many jobs; scores and what is kept of them lie in memory one job behind the other.
extern "C" void {name}(
  const unsigned* job, const score_t* scores, score_t* kept_scores, int* places, int* steps, int count
) {{
#pragma HLS dataflow
  hls::stream<job_t, 2> jobs("jobs");
  hls::stream<row_t, 2> rows("rows");
  hls::stream<kept_t, 2> kept("kept");
  STTEST_PROCESS(feed, job, scores, jobs, rows, count);
  STTEST_PROCESS(engine, jobs, rows, kept, count, steps);
  STTEST_PROCESS(drain, job, kept, kept_scores, places, count);
}}
"""


def top_k_kernel(name: str, engine: TopKFormat) -> str:
    """The text of a kernel.

    Args:
        name: name of the kernel.
        engine: engine.
    """
    return _TEXT.format(
        name=name,
        lanes=engine.lanes,
        rows=engine.rows,
        bits=engine.bits,
        place=engine.place_bits,
        pass_cycles=PASS_CYCLES,
        seed=SEED,
        taps=TAPS,
    )
