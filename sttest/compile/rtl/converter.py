"""A converter: a ping-pong buffer that one pipeline fills and another drains (docs/reference/values.md, Converters)."""

from collections.abc import Sequence
from math import prod

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl.banks import Banks
from sttest.compile.rtl.control import Control, Counters
from sttest.compile.rtl.expressions import Expression, Signal, joined, value_of, where
from sttest.compile.rtl.module import ModuleText, Side, delayed, gated
from sttest.compile.rtl.tree import (
    Clocked,
    Combinational,
    Constants,
    Driven,
    ForEach,
    IfElse,
    Node,
    Register,
    Set,
    Unrolled,
    Wire,
)
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
        passes, stored = DRAIN_CYCLES - 2, banks.nodes(*counters, source, draining.advance)
        arithmetic = {"choice": banks.chosen_bits}
    advance = draining.advance
    registers, last = delayed("token", Signal("fetched"), (sink.bits,), passes, advance, role="data")
    # Counters are known only when all that asks for them is written.
    nodes = [*gated(filling, sides[:3]), *gated(draining, sides[3:]), *_halves(), *stored, *registers]
    nodes.append(Driven(sink.data, last))
    for what, told in (("ended", "ended_all"), ("advance", "moving_all")):
        nodes.append(Driven(Signal(told), joined(Signal(f"{half}_{what}") for half in ("drain", "fill"))))
    return ModuleText("converter", tuple(sides), tuple(nodes), (fill.name, drain.name), arithmetic=arithmetic)


FILL_HALF, DRAIN_HALF = Signal("fill_half"), Signal("drain_half")
"""Which half of the buffer is filled, and which one is drained."""


def _halves() -> list[Node]:
    halves = {half: half.name.removesuffix("_half") for half in (FILL_HALF, DRAIN_HALF)}
    turns = [
        IfElse(Signal(f"{side}_advance") & Signal(f"{side}_last_stage"), (Set(half, ~half),))
        for half, side in halves.items()
    ]
    cleared = tuple(Set(half, value_of(0)) for half in halves)
    return [*(Register(half.name, initial=0) for half in halves), Clocked(tuple(turns), None, cleared)]


def _array(
    block: ConverterBlock, counters: tuple[Counters, Counters], bits: int, source: Side, sink: Side
) -> list[Node]:
    """The buffer as one array, written where ``fill_place`` is, and ``fetched``, the token at ``drain_place``."""
    shape = [dim.extent for dim in block.dims]
    size, filled, drained = prod(shape), prod(block.fill.shape), prod(block.drain.shape)
    buffer, fetched, e = Signal("block"), Signal("fetched"), Signal("e")

    def element(side: str, half: Signal) -> Expression:
        return buffer[where(half, size, 0) + Signal(f"{side}_place") + Signal(f"{side.upper()}_ELEMENT")[e]]

    store = Set(element("fill", FILL_HALF), source.data.part(e * bits, bits))
    fetch = Set(fetched.part(e * bits, bits), element("drain", DRAIN_HALF))
    return [
        Register(buffer.name, (bits,), 2 * size),
        *_place("fill", block.fill, counters[0], shape),
        *_place("drain", block.drain, counters[1], shape),
        Constants("FILL_ELEMENT", _elements(block.fill.shape, shape)),
        Constants("DRAIN_ELEMENT", _elements(block.drain.shape, shape)),
        Clocked((Unrolled((("e", filled),), store),), source.does),
        Wire(fetched.name, (sink.bits,)),
        Combinational((ForEach("e", drained, (fetch,)),)),
    ]


def _tokens(control: Control, side: BlockSide) -> Counters:
    """Counters of the tokens of a block."""
    trips = tuple(part.trip for part in side.loops) or (1,)
    assert prod(trips) == control.pipeline.loops[0].iterations
    return control.walk([trips], 0)


def _place(name: str, side: BlockSide, counters: Counters, shape: Sequence[int]) -> list[Node]:
    """The place of the token of a stage in a block, as a wire."""
    strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    start = sum(at * stride for at, stride in zip(side.start, strides, strict=True))
    total: Expression = value_of(start)
    for part, index in zip(side.loops, counters.indices, strict=False):
        step = sum(by * stride for by, stride in zip(part.strides, strides, strict=True))
        if step and part.trip > 1:
            total += step * index
    return [Wire(f"{name}_place", kind="int"), Driven(Signal(f"{name}_place"), total)]


def _elements(token: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Places of a token's elements in the buffer, from that of its first on."""
    strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    found = [0]
    for size, stride in zip(token, strides, strict=True):
        found = [at + step * stride for at in found for step in range(size)]
    return tuple(found)
