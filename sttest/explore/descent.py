"""Coordinate descent over lanes: the fastest design that fits, from the lanes that a rule chose.

Engines are visited one by one, and each may go to half or to twice its lanes.  A step is kept if

    ln(cycles) + price * cost of what is taken

falls.  Where a design does not fit, lanes that nobody waits for go first, all at once (*sparing*); then the price rises
until it does (*trimming*); then it falls, and steps must lead to designs that fit, so
that room goes first to where it saves most (*filling*).  Steps that cannot bring anything are not tried: half the lanes
save no more than what the engine takes, twice the lanes no more than its cycles on the critical path.

Nothing here knows how a design is judged, and nothing is random: the same judge gives the same lanes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log
from typing import Protocol

from sttest.boards.resources import Resources
from sttest.explore import assumptions

Lanes = Mapping[str, int]
"""Lanes by engine."""


@dataclass(frozen=True)
class Judged:
    """A design with some lanes."""

    cycles: int  # cycles per launch
    shares: Resources  # shares of the board's budgets, all SLRs together

    @property
    def overfull(self) -> float:
        """What is asked for beyond all budgets, in budgets; 0 for a design that may have a place."""
        return sum(max(0.0, share - 1) for share in self.shares)

    def score(self, price: float, overfull_cost: float = assumptions.OVERFULL_COST) -> float:
        """What a descent lowers; 0.01 of it is a percent of the cycles."""
        return log(self.cycles) + price * (_cost(self.shares) + overfull_cost * self.overfull)


@dataclass(frozen=True)
class Profile:
    """Cycles and resources of a design by engine."""

    # shares of the board's budgets that the functional unit takes, without its data movers
    shares: Mapping[str, Resources]
    cycles: Mapping[str, int]  # cycles on the critical path


class Judge(Protocol):
    """What a descent asks of designs."""

    def judge(self, lanes: Lanes) -> Judged | None:
        """Cycles and shares; None where there is no such design."""
        ...

    def fits(self, lanes: Lanes) -> bool:
        """Whether a design that was judged has its place on the board."""
        ...

    def profile(self, lanes: Lanes) -> Profile:
        """The profile of a design that was judged."""
        ...


@dataclass(frozen=True)
class DescentStep:
    """A step that was kept."""

    # engine, lanes: the functional unit and its new lanes; ``idle`` and a count where several units were halved at
    # once
    engine: str
    lanes: int
    price: float  # cost of the option
    judged: Judged  # the design that it led to


@dataclass(frozen=True)
class Descent:
    """The result of a descent."""

    # lanes, judged: the design
    lanes: Lanes
    judged: Judged
    fits: bool  # whether it does; if not, it is the smallest that was found
    steps: tuple[DescentStep, ...]  # kept, in their order
    designs: int  # number of designs judged


def descend(
    judge: Judge, choices: Mapping[str, Sequence[int]], start: Lanes, *, most_designs: int = 150,
    watch: Callable[[DescentStep], None] = lambda step: None,
) -> Descent | None:  # fmt: skip
    """Looks for the lanes of the fastest design that fits.

    Args:
        judge: judge of designs.
        choices: admissible lanes of the engines that may be turned, ascending.
        start: lanes of all engines.
        most_designs: largest number of designs to judge; the best so far is returned then.
        watch: callback that gets every step that is kept.

    Returns:
        The design; None where there is none with the lanes at the start.
    """
    first = judge.judge(start)
    if first is None:
        return None
    walk = _Walk(judge, choices, most_designs, watch, dict(start), first)
    paid = walk.trim()
    if paid == inf:
        walk.passes(assumptions.GROWING_PRICE, must_fit=True, only_more=True)
    for price in assumptions.FILLING_PRICES:
        if walk.best is not None and price < paid:
            walk.passes(price, must_fit=True)
    lanes, judged = walk.best or (walk.lanes, walk.judged)
    return Descent(dict(lanes), judged, walk.best is not None, tuple(walk.steps), walk.designs)


@dataclass
class _Walk:
    """A descent on its way: the design that it is at, and what it has cost so far."""

    judge: Judge
    choices: Mapping[str, Sequence[int]]
    most_designs: int
    watch: Callable[[DescentStep], None]
    lanes: dict[str, int]
    judged: Judged
    steps: list[DescentStep] = field(default_factory=list[DescentStep])
    designs: int = 1
    best: tuple[Lanes, Judged] | None = None

    def trim(self) -> float:
        """Raises the price until the design fits, or until that is hopeless; the last price that was paid."""
        if self._fits(self.lanes, self.judged):
            return inf
        self._spare()
        for price in assumptions.TRIMMING_PRICES:
            before = self.judged.overfull
            self.passes(price, must_fit=False)
            if self._fits(self.lanes, self.judged):
                return price
            if price >= assumptions.HIGH_PRICE and 0 < before <= self.judged.overfull:
                break
        return 0.0

    def _spare(self) -> None:
        """Halves the lanes of all engines that nobody waits for, again and again, while that costs next to nothing."""
        if self.designs >= self.most_designs:
            return
        idle, before = set(self.choices), self.judge.profile(self.lanes).cycles
        for _ in range(assumptions.MOST_SPARED):
            idle = {each for each in idle if before.get(each, 0) < assumptions.IDLE_SHARE * self.judged.cycles}
            halves = {each: _beside(self.choices[each], self.lanes[each], 0.5) for each in idle}
            fewer = {each: lanes for each, lanes in halves.items() if lanes is not None}
            if not fewer or self.designs >= self.most_designs:
                return
            tried = {**self.lanes, **fewer}
            judged = self.judge.judge(tried)
            self.designs += 1
            if judged is None:
                return
            after = self.judge.profile(tried).cycles
            if log(judged.cycles / self.judged.cycles) > assumptions.LEAST_GAIN:
                # Somebody waits for one of them now: those with more of the critical path keep their lanes.
                slower = {each for each in fewer if after.get(each, 0) > before.get(each, 0)}
                idle -= slower or idle
                continue
            self.lanes, self.judged, before = tried, judged, after
            self.steps.append(DescentStep("idle", len(fewer), 0.0, judged))
            self.watch(self.steps[-1])

    def passes(self, price: float, *, must_fit: bool, only_more: bool = False) -> None:
        """Visits all engines again until a pass keeps no step."""
        for _ in range(assumptions.MOST_PASSES):
            if self.designs >= self.most_designs:
                return
            profile = self.judge.profile(self.lanes)
            order = self._order(profile, price, must_fit)
            kept = [self._visit(engine, profile, price, must_fit, only_more) for engine in order]
            if not any(kept):
                return

    def _order(self, profile: Profile, price: float, must_fit: bool) -> list[str]:
        """Those first of which most can be had: in resources or cycles, in cycles where the design has its place."""
        gains = {engine: self._gains(engine, profile, price)[must_fit:] for engine in self.choices}
        return sorted(gains, key=lambda engine: (-max(gains[engine]), engine))

    def _gains(self, engine: str, profile: Profile, price: float) -> tuple[float, float]:
        """The largest possible decrease of the score with half and with twice the lanes."""
        others = self.judged.cycles - profile.cycles.get(engine, 0)
        share = profile.shares.get(engine, Resources())
        saved = price * (_cost(share) + assumptions.OVERFULL_COST * min(self.judged.overfull, sum(share)))
        return saved, log(self.judged.cycles / others) if others > 0 else inf

    def _visit(self, engine: str, profile: Profile, price: float, must_fit: bool, only_more: bool) -> bool:
        """Goes on in one direction as long as that brings something; tries the more promising one first."""
        fewer, more = self._gains(engine, profile, price)
        for gain, factor in sorted(((0.0 if only_more else fewer, 0.5), (more, 2.0)), reverse=True):
            kept = False
            while gain > assumptions.LEAST_GAIN and self._step(engine, factor, price, must_fit):
                # Every step leaves half of what there was to gain.
                kept, gain = True, gain / 2
            if kept:
                return True
        return False

    def _step(self, engine: str, factor: float, price: float, must_fit: bool) -> bool:
        lanes = _beside(self.choices[engine], self.lanes[engine], factor)
        if lanes is None or self.designs >= self.most_designs:
            return False
        tried = {**self.lanes, engine: lanes}
        judged = self.judge.judge(tried)
        self.designs += 1
        if judged is None or judged.score(price) >= self.judged.score(price) - assumptions.LEAST_STEP:
            return False
        if must_fit and not self._fits(tried, judged):
            return False
        self.lanes, self.judged = tried, judged
        self.steps.append(DescentStep(engine, lanes, price, judged))
        self.watch(self.steps[-1])
        return True

    def _fits(self, lanes: Lanes, judged: Judged) -> bool:
        """Whether a design fits; of those that do, the fastest is kept."""
        if judged.overfull > 0 or not self.judge.fits(lanes):
            return False
        if self.best is None or judged.cycles < self.best[1].cycles:
            self.best = (dict(lanes), judged)
        return True


def _cost(shares: Resources) -> float:
    return sum(weight * share for weight, share in zip(assumptions.SHARE_COSTS, shares, strict=True))


def _beside(choices: Sequence[int], now: int, factor: float) -> int | None:
    """The choice nearest to so many times the lanes in that direction, at least one choice away; None at the end."""
    if factor > 1:
        above = [choice for choice in choices if choice > now]
        return next((choice for choice in above if choice >= factor * now), above[-1] if above else None)
    below = [choice for choice in choices if choice < now]
    return next((choice for choice in reversed(below) if choice <= factor * now), below[0] if below else None)
