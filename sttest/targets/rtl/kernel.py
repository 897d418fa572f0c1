"""A compiled design as a kernel with real ports: AXI4 masters to memory, control registers, plain FIFOs inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl import fifo as fifo_module
from sttest.compile.rtl import module_text
from sttest.compile.rtl.dma import PortWords, port_words
from sttest.compile.rtl.module import ModuleText
from sttest.core.errors import InputError
from sttest.reference.graph import Load, ReferenceGraph, Store
from sttest.sim.graph import Fifo, MemoryPort, TimedGraph
from sttest.targets.rtl.loops import identifier

AXI_SOURCES = ("fifo_ram", "fifo_srl", "address_walk", "axi_read", "axi_write", "axi_control")
"""Modules of the library that a kernel has instances of."""
VENDOR_CELLS = "primitives"
"""Models of the vendor's cells, which Vivado has itself."""
_MOST_BEATS = 256
_ROOM = 512
"""Words that a port has places for, at most."""


@dataclass(frozen=True)
class KernelArgument:
    """An argument, with the only memory port that uses it."""

    name: str  # as the host knows it
    port: MemoryPort  # in the timed graph
    node: Load | Store  # in the reference graph
    words: PortWords

    @property
    def bus(self) -> str:
        """The name of its AXI interface."""
        return f"m_axi_{self.name}"

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of ``axi_read`` or ``axi_write``."""
        words, port = self.words, self.port
        burst = max(1, min(_MOST_BEATS, port.burst_bytes * 8 // words.word_bits))
        room = max(burst, min(_ROOM, burst * port.outstanding))
        runs = words.words.runs.parameters
        return {
            "WORD": str(words.word_bits), "PER_TOKEN": str(words.words_per_token),
            "PER_WORD": str(words.tokens_per_word), "BURST": str(burst), "ROOM": str(room),
            "RUN": f"32'd{words.words.run}", **{f"RUN_{name}": value for name, value in runs.items()},
            **words.parts.parameters,
        }  # fmt: skip

    def module(self, name: str) -> str:
        """The port as a module by itself, tokens in the order of the stream."""
        reads, bits = self.port.op == "read", self.words.word_bits
        used = [each for each in MEMORY if each[0] in (_READS if reads else _WRITES)]
        sizes = {"WORD": bits, "STROBE": bits // 8, "ADDRESS": 64}
        ports = [f"{'output' if master else 'input '} logic [{(sizes.get(width) or int(width)) - 1}:0] {signal}"
                 for signal, width, master in used]  # fmt: skip
        level, moves = ("space", "put") if reads else ("avail", "take")
        way = "output" if reads else "input "
        tokens = f"{way} logic [{self.words.token_bits - 1}:0] data"
        listed = ["input  logic clk, reset", "input  logic [63:0] base", "output logic ended", *ports,
                  f"input  logic {level}", f"output logic {moves}", tokens]  # fmt: skip
        given = ", ".join(f".{parameter}({value})" for parameter, value in self.parameters.items())
        joined = (
            f"assign data = {self.words.token_of('token')};"
            if reads
            else (f"assign token = {self.words.memory_of('data')};")
        )
        connected = "".join(f", .{signal}" for signal, _, _ in used)
        return (
            f"module {name} (\n  " + ",\n  ".join(listed) + "\n);\n"
            f"  logic [{self.words.token_bits - 1}:0] token;\n  {joined}\n"
            f"  axi_{self.port.op} #({given}) port (.clk, .reset, .base, .ended{connected}, .{level}, .{moves}, "
            ".data(token));\nendmodule\n"
        )


@dataclass(frozen=True)
class RtlKernel:
    """A design between memory ports."""

    name: str
    graph: TimedGraph
    modules: Sequence[ModuleText]  # its processes without memory ports
    arguments: Sequence[KernelArgument]  # in the order of the host

    @staticmethod
    def of(
        name: str, graph: TimedGraph, modules: Sequence[ModuleText], values: ReferenceGraph,
        arguments: Mapping[str, str],
    ) -> "RtlKernel":  # fmt: skip
        """A kernel.

        Args:
            name: of the module.
            graph: timed graph of the design.
            modules: its processes without memory ports.
            values: its reference graph.
            arguments: name of the argument by DMA, in the order of the host.

        Raises:
            InputError: a memory port that has no RTL.
        """
        nodes = {node.name: node for node in (*values.loads, *values.stores)}
        ports = {port.name: port for port in graph.processes if isinstance(port, MemoryPort)}
        found = []
        for dma, argument in arguments.items():
            if dma not in nodes or dma not in ports:
                raise InputError("no-rtl", "an argument of several tensors has no AXI port yet", where=argument)
            node, port = nodes[dma], ports[dma]
            stream = values.stream[node.source if isinstance(node, Store) else node.sink]
            if port.tokens != stream.tokens:
                raise InputError("no-rtl", "a launch over layers or tokens has no AXI ports yet", where=argument)
            found.append(KernelArgument(argument, port, node, port_words(node, stream)))
        return RtlKernel(name, graph, modules, found)

    @property
    def is_simulated(self) -> bool:
        """Whether its processes are models for simulation, with nothing of synthesis in them."""
        return not any(module.parts for module in self.modules)

    def sources(self, kinds: Mapping[str, MemoryKind], *, models: bool = False) -> dict[str, str]:
        """All of its SystemVerilog but the vendor's cells: texts by file name, in the order in which they are read.

        Args:
            kinds: of memories, by name of the FIFO; block RAM where nothing is said.
            models: whether FIFOs of shift registers are modelled as one memory each.
        """
        parts = {part.name: part for module in self.modules for part in module.parts}
        used = (name for part in parts.values() for name in part.uses if name != VENDOR_CELLS)
        library = {f"{name}.sv": module_text(name) for name in dict.fromkeys((*used, *AXI_SOURCES))}
        pipelines = {f"{each.name}.sv": each.text for each in parts.values()}
        processes, top = self._texts(kinds, models=models)
        return {**library, **pipelines, "processes.sv": processes, f"{self.name}.sv": top}

    def _texts(self, kinds: Mapping[str, MemoryKind], *, models: bool) -> tuple[str, str]:
        """The modules of the processes, and the module of the kernel."""
        library: dict[str, str] = {}
        fifos = [_fifo(place, each, kinds, models=models) for place, each in enumerate(self.graph.fifos)]
        body = [_process(place, module, self.graph, library) for place, module in enumerate(self.modules)]
        body += [_port(number, each, self.graph) for number, each in enumerate(self.arguments)]
        ends = [f"p{place}_ended" for place in range(len(self.modules))]
        ends += [f"a{number}_ended" for number in range(len(self.arguments))]
        all_ended = " & ".join(f"(&{each})" for each in ends)
        processes = "\n".join(text.replace(_NAME, name) for text, name in library.items())
        kernel = f"""module {self.name} (
  {self._ports}
);
  logic started, reset, ended;
  logic [{len(self.arguments) - 1}:0][63:0] arguments;
  axi_control #(.ARGUMENTS({len(self.arguments)})) control (
    .clk(ap_clk), .reset(~ap_rst_n), {_connected("s_axi_control", CONTROL)},
    .start(started), .ended(ended), .interrupt(interrupt), .arguments(arguments)
  );
  assign s_axi_control_bresp = 2'd0;
  assign s_axi_control_rresp = 2'd0;
  // Everything stands in reset until a launch begins, and again when it has ended.
  logic running;
  always_ff @(posedge ap_clk)
    if (~ap_rst_n) running <= 1'b0;
    else if (started) running <= 1'b1;
    else if (ended) running <= 1'b0;
  always_ff @(posedge ap_clk) reset <= ~running | ended;
  assign ended = running & ~reset & {all_ended};
{"".join(fifos)}{"".join(body)}endmodule
"""
        return processes, kernel

    @property
    def _ports(self) -> str:
        lines = ["input  logic ap_clk", "input  logic ap_rst_n", "output logic interrupt"]
        lines += _declared("s_axi_control", CONTROL, {"WORD": 32, "STROBE": 4, "ADDRESS": 12}, master=False)
        for each in self.arguments:
            bits = each.words.word_bits
            lines += _declared(each.bus, MEMORY, {"WORD": bits, "STROBE": bits // 8, "ADDRESS": 64}, master=True)
        return ",\n  ".join(lines)


Signals = Sequence[tuple[str, str, bool]]
"""Name, bits (a number or WORD, STROBE, ADDRESS), and whether the master drives it."""
CONTROL: Signals = (
    ("awvalid", "1", True), ("awready", "1", False), ("awaddr", "ADDRESS", True), ("wvalid", "1", True),
    ("wready", "1", False), ("wdata", "WORD", True), ("wstrb", "STROBE", True), ("bvalid", "1", False),
    ("bready", "1", True), ("arvalid", "1", True), ("arready", "1", False), ("araddr", "ADDRESS", True),
    ("rvalid", "1", False), ("rready", "1", True), ("rdata", "WORD", False),
)  # fmt: skip
MEMORY: Signals = (*CONTROL, ("awlen", "8", True), ("wlast", "1", True), ("arlen", "8", True), ("rlast", "1", False))
_READS, _WRITES = ("arvalid", "arready", "araddr", "arlen", "rvalid", "rready", "rdata", "rlast"), (
    "awvalid", "awready", "awaddr", "awlen", "wvalid", "wready", "wdata", "wlast", "bvalid", "bready",
)  # fmt: skip
_UNUSED_RESPONSES = (("bresp", "2"), ("rresp", "2"))
_FIXED = {"awsize": 3, "awburst": 2, "arsize": 3, "arburst": 2}


def _declared(bus: str, signals: Signals, sizes: Mapping[str, int], *, master: bool) -> list[str]:
    lines = []
    for name, bits, driven in signals:
        width = sizes.get(bits) or int(bits)
        way = "output" if driven == master else "input "
        lines.append(f"{way} logic {f'[{width - 1}:0] ' if width > 1 else ''}{bus}_{name}")
    responses = "input " if master else "output"
    lines += [f"{responses} logic [{int(bits) - 1}:0] {bus}_{name}" for name, bits in _UNUSED_RESPONSES]
    if master:
        lines += [f"output logic [{bits - 1}:0] {bus}_{name}" for name, bits in _FIXED.items()]
    return lines


def _connected(bus: str, signals: Signals) -> str:
    return ", ".join(f".{name}({bus}_{name})" for name, _, _ in signals)


_NAME = "@NAME@"


def _process(place: int, module: ModuleText, graph: TimedGraph, library: dict[str, str]) -> str:
    """The instance of a process."""
    kind = library.setdefault(module.text(_NAME), f"{module.kind}_{len(library)}")
    ports = [".clk(ap_clk)", ".reset(reset)", f".ended_all(p{place}_ended)", ".moving_all()"]
    for side in module.sides:
        wire = f"f{graph.fifo_index[side.fifo]}"
        names = ("space", "put") if side.writes else ("avail", "take")
        ports += [f".{side.name}_{each}({wire}_{each})" for each in names]
        if side.bits:
            ports.append(f".{side.name}_data({wire}_{'in' if side.writes else 'out'})")
    wires = f"  logic [{len(module.processes) - 1}:0] p{place}_ended;\n"
    return f"{wires}  {kind} {identifier('process_', place, module.processes[0])} ({', '.join(ports)});\n"


def _fifo(place: int, fifo: Fifo, kinds: Mapping[str, MemoryKind], *, models: bool) -> str:
    stem, bits = f"f{place}", max(1, fifo.bits)
    kind: MemoryKind = kinds.get(fifo.name, "bram") if fifo.kind == "ram" else "srl"
    made = fifo_module(kind, fifo.depth, bits, fifo.initial_tokens)
    module = "fifo_model" if models and kind == "srl" and not fifo.initial_tokens and fifo.bits else made.module
    given = {name: value for name, value in made.parameters.items() if module != "fifo_model" or name != "INITIAL"}
    parameters = ", ".join(
        f'.{name}("{value}")' if isinstance(value, str) else f".{name}({value})" for name, value in given.items()
    )
    ports = ", ".join(f".{each}({stem}_{each})" for each in ("put", "space", "take", "avail"))
    wires = f"  logic [{bits - 1}:0] {stem}_in, {stem}_out;\n" if fifo.bits else ""
    data = f".put_data({stem}_in), .take_data({stem}_out)" if fifo.bits else ".put_data(1'b0), .take_data()"
    name = identifier("fifo_", place, fifo.name)
    return f"""  logic {", ".join(f"{stem}_{each}" for each in ("put", "take", "space", "avail"))};
{wires}  {module} #({parameters}) {name} (.clk(ap_clk), .reset(reset), {ports}, {data});
"""


def _port(number: int, argument: KernelArgument, graph: TimedGraph) -> str:
    """The port of an argument: what its stream's order is not that of memory, wires put right."""
    words, port, bus = argument.words, argument.port, argument.bus
    wire, reads = f"f{graph.fifo_index[port.fifo]}", port.op == "read"
    word_bytes = words.word_bits // 8
    given = ", ".join(f".{name}({value})" for name, value in argument.parameters.items())
    used, idle = (_READS, _WRITES) if reads else (_WRITES, _READS)
    connected = ", ".join(f".{name}({bus}_{name})" for name in used)
    driven = {name for name, _, master in MEMORY if master}
    silent = "".join(f"  assign {bus}_{name} = '0;\n" for name in idle if name in driven)
    size = (word_bytes - 1).bit_length()
    fixed = "".join(f"  assign {bus}_{way}size = {size};\n  assign {bus}_{way}burst = 1;\n" for way in ("aw", "ar"))
    level = "space" if reads else "avail"
    moves = "put" if reads else "take"
    tokens = f"a{number}_token"
    joined = (
        f"  assign {wire}_in = {words.token_of(tokens)};\n" if reads
        else f"  assign {tokens} = {words.memory_of(f'{wire}_out')};\n"
    )  # fmt: skip
    return f"""  logic a{number}_ended;
  logic [{words.token_bits - 1}:0] {tokens};
{joined}{silent}{fixed}  assign {bus}_wstrb = {"'0" if reads else "'1"};
  axi_{port.op} #({given}) {identifier("argument_", number, argument.name)} (
    .clk(ap_clk), .reset(reset), .base(arguments[{number}]), .ended(a{number}_ended), {connected},
    .{level}({wire}_{level}), .{moves}({wire}_{moves}), .data({tokens})
  );
"""
