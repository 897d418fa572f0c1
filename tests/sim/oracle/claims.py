"""Brute force against every claim that something is least, exact, or of no use: all depths of a small graph are run.

Each function gives the claims that are false, in words, and counts in ``made`` what was claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product, zip_longest
from math import inf as NEVER

import numpy as np

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.sim import Actor, Simulation, TimedGraph, simulate
from sttest.sim.bursts import sharing_ports
from sttest.sim.sizing import Sizing, simulate_many, size_by_simulation, size_for_throughput, trade_off
from sttest.sim.throughput import SelfTimed
from sttest.studies.sizing import SizeRequest

MOST = 6
"""Greatest depth of a small graph; runs go two beyond."""
FIFOS = 3
NO_LOSS, NO_DEADLOCK = "no-loss", "no-deadlock"
_ENOUGH_TOKENS = 64
"""More than a small graph passes through a FIFO."""
_FEW = 10
"""Tokens of a fix up to which all cheaper ones are tried."""
_SPARE = 9
"""Tokens beyond the fewest up to which all ways to spread them are tried."""


def is_small(graph: TimedGraph) -> bool:
    return 1 <= len(graph.fifos) <= FIFOS and all(fifo.depth <= MOST for fifo in graph.fifos)


def runs(graph: TimedGraph, low: Sequence[int], high: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """All depth vectors from ``low`` to ``high``, and their cycles, -1 for a deadlock."""
    vectors = np.array(list(product(*(range(a, max(a, b) + 1) for a, b in zip(low, high, strict=True)))), np.int64)
    return vectors, simulate_many(graph, vectors)


def all_runs(graph: TimedGraph) -> tuple[np.ndarray, np.ndarray]:
    """With all depths that a small graph may have."""
    return runs(graph, _least(graph), [MOST] * len(graph.fifos))


def false_of_sizing(
    graph: TimedGraph,
    tried: tuple[np.ndarray, np.ndarray],
    target: str | int,
    made: Counter[str],
    known: Mapping[str, int] | None = None,
) -> list[str]:
    """Of a sizing: none has fewer tokens, none can be lowered alone, no sizing goes below, no depths are enough."""
    vectors, cycles = tried
    try:
        sizing = size_by_simulation(graph, target, known=known)
    except DeadlockError:
        made["no depths help"] += 1
        return ["some depths let it end"] if (cycles >= 0).any() else []
    except DoesNotFitError as error:
        is_claimed = "no depths are enough" in str(error)
        made["no depths are enough"] += is_claimed
        is_false = is_claimed and ((cycles >= 0) & (cycles <= int(target))).any()
        return [f"some depths end by {target}"] if is_false else []
    least = int(cycles[cycles >= 0].min()) if (cycles >= 0).any() else 0
    false = _false_cycles(graph, sizing, target, least)
    bound = target if isinstance(target, int) else _no_loss(graph, sizing)
    good = vectors[(cycles >= 0) & ((cycles <= bound) | (target == NO_DEADLOCK))]
    return false + _false_bounds(sizing, good, made)


def _false_cycles(graph: TimedGraph, sizing: Sizing, target: str | int, least: int) -> list[str]:
    """The sizing is run again, and does what was asked; ``least``: cycles with the best of the small depths.

    A FIFO of the kind that it has may be too shallow for no loss, and one that is deep enough of a later kind.
    """
    cycles = simulate(graph, "simpy", sizing.depths).cycles
    if cycles is None or cycles != sizing.cycles:
        return [f"says {sizing.cycles} cycles, takes {cycles}"]
    if isinstance(target, int):
        return [f"{cycles} cycles for {target}"] if cycles > target else []
    is_lost = target == NO_LOSS and cycles > max(_no_loss(graph, sizing), least)
    return [f"no-loss takes {cycles} cycles, more than if no FIFO is ever full"] if is_lost else []


def _no_loss(graph: TimedGraph, sizing: Sizing) -> int:
    """The cycles that no-loss may take: of FIFOs that are never full, each of its kind or of that of its new depth."""
    made = graph.with_depths(sizing.depths)
    free = [simulate(each, unbounded=True).cycles for each in (graph, made)]
    assert free[0] is not None
    assert free[1] is not None
    return max(free[0], free[1])


def _least(graph: TimedGraph) -> list[int]:
    return [max(1, fifo.initial_tokens) for fifo in graph.fifos]


def _false_bounds(sizing: Sizing, good: np.ndarray, made: Counter[str]) -> list[str]:
    """Claims of a sizing, against all depth vectors that do what was asked."""
    found, lower = (np.array(list(each.values())) for each in (sizing.depths, sizing.lower_bounds))
    if sizing.method == "sim":
        made.update(sized=1, exact=sizing.is_exact, local=sizing.is_local_minimum)
    false = [f"{row.tolist()} is below the lower bounds {lower.tolist()}" for row in good if (row < lower).any()]
    fewer = [row.tolist() for row in good if row.sum() < found.sum()]
    if sizing.is_exact and fewer:
        false.append(f"{found.tolist()} called exact, {fewer[0]} has fewer tokens")
    alone = [row.tolist() for row in good if (row < found).sum() == 1 and (row <= found).all()]
    if sizing.is_local_minimum:
        false += [f"{found.tolist()} can be lowered alone to {row}" for row in alone]
    elif sizing.method == "sim":
        false += [f"{found.tolist()} can be lowered to {row}" for row in alone if found.sum() - sum(row) == 1]
    return false


def false_of_fix(graph: TimedGraph, made: Counter[str]) -> list[str]:
    """Of the fix of a deadlock: no depths help, no fix adds fewer tokens, and what more depth gains."""
    deadlock = simulate(graph).deadlock
    if deadlock is None:
        return []
    given = np.array([fifo.depth for fifo in graph.fifos])
    vectors, cycles = runs(graph, given.tolist(), [MOST + 2] * given.size)
    deepest = simulate_many(graph, np.full((1, given.size), _ENOUGH_TOKENS))[0]
    if not deadlock.fix:
        made["no depths help"] += 1
        return ["some depths help"] if (cycles >= 0).any() or deepest >= 0 else []
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


def false_of_program(graph: TimedGraph, tried: tuple[np.ndarray, np.ndarray], made: Counter[str]) -> list[str]:
    """Of the linear program's depths: no sizing that ends has fewer tokens, or goes below the bounds."""
    try:
        sizing = SizeRequest("lp").sizing(graph)
    except (DeadlockError, InputError) as error:
        made[error.code] += 1
        return []
    made["by program"] += 1
    vectors, cycles = tried
    return _false_bounds(sizing, vectors[cycles >= 0], made)


def false_of_peaks(graph: TimedGraph, made: Counter[str]) -> list[str]:
    """Of the peaks of a run: with these depths nothing happens later, with one less somewhere something does."""
    kinds = replace(graph, fifos=tuple(replace(fifo, impl=fifo.kind) for fifo in graph.fifos))
    run = simulate(kinds, record=True)
    if run.cycles is None:
        return []
    made["peaks"] += 1
    peaks = {fifo.name: max(1, fifo.initial_tokens, run.max_occupancy[fifo.name]) for fifo in graph.fifos}
    if any(before != after for before, after in moments(run, simulate(kinds, depths=peaks, record=True))):
        return [f"with its peaks {peaks} as depths it runs otherwise"]
    false = []
    phases = [phase for process in graph.processes if isinstance(process, Actor) for phase in process.phases]
    unsure = {name for phase in phases if phase.time == 0 for name in phase.reads}
    for name, least in zip(peaks, _least(graph), strict=True):
        if name in unsure or peaks[name] == least:
            continue
        made["one less than a peak"] += 1
        if not _is_later(run, simulate(kinds, depths={name: peaks[name] - 1}, record=True)):
            false.append(f"one less than its peak does for {name}")
    return false


def _is_later(run: Simulation, other: Simulation) -> bool:
    """Whether something happens later in the other run, and nothing sooner, unless ports share a channel."""
    assert run.graph is not None
    pairs = list(moments(run, other))
    is_monotone = not sharing_ports(run.graph)
    return any(a < b for a, b in pairs) and not (is_monotone and any(a > b for a, b in pairs))


def moments(run: Simulation, other: Simulation) -> Iterator[tuple[float, float]]:
    """The cycles of each access and finish in two runs, infinite where there is none."""
    yield from zip(
        *([NEVER if at is None else at for at in each.finish.values()] for each in (run, other)), strict=True
    )
    for times, others in ((run.write_times, other.write_times), (run.read_times, other.read_times)):
        for name, found in times.items():
            yield from zip_longest(found.tolist(), others[name].tolist(), fillvalue=NEVER)


def rate_of(run: SelfTimed, depths: Sequence[int] | np.ndarray | None = None) -> Fraction | float:
    """Iterations per cycle, infinite where nothing bounds them."""
    try:
        return run.rate(None if depths is None else [int(depth) for depth in depths]).throughput
    except InputError as error:
        if error.code != "no-rate-bound":
            raise
        return NEVER


def false_of_throughput(graph: TimedGraph, share: Fraction, made: Counter[str]) -> list[str]:
    """Of storage for a throughput: it reaches it, none that is called exact has more tokens than another, and so on."""
    run = SelfTimed(graph)
    highest = rate_of(run)
    deep = rate_of(run, [fifo.depth + _ENOUGH_TOKENS for fifo in graph.fifos])
    target = Fraction(min(highest, deep, Fraction(1)) if highest == NEVER else highest) * share
    rows = list(product(*(range(low, MOST + 1) for low in _least(graph))))
    rates = [rate_of(run, row) for row in rows]
    try:
        sizing = size_for_throughput(graph, target)
    except DeadlockError as error:
        made[error.code] += 1
        return ["some depths are live"] if any(rates) else []
    except InputError as error:
        made[error.code] += 1
        return []
    made["begins"] += any(isinstance(actor, Actor) and bool(actor.initial_phases) for actor in graph.processes)
    false = [f"{highest} is not what deep FIFOs reach"] if highest not in (NEVER, deep) else []
    if sizing.throughput != (found := rate_of(run, list(sizing.depths.values()))) or found < target:
        false.append(f"throughput {sizing.throughput}, asked for {target}")
    good = np.array([row for row, rate in zip(rows, rates, strict=True) if rate >= target]).reshape(
        -1, len(graph.fifos)
    )
    if (good.sum(axis=1) < sizing.lower_total).any():
        false.append(f"lower total {sizing.lower_total}, {good.tolist()} do")
    return false + _false_bounds(sizing, good, made)


def false_of_trade_off(graph: TimedGraph, made: Counter[str]) -> list[str]:
    """Of a trade-off: of all distributions, none up to the last point's size is faster than the points say."""
    run = SelfTimed(graph)
    try:
        points = [(point.total_tokens, point.throughput) for point in trade_off(graph)]
    except (DeadlockError, InputError) as error:
        made[error.code] += 1
        return []
    most, least = points[-1][0], _least(graph)
    if most - sum(least) > _SPARE:
        return []
    made["trade-offs"] += 1
    best: dict[int, Fraction | float] = {}
    for row in product(*(range(low, low + most - sum(least) + 1) for low in least)):
        if sum(row) <= most:
            best[sum(row)] = max(best.get(sum(row), Fraction(0)), rate_of(run, row))
    pareto: list[tuple[int, Fraction | float]] = []
    so_far: Fraction | float = Fraction(0)
    for total in sorted(best):
        if best[total] > so_far:
            so_far = best[total]
            pareto.append((total, so_far))
    return [] if pareto == points else [f"points {points}, by brute force {pareto}"]


def false_of_endless_fix(graph: TimedGraph, made: Counter[str]) -> list[str]:
    """Of the fix of actors that fire for ever: they then do, and no fewer tokens let them."""
    run, given = SelfTimed(graph), np.array([fifo.depth for fifo in graph.fifos])
    try:
        result = simulate(graph)
    except InputError as error:
        made[error.code] += 1
        is_live = error.code == "initial-phases" and rate_of(run, given) > 0
        return ["says that nothing makes up for initial phases, and is live"] if is_live else []
    deadlock = result.deadlock
    if (deadlock is None) != (rate_of(run, given) > 0):
        return [f"{result.verdict} at a rate of {rate_of(run, given)}"]
    if deadlock is None:
        return []
    if not deadlock.fix:
        made["no depths help"] += 1
        return ["some depths help"] if rate_of(run, given + _ENOUGH_TOKENS) > 0 else []
    fixed = np.array([deadlock.fix.get(fifo.name, fifo.depth) for fifo in graph.fifos])
    added = int((fixed - given).sum())
    made["fix"] += 1
    made["no fix adds fewer"] += deadlock.is_minimal
    fewer = (more for more in product(range(added), repeat=given.size) if sum(more) < added and deadlock.is_minimal)
    false = [f"{more} tokens are fewer than {added}" for more in fewer if rate_of(run, given + more) > 0]
    return false if rate_of(run, fixed) > 0 else ["the fix doesn't help"]
