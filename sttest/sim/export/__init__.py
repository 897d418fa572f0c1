"""Graphs and runs in the formats of other tools: Graphviz and Perfetto."""

from sttest.sim.export.dot import to_dot
from sttest.sim.export.perfetto import write_trace

__all__ = ["to_dot", "write_trace"]
