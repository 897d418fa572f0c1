"""Registers on the way of a FIFO's tokens cost a cycle each and no rate; a kernel's graph is that without its buses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_graphs import chain, graph, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Fifo, MemoryPort, Pipeline, Trace, simulate
from sttest.sim.bursts import relinked
from sttest.sim.crossings import BUS, RELAY, behind_registers, kernel_graph, register_ends, with_registers

TOKENS = 40


def loaded():
    """A port that fills ``a``, a pipeline from there to ``b``, and a sink."""
    port = MemoryPort("m", "read", "a", TOKENS, 4, ("c",), 16, 4)
    middle = source("b", TOKENS, name="middle")
    loop = replace(middle.loops[0], events=(replace(sink("a", TOKENS).loops[0].events[0]), *middle.loops[0].events))
    fifos = [Fifo("a", 4, 32, "srl"), Fifo("b", 4, 32, "srl")]
    return graph(fifos, [port, replace(middle, loops=(loop,)), sink("b", TOKENS)], [Channel("c", 5, 16)])


@pytest.mark.parametrize("count", [1, 2, 5])
def test_each_costs_a_cycle(count):
    plain = chain(2, TOKENS)
    crossed = with_registers(plain, RELAY, {"a": count}, {"a": TOKENS})
    assert simulate(crossed).cycles == simulate(plain).cycles + count
    assert [fifo.depth for fifo in crossed.fifos] == [2] * (1 + count)


def test_tokens_pass_all_registers_in_order():
    crossed = with_registers(chain(3, TOKENS), RELAY, {"a": 2}, {"a": TOKENS})
    ends = {process.name: register_ends(process) for process in crossed.processes}
    assert ends == {
        "src": None,
        "dst": None,
        "relay_a_0": ("a__relay_0", "a__relay_1"),
        "relay_a_1": ("a__relay_1", "a"),
    }
    assert crossed.processes[0].loops[0].events[0].fifo == "a__relay_0"
    assert behind_registers(crossed) == {"a__relay_0": "a", "a__relay_1": "a"}


def test_a_kernel_is_what_is_left_without_its_buses():
    plain = loaded()
    relayed = with_registers(plain, RELAY, {"b": 1}, {"b": TOKENS})
    crossed = with_registers(relayed, BUS, {"a": 3}, {"a": TOKENS})
    assert crossed.processes[0].fifo == "a__bus_0"
    assert kernel_graph(crossed) == relayed
    assert kernel_graph(relayed) is relayed
    assert simulate(crossed).cycles == simulate(relayed).cycles + 3


def test_only_the_writer_moves():
    """A write port of memory reads its FIFO, and a pipeline's reads stay where they are."""
    port = MemoryPort("m", "write", "a", TOKENS, 4, ("c",), 16, 4)
    plain = graph([Fifo("a", 4, 32, "srl")], [source("a", TOKENS), port], [Channel("c", 5, 16)])
    crossed = with_registers(plain, RELAY, {"a": 1}, {"a": TOKENS})
    assert crossed.processes[1] == port
    assert simulate(crossed).cycles == simulate(plain).cycles + 1


@pytest.mark.parametrize(
    "writer",
    [
        Actor("src", (ActorPhase(1, {}, {"a": 1}),), TOKENS),
        Pipeline("src", trace=Trace(np.arange(TOKENS), np.ones(TOKENS, np.int32))),
    ],
)
def test_actors_and_traces_have_no_registers(writer):
    plain = graph([Fifo("a", 4, 32, "srl")], [writer, sink("a", TOKENS)])
    with pytest.raises(InputError, match="src: only pipelines of loops and memory ports cross SLRs") as caught:
        with_registers(plain, RELAY, {"a": 1}, {"a": TOKENS})
    assert caught.value.code == "no-crossing"


def test_a_fifo_that_is_not_there():
    with pytest.raises(InputError, match="g: no FIFO 'b'") as caught:
        with_registers(chain(2), RELAY, {"b": 1, "c": 1}, {"b": 1, "c": 1})
    assert caught.value.code == "unknown-fifo"


def test_a_port_gets_another_channel():
    """Channels that no port has any more are gone; the new ones stand by memory and number."""
    channels = {"m": Channel("hbm10", 5, 16), "n": Channel("hbm9", 5, 16)}
    ports = [MemoryPort(name, "read", fifo, 4, 4, ("old",), 16, 4) for name, fifo in (("m", "a"), ("n", "b"))]
    plain = graph(
        [Fifo("a", 4, 32), Fifo("b", 4, 32)],
        [*ports, sink("a", 4, name="x"), sink("b", 4, name="y")],
        [Channel("old", 1, 4), Channel("unused", 1, 4)],
    )
    moved = relinked(plain, channels)
    assert moved.channels == (channels["n"], channels["m"])
    assert [port.channels for port in moved.processes[:2]] == [("hbm10",), ("hbm9",)]
    assert moved.processes[2:] == plain.processes[2:]
    with pytest.raises(InputError, match="g: port 'n' has no channel") as caught:
        relinked(plain, {"m": channels["m"]})
    assert caught.value.code == "unlinked-port"
