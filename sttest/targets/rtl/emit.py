"""Writes graphs as SystemVerilog: a folder that a simulator can be run on, with nothing of sttest in it."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import write_json
from sttest.package import load_graph
from sttest.sim.graph import Actor, MemoryPort, Pipeline, TimedGraph, fifo_ends
from sttest.sim.throughput import repetition_vector
from sttest.targets.rtl.drive import MAX_CLOCKS, BuiltFolder, RtlRun, build_folder, find_simulator
from sttest.targets.rtl.loops import NAME, Body, actor_body, all_of, any_of, identifier, loop_body, trace_body
from sttest.targets.rtl.memory_text import (
    channel_instance,
    channels_of,
    fifo_instance,
    is_link,
    port_instance,
    wires_of,
)

__depends__ = ("sttest/targets/rtl/hdl/*",)

# --- A whole graph as one module: FIFOs, processes, channels, the cycle counter


class Library:
    """Modules of processes, one for all that have the same text, and the data files that they read."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.files: dict[str, str] = {}

    def name_of(self, body: Body) -> str:
        """The module for a body, made where there is none yet."""
        text = body.text
        for placeholder, content in body.files.items():
            file = f"rom_{len(self.files)}.hex"
            text = text.replace(placeholder, file)
            self.files[file] = content
        return self.names.setdefault(text, f"{body.kind}_{len(self.names)}")

    def text(self) -> str:
        """All modules."""
        return "\n".join(text.replace(NAME, name) for text, name in self.names.items())


def graph_module(graph: TimedGraph, name: str, library: Library, first_process: int, first_fifo: int) -> str:
    """The module of a graph; in the log its processes and FIFOs are numbered from ``first_process`` and ``first_fifo``.

    Raises:
        InputError: a graph that the twin cannot be built for.
    """
    ends = fifo_ends(graph)
    parts = [fifo_instance(graph, index, ends[index], first_fifo + index) for index in range(len(graph.fifos))]
    actors, places = [], range(len(graph.processes))
    parts += [f"  logic p{place}_done, p{place}_moving;\n" for place in places]
    for place, process in enumerate(graph.processes):
        if isinstance(process, MemoryPort):
            op = 2 * (first_fifo + graph.fifo_index[process.fifo]) + (process.op == "read")
            parts.append(port_instance(graph, process, place, first_process + place, op))
            parts.append(direct_wires(graph, (op - 2 * first_fifo,)))
            continue
        if isinstance(process, Actor):
            actors.append(place)
        parts.append(_instance(graph, place, _body(graph, process), library, first_process, first_fifo))
    parts += [channel_instance(graph, number) for number, _ in channels_of(graph)]
    moving = [f"p{place}_moving" for place in places] + [f"ch{number}_moving" for number, _ in channels_of(graph)]
    moving += [f"f{index}_moving" for index in range(len(graph.fifos)) if is_link(graph, index, ends[index])]
    acts = "".join(f"  logic p{place}_acts;\n" for place in actors)
    return f"""module {name} (
  input  logic clk,
  input  logic report,
  output logic done,
  output logic moving
);
  // A cycle ends with `tick`: at once, or, where there are actors, when none of them has anything left to do in it.
  logic [63:0] now = 0;
  logic tick;
{acts}  assign tick = ~({any_of([f"p{place}_acts" for place in actors])});
  always @(posedge clk) if (tick) now <= now + 1;
{"".join(parts)}  assign done = {all_of([f"p{place}_done" for place in places])};
  assign moving = {any_of(moving)};
endmodule
"""


def _instance(graph: TimedGraph, place: int, body: Body, library: Library, first_process: int, first_fifo: int) -> str:
    """The instance of a pipeline or an actor."""
    process = graph.processes[place]
    name = identifier("process_", place, process.name)
    sides = "".join(_side(graph, side, op, first_fifo, place) for side, op in enumerate(body.ops))
    acts = f", .acts(p{place}_acts)" if isinstance(process, Actor) else ""
    return (
        f"  {library.name_of(body)} {name} (.clk(clk), .tick(tick), .now(now), .id(32'd{first_process + place}), "
        f".report(report){sides}{acts}, .done(p{place}_done), .moving(p{place}_moving));\n"
        + _direct(graph, place, body)
    )


def _body(graph: TimedGraph, process: Pipeline | Actor) -> Body:
    if isinstance(process, Actor):
        if process.firings is None:
            raise InputError(
                "endless-actor",
                "an actor that fires for ever",
                where=f"{graph.name}: process '{process.name}'",
                hints=["give a number of iterations"],
            )
        return actor_body(process, graph)
    if process.trace is not None:
        return trace_body(process, graph)
    _check_runs(graph, process)
    return loop_body(process, graph.fifo_index)


def _check_runs(graph: TimedGraph, pipeline: Pipeline) -> None:
    """Refuses runs that share a stage: a gated clock has one program counter."""
    if pipeline.repeat == 1 or pipeline.end is None or not pipeline.loops:
        return
    program_end = sum(loop.length + loop.entry_gap for loop in pipeline.loops) - pipeline.loops[-1].entry_gap
    if pipeline.end + pipeline.loops[-1].entry_gap < program_end:
        raise InputError(
            "runs-overlap",
            "a run is entered in the last stage of the run before",
            where=f"{graph.name}: process '{pipeline.name}'",
            hints=["set end one later", "raise entry_gap"],
        )


def _side(graph: TimedGraph, side: int, op: int, first_fifo: int, place: int) -> str:
    """Port connections of one FIFO side."""
    level = "space" if op % 2 else "avail"
    common = f", .op_{side}(32'd{2 * first_fifo + op}), .ready_{side}(f{op // 2}_{level})"
    if isinstance(graph.processes[place], Actor):
        at_start, at_end = ("claim", "put") if op % 2 else ("take", "free")
        return f"{common}, .at_start_{side}(f{op // 2}_{at_start}), .at_end_{side}(f{op // 2}_{at_end})"
    return f"{common}, .n_{side}(f{op // 2}_{'put' if op % 2 else 'take'})"


def _direct(graph: TimedGraph, place: int, body: Body) -> str:
    """A pipeline at a FIFO with an actor at the other end claims as it puts, and frees as it takes."""
    if isinstance(graph.processes[place], Actor):
        return ""
    return direct_wires(graph, body.ops)


def direct_wires(graph: TimedGraph, ops: tuple[int, ...]) -> str:
    """Claims and frees of FIFO sides that move tokens all at once."""
    ends = fifo_ends(graph)
    with_actor = [op for op in ops if "claim" in wires_of(graph, ends[op // 2])]
    return "".join(
        f"  assign f{op // 2}_{'claim' if op % 2 else 'free'} = f{op // 2}_{'put' if op % 2 else 'take'};\n"
        for op in with_actor
    )


SCHEMA = "sttest.rtl-twin/1"
MANIFEST = "twin.json"
SOURCES = (
    "twin_log.sv",
    "twin_srl.sv",
    "twin_ram.sv",
    "twin_link.sv",
    "twin_actor_fifo.sv",
    "twin_turns.sv",
    "twin_flights.sv",
    "twin_answers.sv",
    "twin_channel.sv",
    "twin_route.sv",
    "twin_requests.sv",
    "twin_read_port.sv",
    "twin_write_port.sv",
)


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
        (folder / name).write_text(files("sttest.targets.rtl").joinpath("hdl", name).read_text(encoding="utf-8"))
    written = {"processes.sv": library.text(), "graphs.sv": "\n".join(tops), "twin.sv": twin_module(len(graphs))}
    for name, text in (written | library.files).items():
        (folder / name).write_text(text, encoding="utf-8")
    manifest = {"schema": SCHEMA, "sources": [*SOURCES, *written], "graphs": listing}
    write_json(folder / MANIFEST, manifest)
    return folder


def twin_module(count: int) -> str:
    """The module that holds so many graphs."""
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


# --- Runs graphs as hardware


def emulate(
    graph: TimedGraph | str | Path,
    simulator: str = "verilator",
    work_dir: str | Path = "build/rtl",
    *,
    max_clocks: int = MAX_CLOCKS,
) -> RtlRun:
    """Runs a graph as clocked hardware, every FIFO, counter and arbiter a register.

    Args:
        graph: or the package folder or JSON file that holds it.
        simulator: ``verilator``, or ``icarus`` for small graphs.
        work_dir: sources, build and log go into ``rtl`` below it, which is made anew.
        max_clocks: clock edges after which it is stopped, with verdict ``limit``.

    Raises:
        InputError: not a graph, or one that the twin cannot be built for.
        ToolMissingError: the simulator is not installed.
    """
    graph = graph if isinstance(graph, TimedGraph) else load_graph(graph)
    return emulate_all([graph], simulator, work_dir, max_clocks=max_clocks)[0]


def emulate_all(
    graphs: Sequence[TimedGraph], simulator: str, work_dir: str | Path, *, max_clocks: int = MAX_CLOCKS
) -> list[RtlRun]:
    """Runs several graphs side by side, in one build; otherwise as :func:`emulate`."""
    return build_all(graphs, simulator, work_dir).run(max_clocks)


def build_all(graphs: Sequence[TimedGraph], simulator: str, work_dir: str | Path, *, waveform: str = "") -> BuiltFolder:
    """Builds several graphs; see :func:`emulate`, and :func:`~sttest.targets.rtl.drive.build_folder`."""
    find_simulator(simulator)
    folder = Path(work_dir) / "rtl"
    if folder.is_dir():
        shutil.rmtree(folder)
    return build_folder(emit(graphs, folder), simulator, waveform=waveform)


def with_iterations(graph: TimedGraph, iterations: int) -> TimedGraph:
    """The graph with actors that fire for ever stopped after so many iterations of its repetition vector.

    Raises:
        InputError: their rates don't balance.
    """

    if not graph.is_endless:
        return graph
    counts = repetition_vector(graph)
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    finite = tuple(replace(actor, firings=n * iterations) for actor, n in zip(actors, counts, strict=True))
    return replace(graph, processes=finite)
