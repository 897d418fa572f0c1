"""Processes that pass tokens on: forks, gathers, concatenations, where activations enter and leave layers, and relays
between SLRs."""

from collections.abc import Sequence

from sttest.compile.rtl.control import Control
from sttest.compile.rtl.expressions import Concatenation, Expression, Signal, any_of, joined
from sttest.compile.rtl.module import ModuleText, Side, delayed, gated
from sttest.compile.rtl.tree import Driven, Node
from sttest.sim.graph import COPY_CYCLES, Pipeline


def copying_module(pipeline: Pipeline, kind: str, sides: tuple[Side, ...]) -> ModuleText:
    """A process that writes what it reads: to every sink that moves, from the source that moves.

    Args:
        pipeline: when it does.
        kind: kind of process.
        sides: sources, then sinks, all of one width.
    """
    sources = [side for side in sides if not side.writes]
    bits = sources[0].bits
    value = any_of([Concatenation((side.moves,), bits) & side.data for side in sources])
    return passing_module(pipeline, kind, sides, sources[0].data if len(sources) == 1 else value, bits)


def relay_module(pipeline: Pipeline, source: Side, sink: Side) -> ModuleText:
    """A register at an SLR boundary, behind the FIFO that it reads: what it takes it writes in the same cycle."""
    control = Control(pipeline)
    data = [Driven(sink.data, source.data)] if sink.bits else []
    nodes = (*gated(control, (source, sink)), *data, *ENDED)
    return ModuleText("relay", (source, sink), nodes, (pipeline.name,))


def gather_module(pipeline: Pipeline, sides: tuple[Side, ...], runs: int = 1) -> ModuleText:
    """A process that puts the tokens of its sources together, the first one lowest.

    Args:
        pipeline: when it does.
        sides: sources, then the sink.
        runs: equal parts of every source's token, after each of which that of the next source follows.
    """
    sources = [side for side in sides if not side.writes]
    parts = [_run(side, run, runs) for run in range(runs) for side in sources]
    bits = sum(side.bits for side in sources)
    return passing_module(pipeline, "gather", sides, joined(reversed(parts)), bits)


def _run(side: Side, run: int, runs: int) -> Expression:
    bits = side.bits // runs
    return side.data if runs == 1 else side.data.part(run * bits, bits)


def hold_module(pipeline: Pipeline, sides: tuple[Side, ...]) -> ModuleText:
    """A process that passes tokens of a memory port on, then takes those that the next ones wait for.

    Args:
        pipeline: when it does.
        sides: source, sink, and what is awaited.
    """
    source, sink, *_ = sides
    return passing_module(pipeline, "hold", sides, source.data.part(0, sink.bits), sink.bits)


ENDED = (Driven(Signal("ended_all"), Signal("ended")), Driven(Signal("moving_all"), Signal("advance")))
"""What every such process tells the others."""


def passing_module(
    pipeline: Pipeline, kind: str, sides: tuple[Side, ...], value: Expression, bits: int, nodes: Sequence[Node] = ()
) -> ModuleText:
    """A process that passes a value of the cycle of its reads on to its sinks.

    Args:
        pipeline: when it does.
        kind: kind of process.
        sides: sources, then sinks.
        value: what it passes on.
        bits: bits of the value.
        nodes: what the value is made of besides the sources.
    """
    control = Control(pipeline)
    gates = gated(control, sides)
    registers, last = delayed("token", value, (bits,), COPY_CYCLES - 1, control.advance, role="data")
    sinks = [Driven(side.data, last) for side in sides if side.writes]
    return ModuleText(kind, sides, (*gates, *nodes, *registers, *sinks, *ENDED), (pipeline.name,))
