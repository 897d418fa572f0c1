"""Runs a timed graph in SimPy: the oracle that the other engines are held to."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from simpy import Environment
from simpy.core import EmptySchedule

from sttest.sim.bursts import burst_plan
from sttest.sim.des.actor import ActorState
from sttest.sim.des.fifo import FifoState, now_of
from sttest.sim.des.memory import ChannelState, PortState, ReadPort, WritePort
from sttest.sim.des.pipeline import PipelineState
from sttest.sim.ends import fifo_ends, joins_actors
from sttest.sim.graph import Actor, Pipeline, Process, TimedGraph
from sttest.sim.record import RunRecord
from sttest.sim.stages import stage_table

STEPS_PER_REPORT = 100_000

Progress: TypeAlias = Callable[[int], None]
"""Called now and then with the simulated cycle."""

ProcessState: TypeAlias = PipelineState | ActorState | ReadPort | WritePort


def run(graph: TimedGraph, *, unbounded: bool = False, progress: Progress | None = None) -> RunRecord:
    """Simulates the graph until nothing can happen any more.

    Args:
        graph: pipelines, memory ports and actors with a finite number of firings.
        unbounded: FIFOs take every write; their kind stays that of their depth.
        progress: called every ``STEPS_PER_REPORT`` events of the kernel.
    """
    env = Environment()
    ends = fifo_ends(graph)
    fifos = [
        FifoState(env, fifo, 1 << 62 if unbounded else fifo.depth, joins_actors(graph, ends[index]))
        for index, fifo in enumerate(graph.fifos)
    ]
    channels = {channel.name: ChannelState(env, channel) for channel in graph.channels}
    states = [_state(env, graph, number, fifos, channels) for number in range(len(graph.processes))]
    for state in states:
        env.process(state.run())
    _advance(env, progress)
    return _record(graph, states, fifos)


def _state(
    env: Environment, graph: TimedGraph, number: int, fifos: list[FifoState], channels: dict[str, ChannelState]
) -> ProcessState:
    process: Process = graph.processes[number]
    if isinstance(process, Pipeline):
        return PipelineState(env, process.start, stage_table(process, graph), fifos)
    if isinstance(process, Actor):
        return ActorState(env, process, {fifo.name: state for fifo, state in zip(graph.fifos, fifos, strict=True)})
    plan = burst_plan(process, {channel.name: channel for channel in graph.channels})
    port = ReadPort if process.op == "read" else WritePort
    chosen = [channels[name] for name in process.channels]
    return port(env, number, plan, chosen, fifos[graph.fifo_index[process.fifo]])


def _advance(env: Environment, progress: Progress | None) -> None:
    if progress is None:
        env.run()
        return
    try:
        while True:
            for _ in range(STEPS_PER_REPORT):
                env.step()
            progress(now_of(env))
    except EmptySchedule:
        progress(now_of(env))


def _record(graph: TimedGraph, states: list[ProcessState], fifos: list[FifoState]) -> RunRecord:
    initial = [fifo.initial_tokens for fifo in graph.fifos]
    pairs = list(zip(graph.processes, states, strict=True))
    return RunRecord(
        finish=[state.finish for state in states],
        visits=[state.visits for state in states],
        stalls=[state.stalls for state in states],
        writes=[_times(fifo.writes)[skip:] for fifo, skip in zip(fifos, initial, strict=True)],
        reads=[_times(fifo.reads) for fifo in fifos],
        claims={index: _times(fifo.claims) for index, fifo in enumerate(fifos) if fifo.claims},
        bursts={process.name: _bursts(state) for process, state in pairs if isinstance(state, PortState)},
    )


def _times(cycles: array[int]) -> np.ndarray:
    return np.array(cycles, np.int64)


def _bursts(port: PortState) -> np.ndarray:
    """Request and start of each burst that was requested, int64[n, 2]; a port's requests go out in order."""
    requested = len(port.requests)
    return np.stack([_times(port.requests), _times(port.starts)[:requested]], axis=1)
