"""How a share of the board is handed out to tasks as lanes: by the critical chain, by pace, or after HIDA.

Every way starts from the fewest lanes and never takes more of any resource than the share; what one lane of a task
takes is what the resource model says of it, so that lanes in floating point are not mistaken for those of int4.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from sttest.compile.spaces.parallel_factors import nearest_power_of_two
from sttest.errors import DoesNotFitError
from sttest.explore.facts import BlockFacts, TaskFacts

Lanes = dict[str, int]
# Steps of the factor that HIDA's ways scale by, per doubling.
_STEPS_PER_OCTAVE = 4


def distribute(facts: BlockFacts, way: str, share: float) -> Lanes:
    """Lanes per task.

    Args:
        facts: of the tiled block.
        way: one of :data:`WAYS`.
        share: of the board's budget that the logic of all tasks may take.

    Raises:
        DoesNotFitError: ``lane-budget-too-small``, one lane per task is more than that.
    """
    fewest = {task.name: task.choices[0] for task in facts.tasks}
    least = facts.share(facts.logic(fewest))
    if least > share:
        raise DoesNotFitError(
            "lane-budget-too-small", "the fewest lanes of all tasks take more than the share of the board for lanes",
            where="budget_percent", demand=round(100 * least, 1), bound=round(100 * share, 1), unit="% of the board",
            levers=["raise budget_percent", "take a larger board"],
        )  # fmt: skip
    return WAYS[way](facts, share)


class _Pot:
    """Lanes that are handed out step by step while they fit a share of the board."""

    def __init__(self, facts: BlockFacts, share: float) -> None:
        self.facts, self.share = facts, share
        self.lanes: Lanes = {task.name: task.choices[0] for task in facts.tasks}
        self._used = facts.logic(self.lanes)

    def next_choice(self, task: TaskFacts) -> int:
        """The next lanes that shorten a task; those that it has if there are none."""
        now = self.lanes[task.name]
        better = (lanes for lanes in task.choices if lanes > now and task.interval(lanes) < task.interval(now))
        return next(better, now)

    def cost(self, task: TaskFacts, lanes: int) -> float | None:
        """The share of the board that a raise takes; None if there is no raise or it does not fit."""
        if lanes == self.lanes[task.name]:
            return None
        more = task.logic[lanes] + task.logic[self.lanes[task.name]] * -1
        return self.facts.share(more) if self.facts.share(self._used + more) <= self.share else None

    def take(self, task: TaskFacts) -> None:
        """Gives a task its next lanes."""
        lanes = self.next_choice(task)
        self._used = self._used + task.logic[lanes] + task.logic[self.lanes[task.name]] * -1
        self.lanes[task.name] = lanes


def _by_chain(facts: BlockFacts, share: float) -> Lanes:
    """Raises the task on the longest chain that shortens it most for what it takes, until nothing more fits."""
    pot = _Pot(facts, share)
    while True:
        gains = {number: _gain(pot, facts.tasks[number], rounds) for number, rounds in _longest_chain(facts, pot.lanes)}
        best = max(gains, key=lambda number: gains[number], default=None)
        if best is None or gains[best] <= 0:
            return pot.lanes
        pot.take(facts.tasks[best])


def _gain(pot: _Pot, task: TaskFacts, rounds: int) -> float:
    """Cycles of the chain that one raise saves, per share that it takes; 0 if it does not fit or saves nothing."""
    raised = pot.next_choice(task)
    cost = pot.cost(task, raised)
    if cost is None:
        return 0.0
    return rounds * (task.interval(pot.lanes[task.name]) - task.interval(raised)) / max(cost, 1e-9)


def _longest_chain(facts: BlockFacts, lanes: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Tasks on the longest chain of the bounds, last one first, each with the iterations that it adds."""
    done: list[int] = []
    came_from: list[tuple[int | None, int]] = []
    for task in facts.tasks:
        interval = task.interval(lanes[task.name])
        alone = (task.iterations * interval, None, task.iterations)
        waits = ((done[wait.producer] + (wait.rest - 1) * interval + 1, wait.producer, wait.rest - 1)
                 for wait in task.waits)  # fmt: skip
        cycles, producer, rounds = max((alone, *waits), key=lambda found: found[0])
        done.append(cycles)
        came_from.append((producer, rounds))
    current = max(range(len(done)), key=lambda number: done[number], default=None)
    while current is not None:
        producer, rounds = came_from[current]
        if rounds:
            yield current, rounds
        current = producer


def _by_pace(facts: BlockFacts, share: float) -> Lanes:
    """Raises the slowest task until nothing more fits, as the compiler does with a budget of lanes."""
    pot = _Pot(facts, share)
    waiting = list(facts.tasks)
    while waiting:
        slowest = max(waiting, key=lambda task: task.cycles(pot.lanes[task.name]))
        if pot.cost(slowest, pot.next_choice(slowest)) is None:
            waiting.remove(slowest)
        else:
            pot.take(slowest)
    return pot.lanes


def _by_hida(*, ia: bool, ca: bool) -> Callable[[BlockFacts, float], Lanes]:
    """One of HIDA's ways, scaled to the largest factor that fits the share."""

    def way(facts: BlockFacts, share: float) -> Lanes:
        widest = max(task.choices[-1] for task in facts.tasks)
        factors = [2 ** (step / _STEPS_PER_OCTAVE) for step in range(_STEPS_PER_OCTAVE * widest.bit_length())]
        fitting = bisect_right(
            factors, share, key=lambda factor: facts.share(facts.logic(_hida(facts, factor, ia=ia, ca=ca)))
        )
        return _hida(facts, factors[max(0, fitting - 1)], ia=ia, ca=ca)

    return way


def _hida(facts: BlockFacts, max_factor: float, *, ia: bool, ca: bool) -> Lanes:
    """Lanes of every task for a factor of the most intensive one.

    IA: in proportion to the work.  CA: tasks are decided in falling order of connectedness, then of work, and one takes
    no more lanes than keep up with the slowest of its neighbours that are decided: a stream is as fast as its slower
    end, as an array of HIDA's has the banks of its wider one.
    """
    peak = max(task.work for task in facts.tasks)
    neighbours = _neighbours(facts)
    decided: dict[int, int] = {}
    for number in sorted(neighbours, key=lambda number: (-len(neighbours[number]), -facts.tasks[number].work)):
        task = facts.tasks[number]
        wanted = Fraction(max_factor) * (Fraction(task.work, peak) if ia else 1)
        lanes = task.at_most(nearest_power_of_two(max(Fraction(1), wanted)))
        if ca:
            paces = [facts.tasks[other].cycles(decided[other]) for other in neighbours[number] if other in decided]
            slowest = max(paces, default=0)
            lanes = next((each for each in task.choices if each >= lanes or task.cycles(each) <= slowest), lanes)
        decided[number] = lanes
    return {task.name: decided[number] for number, task in enumerate(facts.tasks)}


def _neighbours(facts: BlockFacts) -> dict[int, set[int]]:
    """Per task those that it streams to or from."""
    found: dict[int, set[int]] = {number: set() for number in range(len(facts.tasks))}
    for number, task in enumerate(facts.tasks):
        for wait in task.waits:
            found[number].add(wait.producer)
            found[wait.producer].add(number)
    return found


WAYS: dict[str, Callable[[BlockFacts, float], Lanes]] = {
    "chain": _by_chain,
    "pace": _by_pace,
    "naive": _by_hida(ia=False, ca=False),
    "ia": _by_hida(ia=True, ca=False),
    "ca": _by_hida(ia=False, ca=True),
    "ia+ca": _by_hida(ia=True, ca=True),
}
"""How lanes are handed out; the last four are HIDA's (Ye, Jun & Chen, ASPLOS 2024, arXiv 2311.03379)."""
