"""What may be protected, the texts of a design that is, and what it costs."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from sttest.boards.resources import Resources, total
from sttest.compile.rtl import module_text
from sttest.compile.rtl.protection import triplicated
from sttest.core.errors import InputError, SttestError
from sttest.sim.graph import TimedGraph
from sttest.targets.rtl.design import ValuedDesign, processes_text
from sttest.targets.rtl.faults import FaultSite, kind_of_register, registers_of
from sttest.targets.synth.yosys import SynthesisJob, synthesize

Protection: TypeAlias = Literal["secded", "tmr"]
"""Words of FIFOs that correct a bit; control and running values three times."""
PROTECTIONS: tuple[Protection, ...] = get_args(Protection)
_TRIPLED = ("control", "accumulator")
_FIFO = {
    "fifo_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) fifo (.*);": "fifo_ram",
    "fifo_model #(.WIDTH(WIDTH), .DEPTH(DEPTH)) fifo (.*);": "fifo_model",
}
_CODED = """secded_encode #(.WIDTH(WIDTH)) encode (.data(put_data), .checks(into));
    secded_decode #(.WIDTH(WIDTH)) decode (.stored(stored), .checks(outof), .data(take_data), .failed(twice));
    {0} #(.WIDTH(WIDTH + CODES), .DEPTH(DEPTH)) fifo (
      .put_data({{into, put_data}}), .take_data({{outof, stored}}), .*
    );"""
_WIRES = """  localparam int WORD = WIDTH < 64 ? WIDTH : 64;
  localparam int CODES = (WIDTH + WORD - 1) / WORD
    * (WORD > 57 ? 8 : WORD > 26 ? 7 : WORD > 11 ? 6 : WORD > 4 ? 5 : WORD > 1 ? 4 : 3);
  logic [CODES-1:0] into, outof;
  logic [WIDTH-1:0] stored;
  logic [(WIDTH + WORD - 1) / WORD - 1:0] twice;
"""


def protected_texts(design: ValuedDesign, chosen: Collection[str]) -> dict[str, str]:
    """The sources of a design that protection changes, by file name; none where nothing is protected.

    Args:
        design: design with the values of a run.
        chosen: protections.

    Raises:
        InputError: an unknown protection.
    """
    for name in chosen:
        if name not in PROTECTIONS:
            hints = [f"choose among {', '.join(PROTECTIONS)}"]
            raise InputError("unknown-protection", f"no protection '{name}'", where="--protect", hints=hints)
    fifo, texts = module_text("checked_fifo"), dict[str, str]()
    if "secded" in chosen:
        for instance, module in _FIFO.items():
            assert instance in fifo
            fifo = fifo.replace(instance, _CODED.format(module))
        fifo = fifo.replace("  int written = 0;\n", f"{_WIRES}  int written = 0;\n", 1)
        fifo += "\n" + module_text("secded").split("// fifo_srl or fifo_ram", 1)[0]
    if "tmr" in chosen:
        fifo = triplicated(fifo, {"count"})
        ram = module_text("fifo_ram")
        texts["fifo_ram.sv"] = triplicated(ram, {"head", "tail", "stored", "any"})
        modules = processes_text(design).split(_END)
        texts["processes.sv"] = _END.join(triplicated(each, _tripled(each)) for each in modules)
    if chosen:
        texts["checked_fifo.sv"] = fifo
    return texts


_END = "endmodule\n"


def _tripled(module: str) -> set[str]:
    """The registers of a process that are there three times."""
    return {name for name in registers_of(module) if kind_of_register(name) in _TRIPLED}


@dataclass(frozen=True)
class Cost:
    """What protection adds to a design."""

    added: Resources
    kind: Literal["synthesized", "derived"]
    of: str  # what it is of


def secded_cost(graph: TimedGraph, folder: Path, jobs: int, tell: Callable[[str], None]) -> tuple[Cost, Resources]:
    """What codes add to all FIFOs with data, and what these take without, by yosys.

    Args:
        graph: timed graph of the design.
        folder: folder of yosys' jobs.
        jobs: runs at a time.
        tell: called with a line of progress.

    Raises:
        ToolMissingError: yosys is not installed.
        SttestError: it refused a module.
    """
    sizes = Counter((fifo.bits, fifo.depth, fifo.kind) for fifo in graph.fifos if fifo.bits and fifo.kind != "credits")
    plain, coded = ({size: _fifo_job(*size, coded=coded) for size in sizes} for coded in (False, True))
    found = synthesize([*plain.values(), *coded.values()], folder, jobs, tell)

    def all_of(kind: Mapping[tuple[int, int, str], SynthesisJob]) -> Resources:
        parts = []
        for size, count in sizes.items():
            made = found[kind[size].key]
            if isinstance(made, SttestError):
                raise made
            parts.append(made.resources * count)
        return total(parts)

    before, after = all_of(plain), all_of(coded)
    return Cost(after + before * -1, "synthesized", f"codes of {sum(sizes.values())} FIFOs"), before


def _fifo_job(bits: int, depth: int, kind: str, *, coded: bool) -> SynthesisJob:
    names = ["fifo_ram" if kind == "ram" else "fifo_srl", *(["secded"] if coded else [])]
    names = [*names, *(["fifo_srl" if kind == "ram" else "fifo_ram"] if coded else [])]
    parameters: dict[str, int | str] = {"WIDTH": bits, "DEPTH": depth}
    if coded:
        parameters["RAM"] = int(kind == "ram")
    sources = tuple((f"{name}.sv", module_text(name)) for name in names)
    top = "fifo_secded" if coded else names[0]
    return SynthesisJob(top, sources, parameters, size=float(bits))


def tmr_cost(sites: Sequence[FaultSite]) -> Cost:
    """Two more flip-flops and a LUT of three inputs for each bit that is there three times.

    Args:
        sites: registers of the design without protection.
    """
    bits = sum(site.size for site in sites if site.kind in _TRIPLED)
    return Cost(Resources(lut=bits, ff=2 * bits), "derived", f"majorities of {bits:,} bits")
