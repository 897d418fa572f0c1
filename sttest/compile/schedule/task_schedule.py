"""The schedule of a task: what its hardware does in which cycle of a tile.

It is made once, from the walk over a tile, the operators' latencies and the tokens of the ports, and read by the timed
graph (cycles in which tokens pass), the emitted C++ (steps in which they do, registers, running values) and the
resource model (operators, memories, registers).

A port moves at most one token per cycle.  Per tile a task takes ``steps * interval`` cycles.  A result is there so
many cycles after its last step as the operators on the longest path have stages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from operator import is_

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.schedule.operators import pipeline_stages, step_interval
from sttest.compile.schedule.tile_walk import (
    PortTokens,
    SpreadTokens,
    TileWalk,
    TokenTurns,
    spread_reads,
    spread_writes,
    task_tokens,
)
from sttest.core.errors import InputError

_KEPT = "_schedule_kept"


@dataclass(frozen=True)
class PortMotion:
    """How the tokens of a tile pass a port."""

    cycles: tuple[int, ...]  # cycle of each token, counted from where the first token of any source can come
    steps: tuple[int, ...] = ()  # step by which each token is needed, or after which it is complete
    turns: TokenTurns | None = None  # the steps of each token, where one is worked on after the other
    spread: SpreadTokens | None = None  # how they take their turn, where a step needs or completes too many


@dataclass(frozen=True)
class TaskSchedule:
    """One tile of a task."""

    walk: TileWalk
    interval: int  # cycles per step
    ahead: int  # steps before the first one, in which first tokens come
    stages: int  # stages from the operands of a step to its results
    sources: tuple[PortMotion, ...]
    results: tuple[PortMotion, ...]

    @property
    def ii(self) -> int:
        """Cycles from one tile to the next."""
        return self.walk.count * self.interval

    @property
    def latency(self) -> int:
        """Cycles from the first token of a tile to after its last result."""
        last = max((cycle for port in self.results for cycle in port.cycles), default=0)
        return max(last + 1, self.ahead * self.interval + self.ii + self.stages)


def turn_schedules(schedules: Sequence[TaskSchedule]) -> list[TaskSchedule]:
    """Schedules of tasks that take turns on one body: results of all come as late as those of the deepest."""
    stages = max(each.stages for each in schedules)
    return [each if each.stages == stages else _later(each, stages - each.stages) for each in schedules]


def _later(schedule: TaskSchedule, cycles: int) -> TaskSchedule:
    results = tuple(replace(each, cycles=tuple(at + cycles for at in each.cycles)) for each in schedule.results)
    return replace(schedule, stages=schedule.stages + cycles, results=results)


def task_schedule(task: df.TaskOp, library: Mapping[str, Operator]) -> TaskSchedule:
    """The schedule of a task with its lanes, at the itensor or the stream level.

    Passes ask for it one after the other: it is kept with the task until something that it is made from changes.

    Args:
        task: task.
        library: operators at the board's clock.

    Raises:
        InputError: the payload has an op that no operator stands for.
    """
    streams = (df.itensor_of(port) for port in (*task.sources, *task.produced))
    facts = (library, *chain(*task.properties.items()), *task.payload.block.ops, *streams)
    known, made = vars(task).get(_KEPT, ((), None))
    if made is None or len(known) != len(facts) or not all(map(is_, known, facts)):
        made = _task_schedule(task, library)
        vars(task)[_KEPT] = facts, made
    return made


def tile_interval(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Cycles from one tile of a task to the next, that of its schedule."""
    walk = TileWalk.of(task)
    return walk.count * _interval(task, walk, library)


def _interval(task: df.TaskOp, walk: TileWalk, library: Mapping[str, Operator]) -> int:
    """Cycles per step: of its operators, and of the port that moves most tokens."""
    most_tokens = max(1, *chain(*_tokens_per_tile(task)))
    return max(step_interval(task, _lanes(task), library), -(-most_tokens // walk.count))


def _tokens_per_tile(task: df.TaskOp) -> tuple[list[int], list[int]]:
    tokens_in = [df.itensor_of(source).tokens // task.iterations for source in task.sources]
    tokens_out = [df.itensor_of(result).tokens // task.writes(n) for n, result in enumerate(task.produced)]
    return tokens_in, tokens_out


def _lanes(task: df.TaskOp) -> int:
    return min(task.lane_count, task.tile_points)


def _task_schedule(task: df.TaskOp, library: Mapping[str, Operator]) -> TaskSchedule:
    walk = TileWalk.of(task)
    interval, stages = _interval(task, walk, library), pipeline_stages(task, _lanes(task), walk.shared, library)
    try:
        sources, results = task_tokens(task)
    except InputError:
        return _without_places(walk, interval, stages, *_tokens_per_tile(task))
    return scheduled(walk, interval, stages, tuple(sources), tuple(results))


def _without_places(
    walk: TileWalk, interval: int, stages: int, tokens_in: list[int], tokens_out: list[int]
) -> TaskSchedule:
    """Where nothing says which step needs a token: all come first, and leave last."""
    end = walk.count * interval + stages
    return TaskSchedule(
        walk,
        interval,
        0,
        stages,
        tuple(PortMotion(tuple(range(count))) for count in tokens_in),
        tuple(PortMotion(tuple(range(end, end + count))) for count in tokens_out),
    )


@lru_cache(maxsize=4096)
def scheduled(
    walk: TileWalk, interval: int, stages: int, sources: tuple[PortTokens, ...], results: tuple[PortTokens, ...]
) -> TaskSchedule:
    """The schedule of steps that take so many cycles each.

    Args:
        walk: steps of a tile.
        interval: cycles per step, enough for the tokens of every port.
        stages: from the operands of a step to its results.
        sources: tokens of each source in a tile.
        results: tokens of each result in a tile.
    """
    needed = [walk.needed(port) for port in sources]
    last = [walk.last_used(port) if port.is_grid else None for port in sources]
    reads = [spread_reads(steps, walk.count, interval, until) for steps, until in zip(needed, last, strict=True)]
    ahead = max((spread.ahead for spread in reads if spread is not None), default=0)
    taken = tuple(
        PortMotion(_reading_cycles(steps, interval, spread, ahead), tuple(steps), walk.turns(port, walk.order), spread)
        for port, steps, spread in zip(sources, needed, reads, strict=True)
    )
    start = ahead * interval + stages
    return TaskSchedule(
        walk, interval, ahead, stages, taken, tuple(_left(walk, interval, start, port) for port in results)
    )


def _reading_cycles(steps: list[int], interval: int, spread: SpreadTokens | None, ahead: int) -> tuple[int, ...]:
    if spread is None:
        return tuple((ahead + step) * interval + place for step, place in _places(steps))
    first = (ahead - spread.ahead) * interval
    apart = 1 if spread.every == 1 else spread.every * interval
    return tuple(first + number * apart for number in range(len(steps)))


def _left(walk: TileWalk, interval: int, start: int, port: PortTokens) -> PortMotion:
    complete = walk.complete(port)
    spread = spread_writes(complete, walk.count, interval)
    turns = walk.turns(port, walk.order if port.scanned else walk.parallel)
    ready = [start + (step + 1) * interval + place for step, place in _places(complete)]
    if spread is None:
        return PortMotion(tuple(ready), tuple(complete), turns)
    first = [start + (step + 1) * interval for step in complete]
    # One leaves per cycle.  After as many tiles as there are tokens, as many wait as after the tile before.
    passed, cycles = -1, list(first)
    for tile in range(len(complete) + 1):
        before = cycles
        cycles = []
        for cycle in first:
            passed = max(tile * walk.count * interval + cycle, passed + 1)
            cycles.append(passed - tile * walk.count * interval)
        if tile and cycles == before:
            break
    return PortMotion(tuple(cycles), tuple(complete), turns, spread)


def _places(steps: list[int]) -> list[tuple[int, int]]:
    """Each step with the number of the token among those of the step."""
    found: list[tuple[int, int]] = []
    for step in steps:
        found.append((step, found[-1][1] + 1 if found and found[-1][0] == step else 0))
    return found
