"""Random graphs in which memory ports and channels differ in everything that the memory law has."""

from __future__ import annotations

from math import gcd

from hypothesis import strategies as st
from sim_graphs import graph

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Process, TimedGraph

SIZES = [(4, 16), (4, 4), (6, 16), (16, 8), (3, 7), (5, 64), (8, 24), (64, 64), (40, 16)]
"""Bytes of a token and of a burst."""


@st.composite
def law_channels(draw, name: str) -> Channel:
    """Rates of either direction, delays of an idle and of a busy channel, floors of random bursts, turns."""
    latency, response = draw(st.integers(0, 12)), draw(st.none() | st.integers(1, 14))
    answered = latency + 1 if response is None else response
    busy = st.none() | st.integers(0, 25)
    more_latency, more_response = draw(busy), draw(busy)
    return Channel(
        name,
        latency,
        beat_bytes=draw(st.sampled_from([2, 4, 8])),
        beats_num=draw(st.sampled_from([1, 1, 2, 3, 5, 13])),
        beats_den=draw(st.sampled_from([1, 1, 2, 3, 7, 14])),
        write_den=draw(st.none() | st.integers(1, 9)),
        busy_latency=None if more_latency is None else latency + more_latency,
        response=response,
        busy_response=None if more_response is None else answered + more_response,
        random_bytes=draw(st.sampled_from([0, 8, 16])),
        random_short=draw(st.sampled_from([0, 0, 5, 30])),
        random_long=draw(st.sampled_from([0, 0, 9, 40])),
        id_wait=draw(st.none() | st.sampled_from([0, 1, 5, 20, 60])),
        read_turns=draw(st.integers(1, 4)),
        write_turns=draw(st.integers(1, 4)),
    )


@st.composite
def law_ports(draw, number: int, channels: list[str], *, hasty: bool) -> MemoryPort:
    """Of either direction, over one channel or several, with few or many bursts in flight.

    One that is ``hasty`` writes, asks early and has one ID.
    """
    op = "write" if hasty else draw(st.sampled_from(["read", "write"]))
    token_bytes, burst_bytes = draw(st.sampled_from(SIZES))
    touched = (burst_bytes - gcd(token_bytes, burst_bytes) + token_bytes - 1) // burst_bytes + 1
    return MemoryPort(
        f"m{number}",
        op,
        f"f{number}",
        tokens=draw(st.integers(1, 40)),
        token_bytes=token_bytes,
        channels=tuple(draw(st.lists(st.sampled_from(channels), min_size=1, max_size=4, unique=True))),
        burst_bytes=burst_bytes,
        outstanding=touched + draw(st.sampled_from([0, 1, 2, 14])),
        start=draw(st.sampled_from([0, 0, 3, 20])),
        pattern=draw(st.sampled_from(["sequential", "sequential", "random"])),
        ids="one" if hasty else draw(st.sampled_from(["one", "many"])),
        gap=draw(st.sampled_from([0, 0, 1, 3])) if op == "write" else 0,
        early=hasty or (draw(st.booleans()) if op == "write" else False),
    )


@st.composite
def law_graphs(draw) -> TimedGraph:
    """Two to six ports on one to four channels; one pipeline may join several, so that some wait for each other.

    In one graph of four all ports hold the channels that they have to leave.
    """
    channels = [draw(law_channels(f"c{number}")) for number in range(draw(st.integers(1, 4)))]
    names = [channel.name for channel in channels]
    hasty = draw(st.integers(0, 3)) == 0
    ports = [draw(law_ports(number, names, hasty=hasty)) for number in range(draw(st.integers(2, 6)))]
    fifos = [Fifo(port.fifo, draw(st.integers(1, 5)), 8, draw(st.sampled_from(["srl", "ram"]))) for port in ports]
    processes: list[Process] = list(ports)
    # A port that holds a channel until others let it have its data may wait for ever.
    joined = [port for port in ports if not port.early and draw(st.integers(0, 2)) == 0]
    groups = [joined, *([port] for port in ports if port not in joined)]
    for number, group in enumerate(groups):
        if group:
            processes.insert(draw(st.integers(0, len(processes))), draw(moving(f"p{number}", group)))
    return graph(fifos, processes, channels)


@st.composite
def moving(draw, name: str, ports: list[MemoryPort]) -> Pipeline:
    """A pipeline at the other end of ports: all their tokens, some of them in bursts with gaps between."""
    count = max(port.tokens for port in ports)
    first = draw(st.integers(0, count - 1))
    loops = []
    for begin, end in ((0, first), (first, count)):
        latency = draw(st.integers(1, 4))
        events = []
        for port in ports:
            trips = min(end, port.tokens) - begin
            if trips > 0:
                op, stage = ("read", 0) if port.op == "read" else ("write", latency - 1)
                events.append(Event(port.fifo, op, stage, ((0, trips - 1, 1),)))
        if end > begin:
            gap = draw(st.sampled_from([0, 2, 30]))
            loops.append(Loop((end - begin,), draw(st.sampled_from([1, 1, 1, 2, 9])), latency, tuple(events), gap))
    return Pipeline(name, tuple(loops), start=draw(st.sampled_from([0, 0, 9])))
