"""A cache of experts in fast memory: which steps find theirs there, by the rule that says who leaves.

A layer has room for so many experts.  A step asks for its experts one after the other; one that is missing is brought
in and, by all rules but two, stays, in the place of another.  A bound is what no rule can beat: Belady's, which knows
the future, and does not keep what others are wanted before.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sttest.core.errors import InputError, did_you_mean
from sttest.studies.experts.routing import Routing

Policy = Literal["lru", "lfu", "static", "belady"]
"""The longest unused leaves; the least used so far; nobody, the most popular of the trace stay; the last to be used."""


@dataclass(frozen=True)
class CacheRun:
    """What a cache did on a trace.

    Args:
        policy, capacity: rule, and experts of a layer that have room.
        accesses: experts that steps asked for, ``[steps, layers]``.
        misses: those that were not there, ``[steps, layers]``.
    """

    policy: Policy
    capacity: int
    accesses: np.ndarray
    misses: np.ndarray

    @property
    def hits(self) -> int:
        """Experts that were there."""
        return int(self.accesses.sum() - self.misses.sum())

    @property
    def hit_rate(self) -> float:
        """Share of what was asked for."""
        return self.hits / int(self.accesses.sum())

    def miss_distribution(self) -> list[float]:
        """Share of all layers of all steps in which 0, 1, 2 ... experts were missing."""
        counts = np.bincount(self.misses.ravel())
        return (counts / counts.sum()).tolist()

    def after(self, steps: int) -> "CacheRun":
        """Without the first steps, in which the cache fills."""
        return CacheRun(self.policy, self.capacity, self.accesses[steps:], self.misses[steps:])


def run_cache(routing: Routing, capacity: int, policy: str = "lru", batch: int = 1) -> CacheRun:
    """Runs every layer's cache over a trace; it is empty at first.

    Args:
        routing: experts that tokens choose.
        capacity: experts of a layer that have room, at least 1.
        policy: one of `Policy`.
        batch: tokens of a step, which need an expert that several chose only once.

    Raises:
        InputError: no such rule, no room, or no step of so many tokens.
    """
    rule = next((each for each in get_args(Policy) if each == policy), None)
    if rule is None:
        hints = [did_you_mean(policy, get_args(Policy))]
        raise InputError("unknown-policy", f"unknown rule '{policy:.80}'", where="cache of experts", hints=hints)
    if capacity < 1 or not 1 <= batch <= len(routing.choices):
        what = f"room for {capacity} experts, steps of {batch} tokens"
        raise InputError("bad-cache", what, where="cache of experts")
    accesses, misses = [], []
    for layer in range(routing.layers):
        steps = list(routing.steps(layer, batch))
        accesses.append([len(step) for step in steps])
        misses.append(_RULES[rule](steps, capacity))
    return CacheRun(rule, capacity, np.array(accesses).T, np.array(misses).T)


def _lru(steps: Sequence[Sequence[int]], capacity: int) -> list[int]:
    held: OrderedDict[int, None] = OrderedDict()
    found: list[int] = []
    for step in steps:
        missing = 0
        for expert in step:
            missing += expert not in held
            held[expert] = None
            held.move_to_end(expert)
            if len(held) > capacity:
                held.popitem(last=False)
        found.append(missing)
    return found


def _lfu(steps: Sequence[Sequence[int]], capacity: int) -> list[int]:
    """Uses are counted from the start, those of experts outside as well; of equals the longest unused leaves."""
    uses, held, now, found = Counter[int](), dict[int, int](), 0, list[int]()
    for step in steps:
        missing = 0
        for expert in step:
            now += 1
            uses[expert] += 1
            if expert not in held:
                missing += 1
                if len(held) == capacity:
                    del held[min(held, key=lambda each: (uses[each], held[each]))]
            held[expert] = now
        found.append(missing)
    return found


def _static(steps: Sequence[Sequence[int]], capacity: int) -> list[int]:
    """The most popular are brought in when they are asked for first; others are brought in each time, and not kept."""
    uses = Counter(expert for step in steps for expert in step)
    staying = {expert for expert, _ in uses.most_common(capacity)}
    held, found = set[int](), list[int]()
    for step in steps:
        found.append(sum(expert not in held for expert in step))
        held |= staying.intersection(step)
    return found


def _belady(steps: Sequence[Sequence[int]], capacity: int) -> list[int]:
    string = [expert for step in steps for expert in step]
    following, next_of = [0] * len(string), dict[int, int]()
    for place in range(len(string) - 1, -1, -1):
        following[place] = next_of.get(string[place], len(string))
        next_of[string[place]] = place
    held, place, found = dict[int, int](), 0, list[int]()
    for step in steps:
        missing = 0
        for expert in step:
            missing += expert not in held
            held[expert] = following[place]
            if len(held) > capacity:
                del held[max(held, key=held.__getitem__)]
            place += 1
        found.append(missing)
    return found


_RULES: Mapping[Policy, Callable[[Sequence[Sequence[int]], int], list[int]]] = {
    "lru": _lru,
    "lfu": _lfu,
    "static": _static,
    "belady": _belady,
}


# --- Misses as time: what a layer takes with so many experts missing is simulated elsewhere


@dataclass(frozen=True)
class StepTimes:
    """Cycles of every step over all layers, int64, ``[steps]``."""

    cycles: np.ndarray

    @property
    def mean(self) -> float:
        """Cycles of a step."""
        return float(self.cycles.mean())

    def percentile(self, share: float) -> float:
        """Cycles that so many percent of the steps do not exceed."""
        return float(np.percentile(self.cycles, share, method="inverted_cdf"))


def step_times(run: CacheRun, layer_cycles: Mapping[int, int]) -> StepTimes:
    """Times of the steps of a run; layers follow each other.

    Args:
        run: misses of every layer of every step.
        layer_cycles: cycles of a layer by the number of experts that are missing, simulated.

    Raises:
        InputError: more experts are missing at a time than the table has cycles for.
    """
    most = int(run.misses.max())
    lacking = [count for count in np.unique(run.misses).tolist() if count not in layer_cycles]
    if lacking:
        raise InputError(
            "no-step-time",
            f"no cycles of a layer with {lacking[0]} missing experts",
            where="step times",
            hints=[f"simulate layers with up to {most} missing experts"],
        )
    table = np.array([layer_cycles.get(count, 0) for count in range(most + 1)], dtype=np.int64)
    return StepTimes(table[run.misses].sum(axis=1))
