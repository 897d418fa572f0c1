"""The loop nests of tasks and forks, and where they drain (docs/how-it-works/cost-model.md).

A stalling pipeline keeps its last results until further reads push them out.
Whoever waits for them waits for data that they are not made of.  So the nest is
left, and entered again,

- after every iteration, where the producers are known to take longer for the next
  token than this task takes for one: behind a reduction (a scale after its peak);
- after every pass of the loops below the outermost one, where that brings new
  data and draining takes less than a third of the time: rows of tiles;
- never, where the outermost loop only walks columns (a decode step's
  matrix-vector product) or parts of sums that are summed on, where what such a
  product gives is summed over groups, passes are too short to drain after, or
  the task is `whole` (`flatten-bottleneck-loops`).

A fork drains after every token that is known to be the only one for as long, or as often as its `passes` say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation, SSAValue

from sttest.compile.assumptions import MOST_DRAINS
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.schedule.process_schedule import Nest, Port, When
from sttest.compile.schedule.task_schedule import TaskSchedule, turn_schedules
from sttest.sim.graph import COPY_CYCLES

# --- Which nodes a stream comes from, and which of two streams has its tokens first


class StreamOrigins:
    """The origins of a kernel's streams; what was found is kept."""

    def __init__(self) -> None:
        self._above: dict[Operation, frozenset[Operation]] = {}

    def is_early(self, stream: SSAValue, other: SSAValue) -> bool:
        """Whether a stream has its tokens before ``other`` has those that meet them.

        Memory has, and so has what ``other`` is made of.
        """
        giver, taker = _giver(stream), producer_of(other)
        if giver is None or isinstance(giver, df.DmaReadOp):
            return True
        return taker is not None and giver in self._nodes_above(taker)

    def _nodes_above(self, node: Operation) -> frozenset[Operation]:
        """The node and all that it is made of, as far as the start of the layer."""
        if node not in self._above:
            self._above[node] = frozenset({node})
            if isinstance(node, df.NodeOp) and not isinstance(node, df.EnterOp):
                givers = [giver for giver in map(producer_of, node.sources) if giver is not None]
                self._above[node] = frozenset({node}).union(*map(self._nodes_above, givers))
        return self._above[node]


def producer_of(stream: SSAValue) -> df.NodeOp | None:
    """The node that writes a stream."""
    for use in stream.uses:
        if isinstance(use.operation, df.NodeOp) and use.index >= use.operation.source_count:
            return use.operation
    return None


def _giver(stream: SSAValue) -> df.NodeOp | None:
    """The node whose tokens a stream has, behind whatever passes them on."""
    giver = producer_of(stream)
    while giver is not None and giver.passes_on:
        giver = producer_of(giver.sources[0])
    return giver


_HERE = "schedule"


@dataclass
class NodeNests:
    """The nests of a kernel's tasks and forks at the stream level."""

    costs: Mapping[df.TaskOp, TaskSchedule]  # cost of every task
    _intervals: dict[df.TaskOp, int] = field(default_factory=dict)
    _sources: StreamOrigins = field(default_factory=StreamOrigins)

    def fork(self, fork: df.ForkOp) -> Nest:
        """One loop over the tokens, around it one over the passes."""
        source = fork.sources[0]
        tokens = df.itensor_of(source).tokens
        ports = [Port(_fifo(source), False, (0,))]
        ports += [Port(_fifo(sink), True, (COPY_CYCLES - 1,)) for sink in fork.sinks]
        passes = fork.passes.value.data if fork.passes is not None else self._left_copies(source)
        return Nest((passes, tokens // passes), 1, 1, COPY_CYCLES, tuple(ports))

    def _left_copies(self, source: SSAValue) -> int:
        """The number of times that a fork is left: after every token, if tokens are known to come that rarely."""
        tokens = df.itensor_of(source).tokens
        results, interval = self._pace(source)
        return results if interval * results >= tokens + results * COPY_CYCLES else 1

    def task(self, task: df.TaskOp) -> Nest:
        """The task's loops with the accesses of its FIFOs."""
        return _nest(task, self._left_loops(task), self.costs[task])

    def is_left(self, task: df.TaskOp) -> bool:
        """Whether the task's pipeline is left after every pass of its outermost loop."""
        return self._left_loops(task) == 1 < len(task.trip_counts)

    def turn(self, task: df.TaskOp, members: Sequence[df.TaskOp]) -> Nest:
        """The nest of a task of an engine, whose loops are those of all members.

        They are left after every iteration only where each of them asks for that: who has its data in a burst would
        wait for every drain.  Nor where their iterations are too many to be written out one by one.
        """
        drains = sum(each.iterations for each in members) <= MOST_DRAINS and all(map(self._drains, members))
        depth = len(task.trip_counts) if drains else max(map(self._left_passes, members))
        schedules = turn_schedules([self.costs[each] for each in members])
        return _nest(task, depth, schedules[list(members).index(task)])

    def _left_loops(self, task: df.TaskOp) -> int:
        """The number of loops, from the outermost one, that are left and entered again."""
        return len(task.trip_counts) if self._drains(task) else self._left_passes(task)

    def _left_passes(self, task: df.TaskOp) -> int:
        """Whether the outermost loop is left after every pass of those below it."""
        trips, cost = task.trip_counts, self.costs[task]
        if (
            task.whole is not None
            or len(trips) < 2
            or task.loop_kinds[0] == "reduction"
            or prod(trips[1:]) * cost.ii < 2 * cost.latency
        ):
            return 0
        brings_new_data = any(row[0] for row in df.itensor_of(task.sources[0]).coefficients)
        return int(brings_new_data and not _is_summed_on(task) and not self._is_fed_on(task))

    def _is_fed_on(self, task: df.TaskOp) -> bool:
        """Whether the data of the next pass follow at once: their producer walks all passes in one loop."""
        producer = _put_together_from(task.sources[0])
        return isinstance(producer, df.TaskOp) and producer.is_contraction and self._left_loops(producer) == 0

    def _drains(self, task: df.TaskOp) -> bool:
        """Whether each iteration drains before there can be data for the next."""
        if task.reduction_iterations > 1:
            return False
        slow = [source for source in task.sources if self._is_slower(source, task)]
        return any(self._is_last(source, [each for each in task.sources if each not in slow]) for source in slow)

    def _is_slower(self, source: SSAValue, task: df.TaskOp) -> bool:
        count, pause = self._pace(source)
        return count == task.iterations and pause >= self.costs[task].latency

    def _is_last(self, source: SSAValue, others: Sequence[SSAValue]) -> bool:
        """Whether all others have their token when the source gives one: else its tokens wait, and come in a burst."""
        return all(self._sources.is_early(other, source) for other in others)

    def _pace(self, stream: SSAValue) -> tuple[int, int]:
        """The number of results of the stream's producer, and the least cycles between two of them.

        The cycles are 0 where they are not known.
        """
        producer = producer_of(stream)
        if isinstance(producer, df.ForkOp | df.GatherOp):
            return self._pace(producer.sources[0])
        if not isinstance(producer, df.TaskOp):
            return df.itensor_of(stream).tokens, 0
        number = [*producer.sinks].index(stream)
        if producer.is_scanned(number):
            return producer.iterations, self.costs[producer].ii
        if producer not in self._intervals:
            self._intervals[producer] = self._result_interval(producer)
        return producer.writes(number), self._intervals[producer]

    def _result_interval(self, task: df.TaskOp) -> int:
        """The cycles between a task's results: its own where it adds up, else those of the sources that come last."""
        inner = _inner_reductions(task)
        own = self.costs[task].ii * inner if "reduction" in task.loop_kinds else 0
        passed = task.iterations // inner
        waits = {source: pause * count // passed for source in task.sources for count, pause in [self._pace(source)]}
        return max([own, *(self._wait_for(source, waits) for source in task.sources)])

    def _wait_for(self, source: SSAValue, waits: Mapping[SSAValue, int]) -> int:
        """Cycles between results if ``source`` comes last, or one of those that are not known to come before it."""
        early = {other for other in waits if other is not source and self._sources.is_early(other, source)}
        return min(wait for other, wait in waits.items() if other not in early)


def _inner_reductions(task: df.TaskOp) -> int:
    """Iterations between two results: sums around parallel loops are complete one after another in the last pass."""
    kinds = task.loop_kinds
    inner = next((depth for depth in range(len(kinds), 0, -1) if kinds[depth - 1] == "parallel"), 0)
    return prod(task.trip_counts[inner:])


def _put_together_from(stream: SSAValue) -> df.NodeOp | None:
    """The producer of a stream, or of the slices that its tokens are put together from."""
    producer = producer_of(stream)
    return _put_together_from(producer.sources[0]) if isinstance(producer, df.GatherOp) else producer


def _puts_together_for(reader: Operation) -> Operation:
    """A reader, or that of the tokens which it puts together."""
    if not isinstance(reader, df.GatherOp):
        return reader
    return next(use.operation for use in reader.sinks[0].uses if use.operation is not reader)


def _is_summed_on(task: df.TaskOp) -> bool:
    """Whether the passes are partial sums that their reader keeps until the last: nobody waits for a single one."""
    readers = [_puts_together_for(use.operation) for use in task.sinks[0].uses if use.operation is not task]
    return all(
        isinstance(each, df.TaskOp) and bool(each.held_loops) and each.loop_kinds[0] == "reduction" for each in readers
    )


def _nest(task: df.TaskOp, left: int, cost: TaskSchedule) -> Nest:
    """The loops of a task with its tokens; results leave in the last iteration of the reductions inside."""
    inner, kinds = task.trip_counts[left:], task.loop_kinds[left:]
    last: tuple[When, ...] = tuple(
        trip - 1 if kind == "reduction" else None for trip, kind in zip(inner, kinds, strict=True)
    )
    every: tuple[When, ...] = (None,) * len(inner)
    ports = [Port(_fifo(source), False, port.cycles) for source, port in zip(task.sources, cost.sources, strict=True)]
    ports += [
        Port(_fifo(sink), True, port.cycles, every if task.is_scanned(number) else last)
        for number, (sink, port) in enumerate(zip(task.sinks, cost.results, strict=True))
    ]
    return Nest(task.trip_counts, left, cost.ii, cost.latency, tuple(ports))


def _fifo(stream: SSAValue) -> str:
    return stream_of(stream, _HERE).sym_name.data
