"""A decoder of entropy-coded weights in a timed graph: words are split among lanes, and joined to tokens of weights.

Each lane is a trace, since the cycles in which it takes its part of a word depend on the weights.  Split and join pass
on what they read within a cycle.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError
from sttest.sim.graph import Event, Fifo, Loop, Pipeline, Trace
from sttest_systems.entropy.coding.lanes import LaneFormat
from sttest_systems.entropy.coding.steps import LaneSteps

CATEGORY = "decoder"
GROUP_TOKENS = 2
"""Depth of the FIFO behind each lane: enough for a group per cycle."""


@dataclass(frozen=True)
class DecoderDepths:
    """Depths of a decoder's FIFOs, tokens."""

    parts: int  # parts of words that wait before each lane
    groups: int = GROUP_TOKENS  # groups that wait behind each lane


def any_trace_depths(lane_format: LaneFormat) -> DecoderDepths:
    """The depths with which a decoder runs to its end whatever the weights are.

    A lane waits for a word that another lane's full FIFO holds back, which waits for the join, which waits for the
    first lane.  The first holds fewer than ``refill_bits`` bits, and at the same group no lane is ``skew_bits`` ahead
    of another.  The other lane has decoded a group more than the first, since a place behind it is full.  So what its
    FIFO holds are fewer than ``refill_bits + skew_bits - 1`` bits.
    """
    return DecoderDepths(-(-(lane_format.refill_bits + lane_format.skew_bits - 1) // lane_format.word_bits))


def lane_trace(takes: NDArray[np.int64], gives: NDArray[np.int64], parts: int, groups: int) -> Trace:
    """The accesses of a lane: a part of a word in the stage in which it is taken, a group one stage after its decoding.

    Args:
        takes: stages in which a part is taken.
        gives: stages in which a group is decoded.
        parts: place of the FIFO of parts in the graph.
        groups: place of the FIFO of groups.
    """
    tick = np.concatenate([takes, gives + 1])
    op = np.concatenate([np.full(takes.size, 2 * parts), np.full(gives.size, 2 * groups + 1)])
    order = np.argsort(tick, kind="stable")
    return Trace(tick[order].astype(np.int64), op[order].astype(np.int32))


def decoder(
    name: str,
    source: str,
    sink: str,
    first_fifo: int,
    steps: LaneSteps,
    words: int,
    lane_format: LaneFormat,
    token_weights: int,
    depths: DecoderDepths,
) -> tuple[list[Fifo], list[Pipeline]]:
    """FIFOs and processes of a decoder between two FIFOs that are there.

    Args:
        name: prefix of the names.
        source: FIFO of words of memory, whole in a token.
        sink: FIFO of tokens of weights.
        first_fifo: place in the graph of the first FIFO that is made here.
        steps: cycles of the lanes.
        words: words of memory.
        lane_format: lanes.
        token_weights: weights of a token.
        depths: depths of the FIFOs between split, lanes and join.

    Raises:
        InputError: tokens are neither whole rounds of the lanes nor an even part of one.
    """
    lanes = range(lane_format.lanes)
    parts = [Fifo(f"{name}_part{lane}", depths.parts, lane_format.word_bits, "srl") for lane in lanes]
    groups = [Fifo(f"{name}_group{lane}", depths.groups, 16 * lane_format.symbols, "srl") for lane in lanes]
    split = Loop((words,), 1, 1, (Event(source, "read", 0), *(Event(each.name, "write", 0) for each in parts)))
    processes = [Pipeline(f"{name}_split", (split,), category=CATEGORY)]
    for lane in lanes:
        at = first_fifo + lane
        trace = lane_trace(steps.takes[lane], steps.gives[lane], at, at + lane_format.lanes)
        # A group decoded in the last cycle is written in the one after it.
        end = max(int(steps.ends[lane]), int(trace.tick[-1]) + 1)
        processes.append(Pipeline(f"{name}_lane{lane}", end=end, trace=trace, category=CATEGORY))
    rows = steps.gives[0].size
    joined = _join([each.name for each in groups], sink, rows, lane_format.weights, token_weights)
    processes.append(Pipeline(f"{name}_join", (joined,), category=CATEGORY))
    return [*parts, *groups], processes


def _join(groups: Sequence[str], sink: str, rows: int, row: int, token: int) -> Loop:
    """A row, a group of every lane, per token; several to one token, or several tokens of one row."""
    if token % row == 0 and rows % (token // row) == 0:
        several = token // row
        when = (None, several - 1) if several > 1 else ()
        trips = (rows // several, several) if several > 1 else (rows,)
        reads = tuple(Event(each, "read", 0) for each in groups)
        return Loop(trips, 1, 1, (*reads, Event(sink, "write", 0, when)))
    if row % token == 0:
        reads = tuple(Event(each, "read", 0, (None, 0)) for each in groups)
        return Loop((rows, row // token), 1, 1, (*reads, Event(sink, "write", 0)))
    raise InputError(
        "uneven-tokens",
        f"tokens of {token} weights from rows of {row}",
        where="decoder",
        hints=["take lanes and symbols whose product divides a token, or is a multiple of it"],
    )
