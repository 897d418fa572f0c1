"""Small dataflow graphs for tests of sizing, and what brute force says of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import lcm

from hypothesis import strategies as st

from sttest.sim import Actor, ActorPhase, Fifo, TimedGraph
from sttest.sim.throughput import SelfTimed


def endless(*channels, times: dict[str, int], serial=True) -> TimedGraph:
    """Channels (name, writer, put, reader, taken, tokens); each actor fires one at a time where ``serial``."""
    if serial:
        channels += tuple((f"self_{name}", name, 1, name, 1, 1) for name in times)
    reads: dict[str, dict[str, int]] = {name: {} for name in times}
    writes: dict[str, dict[str, int]] = {name: {} for name in times}
    for name, writer, put, reader, taken, _ in channels:
        writes[writer][name], reads[reader][name] = put, taken
    actors = tuple(Actor(name, (ActorPhase(time, reads[name], writes[name]),)) for name, time in times.items())
    fifos = tuple(Fifo(name, max(1, tokens), 8, initial_tokens=tokens) for name, *_, tokens in channels)
    return TimedGraph("g", 1.0, fifos, actors)


@st.composite
def small_graphs(draw) -> TimedGraph:
    """Two or three actors in a chain, maybe with a shortcut and a way back that carries enough tokens."""
    count = draw(st.integers(2, 3))
    firings = [draw(st.integers(1, 3)) for _ in range(count)]
    names = [f"a{number}" for number in range(count)]
    pairs = [(number, number + 1) for number in range(count - 1)]
    pairs += [(0, 2)] if count == 3 and draw(st.booleans()) else []
    channels = []
    for writer, reader in pairs:
        put, taken = _rates(firings[writer], firings[reader])
        tokens = draw(st.integers(0, 2))
        channels.append((f"c{len(channels)}", names[writer], put, names[reader], taken, tokens))
    if draw(st.booleans()):
        put, taken = _rates(firings[-1], firings[0])
        tokens = draw(st.integers(1, 2)) * lcm(firings[-1], firings[0])
        channels.append(("back", names[-1], put, names[0], taken, tokens))
    times = {name: draw(st.integers(1, 4)) for name in names}
    return endless(*channels, times=times, serial=draw(st.booleans()) or count == 2)


def _rates(writer: int, reader: int) -> tuple[int, int]:
    """Tokens per firing with which so many firings of both balance."""
    common = lcm(writer, reader)
    return common // writer, common // reader


def least_total(graph: TimedGraph, target: Fraction, most: int) -> int | None:
    """The fewest tokens in all with which the target is reached, of all distributions with up to ``most``."""
    run = SelfTimed(graph)
    least = [max(1, fifo.initial_tokens) for fifo in graph.fifos]
    spare = most - sum(least)
    extras = (extra for extra in product(range(spare + 1), repeat=len(least)) if sum(extra) <= spare)
    for extra in sorted(extras, key=sum):
        if run.rate([a + b for a, b in zip(least, extra, strict=True)]).throughput >= target:
            return sum(least) + sum(extra)
    return None
