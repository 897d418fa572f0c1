"""A compiled design in clocked hardware, with its values: every process and FIFO, memory ports on modeled channels."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.hls.helpers import Helpers
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.payload_model import FP_PACKAGE
from sttest.compile.rtl.processes import design_modules
from sttest.compile.sharing.processes import fifos_of
from sttest.core.files import write_json
from sttest.reference.graph import BITS, NUMPY, Array, Bytes, ElementType
from sttest.sim.crossings import behind_registers
from sttest.sim.graph import MemoryPort, TimedGraph
from sttest.targets.csim.headers import header_folders
from sttest.targets.rtl.drive import MAX_CLOCKS, BuiltFolder, RtlRun, build_folder, find_simulator
from sttest.targets.rtl.emit import MANIFEST, SCHEMA, twin_module
from sttest.targets.rtl.held import HELD, HeldMemory
from sttest.targets.rtl.loops import identifier
from sttest.targets.rtl.memory_text import channel_instance, channels_of, port_instance

__depends__ = ("sttest/compile/rtl/hdl/*", "sttest/targets/rtl/hdl/*", "sttest/targets/rtl/payload_model.cpp")

Values: TypeAlias = Mapping[str, tuple[str, Array]]
"""Element type and tokens, [tokens, *element], of each stream."""


@dataclass(frozen=True)
class ValuedDesign:
    """A design and what goes through its FIFOs."""

    graph: TimedGraph
    modules: Sequence[ModuleText]  # its processes without memory ports
    tokens: Mapping[str, Bytes]  # tokens of each FIFO with data, [tokens, bytes] (:func:`pack_tokens`)
    # what a port waits for, by FIFO behind it: the FIFO of what it waits for, and the memory that gives the tokens
    held: Mapping[str, tuple[str, HeldMemory]] = field(default_factory=dict)

    @staticmethod
    def of(
        kernel: df.KernelOp,
        graph: TimedGraph,
        library: Mapping[str, Operator],
        values: Values,
        held: Mapping[str, tuple[str, HeldMemory]] | None = None,
    ) -> "ValuedDesign":
        """A compiled design with the values of one run.

        Args:
            kernel: kernel at the stream level.
            graph: its timed graph.
            library: operators at the board's clock.
            values: element type and tokens, [tokens, *element], of each stream.
            held: memory behind ports that wait, see :func:`~sttest.targets.rtl.held.held_memories`.

        Raises:
            InputError: a process that has no hardware yet.
        """
        packed = {name: pack_tokens(tokens, BITS[dtype]) for name, (dtype, tokens) in values.items()}
        tokens = {name: _in_turns(kernel, streams, packed) for name, streams in fifos_of(kernel).items()}
        tokens |= {before: tokens[last] for before, last in behind_registers(graph).items() if last in tokens}
        return ValuedDesign(graph, design_modules(kernel, graph, library), tokens, held or {})


def _in_turns(kernel: df.KernelOp, streams: Sequence[df.StreamOp], packed: Mapping[str, Bytes]) -> Bytes:
    """What goes through a FIFO: in every step the turns of all layers, then of those behind them."""
    rows = [packed[stream.sym_name.data] for stream in streams]
    if len(rows) == 1:
        return rows[0]
    # Per stream [steps, times in a step, bytes of a turn].
    steps, width = kernel.step_count, rows[0].shape[1]
    counts = [stream.result.type.itensor.tokens for stream in streams]
    turns = [each.reshape(steps, -1, count * width) for each, count in zip(rows, counts, strict=True)]
    layers = [each for each in turns if each.shape[1] == kernel.layer_count]
    behind = [each for each in turns if each.shape[1] != kernel.layer_count]
    whole = [np.concatenate(layers, axis=2).reshape(steps, -1), *(each.reshape(steps, -1) for each in behind)]
    return np.concatenate(whole, axis=1).reshape(-1, width)


EXPECTED, KEPT = "expected", "kept"
"""Folders of what shall go through FIFOs, and of what went into those that memory ports read."""
SOURCES = ("fifo_ram.sv", "checked_fifo.sv")
TWIN_SOURCES = (
    "twin_log.sv",
    "twin_turns.sv",
    "twin_flights.sv",
    "twin_answers.sv",
    "twin_channel.sv",
    "twin_route.sv",
    "twin_requests.sv",
    "twin_read_port.sv",
    "twin_write_port.sv",
    "held_memory.sv",
)


def emit_designs(designs: Sequence[ValuedDesign], folder: Path) -> Path:
    """Writes designs side by side, each FIFO with what shall go through it: a folder as that of a twin.

    Raises:
        InputError: a graph that has no hardware; nothing is written then.
    """
    library, tops, listing, expected, held = _Library(), [], [], {}, {}
    first_process = first_fifo = 0
    for number, design in enumerate(designs):
        graph = design.graph
        tops.append(_graph_module(design, f"graph_{number}", library, first_process, first_fifo))
        processes, fifos = [p.name for p in graph.processes], [f.name for f in graph.fifos]
        listing.append({"name": graph.name, "processes": processes, "fifos": fifos})
        expected |= {first_fifo + graph.fifo_index[name]: rows for name, rows in design.tokens.items()}
        held |= {first_fifo + graph.fifo_index[name]: memory for name, (_, memory) in design.held.items()}
        first_process += len(processes)
        first_fifo += len(fifos)
    for name in (EXPECTED, KEPT, HELD):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for room, names in (("sttest.compile.rtl", SOURCES), ("sttest.targets.rtl", TWIN_SOURCES)):
        for name in names:
            (folder / name).write_text(files(room).joinpath("hdl", name).read_text(encoding="utf-8"))
    model = write_payload_model(folder)
    written = {
        "packages.sv": FP_PACKAGE,
        "processes.sv": library.text(),
        "graphs.sv": "\n".join(tops),
        "twin.sv": twin_module(len(designs)),
    }
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    for number, rows in expected.items():
        (folder / EXPECTED / f"{number}.bin").write_bytes(rows.tobytes())
    for number, memory in held.items():
        for name, content in memory.arrays.items():
            rows = pack_tokens(content, memory.bits) if name == "content" else content.astype(">i4")
            (folder / HELD / f"{number}_{name}.bin").write_bytes(rows.tobytes())
    sources = ["twin_log.sv", "packages.sv", *SOURCES, *TWIN_SOURCES[1:], *[*written][1:], model]
    write_json(folder / MANIFEST, {"schema": SCHEMA, "sources": sources, "graphs": listing})
    return folder


def write_payload_model(folder: Path) -> str:
    """Writes what payloads call in simulation; the name of the C++ file."""
    model = "payload_model.cpp"
    with header_folders() as headers:
        for headers_of in (headers.streams, headers.integers):
            shutil.copytree(headers_of, folder / "include", dirs_exist_ok=True)
    (folder / "functions.h").write_text(_functions(), encoding="utf-8")
    (folder / model).write_text(files("sttest.targets.rtl").joinpath(model).read_text(encoding="utf-8"))
    return model


def _functions() -> str:
    """What payloads call, as in emitted C++."""
    helpers = Helpers()
    for name in ("exp_f32", "rsqrt_f32", "tanh_f32", "larger", "smaller"):
        helpers.call(name)
    return "\n".join(["#pragma once\n#include <ap_int.h>\n#include <hls_math.h>\n", *helpers.texts()])


def emulate_designs(
    designs: Sequence[ValuedDesign], work_dir: str | Path, *, max_clocks: int = MAX_CLOCKS, many_small: bool = False
) -> list[RtlRun]:
    """Runs designs side by side under Verilator, in one build.

    Args:
        designs: designs with the values that are expected.
        work_dir: sources, build and log go into ``rtl`` below it, which is made anew.
        max_clocks: clock edges after which it is stopped, with verdict ``limit``.
        many_small: whether building takes longer than running.

    Raises:
        InputError: a graph that has no hardware.
        ToolMissingError: Verilator is not installed.
    """
    return build_designs(designs, work_dir, many_small=many_small).run(max_clocks)


def build_designs(
    designs: Sequence[ValuedDesign], work_dir: str | Path, *, many_small: bool = False, waveform: str = ""
) -> BuiltFolder:
    """Builds designs side by side; see :func:`emulate_designs`, and :func:`~sttest.targets.rtl.drive.build_folder`."""
    find_simulator("verilator")
    folder = Path(work_dir) / "rtl"
    if folder.is_dir():
        shutil.rmtree(folder)
    return build_folder(emit_designs(designs, folder), many_small=many_small, waveform=waveform)


class BuiltDesign:
    """A design that was built once and runs with one memory after the other.

    Args:
        design: design with the values of some run.
        work_dir: see :func:`emulate_designs`.

    Raises:
        InputError: a graph that has no hardware.
        ToolMissingError: Verilator is not installed.
    """

    def __init__(self, design: ValuedDesign, work_dir: str | Path) -> None:
        self.graph, self._built = design.graph, build_designs([design], work_dir)

    def run(self, tokens: Mapping[str, Bytes], max_clocks: int = MAX_CLOCKS) -> tuple[RtlRun, dict[str, Bytes]]:
        """One run: what happened, and by FIFO the tokens that came to the ports which write memory.

        Args:
            tokens: what memory ports read, and what is expected in all other FIFOs, as in :class:`ValuedDesign`.
            max_clocks: clock edges after which it is stopped.
        """
        number, folder = self.graph.fifo_index, self._built.folder
        for name, rows in tokens.items():
            (folder / EXPECTED / f"{number[name]}.bin").write_bytes(rows.tobytes())
        (ran,) = self._built.run(max_clocks)
        return ran, {name: _kept(folder / KEPT / f"{number[name]}.hex") for name in _stored_fifos(self.graph)}


def _stored_fifos(graph: TimedGraph) -> list[str]:
    return [port.fifo for port in graph.processes if isinstance(port, MemoryPort) and port.op == "write"]


def _kept(path: Path) -> Bytes:
    """Tokens of a file, a line of hexadecimal digits each."""
    lines = path.read_text(encoding="ascii").split()
    rows = [bytes.fromhex(line.zfill(len(line) + len(line) % 2)) for line in lines]
    return np.array([list(row) for row in rows], np.uint8)


class _Library:
    """Modules of processes: one for all that have the same text."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.processes: dict[str, list[str]] = {}

    def name_of(self, module: ModuleText) -> str:
        """The module's name, made where there is none yet."""
        name = self.names.setdefault(module.text(_NAME), f"{module.kind}_{len(self.names)}")
        self.processes.setdefault(name, []).append(module.processes[0])
        return name

    def text(self) -> str:
        """All modules, each under the names of the processes that are one."""
        return "\n".join(
            "".join(f"// {process}\n" for process in self.processes[name]) + text.replace(_NAME, name)
            for text, name in self.names.items()
        )


_NAME = "@NAME@"


def processes_text(design: ValuedDesign) -> str:
    """The modules of a design's processes, as :func:`emit_designs` writes those of one design."""
    library = _Library()
    _graph_module(design, "graph_0", library, 0, 0)
    return library.text()


def _graph_module(design: ValuedDesign, name: str, library: _Library, first_process: int, first_fifo: int) -> str:
    graph = design.graph
    index = {process.name: place for place, process in enumerate(graph.processes)}
    body = [_instance(module, graph, index, library) for module in design.modules]
    ports, wires = [], []
    for place, process in enumerate(graph.processes):
        wires.append(f"  logic p{place}_done, p{place}_moving;\n")
        if isinstance(process, MemoryPort):
            ports.append(_port(design, process, place, first_process + place, first_fifo))
        else:
            wires.append(_finish(place, first_process + place))
    fifos = [_fifo(design, number, first_fifo + number) for number in range(len(graph.fifos))]
    channels = [channel_instance(graph, number) for number, _ in channels_of(graph)]
    places = range(len(graph.processes))
    done = " & ".join(f"p{place}_done" for place in places)
    moving = [f"p{place}_moving" for place in places] + [f"ch{number}_moving" for number, _ in channels_of(graph)]
    return f"""module {name} (
  input  logic clk,
  input  logic report,
  output logic done,
  output logic moving
);
  // One clock of reset, then cycle 0.
  longint now = -1;
  logic tick, reset;
  assign reset = now < 0;
  assign tick = ~reset;
  always_ff @(posedge clk) now <= now + 1;
{"".join(wires)}{"".join(fifos)}{"".join(body)}{"".join(ports)}{"".join(channels)}  assign done = {done};
  assign moving = {" | ".join(moving)};
endmodule
"""


def _finish(place: int, number: int) -> str:
    return f"""  logic p{place}_was = 0;
  always_ff @(posedge clk) begin
    p{place}_was <= p{place}_done;
    if (p{place}_done & ~p{place}_was) `TWIN_FINISH({number}, now - 1);
  end
"""


def _instance(module: ModuleText, graph: TimedGraph, index: Mapping[str, int], library: _Library) -> str:
    """The instance of a process."""
    place = index[module.processes[0]]
    ports = [".clk(clk)", ".reset(reset)"]
    for port, wire in (("ended_all", "done"), ("moving_all", "moving")):
        bits = ", ".join(f"p{index[each]}_{wire}" for each in reversed(module.processes))
        ports.append(f".{port}({{{bits}}})")
    for side in module.sides:
        fifo = f"f{graph.fifo_index[side.fifo]}"
        names = ("space", "put") if side.writes else ("avail", "take")
        ports += [f".{side.name}_{each}({fifo}_{each})" for each in names]
        if side.bits:
            ports.append(f".{side.name}_data({fifo}_{'in' if side.writes else 'out'})")
    name = identifier("process_", place, module.processes[0])
    return f"  {library.name_of(module)} {name} ({', '.join(ports)});\n"


def _fifo(design: ValuedDesign, place: int, number: int) -> str:
    fifo = design.graph.fifos[place]
    stem, name = f"f{place}", identifier("fifo_", place, fifo.name)
    wires = f"  logic {', '.join(f'{stem}_{each}' for each in ('put', 'take', 'space', 'avail'))};\n"
    common = ".clk(clk), .reset(reset), .now(now), " + ", ".join(
        f".{each}({stem}_{each})" for each in ("put", "take", "space", "avail")
    )
    if fifo.name in design.held:
        return wires + _ahead(design, place, number, f"{name} ({common}, .put_data(1'b0), .take_data())")
    if fifo.name not in design.tokens:
        parameters = f".DEPTH({fifo.depth}), .INITIAL({fifo.initial_tokens}), .ID({number})"
        return f"{wires}  credits #({parameters}) {name} ({common});\n"
    wires += f"  logic [{fifo.bits - 1}:0] {stem}_in, {stem}_out;\n"
    parameters = (
        f".WIDTH({fifo.bits}), .DEPTH({fifo.depth}), .RAM({int(fifo.kind == 'ram')}), .ID({number}), "
        f".TOKENS({len(design.tokens[fifo.name])}), .KEPT({int(fifo.name in _stored_fifos(design.graph))})"
    )
    return f"{wires}  checked_fifo #({parameters}) {name} ({common}, .put_data({stem}_in), .take_data({stem}_out));\n"


def _ahead(design: ValuedDesign, place: int, number: int, instance: str) -> str:
    """A FIFO that says when a port has read, and the memory of what: the process behind it takes both."""
    fifo = design.graph.fifos[place]
    awaited, memory = design.held[fifo.name]
    parameters = f".WIDTH(1), .DEPTH({fifo.depth}), .RAM({int(fifo.kind == 'ram')}), .ID({number}), .CHECKED(0)"
    return f"  checked_fifo #({parameters}) {instance};\n  logic [{fifo.bits - 1}:0] f{place}_out;\n" + memory.instance(
        f"f{place}", number, f"f{design.graph.fifo_index[awaited]}"
    )


def _port(design: ValuedDesign, port: MemoryPort, place: int, number: int, first_fifo: int) -> str:
    """A memory port; what it reads comes in the order of its stream, or is with the process that waits."""
    graph = design.graph
    fifo, reads = graph.fifo_index[port.fifo], port.op == "read"
    text = port_instance(graph, port, place, number, 2 * (first_fifo + fifo) + reads)
    level, moves = ("space", "put") if reads else ("avail", "take")
    text = text.replace(f".ready(f{fifo}_{level})", f".ready({{31'd0, f{fifo}_{level}}})")
    text = text.replace(f".n(f{fifo}_{moves})", f".n(p{place}_n)")
    wires = f"  logic [31:0] p{place}_n;\n  assign f{fifo}_{moves} = p{place}_n[0];\n"
    if not reads or port.fifo not in design.tokens:
        return wires + text
    bits = graph.fifos[fifo].bits
    parameters = f".WIDTH({bits}), .TOKENS({port.tokens}), .ID({first_fifo + fifo})"
    image = f"  memory_image #({parameters}) image_{place} (.clk(clk), .next(f{fifo}_put), .data(f{fifo}_in));\n"
    return wires + text + image


def pack_tokens(tokens: NDArray, bits: int) -> NDArray[np.uint8]:
    """Tokens as rows of bytes, the highest first, as ``$fread`` reads them.

    Args:
        tokens: [tokens, *element].
        bits: of an element.
    """
    count = len(tokens)
    flat = np.ascontiguousarray(tokens).reshape(count, -1)
    if bits >= 8:
        raw = flat.view(np.uint8).reshape(count, -1)
    else:
        number: Bytes = np.bitwise_and(flat.astype(np.uint8), np.uint8((1 << bits) - 1))
        shifts = np.unpackbits(number[..., None], axis=2, bitorder="little")[..., :bits].reshape(count, -1)
        raw = np.packbits(shifts, axis=1, bitorder="little")
    return np.ascontiguousarray(raw[:, ::-1])


def unpack_tokens(rows: Bytes, dtype: ElementType, shape: Sequence[int]) -> Array:
    """The tokens that rows of bytes are, [tokens, *shape].

    Args:
        rows: [tokens, bytes], the highest byte first.
        dtype: type of an element.
        shape: shape of a token.
    """
    low_first = np.ascontiguousarray(rows[:, ::-1])
    bits = BITS[dtype]
    if bits >= 8:
        return low_first.view(NUMPY[dtype]).reshape(len(rows), *shape)
    single = np.unpackbits(low_first, axis=1, bitorder="little")[:, : prod(shape) * bits].reshape(len(rows), -1, bits)
    unsigned = single @ (1 << np.arange(bits))
    return (unsigned - ((unsigned >> (bits - 1)) << bits)).astype(NUMPY[dtype]).reshape(len(rows), *shape)
