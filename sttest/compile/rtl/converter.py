"""A converter: a ping-pong buffer that one pipeline fills and another drains (docs/reference/values.md, Converters)."""

from collections.abc import Sequence
from math import prod

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl.banks import Banks
from sttest.compile.rtl.control import Control, Counters
from sttest.compile.rtl.module import ModuleText, Side, delayed, gated, unrolled
from sttest.compile.schedule.converter_block import BlockSide, ConverterBlock
from sttest.sim.graph import DRAIN_CYCLES, Pipeline


def converter_module(
    fill: Pipeline,
    drain: Pipeline,
    block: ConverterBlock,
    element_bits: int,
    sides: Sequence[Side],
    kind: MemoryKind | None = None,
) -> ModuleText:
    """The module of a converter.

    Args:
        fill: the pipeline that fills blocks.
        drain: the pipeline that drains them.
        block: the buffer.
        element_bits: width of an element.
        sides: source, full and empty of the filling pipeline; full, sink and empty of the draining one.
        kind: memories of the buffer's banks; None for one array, as simulators want it.
    """
    source, _, _, _, sink, _ = sides
    filling, draining = Control(fill, "fill_"), Control(drain, "drain_")
    counters = _tokens(filling, block.fill), _tokens(draining, block.drain)
    arithmetic: dict[str, int] = {}
    if kind is None:
        passes, stored = DRAIN_CYCLES - 1, _array(block, counters, element_bits, source, sink)
    else:
        banks = Banks(block, element_bits, kind)
        passes = DRAIN_CYCLES - 2
        stored = banks.text(*counters, f"{source.name}_data", f"{source.name}_take", draining.advance)
        arithmetic = {"choice": banks.chosen_bits}
    passed, last = delayed("token", "fetched", sink.bits, passes, draining.advance)
    # Counters are known only when all that asks for them is written.
    text = gated(filling, sides[:3]) + gated(draining, sides[3:]) + _HALVES + stored + passed
    text += f"  assign {sink.name}_data = {last};\n"
    text += "  assign ended_all = {drain_ended, fill_ended};\n"
    text += "  assign moving_all = {drain_advance, fill_advance};\n"
    return ModuleText("converter", tuple(sides), text, (fill.name, drain.name), arithmetic=arithmetic)


_HALVES = """  logic fill_half = 0, drain_half = 0;
  always_ff @(posedge clk)
    if (reset) begin
      fill_half <= 0;
      drain_half <= 0;
    end else begin
      if (fill_advance & fill_last_stage) fill_half <= ~fill_half;
      if (drain_advance & drain_last_stage) drain_half <= ~drain_half;
    end
"""


def _array(block: ConverterBlock, counters: tuple[Counters, Counters], bits: int, source: Side, sink: Side) -> str:
    """The buffer as one array, written where ``fill_place`` is, and ``fetched``, the token at ``drain_place``."""
    shape = [dim.extent for dim in block.dims]
    size, tokens = prod(shape), (prod(block.fill.shape), prod(block.drain.shape))
    place = f"block[(fill_half ? {size} : 0) + fill_place + FILL_ELEMENT[e]]"
    store = unrolled("e", tokens[0], f"{place} <= {source.name}_data[e * {bits} +: {bits}];")
    filled = "".join(f"      {line}\n" for line in store)
    return f"""  logic [{bits - 1}:0] block [{2 * size}];
{_place("fill", block.fill, counters[0], shape)}{_place("drain", block.drain, counters[1], shape)}\
  localparam int FILL_ELEMENT [{tokens[0]}] = {_elements(block.fill.shape, shape)};
  localparam int DRAIN_ELEMENT [{tokens[1]}] = {_elements(block.drain.shape, shape)};
  always_ff @(posedge clk)
    if ({source.name}_take) begin
{filled}    end
  logic [{sink.bits - 1}:0] fetched;
  always_comb
    for (int e = 0; e < {tokens[1]}; e++)
      fetched[e * {bits} +: {bits}] = block[(drain_half ? {size} : 0) + drain_place + DRAIN_ELEMENT[e]];
"""


def _tokens(control: Control, side: BlockSide) -> Counters:
    """Counters of the tokens of a block."""
    trips = tuple(part.trip for part in side.loops) or (1,)
    assert prod(trips) == control.pipeline.loops[0].iterations
    return control.walk([trips], 0)


def _place(name: str, side: BlockSide, counters: Counters, shape: Sequence[int]) -> str:
    """The place of the token of a stage in a block, as a wire."""
    strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    start = sum(at * stride for at, stride in zip(side.start, strides, strict=True))
    terms = [str(start)]
    for part, index in zip(side.loops, counters.indices, strict=False):
        step = sum(by * stride for by, stride in zip(part.strides, strides, strict=True))
        if step and part.trip > 1:
            terms.append(f"{step} * {index}")
    return f"  int {name}_place;\n  assign {name}_place = {' + '.join(terms)};\n"


def _elements(token: Sequence[int], shape: Sequence[int]) -> str:
    """Places of a token's elements in the buffer, from that of its first on."""
    strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    found = [0]
    for size, stride in zip(token, strides, strict=True):
        found = [at + step * stride for at in found for step in range(size)]
    return f"'{{{', '.join(map(str, found))}}}"
