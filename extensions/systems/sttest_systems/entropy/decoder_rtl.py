"""The decoder of entropy-coded weights in SystemVerilog: lanes with the tables of a code, between split and join."""

from collections.abc import Sequence
from pathlib import Path

from sttest.compile.rtl import fifo
from sttest_systems.entropy.coding.huffman import PrefixCode
from sttest_systems.entropy.coding.lanes import LaneFormat
from sttest_systems.entropy.decoder_timing import DecoderDepths

__depends__ = ("sttest_systems/entropy/entropy_lane.sv",)

_LANE = """
// A lane for one code.
module {name}_lane (
  input  logic clk, reset,
  input  logic [31:0] groups, parts,
  output logic ended,
  input  logic part_avail,
  output logic part_take,
  input  logic [{part}-1:0] part_data,
  input  logic group_space,
  output logic group_put,
  output logic [{group}-1:0] group_data
);
  entropy_lane #(
    .PART({part}), .SYMBOLS({symbols}), .LONGEST({longest}), .ENTRIES({entries}),
    .LIMITS({limits}),
    .OFFSETS({offsets}),
    .TABLE({table})
  ) lane (.*);
endmodule
"""
_BANK = """
// A word of memory is split among the lanes; a row of weights is a group of each.
module {name} (
  input  logic clk, reset,
  input  logic [31:0] groups, words,
  output logic ended,
  input  logic word_avail,
  output logic word_take,
  input  logic [{lanes}*{part}-1:0] word_data,
  input  logic row_space,
  output logic row_put,
  output logic [{lanes}*{group}-1:0] row_data
);
  logic [{lanes}-1:0] part_space, group_avail, lane_ended;
  assign word_take = word_avail & &part_space & ~reset;
  assign row_put = &group_avail & row_space & ~reset;
  assign ended = &lane_ended & ~|group_avail;
  for (genvar n = 0; n < {lanes}; n++) begin : lanes
    logic part_avail, part_take, group_space, group_put;
    logic [{part}-1:0] part_data;
    logic [{group}-1:0] group_data;
    fifo_srl #(.WIDTH({part}), .DEPTH({part_depth})) parts_of (
      .clk, .reset, .put(word_take), .put_data(word_data[n*{part} +: {part}]), .space(part_space[n]),
      .take(part_take), .take_data(part_data), .avail(part_avail)
    );
    {name}_lane lane (
      .clk, .reset, .groups, .parts(words), .ended(lane_ended[n]), .part_avail, .part_take, .part_data, .group_space,
      .group_put, .group_data
    );
    fifo_srl #(.WIDTH({group}), .DEPTH({group_depth})) groups_of (
      .clk, .reset, .put(group_put), .put_data(group_data), .space(group_space),
      .take(row_put), .take_data(row_data[n*{group} +: {group}]), .avail(group_avail[n])
    );
  end
endmodule
"""


def decoder_text(name: str, code: PrefixCode, lane_format: LaneFormat, depths: DecoderDepths) -> str:
    """Modules ``NAME_lane`` and ``NAME``, a bank of lanes with the FIFOs around them; :func:`sources` has the rest.

    Args:
        name: name of the modules.
        code: code of exponents and fill.
        lane_format: lanes.
        depths: depths of the FIFOs before and behind the lanes.
    """
    facts = {
        "name": name,
        "part": lane_format.word_bits,
        "group": 16 * lane_format.symbols,
        "lanes": lane_format.lanes,
        "symbols": lane_format.symbols,
        "longest": lane_format.longest,
        "entries": len(code.symbols),
        "limits": _packed(code.limits, lane_format.longest + 1),
        "offsets": _packed([offset % 512 for offset in code.offsets], 16),
        "table": _packed(code.symbols, 16),
        "part_depth": depths.parts,
        "group_depth": depths.groups,
    }
    return (_LANE + _BANK).format(**facts)


def sources(depths: DecoderDepths) -> tuple[tuple[str, str], ...]:
    """File names and texts that the modules need, in the order in which they are read."""
    lane = Path(__file__).with_name("entropy_lane.sv")
    return (*fifo("srl", depths.parts, 1).sources, (lane.name, lane.read_text(encoding="utf-8")))


def _packed(numbers: Sequence[int], bits: int) -> str:
    """Numbers as one constant, the first in the lowest bits."""
    return f"{bits * len(numbers)}'h{sum(number << (bits * n) for n, number in enumerate(numbers)):x}"
