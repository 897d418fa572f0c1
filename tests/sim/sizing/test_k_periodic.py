"""K-periodic schedules against execution: the same throughput, of what can and of what cannot be executed."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sttest.core.errors import DoesNotFitError, InputError
from sttest.sim import Actor, ActorPhase, Fifo, TimedGraph, k_periodic, simulate, throughput
from sttest.sim.cycle_ratio import Constraints, critical_cycle
from sttest.sim.graph import MAX_ACCESSES_VARIABLE, MAX_EVENTS
from sttest.sim.throughput import NEVER_FULL, SelfTimed


def random_graph(seed: int) -> TimedGraph:
    """Up to five actors with up to three phases in a tree of FIFOs with extra ones; most FIFOs can be full."""
    rng = np.random.default_rng(seed)
    actors = int(rng.integers(2, 6))
    rounds = rng.integers(1, 5, actors)
    phases = [[ActorPhase(int(rng.integers(0, 6))) for _ in range(rng.integers(1, 4))] for _ in range(actors)]
    fifos: list[Fifo] = []
    rates: list[tuple[int, str, str, list[int]]] = []

    def join(source: int, target: int, tokens: int, depth: int) -> None:
        """A FIFO whose rates balance; each round passes so many tokens, in any of its phases."""
        name = f"{source}-{target}-{len(fifos)}"
        common = int(np.lcm(rounds[source], rounds[target])) * int(rng.integers(1, 3))
        for actor, side in ((source, "writes"), (target, "reads")):
            split = rng.multinomial(common // rounds[actor], np.ones(len(phases[actor])) / len(phases[actor]))
            rates.append((actor, side, name, split.tolist()))
        fifos.append(Fifo(name, max(depth, tokens, 1), 8, initial_tokens=tokens))

    for actor in range(1, actors):
        join(int(rng.integers(0, actor)), actor, int(rng.integers(0, 4)), int(rng.integers(2, 20)))
    for _ in range(rng.integers(0, 3)):
        ends = rng.integers(0, actors, 2).tolist()
        join(*ends, int(rng.integers(0, 20)), int(rng.choice([NEVER_FULL, 40])))
    for actor in range(actors):  # one firing at a time
        rates += [(actor, side, f"self-{actor}", [1] * len(phases[actor])) for side in ("reads", "writes")]
        fifos.append(Fifo(f"self-{actor}", NEVER_FULL, 8, initial_tokens=1))
    filled = [
        Actor(
            f"actor{number}",
            tuple(
                replace(
                    phase,
                    **{
                        side: {n: r[k] for a, s, n, r in rates if (a, s) == (number, side)}
                        for side in ("reads", "writes")
                    },
                )
                for k, phase in enumerate(own)
            ),
        )
        for number, own in enumerate(phases)
    ]
    return TimedGraph(f"random{seed}", 100.0, tuple(fifos), tuple(filled))


def rate_or_error(graph: TimedGraph) -> Fraction | str:
    try:
        return SelfTimed(graph).rate([fifo.depth for fifo in graph.fifos]).throughput
    except InputError as error:
        return error.code


def test_schedules_are_as_fast_as_executions(monkeypatch):
    graphs = [random_graph(seed) for seed in range(60)]
    executed = [rate_or_error(graph) for graph in graphs]
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 0)
    assert [rate_or_error(graph) for graph in graphs] == executed
    assert executed.count(Fraction(0)) > 3
    assert len({each for each in executed if each != 0}) > 15


def with_a_beginning(graph: TimedGraph, seed: int) -> TimedGraph:
    """One actor does its last phase, or two of them, before the first."""
    actors = list(graph.processes)
    chosen = actors[seed % len(actors)]
    assert isinstance(chosen, Actor)
    actors[seed % len(actors)] = replace(chosen, initial_phases=chosen.phases[-1:] * (1 + seed % 2))
    return replace(graph, processes=tuple(actors))


def test_a_beginning_ends_in_a_deadlock_where_the_rate_is_none(monkeypatch):
    """Finite runs, execution to a period and schedules, of graphs whose initial phases break a balance, agree."""
    graphs = [with_a_beginning(random_graph(seed), seed) for seed in range(60)]
    rates = [rate_or_error(graph) for graph in graphs]
    verdicts = [simulate(graph).verdict for graph in graphs]
    assert verdicts == ["deadlock" if rate == 0 else "done" for rate in rates]
    assert {"deadlock", "done"} == set(verdicts)
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 0)
    live = [number for number, verdict in enumerate(verdicts) if verdict == "done"]
    assert [rate_or_error(graphs[number]) for number in live] == [rates[number] for number in live]


def ring(many: int = 1 << 25, depth: int = NEVER_FULL) -> TimedGraph:
    """Actors that fire ``many`` times, once and ``many`` times in an iteration; by default 67 million firings."""
    fifos = [
        Fifo("down", depth, 8),
        Fifo("up", NEVER_FULL, 8),
        Fifo("back", NEVER_FULL, 8, initial_tokens=min(2 * many, MAX_EVENTS)),
    ]
    fifos += [Fifo(f"self-{name}", NEVER_FULL, 8, initial_tokens=1) for name in "abc"]
    loops = [{f"self-{name}": 1} for name in "abc"]
    a = ActorPhase(3, {"back": 1, **loops[0]}, {"down": 1, **loops[0]})
    b = ActorPhase(11, {"down": many, **loops[1]}, {"up": many, **loops[1]})
    c = ActorPhase(2, {"up": 1, **loops[2]}, {"back": 1, **loops[2]})
    return TimedGraph("ring", 100.0, tuple(fifos), tuple(Actor(n, (p,)) for n, p in zip("abc", (a, b, c), strict=True)))


def test_what_is_too_long_to_execute_is_scheduled():
    """The slowest actor, with a token for each of its firings, sets the pace: 3 cycles for each of 2^25 firings."""
    found = simulate(ring())
    assert found.throughput == Fraction(1, 3 << 25)
    assert (found.to_json()["method"], found.scheduled_firings) == ("k-periodic", 3)
    assert found.to_text().startswith(
        "ring: done, 1/100663296 iterations per cycle (by a K-periodic schedule of 3 firings"
    )


def test_a_full_fifo_limits_a_schedule(monkeypatch):
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 0)
    graph = ring(many=8, depth=8)
    rate = SelfTimed(graph).rate([fifo.depth for fifo in graph.fifos])
    assert (rate.throughput, rate.scheduled) == (Fraction(1, 3 * 8 + 11), True)
    assert [graph.fifos[number].name for number in rate.limiting] == ["down"]
    assert SelfTimed(graph).rate([7, *(fifo.depth for fifo in graph.fifos[1:])]).throughput == 0


def test_a_deadlock_of_a_long_iteration_is_explained(monkeypatch):
    graph = ring(many=64).with_depths({"down": 5})
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 0)
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, "10")
    found = simulate(graph)
    assert found.deadlock is not None
    assert [wait.fifo for wait in found.deadlock.cycle] == ["down", "down"]
    assert found.deadlock.fix == {"down": 64}


def test_firings_that_overtake_are_not_scheduled(monkeypatch):
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 0)
    phases = (ActorPhase(5, {"c": 1}, {"c": 1}), ActorPhase(1, {"c": 1}, {"c": 1}))
    alone = TimedGraph("g", 1.0, (Fifo("c", 4, 8, initial_tokens=2),), (Actor("a", phases),))
    with pytest.raises(InputError, match=r"those of 'a' may overtake each other; .* give it a self-loop with a token"):
        SelfTimed(alone).rate([4])
    one = alone.with_fifos([Fifo("c", 4, 8, initial_tokens=1)])
    assert SelfTimed(one).rate([4]).throughput == Fraction(1, 6)


def test_schedules_with_too_many_firings_are_given_up(monkeypatch):
    monkeypatch.setattr(k_periodic, "MAX_EVENTS", 2)
    with pytest.raises(DoesNotFitError, match=r"too many firings of a schedule \(demand 3, bound 2\)"):
        simulate(ring())


def test_the_critical_cycle_of_a_small_graph():
    """Of the cycles 0-1 (time 5 in 2 periods), 1-2 (time 7 in 3) and 0-1-2 (time 9 in 4), the first."""
    edges = [(0, 1, 2, 1), (1, 0, 3, 1), (1, 2, 3, 1), (2, 1, 4, 2), (2, 0, 4, 2)]
    columns = (np.array(column) for column in zip(*edges, strict=True))
    found = critical_cycle(Constraints(3, *columns, np.ones(5, np.int64)))
    assert (sorted(found.edges), found.period) == ([0, 1], Fraction(5, 2))


def test_numbers_beyond_floating_point_are_compared_exactly():
    """Ratios of 2^60 and 2^60 + 1 are one in floating point."""
    zeros = np.zeros(2, np.int64)
    for times in ([1 << 60, (1 << 60) + 1], [(1 << 60) + 1, 1 << 60]):
        found = critical_cycle(Constraints(1, zeros, zeros, np.array(times), zeros + 1, zeros + 1))
        assert found.period == (1 << 60) + 1
