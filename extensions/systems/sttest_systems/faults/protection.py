"""What may be protected, the texts of a design that is, and what it costs."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from sttest.boards.resources import Resources, total
from sttest.compile.rtl import fifo, module_text
from sttest.core.errors import InputError, SttestError
from sttest.targets.rtl.design import ValuedDesign, processes_text
from sttest.targets.synth.yosys import SynthesisJob, synthesize
from sttest_systems.faults.injection import FaultSite, kind_of_register, registers_of
from sttest_systems.faults.triplication import triplicated

__depends__ = ("sttest_systems/faults/secded.sv",)

Protection: TypeAlias = Literal["secded", "tmr"]
"""Words of FIFOs that correct a bit; control and running values three times."""
PROTECTIONS: tuple[Protection, ...] = get_args(Protection)
_CELLS = "primitives"
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
    checked, texts = module_text("checked_fifo"), dict[str, str]()
    if "secded" in chosen:
        for instance, module in _FIFO.items():
            assert instance in checked
            checked = checked.replace(instance, _CODED.format(module))
        checked = checked.replace("  int written = 0;\n", f"{_WIRES}  int written = 0;\n", 1)
        checked += "\n" + _secded().split("// fifo_srl or fifo_ram", 1)[0]
    if "tmr" in chosen:
        checked = triplicated(checked, {"count"})
        ram = module_text("fifo_ram")
        texts["fifo_ram.sv"] = triplicated(ram, {"head", "tail", "stored", "any"})
        modules = processes_text(design).split(_END)
        texts["processes.sv"] = _END.join(triplicated(each, _tripled(each)) for each in modules)
    if chosen:
        texts["checked_fifo.sv"] = checked
    return texts


_END = "endmodule\n"


def _tripled(module: str) -> set[str]:
    """The registers of a process that are there three times."""
    return {name for name in registers_of(module) if kind_of_register(name) in _TRIPLED}


@dataclass(frozen=True)
class Cost:
    """What protection adds to a design."""

    added: Resources
    kind: Literal["derived"]  # how it was come by: from synthesized words, or counted
    of: str  # what it is of
    left_out: int = 0  # FIFOs that take more than is counted


WORD_BITS, _SRL_PLACES = 64, 16


def secded_cost(design: ValuedDesign, folder: Path, jobs: int, tell: Callable[[str], None]) -> Cost:
    """What codes add to all FIFOs with data: that of one word by yosys, as often as there are words.

    A FIFO of up to 16 places has a LUT for each bit, whatever its depth; deeper ones take more than is counted.

    Args:
        design: design with the values of a run.
        folder: folder of yosys' jobs.
        jobs: runs at a time.
        tell: called with a line of progress.

    Raises:
        ToolMissingError: yosys is not installed.
        SttestError: it refused a module.
    """
    fifos = [each for each in design.graph.fifos if each.name in design.tokens]
    words: Counter[int] = Counter()
    for each in fifos:
        whole, rest = divmod(each.bits, WORD_BITS)
        words.update({WORD_BITS: whole, rest: int(rest > 0)})
    words = +words
    pairs = {bits: (_fifo_job(bits, coded=False), _fifo_job(bits, coded=True)) for bits in words if bits}
    found = synthesize([job for pair in pairs.values() for job in pair], folder, jobs, tell)
    parts = []
    for bits, pair in pairs.items():
        plain, coded = (found[job.key] for job in pair)
        for each in (plain, coded):
            if isinstance(each, SttestError):
                raise each
        assert not isinstance(plain, SttestError)
        assert not isinstance(coded, SttestError)
        parts.append((coded.resources + plain.resources * -1) * words[bits])
    deep = sum(each.depth > _SRL_PLACES for each in fifos)
    return Cost(total(parts), "derived", f"codes of {sum(words.values()):,} words in FIFOs", deep)


def _fifo_job(bits: int, *, coded: bool) -> SynthesisJob:
    """A FIFO of one word and two places."""
    made = fifo("srl", 2, bits)
    if not coded:
        return SynthesisJob(made.module, made.sources, made.parameters, size=float(bits))
    sources = tuple((f"{name}.sv", module_text(name)) for name in (_CELLS, "fifo_srl", "fifo_ram"))
    sources += (("secded.sv", _secded()),)
    return SynthesisJob("fifo_secded", sources, {"WIDTH": bits, "DEPTH": 2}, size=2.0 * bits)


def _secded() -> str:
    return Path(__file__).with_name("secded.sv").read_text(encoding="utf-8")


def tmr_cost(sites: Sequence[FaultSite]) -> Cost:
    """Two more flip-flops and a LUT of three inputs for each bit that is there three times.

    Args:
        sites: registers of the design without protection.
    """
    bits = sum(site.size for site in sites if site.kind in _TRIPLED)
    return Cost(Resources(lut=bits, ff=2 * bits), "derived", f"majorities of {bits:,} bits")
