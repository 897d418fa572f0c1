"""Writes graphs as SystemVerilog: a folder that a simulator can be run on, with nothing of sttest in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from sttest.sim.graph import TimedGraph
from sttest.sim.rtl.graph_text import Library, graph_module

SCHEMA = "sttest.rtl-twin/1"
MANIFEST = "twin.json"
SOURCES = (
    "twin_log.sv", "twin_srl.sv", "twin_ram.sv", "twin_actor_fifo.sv", "twin_channel.sv", "twin_requests.sv",
    "twin_read_port.sv", "twin_write_port.sv",
)  # fmt: skip


def emit(graphs: Sequence[TimedGraph], folder: Path) -> Path:
    """Writes ``twin``, a module with all the graphs side by side, sharing nothing but the clock.

    The folder gets the modules, the ROMs of traces, and ``twin.json``: the sources in order, and the names of the
    FIFOs and processes behind the numbers in the log.

    Raises:
        InputError: a graph that the twin cannot be built for; nothing is written then.
    """
    library = Library()
    tops, listing, first_process, first_fifo = [], [], 0, 0
    for number, graph in enumerate(graphs):
        tops.append(graph_module(graph, f"graph_{number}", library, first_process, first_fifo))
        processes, fifos = [p.name for p in graph.processes], [f.name for f in graph.fifos]
        listing.append({"name": graph.name, "processes": processes, "fifos": fifos})
        first_process += len(processes)
        first_fifo += len(fifos)
    folder.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        (folder / name).write_text(files("sttest.sim.rtl").joinpath("hdl", name).read_text(encoding="utf-8"))
    written = {"processes.sv": library.text(), "graphs.sv": "\n".join(tops), "twin.sv": _twin(len(graphs))}
    for name, text in (written | library.files).items():
        (folder / name).write_text(text, encoding="utf-8")
    manifest = {"schema": SCHEMA, "sources": [*SOURCES, *written], "graphs": listing}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return folder


def _twin(count: int) -> str:
    instances = "".join(
        f"  graph_{n} twin_{n} (.clk(clk), .report(report[{n}]), .done(done[{n}]), .moving(moving[{n}]));\n"
        for n in range(count)
    )
    return f"""module twin (
  input  logic clk,
  input  logic [{count - 1}:0] report,
  output logic [{count - 1}:0] done,
  output logic [{count - 1}:0] moving
);
{instances}endmodule
"""
