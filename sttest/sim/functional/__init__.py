"""What a design computes: a process network of plain data, run with numpy (docs/values.md)."""

from sttest.sim.functional.engine import FunctionalResult, run
from sttest.sim.functional.graph import ValueGraph
from sttest.sim.functional.graph_json import read_value_graph, write_value_graph
from sttest.sim.functional.images import images_of, memory_images, read_results

__all__ = [
    "FunctionalResult",
    "ValueGraph",
    "images_of",
    "memory_images",
    "read_results",
    "read_value_graph",
    "run",
    "write_value_graph",
]
