"""Brute force against every claim that something is least, exact, or of no use: all depths of a small graph are run.

Each function gives the claims that are false, in words, and counts in ``made`` what was claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.sim import TimedGraph, simulate
from sttest.sim.sizing import Sizing, simulate_many, size_by_simulation, size_for_throughput
from sttest.sim.throughput import SelfTimed

MOST = 6
"""Greatest depth of a small graph; runs go two beyond."""
FIFOS = 3
NO_LOSS, NO_DEADLOCK = "no-loss", "no-deadlock"
_ENOUGH_TOKENS = 64
"""More than a small graph passes through a FIFO."""
_FEW = 10
"""Tokens of a fix up to which all cheaper ones are tried."""


def is_small(graph: TimedGraph) -> bool:
    return 1 <= len(graph.fifos) <= FIFOS and all(fifo.depth <= MOST for fifo in graph.fifos)


def runs(graph: TimedGraph, low: Sequence[int], high: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """All depth vectors from ``low`` to ``high``, and their cycles, -1 for a deadlock."""
    vectors = np.array(list(product(*(range(a, max(a, b) + 1) for a, b in zip(low, high, strict=True)))), np.int64)
    return vectors, simulate_many(graph, vectors)


def false_of_sizing(graph: TimedGraph, target: str | int, made: Counter[str]) -> list[str]:
    """Of a sizing: none has fewer tokens, none can be lowered alone, no sizing goes below, no depths are enough."""
    vectors, cycles = runs(graph, [max(1, fifo.initial_tokens) for fifo in graph.fifos], [MOST] * len(graph.fifos))
    try:
        sizing = size_by_simulation(graph, target)
    except DeadlockError:
        made["no depths help"] += 1
        return ["some depths let it end"] if (cycles >= 0).any() else []
    except DoesNotFitError as error:
        is_claimed = "no depths are enough" in str(error)
        made["no depths are enough"] += is_claimed
        is_false = is_claimed and ((cycles >= 0) & (cycles <= int(target))).any()
        return [f"some depths end by {target}"] if is_false else []
    false = _false_cycles(graph, sizing, target)
    bound = target if isinstance(target, int) else sizing.cycles
    good = vectors[(cycles >= 0) & ((cycles <= bound) | (target == NO_DEADLOCK))]
    return false + _false_bounds(sizing, good, made)


def _false_cycles(graph: TimedGraph, sizing: Sizing, target: str | int) -> list[str]:
    """The sizing is run again, and does what was asked."""
    cycles = simulate(graph, "simpy", sizing.depths).cycles
    if cycles is None or cycles != sizing.cycles:
        return [f"says {sizing.cycles} cycles, takes {cycles}"]
    if isinstance(target, int):
        return [f"{cycles} cycles for {target}"] if cycles > target else []
    free = simulate(graph, unbounded=True).cycles
    keeps_kinds = all(fifo.impl != "auto" for fifo in graph.fifos)
    is_lost = target == NO_LOSS and keeps_kinds and free is not None and cycles > free
    return [f"no-loss takes {cycles} cycles, {free} if no FIFO is ever full"] if is_lost else []


def _false_bounds(sizing: Sizing, good: np.ndarray, made: Counter[str]) -> list[str]:
    """Claims of a sizing, against all depth vectors that do what was asked."""
    found, lower = (np.array(list(each.values())) for each in (sizing.depths, sizing.lower_bounds))
    made.update(sized=1, exact=sizing.is_exact, local=sizing.is_local_minimum)
    false = [f"{row.tolist()} is below the lower bounds {lower.tolist()}" for row in good if (row < lower).any()]
    fewer = [row.tolist() for row in good if row.sum() < found.sum()]
    if sizing.is_exact and fewer:
        false.append(f"{found.tolist()} called exact, {fewer[0]} has fewer tokens")
    alone = [row.tolist() for row in good if (row < found).sum() == 1 and (row <= found).all()]
    if sizing.is_local_minimum:
        false += [f"{found.tolist()} can be lowered alone to {row}" for row in alone]
    else:
        false += [f"{found.tolist()} can be lowered to {row}" for row in alone if found.sum() - sum(row) == 1]
    return false


def false_of_fix(graph: TimedGraph, made: Counter[str]) -> list[str]:
    """Of the fix of a deadlock: no depths help, no fix adds fewer tokens, and what more depth gains."""
    deadlock = simulate(graph).deadlock
    if deadlock is None:
        return []
    given = np.array([fifo.depth for fifo in graph.fifos])
    vectors, cycles = runs(graph, given.tolist(), [MOST + 2] * given.size)
    if not deadlock.fix:
        made["no depths help"] += 1
        return ["some depths help"] if (cycles >= 0).any() else []
    made["fix"] += 1
    fixed = np.array([deadlock.fix.get(fifo.name, fifo.depth) for fifo in graph.fifos])
    false = _false_minimum(graph, given, int((fixed - given).sum()), made) if deadlock.is_minimal else []
    cost = deadlock.cost
    assert cost is not None
    for what, depths, said in (("fix", deadlock.fix, cost.cycles), ("enough", cost.enough, cost.enough_cycles)):
        taken = simulate(graph, "simpy", depths).cycles
        false += [f"{what} takes {taken} cycles, not {said}"] if taken != said else []
    fewest = int(cycles[cycles >= 0].min(initial=1 << 40))
    told = cost.to_text(deadlock.fix)
    if "No deeper FIFO" in told:
        made["no deeper"] += 1
        false += [f"deeper ones take {fewest} cycles, not {cost.cycles}"] if fewest < cost.cycles else []
    others = [row for row, taken in zip(vectors, cycles, strict=True) if taken == cost.others_cycles]
    deepest = simulate_many(graph, np.full((1, given.size), _ENOUGH_TOKENS))[0]
    if "Deepening other" in told and not others and deepest != cost.others_cycles:
        false.append(f"nobody saw {cost.others_cycles} cycles")
    if cost.is_fastest:
        false += _false_gains(graph, deadlock.fix, fixed, cost.enough_cycles, made)
    if cost.is_least and cost.cycles > cost.enough_cycles:
        false += _false_least(graph, deadlock.fix, cost.enough, cost.enough_cycles, made)
    return false


def _false_minimum(graph: TimedGraph, given: np.ndarray, added: int, made: Counter[str]) -> list[str]:
    made["no fix adds fewer"] += added <= _FEW
    if not 1 < added <= _FEW:
        return []
    fewer = np.array([more for more in product(range(added), repeat=given.size) if sum(more) < added]) + given
    helps = fewer[simulate_many(graph, fewer) >= 0]
    return [f"{added} tokens called the fewest, {helps[0].tolist()} does"] if helps.size else []


def _false_gains(
    graph: TimedGraph, fix: dict[str, int], fixed: np.ndarray, enough_cycles: int, made: Counter[str]
) -> list[str]:
    made["gains nothing"] += 1
    high = [depth + 4 if fifo.name in fix else depth for fifo, depth in zip(graph.fifos, fixed.tolist(), strict=True)]
    vectors, cycles = runs(graph, fixed.tolist(), high)
    faster = vectors[cycles < enough_cycles]
    return [f"{faster[0].tolist()} is faster than {enough_cycles} cycles"] if faster.size else []


def _false_least(
    graph: TimedGraph, fix: dict[str, int], enough: dict[str, int], bound: int, made: Counter[str]
) -> list[str]:
    made["none can be lowered"] += 1
    lower = [enough | {name: less} for name, depth in enough.items() for less in range(fix[name], depth)]
    cycles = simulate_many(graph, lower)
    return [f"{lower[i]} is as fast" for i in np.flatnonzero((cycles >= 0) & (cycles <= bound))]


def false_of_throughput(graph: TimedGraph, share: Fraction, made: Counter[str]) -> list[str]:
    """Of storage for a throughput: it reaches it, and none that is called exact has more tokens than another."""
    run = SelfTimed(graph)
    try:
        target = run.rate().throughput * share
        sizing = size_for_throughput(graph, target)
    except (DeadlockError, InputError) as error:
        made[error.code] += 1
        return []
    made.update(sized=1, exact=sizing.is_exact)
    false = []
    if sizing.throughput is None or sizing.throughput < target:
        false.append(f"throughput {sizing.throughput}, asked for {target}")
    low = [max(1, fifo.initial_tokens) for fifo in graph.fifos]
    fewer = (d for d in product(*(range(least, MOST + 1) for least in low)) if sum(d) < sizing.total_tokens)
    better = (d for d in fewer if sizing.is_exact and run.rate(d).throughput >= target)
    return false + [f"{sizing.depths} called exact, {depths} does" for depths in better]
