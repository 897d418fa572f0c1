"""Rates: lanes with which a task keeps pace with what feeds it (docs/how-it-works/tiling.md).

A task that follows another token by token has the lanes it needs to be done
with a token before the next one comes, and no more: the chain of a decode step
then ends soon after its last product, however many tasks lie between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sttest.core.errors import InputError


@dataclass(frozen=True)
class RateFacts:
    """A task as the pace sees it."""

    name: str  # name of the task
    lanes: tuple[int, ...]  # admissible lane counts, ascending
    busy_cycles: tuple[int, ...]  # cycles of one iteration at each of the lane counts
    iterations: int  # iterations per run; every source gives one token to each
    burst: int  # iterations from one result to the next, when results come
    results: int  # results per run
    producers: tuple[str, ...] = ()  # names of the tasks that feed it
    # cycles per iteration that it must not take longer than where no task feeds it token by token; None for a task
    # that keeps no pace
    own_pace_cycles: Fraction | None = Fraction(1)


@dataclass
class _Paces:
    """Cycles between two results of each task that keeps pace."""

    results: Mapping[str, int]
    interval: dict[str, Fraction] = field(default_factory=dict)
    before: dict[str, frozenset[str]] = field(default_factory=dict)

    def of(self, task: RateFacts) -> Fraction | None:
        """The pace that a task has to keep: that of its fastest source that comes token by token; None if unknown.

        Where that of one of them is unknown, a scale that is there early says nothing.  Where the task also waits for
        the end of another source that comes after those, all their tokens are there by then, and the pace is its own.
        """
        if task.own_pace_cycles is None:
            return None
        in_step = [name for name in task.producers if self.results.get(name, 0) >= task.iterations]
        if any(name not in self.interval for name in in_step):
            return None
        if in_step and not self._waits(task, in_step):
            return min(self.interval[name] * self.results[name] / task.iterations for name in in_step)
        return task.own_pace_cycles

    def _waits(self, task: RateFacts, in_step: Sequence[str]) -> bool:
        """Whether something that it reads, and that does not come token by token, follows what does."""
        others = set(task.producers) - set(in_step)
        return any(name in self.before.get(other, ()) for other in others for name in in_step)

    def enter(self, task: RateFacts) -> None:
        """Notes what comes before a task; those are known."""
        earlier = (self.before.get(name, frozenset()) for name in task.producers)
        self.before[task.name] = frozenset(task.producers).union(*earlier)

    def keep(self, task: RateFacts, busy_cycles: int) -> None:
        self.interval[task.name] = Fraction(busy_cycles * task.burst)


def paced_lanes(tasks: Sequence[RateFacts], engines: Mapping[str, int]) -> dict[str, int]:
    """The least lanes with which each task keeps its pace, or with which it falls behind least.

    Args:
        tasks: facts, in program order.
        engines: lanes of the tasks that set the pace.

    Returns:
        Lanes by task; tasks without a known pace are left out, and so are the engines.

    Raises:
        InputError: ``bad-rate-facts``.
    """
    paces, found = _Paces({task.name: task.results for task in tasks}), dict[str, int]()
    for task in tasks:
        _check(task)
        paces.enter(task)
        busy = dict(zip(task.lanes, task.busy_cycles, strict=True))
        if task.name in engines:
            paces.keep(task, busy[engines[task.name]])
            continue
        pace = paces.of(task)
        if pace is None:
            continue
        in_time = (lanes for lanes in task.lanes if busy[lanes] <= pace)
        found[task.name] = next(in_time, min(task.lanes, key=lambda lanes: (busy[lanes], lanes)))
        paces.keep(task, busy[found[task.name]])
    return found


def _check(task: RateFacts) -> None:
    if not task.lanes or len(task.lanes) != len(task.busy_cycles) or min(task.busy_cycles) < 1:
        raise InputError(
            "bad-rate-facts",
            "every lane count takes one or more cycles",
            where=task.name,
            hints=["correct the facts of this task"],
        )
