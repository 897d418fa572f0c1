"""Timed graphs and the engines over them; knows nothing of tensors or MLIR."""

from sttest.sim.api import load, simulate
from sttest.sim.graph import (
    Actor,
    ActorPhase,
    Channel,
    Event,
    Fifo,
    Loop,
    MemoryPort,
    Pipeline,
    Process,
    TimedGraph,
    Trace,
)
from sttest.sim.graph_json import read_timed_graph, write_timed_graph
from sttest.sim.simulation import Simulation

__all__ = [
    "Actor",
    "ActorPhase",
    "Channel",
    "Event",
    "Fifo",
    "Loop",
    "MemoryPort",
    "Pipeline",
    "Process",
    "Simulation",
    "TimedGraph",
    "Trace",
    "load",
    "read_timed_graph",
    "simulate",
    "write_timed_graph",
]
