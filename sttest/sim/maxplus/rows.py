"""Programs as rows: what a process does at each visit of a stage, in loops rather than spelled out.

A row is one visit: the stages since the visit before, and a pattern of accesses.  Rows
lie in segments that are walked several times each, the segments of a program one after
the other, and the whole program as often as the pipeline repeats.  A loop nest of
millions of iterations takes a few rows: the iterations that fill the pipeline, one turn
of an outer loop, and those that drain it.
"""

# numpy's stubs lose the type of whole numbers in arithmetic:
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from sttest.sim.graph import Actor, Event, Loop, MemoryPort, Pipeline, Process, TimedGraph, When
from sttest.sim.stages import TRACE_GAP, AccessProgram, StageTable, group, stage_table

# --- How a loop nest splits into turns of an outer loop that access the same FIFOs at the same stages


SPELLED_OUT = 256
"""Iterations of a loop that is not worth splitting."""
_MOST_OUTER = 1 << 16


class Turn(NamedTuple):
    """Stages ``start`` to ``start + length`` of a loop, and how often their accesses happen, one after the other."""

    start: int
    length: int
    times: int


def turns(loop: Loop) -> list[Turn]:
    """Turns that cover a loop, drained; those that happen once are joined.

    The turn of an outer iteration holds what iterations before it still have in flight, so turns
    are the same wherever all iterations in flight are of one kind.
    """
    if loop.iterations <= SPELLED_OUT or not loop.events:
        return [Turn(0, loop.length, 1)]
    plans = [plan for dims in range(1, len(loop.trips) + 1) if (plan := _plan(loop, dims)) is not None]
    plans = [plan for plan in plans if plan.iterations < loop.iterations]
    if not plans:
        return [Turn(0, loop.length, 1)]
    best = min(plans, key=lambda plan: plan.iterations)
    return _joined(best.length, best.points)


class _Plan(NamedTuple):
    """Turns of ``length`` stages, alike between ``points``, counted in turns; ``iterations`` to be spelled out."""

    length: int
    points: list[int]
    iterations: int


def _plan(loop: Loop, dims: int) -> _Plan | None:
    """One turn per iteration of the outer ``dims`` dims."""
    outer, inner = prod(loop.trips[:dims]), prod(loop.trips[dims:])
    length = inner * loop.ii
    in_flight = (length - loop.ii + max(event.stage for event in loop.events)) // length
    changes = {0, outer}
    for event in loop.events:
        runs = _runs(loop.trips[:dims], event.when[:dims])
        if runs is None:
            return None
        changes.update(runs.ravel().tolist())
    if len(changes) * (in_flight + 1) > _MOST_OUTER:
        return None
    points = sorted({change + lag for change in changes for lag in range(in_flight + 1)})
    return _Plan(length, points, (len(points) - 1) * inner)


def _runs(trips: tuple[int, ...], when: tuple[When, ...]) -> np.ndarray | None:
    """First and after last of the runs of iterations, int64[n, 2], in which an event happens; None: too many."""
    runs = np.array([[0, 1]], np.int64)
    for trip, chosen in zip(trips, when, strict=False):
        runs = runs * trip
        if chosen is None:
            continue
        first, last, step = chosen if isinstance(chosen, tuple) else (chosen, chosen, 1)
        index = np.array([[first, last + 1]]) if step == 1 else np.arange(first, last + 1, step)[:, None] + [[0, 1]]
        units = (runs[:, 1] - runs[:, 0]) // trip
        if int(units.sum()) * len(index) > _MOST_OUTER:
            return None
        starts = np.concatenate([np.arange(start, after, trip) for start, after in runs.tolist()])
        runs = (starts[:, None, None] + index).reshape(-1, 2)
    return runs * prod(trips[len(when) :]) if when else runs * prod(trips)


def _joined(length: int, points: list[int]) -> list[Turn]:
    found: list[Turn] = []
    for first, after in pairwise(points):
        times = after - first
        if times == 1 and found and found[-1].times == 1:
            found[-1] = found[-1]._replace(length=found[-1].length + length)
        else:
            found.append(Turn(first * length, length, times))
    return found


def accesses_between(loop: Loop, fifo_index: Mapping[str, int], start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Accesses at stages [start, stop) of a loop: ``tick`` from ``start`` on, int64, and ``op``, int32; unordered."""
    ticks, ops = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for event in loop.events:
        first = max(0, -(-(start - event.stage) // loop.ii))
        after = min(loop.iterations, -(-(stop - event.stage) // loop.ii))
        iteration = np.arange(first, max(first, after), dtype=np.int64)
        if event.when:
            iteration = iteration[_chosen(iteration, loop.trips, event.when)]
        tick = np.repeat(iteration * loop.ii + (event.stage - start), event.tokens)
        ticks.append(tick)
        ops.append(np.full(tick.size, 2 * fifo_index[event.fifo] + (event.op == "write"), np.int32))
    return np.concatenate(ticks), np.concatenate(ops)


def _chosen(flat: np.ndarray, trips: tuple[int, ...], when: tuple[When, ...]) -> np.ndarray:
    """Whether an event happens in each of some iterations, given by flat number."""
    happens = np.ones(flat.size, bool)
    below = 1
    for trip, chosen in zip(reversed(trips), reversed(when), strict=True):
        index = flat // below % trip
        below *= trip
        if isinstance(chosen, tuple):
            first, last, step = chosen
            happens &= (index >= first) & (index <= last) & ((index - first) % step == 0)
        elif chosen is not None:
            happens &= index == chosen
    return happens


# --- The distinct sets of accesses that the visits of a process make


@dataclass(frozen=True)
class Patterns:
    """Pattern p has the accesses ``pointer[p]`` to ``pointer[p + 1]`` in ``op`` (2 * FIFO index + write) and ``count``.

    int64, int32, int32; ``count`` are tokens; ops ascend within a pattern.
    """

    pointer: np.ndarray
    op: np.ndarray
    count: np.ndarray


def find_patterns(tables: Sequence[StageTable]) -> tuple[Patterns, np.ndarray]:
    """The patterns of all stages of some tables, and of each stage, in order, its pattern (int32)."""
    op = np.concatenate([np.empty(0, np.int32), *(table.op for table in tables)])
    count = np.concatenate([np.empty(0, np.int32), *(table.count for table in tables)])
    sizes = np.concatenate([np.empty(0, np.int64), *(np.diff(table.pointer) for table in tables)])
    if sizes.size == 0:
        return Patterns(np.zeros(1, np.int64), op, count), np.empty(0, np.int32)
    first = np.cumsum(sizes) - sizes
    _, example, pattern = np.unique(_digests(op, count, first, sizes), return_index=True, return_inverse=True)
    pattern = pattern.astype(np.int32)
    if not _is_exact(op, count, first, sizes, example[pattern]):
        example, pattern = np.arange(sizes.size), np.arange(sizes.size, dtype=np.int32)
    taken = _spread(first[example], sizes[example])
    pointer = np.concatenate([[0], np.cumsum(sizes[example])]).astype(np.int64)
    return Patterns(pointer, op[taken], count[taken]), pattern


def _digests(op: np.ndarray, count: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """A number per stage that is the same for the same accesses."""
    mixed = op.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + count.astype(np.uint64)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    sums = np.add.reduceat(np.append(mixed, np.uint64(0)), first)
    return np.where(sizes > 0, sums, np.uint64(0)) + sizes.astype(np.uint64)


def _is_exact(op: np.ndarray, count: np.ndarray, first: np.ndarray, sizes: np.ndarray, example: np.ndarray) -> bool:
    """Whether every stage has the accesses of its example."""
    if not (sizes[example] == sizes).all():
        return False
    other = _spread(first[example], sizes)
    return bool((op[other] == op).all() and (count[other] == count).all())


def _spread(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The numbers ``first[i]`` to ``first[i] + sizes[i]`` of all i, end to end."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))


SEGMENT = np.dtype([(name, np.int64) for name in ("first", "last", "times", "again")])
"""Rows ``first`` to ``last`` (included), walked ``times`` times; ``again``: stages from its last row to its first."""


@dataclass(frozen=True)
class Rows:
    """A process as rows.

    ``gap``: int64[R], stages since the row before, of a segment's first row since the segment before;
    ``pattern``: int32[R], into ``patterns``; ``rerun``: stages from the last visit of a run to the first of the
    next; ``visits``: of all runs; ``tail``: stages from the last visit to the end of the process.
    """

    gap: np.ndarray
    pattern: np.ndarray
    patterns: Patterns
    segments: np.ndarray
    rerun: int
    visits: int
    tail: int

    def tokens(self, ops: int) -> np.ndarray:
        """Tokens that pass in all visits, by op, int64[ops]."""
        passes = np.zeros(self.patterns.pointer.size - 1, np.int64)
        whole_run = 0
        for first, last, times, _ in self.segments.tolist():
            np.add.at(passes, self.pattern[first : last + 1], times)
            whole_run += (last + 1 - first) * times
        runs, rest = divmod(self.visits, whole_run) if whole_run else (0, 0)
        passes *= runs
        # Only actors end within a run; they have one segment, walked once.
        np.add.at(passes, self.pattern[:rest], 1)
        each = np.repeat(passes, np.diff(self.patterns.pointer)) * self.patterns.count
        total = np.zeros(ops, np.int64)
        np.add.at(total, self.patterns.op, each)
        return total


@dataclass(frozen=True)
class _Piece:
    """Visits that happen ``times`` times, every ``length`` stages, from stage ``start`` of the run on."""

    start: int
    times: int
    length: int
    table: StageTable


def rows_of(process: Process, graph: TimedGraph) -> Rows:
    """The rows of a process; a memory port has none, its visits are its tokens."""
    if isinstance(process, MemoryPort):
        return _rows([], 0, 0, 1, visits=process.tokens)
    if isinstance(process, Actor):
        table = stage_table(process, graph)
        return _rows([_Piece(0, 1, 0, table)], table.period, table.period, 1, visits=table.visits)
    if process.trace is not None:
        table = group(AccessProgram(process.trace.tick, process.trace.op, 0, 0, 1))
        after_last = int(table.tick[-1]) + 1 if table.tick.size else 0
        end = after_last if process.end is None else process.end
        return _rows([_Piece(0, 1, 0, table)], end, end + TRACE_GAP, process.repeat)
    return loop_rows(process, graph.fifo_index)


def loop_rows(pipeline: Pipeline, fifo_index: Mapping[str, int]) -> Rows:
    """The rows of a pipeline of loops."""
    pieces: list[_Piece] = []
    entry = end = gap = 0
    for loop in pipeline.loops:
        pieces += _loop_pieces(loop, entry, fifo_index)
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    return _rows(pieces, end, end + gap, pipeline.repeat)


def _loop_pieces(loop: Loop, entry: int, fifo_index: Mapping[str, int]) -> Iterator[_Piece]:
    """Visits of a loop entered at a stage of the run, in order."""
    for turn in turns(loop):
        tick, op = accesses_between(loop, fifo_index, turn.start, turn.start + turn.length)
        if tick.size:
            yield _Piece(entry + turn.start, turn.times, turn.length, group(AccessProgram(tick, op, 0, 0, 1)))


def _rows(pieces: list[_Piece], end: int, period: int, repeat: int, visits: int | None = None) -> Rows:
    gaps = [np.empty(0, np.int64)]
    segments: list[tuple[int, int, int, int]] = []
    before = first_stage = row = 0
    for piece in pieces:
        tick = piece.table.tick
        gaps += [tick[:1] + (piece.start - before), np.diff(tick)]
        last = row + tick.size - 1
        segments.append((row, last, piece.times, piece.length - int(tick[-1]) + int(tick[0]) if tick.size else 0))
        first_stage = first_stage if row else piece.start + int(tick[0]) if tick.size else 0
        before = piece.start + (piece.times - 1) * piece.length + int(tick[-1]) if tick.size else 0
        row = last + 1
    table = np.array([segment for segment in segments if segment[1] >= segment[0]], SEGMENT)
    patterns, pattern = find_patterns([piece.table for piece in pieces])
    per_run = int(((table["last"] + 1 - table["first"]) * table["times"]).sum())
    return Rows(
        gap=np.concatenate(gaps),
        pattern=pattern,
        patterns=patterns,
        segments=table,
        rerun=period - before + first_stage,
        visits=per_run * repeat if visits is None else visits,
        tail=end - before if per_run else (repeat - 1) * period + end,
    )


# --- Pipelines that differ in the names of their FIFOs only have the same rows, which are found once


Shape: TypeAlias = tuple[object, ...]

_KEPT = 2048
# Longer ones take memory, and are few.
_MOST_ROWS = 1 << 14


@dataclass
class RowsByShape:
    """Rows of pipelines by what their loops do."""

    # the rows of a pipeline, given the number of each of its FIFOs
    find: Callable[[Pipeline, Mapping[str, int]], Rows]

    def __post_init__(self) -> None:
        self._known: dict[Shape, Rows] = {}

    def of(self, pipeline: Pipeline, fifo_index: Mapping[str, int]) -> Rows:
        """The rows of a pipeline of loops, with the FIFOs' numbers in its graph."""
        # In the order of the graph, so that ops ascend in both numberings.
        names = sorted({event.fifo for loop in pipeline.loops for event in loop.events}, key=fifo_index.__getitem__)
        own = {name: number for number, name in enumerate(names)}
        shape = _shape(pipeline, own)
        rows = self._known.get(shape)
        if rows is None:
            rows = self.find(pipeline, own)
            self._keep(shape, rows)
        return _renumbered(rows, np.array([fifo_index[name] for name in names], np.int32))

    def forget(self) -> None:
        """Finds all rows anew."""
        self._known.clear()

    def _keep(self, shape: Shape, rows: Rows) -> None:
        if rows.gap.size > _MOST_ROWS:
            return
        if len(self._known) >= _KEPT:
            self._known.pop(next(iter(self._known)), None)
        self._known[shape] = rows


def _shape(pipeline: Pipeline, number: Mapping[str, int]) -> Shape:
    """All that rows depend on; ``number`` of each FIFO."""
    loops = (
        (
            loop.trips,
            loop.ii,
            loop.latency,
            loop.entry_gap,
            tuple((number[event.fifo], event.op, event.stage, event.when, event.tokens) for event in loop.events),
        )
        for loop in pipeline.loops
    )
    return (*loops, pipeline.repeat, pipeline.end)


def _renumbered(rows: Rows, fifos: np.ndarray) -> Rows:
    """The same rows with FIFO ``fifos[i]`` for FIFO i."""
    patterns = rows.patterns
    op = 2 * fifos[patterns.op >> 1] + (patterns.op & 1)
    return replace(rows, patterns=replace(patterns, op=op.astype(np.int32, copy=False)))


# --- How many tokens pass a FIFO in one iteration of each loop around its accesses: what periods are likely to be


LEVEL = np.dtype([(name, np.int64) for name in ("fifo", "process", "tokens", "around")])
"""One loop of ``process``: in an iteration ``tokens`` pass through ``fifo``, in all of the next loop out ``around``."""


def levels_of(graph: TimedGraph) -> np.ndarray:
    """The loops of all pipelines around accesses to each FIFO, records of ``LEVEL`` by FIFO; none of traces."""
    found: list[tuple[int, int, int, int]] = []
    for number, process in enumerate(graph.processes):
        if isinstance(process, Pipeline):
            for fifo, counts in _tokens_by_loop(process).items():
                whole = max(counts) * process.repeat
                sizes = sorted({*counts, whole})
                found += [(graph.fifo_index[fifo], number, tokens, around) for tokens, around in pairwise(sizes)]
    return np.sort(np.array(found, LEVEL), order=["fifo", "process", "tokens"])


def restrict_to(levels: np.ndarray, leads: np.ndarray) -> np.ndarray:
    """Those of some FIFOs only, which go by their place in ``leads``, ascending."""
    kept = levels[np.isin(levels["fifo"], leads)]
    kept["fifo"] = np.searchsorted(leads, kept["fifo"])
    return kept


def _tokens_by_loop(pipeline: Pipeline) -> dict[str, set[int]]:
    """Tokens in an iteration of each loop, from one iteration of the innermost to a whole run; none that has none."""
    found: dict[str, set[int]] = defaultdict(set)
    run: dict[str, int] = defaultdict(int)
    for loop in pipeline.loops:
        for fifo, counts in _tokens_of(loop):
            found[fifo].update(counts)
            run[fifo] += counts[-1]
    for fifo, tokens in run.items():
        found[fifo].add(tokens)
    return {fifo: counts - {0} for fifo, counts in found.items() if run[fifo]}


def _tokens_of(loop: Loop) -> Iterator[tuple[str, list[int]]]:
    """The tokens of each FIFO in one iteration of all dims but none, the innermost, the two innermost …"""
    by_fifo: dict[str, list[int]] = defaultdict(lambda: [0] * (len(loop.trips) + 1))
    for event in loop.events:
        inner = _chosen_loops(event, loop.trips)[::-1]
        for dims in range(len(loop.trips) + 1):
            by_fifo[event.fifo][dims] += event.tokens * prod(inner[:dims])
    yield from by_fifo.items()


def _chosen_loops(event: Event, trips: tuple[int, ...]) -> list[int]:
    """The number of iterations of each dim in which an event happens."""
    when: tuple[When, ...] = event.when or (None,) * len(trips)
    return [_count(chosen, trip) for chosen, trip in zip(when, trips, strict=True)]


def _count(chosen: When, trip: int) -> int:
    if chosen is None:
        return trip
    if isinstance(chosen, int):
        return 1
    first, last, step = chosen
    return len(range(first, last + 1, step))
