"""Timed graphs and the engines over them; knows nothing of tensors or MLIR."""

from sttest.sim.api import load, simulate
from sttest.sim.files.timed_graph_json import read_timed_graph
from sttest.sim.files.timed_graph_writer import write_timed_graph
from sttest.sim.graph import (
    Actor,
    Channel,
    Event,
    Fifo,
    Loop,
    Memory,
    Phase,
    Pipeline,
    Process,
    TimedGraph,
    Trace,
)
from sttest.sim.simulation import Simulation

__all__ = [
    "Actor",
    "Channel",
    "Event",
    "Fifo",
    "Loop",
    "Memory",
    "Phase",
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
