"""A DMA in C++ for Vitis HLS that reads keys by number, their high bits first and their low bits on demand."""

from sttest_systems.spatten.key_planes import PlaneFormat

_TEXT = """\
#include <ap_int.h>
#include <hls_stream.h>

#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif

typedef ap_uint<{word}> word_t;
struct high_t {{
  word_t word[{high_words}];
}};
struct low_t {{
  word_t word[{low_words}];
}};
// A part of a vector: high bits as what they count for, or low bits.
struct part_t {{
  short element[{dim}];
}};

// The high bits of all heads, one head after the other.
static void read_high(const word_t* memory, const int* token, hls::stream<high_t>& vectors, int tokens, int heads) {{
  for (int head = 0; head < heads; ++head)
    for (int number = 0; number < tokens; ++number) {{
#pragma HLS pipeline II={high_words}
      high_t vector;
      for (int w = 0; w < {high_words}; ++w) vector.word[w] = memory[(token[number] * heads + head) * {high_words} + w];
      vectors.write(vector);
    }}
}}

// The low bits of those heads that it is told of.
static void read_low(
  const word_t* memory, const int* token, hls::stream<bool>& again, hls::stream<low_t>& vectors, int tokens, int heads
) {{
  for (int head = 0; head < heads; ++head) {{
    if (!again.read()) continue;
    for (int number = 0; number < tokens; ++number) {{
#pragma HLS pipeline II={low_words}
      low_t vector;
      for (int w = 0; w < {low_words}; ++w) vector.word[w] = memory[(token[number] * heads + head) * {low_words} + w];
      vectors.write(vector);
    }}
  }}
}}

static int bits_of(const word_t* words, int first, int count) {{
  int found = 0;
  for (int bit = 0; bit < count; ++bit) {{
#pragma HLS unroll
    const int at = first + bit;
    const ap_uint<1> one = words[at / {word}](at % {word}, at % {word});
    found |= static_cast<int>(one.to_uint()) << bit;
  }}
  return found;
}}

static void pass_high(hls::stream<high_t>& vectors, hls::stream<part_t>& keys, int tokens) {{
  for (int number = 0; number < tokens; ++number) {{
#pragma HLS pipeline II=1
    const high_t vector = vectors.read();
    part_t key;
    for (int element = 0; element < {dim}; ++element) {{
#pragma HLS unroll
      const int bits = bits_of(vector.word, element * {high}, {high});
      key.element[element] = (bits - (bits >> {sign} << {high})) * {scale};
    }}
    keys.write(key);
  }}
}}

static void pass_low(hls::stream<low_t>& vectors, hls::stream<part_t>& keys, int tokens) {{
  for (int number = 0; number < tokens; ++number) {{
#pragma HLS pipeline II=1
    const low_t vector = vectors.read();
    part_t key;
    for (int element = 0; element < {dim}; ++element) {{
#pragma HLS unroll
      key.element[element] = bits_of(vector.word, element * {low}, {low});
    }}
    keys.write(key);
  }}
}}

// A head's high bits go on before what was decided about the head before it is awaited.
static void merge(
  hls::stream<high_t>& high, hls::stream<low_t>& low, hls::stream<bool>& decisions, hls::stream<part_t>& keys,
  int tokens, int heads
) {{
  for (int head = 0; head <= heads; ++head) {{
    if (head < heads) pass_high(high, keys, tokens);
    if (head > 0 && decisions.read()) pass_low(low, keys, tokens);
  }}
}}

static void decide(const int* flags, hls::stream<bool>& again, hls::stream<bool>& decisions, int heads) {{
  for (int head = 0; head < heads; ++head) {{
#pragma HLS pipeline II=1
    again.write(flags[head] != 0);
    decisions.write(flags[head] != 0);
  }}
}}

static void store(hls::stream<part_t>& keys, short* out, int parts) {{
  for (int part = 0; part < parts; ++part) {{
#pragma HLS pipeline II=1
    const part_t key = keys.read();
    for (int element = 0; element < {dim}; ++element) out[part * {dim} + element] = key.element[element];
  }}
}}

// Reads the keys of so many tokens for each head; `flags` are what was decided about the heads, `parts` how many parts
// of vectors that makes.
extern "C" void {name}(
  const word_t* high, const word_t* low, const int* high_token, const int* low_token, const int* flags, short* out,
  int tokens, int heads, int parts
) {{
#pragma HLS dataflow
  hls::stream<high_t, 2> high_vectors("high_vectors");
  hls::stream<low_t, 2> low_vectors("low_vectors");
  hls::stream<bool, 2> again("again");
  hls::stream<bool, 2> decisions("decisions");
  hls::stream<part_t, 2> keys("keys");
  STTEST_PROCESS(decide, flags, again, decisions, heads);
  STTEST_PROCESS(read_high, high, high_token, high_vectors, tokens, heads);
  STTEST_PROCESS(read_low, low, low_token, again, low_vectors, tokens, heads);
  STTEST_PROCESS(merge, high_vectors, low_vectors, decisions, keys, tokens, heads);
  STTEST_PROCESS(store, keys, out, parts);
}}
"""


def two_phase_read_kernel(name: str, planes: PlaneFormat) -> str:
    """The text of a kernel.

    Args:
        name: name of the kernel.
        planes: how keys lie in memory; a token's vectors follow each other by head.
    """
    return _TEXT.format(
        name=name,
        word=planes.word_bits,
        high=planes.high_bits,
        low=planes.low_bits,
        dim=planes.dim,
        high_words=planes.words(planes.high_bits),
        low_words=planes.words(planes.low_bits),
        sign=planes.high_bits - 1,
        scale=1 << planes.low_bits,
    )
