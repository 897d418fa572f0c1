"""Depths of finite graphs by simulation: they reach the target, and none can be lowered."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sim_graphs import pipeline_graphs

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, load, simulate
from sttest.sim.sizing import back_to_back, finite, least_depths, simulate_many, size_by_simulation
from sttest.sim.sizing.depth_runner import inexact_ports


def graph(fifos, processes, channels=()) -> TimedGraph:
    return TimedGraph("g", 300.0, tuple(fifos), tuple(processes), tuple(channels))


def loop(count: int, *events, ii=1, latency=1) -> Loop:
    return Loop((count,), ii, latency, events)


def reconvergent(tokens: int, bits: int = 8) -> TimedGraph:
    """a feeds c directly and through b, which reads all before it writes: the short way holds ``tokens`` tokens."""
    a = Pipeline("a", (loop(tokens, Event("ab", "write", 0), Event("ac", "write", 0)),))
    b = Pipeline("b", (loop(tokens, Event("ab", "read", 0)), loop(tokens, Event("bc", "write", 0))))
    c = Pipeline("c", (loop(tokens, Event("bc", "read", 0), Event("ac", "read", 0)),))
    return graph([Fifo("ab", 4, bits), Fifo("bc", 4, bits), Fifo("ac", 99, bits)], [a, b, c])


@st.composite
def graphs(draw) -> TimedGraph:
    """A fork into two ways of other lengths and rates, and a join."""
    tokens = draw(st.integers(1, 6))
    bits = draw(st.sampled_from([8, 300, 600]))
    impl = draw(st.sampled_from(["auto", "auto", "srl", "ram"]))
    names = ("to_x", "to_y", "from_x", "from_y")
    fifos = [Fifo(name, draw(st.integers(1, 9)), bits, impl) for name in names]
    fork = Pipeline(
        "fork",
        (
            loop(
                tokens,
                Event("to_x", "write", 0),
                Event("to_y", "write", draw(st.integers(0, 2))),
                ii=draw(st.integers(1, 2)),
                latency=3,
            ),
        ),
    )
    ways = []
    for way in "xy":
        latency = draw(st.integers(1, 6))
        if draw(st.booleans()):
            events = (Event(f"to_{way}", "read", 0), Event(f"from_{way}", "write", latency - 1))
            loops = (loop(tokens, *events, ii=draw(st.integers(1, 3)), latency=latency),)
        else:
            loops = (loop(tokens, Event(f"to_{way}", "read", 0)), loop(tokens, Event(f"from_{way}", "write", 0)))
        ways.append(Pipeline(way, loops))
    join = Pipeline("join", (loop(tokens, Event("from_x", "read", 0), Event("from_y", "read", 0)),))
    return graph(fifos, [fork, *ways, join])


def is_enough(design: TimedGraph, depths: dict[str, int], bound: int | None) -> bool:
    cycles = simulate(design, depths=depths).cycles
    return cycles is not None and (bound is None or cycles <= bound)


def lowered(depths: dict[str, int]):
    """All with a single FIFO less deep, by however much."""
    return [{**depths, name: less} for name, depth in depths.items() for less in range(1, depth)]


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sampled_from(["no-loss", "no-deadlock", 3]))
def test_the_target_is_reached_and_no_depth_can_be_lowered(design, asked):
    best = size_by_simulation(design).cycles
    assert best is not None
    target = best + asked if isinstance(asked, int) else asked
    sizing = size_by_simulation(design, target)
    bound = {"no-loss": best, "no-deadlock": None}.get(str(target), target)
    assert isinstance(bound, int | None)
    assert is_enough(design, sizing.depths, bound)
    assert sizing.cycles == simulate(design, "simpy", sizing.depths).cycles
    assert not any(is_enough(design, depths, bound) for depths in lowered(sizing.depths))


@settings(max_examples=40, deadline=None)
@given(graphs(), st.sampled_from(["no-loss", "no-deadlock"]))
def test_nothing_goes_below_the_lower_bounds(design, target):
    """Brute force over all depths up to those found; where they say exact, none has fewer tokens."""
    sizing = size_by_simulation(design, target)
    bound = sizing.cycles if target == "no-loss" else None
    names = list(sizing.depths)
    vectors = np.array(list(product(*(range(1, min(6, depth) + 1) for depth in sizing.depths.values()))))
    cycles = simulate_many(design, vectors)
    good = vectors[(cycles >= 0) & ((cycles <= bound) if bound is not None else True)]
    lower = np.array([sizing.lower_bounds[name] for name in names])
    assert (good >= lower).all()
    assert sizing.lower_total <= sizing.total_tokens
    if sizing.is_exact:
        assert good.sum(axis=1).min(initial=sizing.total_tokens) == sizing.total_tokens


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_least_depths_are_the_lower_bounds_without_the_sizing(design):
    least = least_depths(design)
    assert least.live == size_by_simulation(design, "no-deadlock").lower_bounds
    assert least.lossless == size_by_simulation(design, "no-loss").lower_bounds


def test_least_depths_that_take_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(finite, "MAX_BOUND_EVENTS", 5000)
    with pytest.raises(DoesNotFitError, match="least depths take too many runs"):
        least_depths(reconvergent(100))


@settings(max_examples=30, deadline=None)
@given(graphs())
def test_no_loss_is_as_fast_as_fifos_that_are_never_full(design):
    """Short of the cycle that each shift register saves over a RAM that would have to hold all."""
    sizing = size_by_simulation(design)
    unbounded = simulate(design, unbounded=True).cycles
    assert sizing.cycles is not None
    assert unbounded is not None
    assert sizing.cycles <= unbounded + len(design.fifos)
    if {fifo.impl for fifo in design.fifos} != {"auto"}:
        assert sizing.cycles == unbounded


@pytest.mark.parametrize(("target", "short_way"), [("no-loss", 20), ("no-deadlock", 20)])
def test_a_reconvergent_path_takes_all_its_tokens(target, short_way):
    sizing = size_by_simulation(reconvergent(20), target)
    assert sizing.depths["ac"] == short_way
    assert sizing.is_exact


def test_a_bound_of_cycles_lies_between():
    """Later is cheaper: at its latest bound a design is no deeper than live."""
    design = load_streamhls("synthetic_opt5_k7mmseq_balanced")
    loss_free, live = size_by_simulation(design), size_by_simulation(design, "no-deadlock")
    assert loss_free.cycles is not None
    assert live.cycles is not None
    assert live.total_tokens <= loss_free.total_tokens
    assert size_by_simulation(design, live.cycles).total_tokens <= loss_free.total_tokens


def load_streamhls(name: str) -> TimedGraph:
    from pathlib import Path

    return load(Path(__file__).parents[2] / "data" / "streamhls" / f"{name}.json")


def test_engines_size_alike():
    design = reconvergent(6)
    assert size_by_simulation(design, engine="simpy").depths == size_by_simulation(design).depths


def test_refusals():
    design = reconvergent(4)
    with pytest.raises(InputError, match="no target 'fast'; give no-loss, no-deadlock or a number of cycles"):
        size_by_simulation(design, "fast")
    with pytest.raises(DoesNotFitError, match=r"no depths are enough .demand .* cycles, bound 3 cycles"):
        size_by_simulation(design, 3)
    endless = Actor("x", (ActorPhase(1, {"a": 1}, {"a": 1}),))
    with pytest.raises(InputError, match="come to no end; ask for a throughput"):
        size_by_simulation(graph([Fifo("a", 2, 1, initial_tokens=1)], [endless]))
    hungry = [Pipeline("x", (loop(2, Event("a", "write", 0)),)), Pipeline("y", (loop(3, Event("a", "read", 0)),))]
    with pytest.raises(DeadlockError, match="FIFO 'a': deadlocks with FIFOs of any depth"):
        size_by_simulation(graph([Fifo("a", 2, 1)], hungry))


def test_many_vectors_are_single_simulations():
    design = reconvergent(8, bits=300)
    vectors = np.array(list(product((1, 3, 4), (2, 5), (6, 7, 8, 9))))
    cycles = simulate_many(design, vectors)
    names = [fifo.name for fifo in design.fifos]
    singles = [simulate(design, depths=dict(zip(names, row, strict=True))).cycles for row in vectors.tolist()]
    assert cycles.tolist() == [-1 if single is None else single for single in singles]
    assert set(singles) > {None}
    as_mappings = [dict(zip(names, row, strict=True)) for row in vectors.tolist()]
    assert simulate_many(design, as_mappings).tolist() == cycles.tolist()
    assert simulate_many(design, []).tolist() == []


def test_many_vectors_over_processes():
    design = reconvergent(8)
    vectors = np.random.default_rng(0).integers(1, 12, (200, 3))
    assert simulate_many(design, vectors, jobs=2).tolist() == simulate_many(design, vectors).tolist()


def test_many_vectors_refusals():
    design = reconvergent(8)
    with pytest.raises(InputError, match=r"not whole numbers of shape \(N, 3\)"):
        simulate_many(design, np.ones((4, 2), int))
    with pytest.raises(InputError, match="FIFO 'bc', vector 1: depth 0 is not between 1"):
        simulate_many(design, np.array([[1, 1, 1], [1, 0, 1]]))
    with pytest.raises(InputError, match="no FIFO 'ca'"):
        simulate_many(design, [{"ca": 3}])


def unequal(tokens: int) -> TimedGraph:
    """A fast head that is done long before its slow tail: one invocation drains, many back up."""
    head = Pipeline("head", (loop(tokens, Event("a", "write", 0)),))
    tail = Pipeline("tail", (loop(tokens, Event("a", "read", 0), ii=3),))
    return graph([Fifo("a", 2, 8)], [head, tail])


@pytest.mark.parametrize("invocations", [1, 2, 5])
def test_invocations_keep_the_rate_of_all_of_them(invocations):
    """The tail takes 3 cycles a token, and 3 more between runs; the first token is there in cycle 1."""
    design = back_to_back(unequal(10), invocations)
    sizing = size_by_simulation(design)
    assert sizing.cycles == 1 + invocations * (9 * 3 + 1) + (invocations - 1) * 2
    assert sizing.depths == {"a": 1}


def test_overlap_needs_more_than_an_invocation_that_drains():
    """A head works for 20 cycles, then bursts 4 tokens; a tail takes one every 5 and is the faster of the two.

    If there is one run, the head may wait in its burst. If there are more, its next run must not be late.
    """
    head = Pipeline("head", (loop(1, latency=20), loop(4, Event("a", "write", 0))))
    tail = Pipeline("tail", (loop(4, Event("a", "read", 0), ii=5),))
    design = graph([Fifo("a", 8, 8)], [head, tail])
    once, often = (size_by_simulation(back_to_back(design, count)) for count in (1, 8))
    assert once.depths == {"a": 1}
    assert often.depths == {"a": 3}
    period = 20 + 2 + 4 + 2
    assert often.cycles == simulate(back_to_back(design, 8), unbounded=True).cycles == 7 * period + 22 + 1 + 3 * 5 + 1


def test_invocations_of_ports_and_their_bursts():
    port = MemoryPort("p", "read", "a", tokens=4, token_bytes=64, channels=("h",), burst_bytes=256)
    take = Pipeline("take", (loop(4, Event("a", "read", 0)),))
    design = graph([Fifo("a", 4, 512)], [port, take], [Channel("h", 20, 64)])
    assert inexact_ports(design) == []
    thrice = back_to_back(design, 3)
    assert simulate(thrice).verdict == "done"
    (streamed,) = [process for process in thrice.processes if isinstance(process, MemoryPort)]
    assert streamed.tokens == 12
    odd = graph(
        [Fifo("a", 4, 512)], [MemoryPort("p", "read", "a", 6, 64, ("h",), 256), take_six()], [Channel("h", 20, 64)]
    )
    assert inexact_ports(odd) == ["p"]


@pytest.mark.parametrize(
    ("channels", "options", "is_exact"),
    [
        ("h", {"pattern": "random"}, True),
        ("hi", {"ids": "many"}, True),
        ("hij", {"ids": "many"}, False),
        ("hi", {}, False),
        ("hi", {"ids": "many", "pattern": "random"}, False),
    ],
)
def test_invocations_of_ports_of_several_channels(channels, options, is_exact):
    """Four bursts a run: in turn on two channels they go on as they began, on three they do not.

    One ID reads ranges, which are longer where the stream is, and a hash is of the number of a burst.
    """
    port = MemoryPort("p", "read", "a", 16, 64, tuple(channels), 256, **options)
    take = Pipeline("take", (loop(16, Event("a", "read", 0)),))
    design = graph([Fifo("a", 4, 512)], [port, take], [Channel(name, 20, 64) for name in channels])
    assert inexact_ports(design) == ([] if is_exact else ["p"])


def take_six() -> Pipeline:
    return Pipeline("take", (loop(6, Event("a", "read", 0)),))


def test_invocations_of_actors_are_further_firings():
    actors = [Actor("x", (ActorPhase(2, {}, {"a": 1}),), 3), Actor("y", (ActorPhase(5, {"a": 1}, {}),), 3)]
    often = back_to_back(graph([Fifo("a", 4, 8)], actors), 4)
    assert [actor.firings for actor in often.processes if isinstance(actor, Actor)] == [12, 12]
    assert often.processes[0].name == "x"


def test_actors_that_fire_for_ever_have_no_invocations_and_no_cycles():
    ring = graph([Fifo("a", 2, 8, initial_tokens=1)], [Actor("x", (ActorPhase(1, {"a": 1}, {"a": 1}),))])
    with pytest.raises(InputError, match="actors that fire for ever have no invocations") as caught:
        back_to_back(ring, 2)
    assert caught.value.code == "endless"
    assert back_to_back(ring, 1) is ring
    for refused, told in (
        (lambda: simulate_many(ring, [{}]), "take no number of cycles"),
        (lambda: least_depths(ring), "come to no end"),
    ):
        with pytest.raises(InputError, match=told) as caught:
            refused()
        assert caught.value.code == "endless"


def test_a_sizing_as_values():
    sizing = size_by_simulation(reconvergent(20), "no-deadlock")
    told = sizing.to_json()
    assert told["schema"] == "sttest.sizing/1"
    assert told["depths"] == {"ab": 1, "bc": 1, "ac": 20}
    assert (told["total_tokens"], told["total_bits"]) == (22, 22 * 8)
    assert (told["lower_total"], told["lower_bits"]) == (22, 22 * 8)
    assert (told["is_exact"], told["is_local_minimum"], told["throughput"]) == (True, True, None)
    assert told["cycles"] == simulate(reconvergent(20), depths=told["depths"]).cycles


def test_invocations_refusals():
    keeps = [Pipeline("x", (loop(3, Event("a", "write", 0)),)), Pipeline("y", (loop(2, Event("a", "read", 0)),))]
    with pytest.raises(InputError, match="FIFO 'a': a run writes 3 tokens and reads 2"):
        back_to_back(graph([Fifo("a", 4, 8)], keeps), 2)
    with pytest.raises(InputError, match="number of invocations is 0"):
        back_to_back(unequal(2), 0)


@settings(max_examples=25, deadline=None)
@given(pipeline_graphs(unbalanced=False), st.data())
def test_known_depths_that_do_are_never_beaten_by_more_bits(design, data):
    known = {fifo.name: data.draw(st.integers(max(1, fifo.initial_tokens), 30)) for fifo in design.fifos}
    cycles = simulate(design, depths=known).cycles
    assume(cycles is not None)
    assert cycles is not None
    sized = size_by_simulation(design, cycles, known=known)
    assert is_enough(design, sized.depths, cycles)
    assert sized.total_bits <= sum(fifo.bits * known[fifo.name] for fifo in design.fifos)


def test_a_firing_claims_its_space_at_its_start():
    """With one place in b the second firing waits until the first token has gone, and a cycle is lost."""
    source = Pipeline("source", (loop(2, Event("x", "write", 0), ii=5),))
    work = Actor("work", (ActorPhase(4, {"x": 1}, {"b": 1}),), firings=2)
    sink = Pipeline("sink", (loop(2, Event("b", "read", 0), ii=4),))
    design = graph([Fifo("x", 2, 8), Fifo("b", 2, 8)], [source, work, sink])
    assert [simulate(design, depths={"b": depth}).cycles for depth in (1, 2, 9)] == [13, 12, 12]
    assert simulate(design, unbounded=True).max_occupancy == simulate(design, "simpy").max_occupancy
    assert simulate(design, unbounded=True).max_occupancy["b"] == 2
    sizing = size_by_simulation(design)
    assert (sizing.depths, sizing.cycles, sizing.is_exact) == ({"x": 2, "b": 2}, 12, True)


def test_an_actor_that_never_fires_leaves_possible_depths():
    idle = Actor("idle", (ActorPhase(1, {"a": 1}, {"a": 1}),), firings=0)
    assert size_by_simulation(graph([Fifo("a", 1, 8)], [idle])).depths == {"a": 1}


def rivals() -> TimedGraph:
    """Two ports on one channel; if ``slow`` is never full, its port takes turns that the other one needs."""
    ports = [
        MemoryPort("m0", "read", "slow", 4, 4, ("c",), 4, 1),
        MemoryPort("m1", "read", "fast", 5, 4, ("c",), 4, 1, start=10),
    ]
    slow = Pipeline("p0", (loop(4, Event("slow", "read", 0), ii=4),), start=20)
    fast = Pipeline(
        "p1", (loop(3, Event("fast", "read", 0), ii=4, latency=9), loop(2, Event("fast", "read", 0), latency=5))
    )
    return graph([Fifo("slow", 9, 8), Fifo("fast", 9, 8)], [ports[0], slow, ports[1], fast], [Channel("c", 0, 4, 1, 4)])


def test_bounds_hold_where_ports_share_a_channel():
    """While ``slow`` is never full ``fast`` needs two places; with one place each, nothing is lost."""
    free = simulate(rivals(), unbounded=True).cycles
    assert (simulate(rivals(), depths={"slow": 1, "fast": 1}).cycles, free) == (46, 48)
    sizing = size_by_simulation(rivals())
    assert sizing.cycles is not None
    assert free is not None
    assert sizing.cycles <= free
    assert sizing.lower_bounds == {"slow": 1, "fast": 1}
    assert sizing.is_exact == (sizing.total_tokens == 2)


def test_known_depths_are_taken_where_no_others_are_fast_enough():
    """FIFOs that are never full take more turns of a channel that ports share than shallow ones."""
    design = graph(
        [Fifo("a", 1, 8, "srl"), Fifo("b", 1, 8, "srl")],
        [
            MemoryPort("ahead", "read", "a", 5, 4, ("c",), 4, 2),
            MemoryPort("late", "read", "b", 2, 4, ("c",), 4, 4, start=9),
            Pipeline("p", (loop(5, Event("a", "read", 0), ii=4),)),
            Pipeline("q", (loop(2, Event("b", "read", 0), ii=11, latency=9),)),
        ],
        [Channel("c", 0, 4, 1, 2)],
    )
    assert (simulate(design).cycles, simulate(design, unbounded=True).cycles) == (32, 33)
    assert size_by_simulation(design, 32, known={"a": 1, "b": 1}).cycles == 32
    with pytest.raises(DoesNotFitError, match="no depths are enough"):
        size_by_simulation(design, 9)
