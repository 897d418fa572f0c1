"""How a share of the board is handed out as lanes: by the critical chain, by pace, or after HIDA.

Every way starts from the fewest lanes and never takes more of any resource than the share; what one lane of a task
takes is what the resource model says of it, so that lanes in floating point are not mistaken for those of int4.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from sttest.boards.resources import Resources, total
from sttest.compile.spaces.parallel_factors import nearest_power_of_two
from sttest.core.errors import DoesNotFitError
from sttest.explore import assumptions
from sttest.explore.facts import BlockFacts

Lanes = dict[str, int]


def distribute(facts: BlockFacts, way: str, share: float) -> Lanes:
    """Lanes per task.

    Args:
        facts: facts of the tiled block.
        way: one of :data:`WAYS`.
        share: share of the board's budget that the logic of all tasks may take.

    Raises:
        DoesNotFitError: ``lane-budget-too-small``, one lane per task is more than that.
    """
    fewest = {task.name: task.choices[0] for task in facts.tasks}
    least = facts.share(facts.logic(fewest))
    if least > share:
        raise DoesNotFitError(
            "lane-budget-too-small", "the fewest lanes of all tasks take more than the share of the board for lanes",
            where="budget_percent", demand=round(100 * least, 1), bound=round(100 * share, 1), unit="% of the board",
            hints=["raise budget_percent", "take a larger board"],
        )  # fmt: skip
    return WAYS[way](facts, share)


class _Pot:
    """Lanes that are handed out step by step while they fit a share of the board."""

    def __init__(self, facts: BlockFacts, share: float) -> None:
        self.facts, self.share = facts, share
        self.lanes = [engine.choices[0] for engine in facts.engines]
        self._logic = [{lanes: engine.logic(lanes) for lanes in engine.choices} for engine in facts.engines]
        self._used = total(logic[lanes] for logic, lanes in zip(self._logic, self.lanes, strict=True))

    def next_choice(self, number: int) -> int:
        """The next lanes that shorten an engine's tasks; those that it has if there are none."""
        engine, now = self.facts.engines[number], self.lanes[number]
        better = (lanes for lanes in engine.choices if lanes > now and engine.cycles(lanes) < engine.cycles(now))
        return next(better, now)

    def cost(self, number: int, lanes: int) -> float | None:
        """The share of the board that a raise takes; None if there is no raise or it does not fit."""
        if lanes == self.lanes[number]:
            return None
        more = self._more(number, lanes)
        return self.facts.share(more) if self.facts.share(self._used + more) <= self.share else None

    def take(self, number: int) -> None:
        """Gives an engine its next lanes."""
        lanes = self.next_choice(number)
        self._used = self._used + self._more(number, lanes)
        self.lanes[number] = lanes

    def by_task(self) -> Lanes:
        """What was handed out."""
        return _by_task(self.facts, self.lanes)

    def _more(self, number: int, lanes: int) -> Resources:
        return self._logic[number][lanes] + self._logic[number][self.lanes[number]] * -1


def _by_task(facts: BlockFacts, lanes: Sequence[int]) -> Lanes:
    given = zip(facts.engines, lanes, strict=True)
    found = {number: count for engine, count in given for number in engine.members}
    return {task.name: found[number] for number, task in enumerate(facts.tasks)}


def _by_chain(facts: BlockFacts, share: float) -> Lanes:
    """Raises the engine that shortens the longest chain most for what it takes, until nothing more fits."""
    pot = _Pot(facts, share)
    engine_of = {number: at for at, engine in enumerate(facts.engines) for number in engine.members}
    while True:
        saved: Counter[int] = Counter()
        for number, rounds in _longest_chain(facts, pot.by_task()):
            task, engine = facts.tasks[number], engine_of[number]
            saved[engine] += rounds * (task.interval(pot.lanes[engine]) - task.interval(pot.next_choice(engine)))
        gains = {engine: _gain(cycles, pot.cost(engine, pot.next_choice(engine))) for engine, cycles in saved.items()}
        best = max(gains, key=lambda engine: gains[engine], default=None)
        if best is None or gains[best] <= 0:
            return pot.by_task()
        pot.take(best)


def _gain(saved_cycles: int, cost: float | None) -> float:
    """Cycles per share of the board; 0 for a raise that does not fit."""
    return 0.0 if cost is None else saved_cycles / max(cost, assumptions.LEAST_COST)


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
    """Raises the slowest engine until nothing more fits, as the compiler does with a budget of lanes."""
    pot = _Pot(facts, share)
    waiting = list(range(len(facts.engines)))
    while waiting:
        slowest = max(waiting, key=lambda number: facts.engines[number].cycles(pot.lanes[number]))
        if pot.cost(slowest, pot.next_choice(slowest)) is None:
            waiting.remove(slowest)
        else:
            pot.take(slowest)
    return pot.by_task()


def _by_hida(*, ia: bool, ca: bool) -> Callable[[BlockFacts, float], Lanes]:
    """One of HIDA's ways, scaled to the largest factor that fits the share."""

    def way(facts: BlockFacts, share: float) -> Lanes:
        widest = max(engine.choices[-1] for engine in facts.engines)
        factors = [
            2 ** (step / assumptions.STEPS_PER_OCTAVE)
            for step in range(assumptions.STEPS_PER_OCTAVE * widest.bit_length())
        ]
        fitting = bisect_right(
            factors, share, key=lambda factor: facts.share(facts.logic(_hida(facts, factor, ia=ia, ca=ca)))
        )
        return _hida(facts, factors[max(0, fitting - 1)], ia=ia, ca=ca)

    return way


def _hida(facts: BlockFacts, max_factor: float, *, ia: bool, ca: bool) -> Lanes:
    """Lanes of every engine for a factor of the most intensive one.

    IA: in proportion to the work.  CA: engines are decided in falling order of connectedness, then of work, and one
    takes no more lanes than keep up with the slowest of its neighbors that are decided: a stream is as fast as its
    slower end, as an array of HIDA's has the banks of its wider one.
    """
    engines = facts.engines
    peak = max(engine.work for engine in engines)
    neighbors = _neighbors(facts)
    decided: dict[int, int] = {}
    for number in sorted(neighbors, key=lambda number: (-len(neighbors[number]), -engines[number].work)):
        engine = engines[number]
        wanted = Fraction(max_factor) * (Fraction(engine.work, peak) if ia else 1)
        lanes = engine.at_most(nearest_power_of_two(max(Fraction(1), wanted)))
        if ca:
            paces = [engines[other].cycles(decided[other]) for other in neighbors[number] if other in decided]
            slowest = max(paces, default=0)
            lanes = next((each for each in engine.choices if each >= lanes or engine.cycles(each) <= slowest), lanes)
        decided[number] = lanes
    return _by_task(facts, [decided[number] for number in range(len(engines))])


def _neighbors(facts: BlockFacts) -> dict[int, set[int]]:
    """Per engine those that it streams to or from."""
    engine_of = {number: at for at, engine in enumerate(facts.engines) for number in engine.members}
    found: dict[int, set[int]] = {number: set() for number in range(len(facts.engines))}
    for number, task in enumerate(facts.tasks):
        for wait in task.waits:
            one, other = engine_of[number], engine_of[wait.producer]
            if one != other:
                found[one].add(other)
                found[other].add(one)
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
