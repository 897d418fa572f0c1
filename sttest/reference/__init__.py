"""What a design computes: a process network of plain data, run with numpy (docs/reference/values.md)."""

from sttest.reference.engine import FunctionalResult, run
from sttest.reference.graph import ReferenceGraph, read_reference_graph, write_reference_graph
from sttest.reference.memory import images_of, memory_images, read_results

__all__ = [
    "FunctionalResult",
    "ReferenceGraph",
    "images_of",
    "memory_images",
    "read_reference_graph",
    "read_results",
    "run",
    "write_reference_graph",
]
