"""Processes that pass tokens on: forks, gathers, concatenations, where activations enter and leave layers, and relays
between SLRs."""

from sttest.compile.rtl.control import Control
from sttest.compile.rtl.module import ModuleText, Side, delayed, gated
from sttest.sim.graph import COPY_CYCLES, Pipeline


def copying_module(pipeline: Pipeline, kind: str, sides: tuple[Side, ...]) -> ModuleText:
    """A process that writes what it reads: to every sink that moves, from the source that moves.

    Args:
        pipeline: when it does.
        kind: kind of process.
        sides: sources, then sinks, all of one width.
    """
    control = Control(pipeline)
    text = gated(control, sides)
    sources = [side for side in sides if not side.writes]
    bits = sources[0].bits
    value = f"{sources[0].name}_data"
    if len(sources) > 1:
        chosen = " | ".join(f"({{{bits}{{{side.name}_moves}}}} & {side.name}_data)" for side in sources)
        value = f"({chosen})"
    return ModuleText(kind, sides, text + passed(control, sides, value, bits) + ENDED, (pipeline.name,))


def relay_module(pipeline: Pipeline, source: Side, sink: Side) -> ModuleText:
    """A register at an SLR boundary, behind the FIFO that it reads: what it takes it writes in the same cycle."""
    control = Control(pipeline)
    data = f"  assign {sink.name}_data = {source.name}_data;\n" if sink.bits else ""
    return ModuleText("relay", (source, sink), gated(control, (source, sink)) + data + ENDED, (pipeline.name,))


def gather_module(pipeline: Pipeline, sides: tuple[Side, ...], runs: int = 1) -> ModuleText:
    """A process that puts the tokens of its sources together, the first one lowest.

    Args:
        pipeline: when it does.
        sides: sources, then the sink.
        runs: equal parts of every source's token, after each of which that of the next source follows.
    """
    control = Control(pipeline)
    text = gated(control, sides)
    sources = [side for side in sides if not side.writes]
    parts = [_run(side, run, runs) for run in range(runs) for side in sources]
    value = f"{{{', '.join(reversed(parts))}}}"
    bits = sum(side.bits for side in sources)
    return ModuleText("gather", sides, text + passed(control, sides, value, bits) + ENDED, (pipeline.name,))


def _run(side: Side, run: int, runs: int) -> str:
    bits = side.bits // runs
    return f"{side.name}_data" if runs == 1 else f"{side.name}_data[{run * bits} +: {bits}]"


def hold_module(pipeline: Pipeline, sides: tuple[Side, ...]) -> ModuleText:
    """A process that passes tokens of a memory port on, then takes those that the next ones wait for.

    Args:
        pipeline: when it does.
        sides: source, sink, and what is awaited.
    """
    source, sink, *_ = sides
    control = Control(pipeline)
    text = gated(control, sides)
    text += passed(control, sides, f"{source.name}_data[{sink.bits - 1}:0]", sink.bits)
    return ModuleText("hold", sides, text + ENDED, (pipeline.name,))


ENDED = "  assign ended_all = ended;\n  assign moving_all = advance;\n"
"""What every such process tells the others."""


def passed(control: Control, sides: tuple[Side, ...], value: str, bits: int) -> str:
    """A value of the cycle of the reads on its way to the sinks."""
    text, last = delayed("token", value, bits, COPY_CYCLES - 1, control.advance)
    return text + "".join(f"  assign {side.name}_data = {last};\n" for side in sides if side.writes)
