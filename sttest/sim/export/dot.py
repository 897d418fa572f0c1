"""A timed graph as Graphviz text; in a deadlock, the cycle of waits in red."""

from __future__ import annotations

from sttest.sim.deadlock.certificate import Deadlock, Wait
from sttest.sim.ends import fifo_ends
from sttest.sim.graph import Fifo, Memory, Process, TimedGraph

SHAPES = {"Pipeline": "box", "Actor": "ellipse", "Memory": "cylinder"}
RED = 'color="red", fontcolor="red", penwidth=2'


def to_dot(graph: TimedGraph, deadlock: Deadlock | None = None) -> str:
    """A digraph: processes as nodes, FIFOs as edges from writer to reader with depth and bits.

    Args:
        graph: what is drawn.
        deadlock: its certificate, whose processes and FIFOs are drawn in red, with the tokens waited for.
    """
    waits = {wait.process: wait for wait in deadlock.cycle} if deadlock is not None else {}
    blocking: dict[str, list[Wait]] = {}
    for wait in waits.values():
        blocking.setdefault(wait.fifo, []).append(wait)
    names = [process.name for process in graph.processes]
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    lines += [f"  {_quoted(process.name)} [{_node(process, process.name in waits)}];" for process in graph.processes]
    for fifo, end in zip(graph.fifos, fifo_ends(graph), strict=True):
        edge = f"{_quoted(names[end.writer])} -> {_quoted(names[end.reader])}"
        lines.append(f"  {edge} [{_edge(fifo, blocking.get(fifo.name, []))}];")
    return "\n".join([*lines, "}"]) + "\n"


def _node(process: Process, is_waiting: bool) -> str:
    about = [process.name, process.origin or process.category]
    if isinstance(process, Memory):
        about.append(", ".join(process.channels))
    shape = f"label={_quoted(*filter(None, about))}, shape={SHAPES[type(process).__name__]}"
    return f"{shape}, {RED}" if is_waiting else shape


def _edge(fifo: Fifo, waits: list[Wait]) -> str:
    about = [fifo.name, f"{fifo.depth} × {fifo.bits} bit, {fifo.kind}"]
    if fifo.initial_tokens:
        about.append(f"{fifo.initial_tokens} tokens at the start")
    about += [f"{wait.process} waits to {wait.waits_to} token {wait.token}, holds {wait.occupancy}" for wait in waits]
    label = f"label={_quoted(*about)}"
    return f"{label}, {RED}" if waits else label


def _quoted(*lines: str) -> str:
    r"""A string of Graphviz: quotes and backslashes escaped, ``\n`` between lines."""
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
