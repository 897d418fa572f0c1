"""A compiled design as a kernel with real ports: AXI4 masters to memory, control registers, plain FIFOs inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl import fifo as fifo_module
from sttest.compile.rtl import module_text
from sttest.compile.rtl.module import ModuleText
from sttest.package import KernelFiles
from sttest.reference.graph import ReferenceGraph
from sttest.sim.crossings import behind_registers
from sttest.sim.graph import Fifo, MemoryPort, TimedGraph
from sttest.targets.rtl.kernel_port import CONTROL, MEMORY, PORT_SOURCES, KernelArgument, Signals, kernel_argument
from sttest.targets.rtl.loops import identifier

AXI_SOURCES = (*PORT_SOURCES, "fifo_srl", "fifo_relay", "axi_control")
"""Modules of the library that a kernel has instances of."""
VENDOR_CELLS = "primitives"
"""Models of the vendor's cells, which Vivado has itself."""


@dataclass(frozen=True)
class RtlKernel:
    """A design between memory ports."""

    name: str
    graph: TimedGraph
    modules: Sequence[ModuleText]  # its processes without memory ports
    arguments: Sequence[KernelArgument]  # arguments in the order of the host

    @staticmethod
    def of(
        name: str,
        graph: TimedGraph,
        modules: Sequence[ModuleText],
        values: ReferenceGraph,
        arguments: Mapping[str, str],
        files: KernelFiles | None = None,
    ) -> "RtlKernel":
        """A kernel.

        Args:
            name: of the module.
            graph: timed graph of the design.
            modules: its processes without memory ports.
            values: its reference graph.
            arguments: name of the argument by DMA, in the order of the host.
            files: C++ of the design, which says what lies in a buffer; None where each holds a tensor.

        Raises:
            InputError: a memory port that has no RTL.
        """
        ports = {port.name: port for port in graph.processes if isinstance(port, MemoryPort)}
        found = [kernel_argument(argument, ports[dma], values, files) for dma, argument in arguments.items()]
        return RtlKernel(name, graph, modules, found)

    @property
    def is_simulated(self) -> bool:
        """Whether its processes are models for simulation, with nothing of synthesis in them."""
        return not any(module.parts for module in self.modules)

    def sources(self, kinds: Mapping[str, MemoryKind], *, models: bool = False) -> dict[str, str]:
        """All of its SystemVerilog but the vendor's cells: texts by file name, in the order in which they are read.

        Args:
            kinds: of memories, by name of the FIFO; block RAM where nothing is said.
            models: whether FIFOs of shift registers are modeled as one memory each.
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
        kinds = {**kinds, **dict.fromkeys(behind_registers(self.graph), "register")}
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
{"".join(fifos)}{"".join(body)}  assign ended = running & ~reset & {all_ended};
endmodule
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
    kind = kinds.get(fifo.name, "bram")
    kind = "srl" if fifo.kind == "srl" and kind != "register" else kind
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
    """The port of an argument, between its bus and its FIFO."""
    wire, stem = f"f{graph.fifo_index[argument.port.fifo]}", f"a{number}"
    outer = {name: f"{argument.bus}_{name}" for name, _, _ in MEMORY}
    outer |= {name: f"{wire}_{name}" for name in ("space", "put", "avail", "take")}
    outer |= {
        "clk": "ap_clk",
        "reset": "reset",
        "base": f"arguments[{number}]",
        "ended": f"{stem}_ended",
        "data": f"{wire}_{'in' if argument.reads else 'out'}",
    }
    if argument.numbers is not None:
        index = f"f{graph.fifo_index[argument.numbers.stream]}"
        outer |= {"come": f"{index}_take", "what": f"{index}_out"}
    body = argument.body(stem, identifier("argument_", number, argument.name), outer)
    return f"  logic {stem}_ended;\n{body}{argument.idle()}"
