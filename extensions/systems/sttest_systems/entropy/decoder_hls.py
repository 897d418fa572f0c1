"""The decoder of entropy-coded weights in C++ for Vitis HLS: a split, lanes, a join, and a kernel that has them all."""

from sttest.core.errors import InputError
from sttest_systems.entropy.coding.huffman import PrefixCode
from sttest_systems.entropy.coding.lanes import FILL, LaneFormat
from sttest_systems.entropy.decoder_timing import DecoderDepths

_WIDEST = 64
"""Bits that a part of a word, or a group, may have: what C simulation moves at once."""

_TEXT = """\
#include <ap_int.h>
#include <hls_stream.h>

#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif

typedef ap_uint<{word}> word_t;
typedef ap_uint<{part}> part_t;
typedef ap_uint<{group}> group_t;

static void split(const word_t* memory, {part_arguments}, int words) {{
  for (int w = 0; w < words; ++w) {{
#pragma HLS pipeline II=1
    const word_t word = memory[w];
{writes}
  }}
}}

// A cycle decodes from the bits held before it, and takes a part of a word beside that if these are below {refill}.
static void lane(hls::stream<part_t>& parts, hls::stream<group_t>& groups, int count, int words, int& steps) {{
  // By length: what the next {longest} bits are less than if the codeword is no longer; from a codeword to its place.
  static const int limits[{longest}] = {{{limits}}};
  static const int offsets[{longest}] = {{{offsets}}};
  static const short symbols[{entries}] = {{{symbols}}};
  bool text[{held}] = {{}};  // the oldest bit first; zeros behind what is held
#pragma HLS array_partition variable=text type=complete dim=1
  int held = 0, left = words;
  steps = 0;
  for (int given = 0; given < count || left > 0; ++steps) {{
#pragma HLS pipeline II=1
    int used = 0;
    bool is_fill = false;
    unsigned long long group = 0;
    for (int n = 0; n < {each}; ++n) {{
#pragma HLS unroll
      int window = 0, length = 1;
      for (int bit = 0; bit < {longest}; ++bit) window = 2 * window + text[used + bit];
      for (int bits = 1; bits < {longest}; ++bits)
        if (window >= limits[bits - 1]) length = bits + 1;
      const int place = (window >> ({longest} - length)) + offsets[length - 1];
      const int symbol = place < {entries} ? symbols[place] : 0;
      if (n == 0) is_fill = symbol == {fill};
      used += length;
      unsigned int weight = text[used] << 8 | (symbol & 255);
      for (int bit = 1; bit < 8; ++bit) weight = 2 * weight + text[used + bit];
      group |= static_cast<unsigned long long>(weight) << (16 * n);
      used += 8;
    }}
    if (is_fill) used = {group_bits};
    const bool within = given < count, ready = within && used <= held, take = left > 0 && (held < {refill} || !within);
    const int shift = ready ? used : 0, kept = held - shift;
    part_t part = 0;
    if (take) part = parts.read();
    bool next[{held}];
    for (int bit = 0; bit < {held}; ++bit) {{
#pragma HLS unroll
      next[bit] = within && bit + shift < {held} && text[bit + shift];
      if (within && take && bit >= kept && bit < kept + {part}) next[bit] = part[{part} - 1 - (bit - kept)];
    }}
    for (int bit = 0; bit < {held}; ++bit) text[bit] = next[bit];
    held = within ? kept + (take ? {part} : 0) : 0;
    left -= take;
    if (ready && !is_fill) {{
      groups.write(group_t(group));
      ++given;
    }}
  }}
}}

static void join({group_arguments}, group_t* weights, int count) {{
  for (int row = 0; row < count; ++row) {{
#pragma HLS pipeline II=1
{reads}
  }}
}}

// Decodes a row of weights, a group of every lane, so often; `steps` are cycles of each lane that nothing holds back.
extern "C" void {name}(const word_t* memory, group_t* weights, int* steps, int count, int words) {{
#pragma HLS dataflow
{streams}
  STTEST_PROCESS(split, memory, {part_streams}, words);
{calls}
  STTEST_PROCESS(join, {group_streams}, weights, count);
}}
"""


def decoder_kernel(name: str, code: PrefixCode, lane_format: LaneFormat, depths: DecoderDepths) -> str:
    """The text of a kernel.

    Args:
        name: name of the kernel.
        code: code of exponents and fill.
        lane_format: lanes.
        depths: depths of the FIFOs before and behind the lanes.

    Raises:
        InputError: parts or groups of more than 64 bits.
    """
    part, group = lane_format.word_bits, 16 * lane_format.symbols
    if max(part, group) > _WIDEST:
        raise InputError(
            "wide-lanes",
            "lanes are too wide",
            where=name,
            demand=max(part, group),
            bound=_WIDEST,
            unit="bits",
            hints=["take more lanes of fewer bits"],
        )
    lanes = range(lane_format.lanes)
    streams = [
        f'  hls::stream<{kind}_t, {depth}> {kind}{n}("{kind}{n}");'
        for kind, depth in (("part", depths.parts), ("group", depths.groups))
        for n in lanes
    ]
    calls = (f"  STTEST_PROCESS(lane, part{n}, group{n}, count, words, steps[{n}]);" for n in lanes)
    return _TEXT.format(
        name=name,
        word=part * lane_format.lanes,
        part=part,
        group=group,
        refill=lane_format.refill_bits,
        longest=lane_format.longest,
        limits=_listed(code.limits),
        offsets=_listed(code.offsets),
        symbols=_listed(code.symbols),
        entries=len(code.symbols),
        held=lane_format.held_bits,
        each=lane_format.symbols,
        fill=FILL,
        group_bits=lane_format.group_bits,
        part_arguments=", ".join(f"hls::stream<part_t>& part{n}" for n in lanes),
        group_arguments=", ".join(f"hls::stream<group_t>& group{n}" for n in lanes),
        writes="\n".join(f"    part{n}.write(part_t(word({part * n + part - 1}, {part * n})));" for n in lanes),
        reads="\n".join(f"    weights[{len(lanes)} * row + {n}] = group{n}.read();" for n in lanes),
        streams="\n".join(streams),
        part_streams=", ".join(f"part{n}" for n in lanes),
        group_streams=", ".join(f"group{n}" for n in lanes),
        calls="\n".join(calls),
    )


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
