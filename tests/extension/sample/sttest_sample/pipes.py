"""A format: a chain of processes, a line for each FIFO between them, as in ``ab 4`` for one of depth 4."""

import itertools
import json
from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers.formats import Format
from sttest.importers.sniffing import Sight
from sttest.sim import TimedGraph
from sttest.sim.graph_json import parse_timed_graph

TOKENS = 8


def is_pipes(sight: Sight) -> bool:
    """Whether a text says that it is of this format."""
    return sight.is_text and sight.head.startswith(b"pipes\n")


PIPES = Format(
    "pipes",
    "Pipes: a chain of processes.",
    "a text",
    options=("top",),
    writes="the text with other depths",
    sniffs=is_pipes,
    module=__name__,
)


def read_pipes(source: Path, *, top: str = "pipes") -> TimedGraph:
    """The chain; each process reads a token and writes one, eight times.

    Raises:
        InputError: a line is no name and depth.
    """
    names, depths = [], []
    for line in source.read_text(encoding="utf-8").splitlines()[1:]:
        name, _, depth = line.partition(" ")
        if not depth.isdecimal():
            raise InputError("bad-pipe", f"'{line:.40}' is no name and depth", where=str(source))
        names.append(name)
        depths.append(int(depth))
    ends = [(None, names[0]), *itertools.pairwise(names), (names[-1], None)]
    processes = [{"name": f"p{at}", "kind": "pipeline", "loops": [_loop(*pair)]} for at, pair in enumerate(ends)]
    fifos = [{"name": name, "depth": depth, "bits": 32} for name, depth in zip(names, depths, strict=True)]
    graph = {"schema": "sttest.timed-graph/1", "name": top, "clock_mhz": 300.0, "fifos": fifos, "processes": processes}
    return parse_timed_graph(json.dumps(graph).encode(), source)


def _loop(read: str | None, written: str | None) -> dict[str, object]:
    events = [{"fifo": read, "op": "read", "stage": 0}] if read else []
    events += [{"fifo": written, "op": "write", "stage": 1}] if written else []
    return {"trips": [TOKENS], "ii": 1, "latency": 2, "events": events}


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes the text with the depths of a graph."""
    lines = [f"{fifo.name} {fifo.depth}" for fifo in graph.fifos]
    out.write_text("\n".join(["pipes", *lines, ""]), encoding="utf-8")
