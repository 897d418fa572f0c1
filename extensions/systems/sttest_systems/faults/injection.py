"""Single bit flips in the registers of a design under Verilator: one build, and as many runs as there are faults.

The SystemVerilog is that of any other run, to the byte.  Verilator keeps what registers and FIFOs hold as members of a
class, whose header says how wide each is; the testbench flips a bit of one between two clock edges.  What is flipped is
what the text assigns at a clock edge and hardware has too: the pointers of a FIFO that is modeled as a ring in the
place of a shift register, of delays that are modeled so, and all that logs or checks are left out.
"""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from sttest.compile.rtl.module import ModuleText
from sttest.core.errors import SttestError
from sttest.core.files import read_json
from sttest.sim.graph import Fifo, MemoryPort
from sttest.targets.rtl.design import EXPECTED, KEPT, ValuedDesign, emit_designs
from sttest.targets.rtl.drive import BuiltFolder, RtlRun, build_folder, call_tool, find_simulator
from sttest.targets.rtl.emit import MANIFEST
from sttest.targets.rtl.held import HELD
from sttest_systems.faults.triplication import COPIES

__depends__ = ("sttest/targets/rtl/testbench.cpp",)

SiteKind: TypeAlias = Literal["fifo", "weight-fifo", "accumulator", "data-path", "buffer", "control"]
"""Words of FIFOs, of those that carry parameters from memory, running values of reductions, other registers of values,
the buffers of converters, and counters: of stages, of iterations, of the tokens in a FIFO."""
KINDS: tuple[SiteKind, ...] = get_args(SiteKind)


@dataclass(frozen=True)
class FaultSite:
    """A register or a memory whose bits can be flipped."""

    number: int  # its number in the testbench
    kind: SiteKind
    owner: str  # name of the FIFO or process
    register: str  # name in the SystemVerilog
    words: int  # 1 for a register
    bits: int  # bits of a word
    word_bytes: int = 1  # bytes of a word in the simulator
    place: str = ""  # instance that it is in

    @property
    def size(self) -> int:
        """Bits in all."""
        return self.words * self.bits


@dataclass(frozen=True)
class Fault:
    """A bit that flips: it is another one from the beginning of a cycle on, until something is written there."""

    site: FaultSite
    word: int
    bit: int
    cycle: int


@dataclass(frozen=True)
class FaultyRun:
    """What a run with a fault left."""

    verdict: str  # ``done``, ``deadlock`` where it stood still, or ``limit`` where the clock was stopped
    edges: int  # clock edges, the one of reset included
    tokens_left: int  # FIFOs that are not empty at the end
    stored: Mapping[str, str]  # a line of hexadecimal digits per token, by FIFO of a port that writes memory


class FaultyDesign:
    """A design that was built once and runs with one fault after the other.

    Args:
        design: design with the values of a run.
        work_dir: folder of sources, build and runs; what was built there of the same sources is not built again.
        weights: FIFOs that carry parameters from memory, by name.
        patched: texts that take the place of emitted sources, by file name: protected modules.

    Raises:
        InputError: a graph that has no hardware.
        ToolMissingError: Verilator is not installed.
        SttestError: Verilator keeps no member for any register.
    """

    def __init__(
        self,
        design: ValuedDesign,
        work_dir: Path,
        weights: Sequence[str] = (),
        patched: Mapping[str, str] | None = None,
    ) -> None:
        find_simulator("verilator")
        self.graph, self.folder = design.graph, work_dir / "rtl"
        sources = work_dir / "sources"
        shutil.rmtree(sources, ignore_errors=True)
        emit_designs([design], sources)
        for name, text in (patched or {}).items():
            (sources / name).write_text(text, encoding="utf-8")
        identity = _identity_of(sources)
        key = self.folder / "built.key"
        manifest = read_json(sources / MANIFEST)
        if key.is_file() and key.read_text(encoding="utf-8") == identity:
            shutil.rmtree(sources)
            self._built = BuiltFolder(self.folder, "verilator", ("obj/Vtwin",), manifest["graphs"], 0.0)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
            sources.rename(self.folder)
            self._built = build_folder(self.folder)
        members = read_members((self.folder / "obj" / f"{_ROOT}.h").read_text(encoding="utf-8"))
        self.sites = fault_sites(design, members, weights)
        if not self.sites:
            raise SttestError("no-fault-sites", "no register was found in the simulation", where=str(self.folder))
        (self.folder / "fault_sites.h").write_text(_sites_text(self.sites, members), encoding="utf-8")
        defines = f"-DFAULTS=1 -DGRAPHS=1 -DFIFOS={len(self.graph.fifos)} -I../include -I.."
        (self.folder / "obj" / "testbench.o").unlink(missing_ok=True)
        call_tool(
            (
                "make",
                "-C",
                "obj",
                "-f",
                "Vtwin.mk",
                "OPT_SLOW=-O0",
                "OPT_GLOBAL=-O1",
                "OPT_FAST=-O1",
                f"VM_USER_CFLAGS={defines}",
                "Vtwin",
            ),
            self.folder,
        )
        key.write_text(identity, encoding="utf-8")

    @cached_property
    def stored_fifos(self) -> tuple[str, ...]:
        """FIFOs of ports that write memory, in the order of the graph."""
        return tuple(port.fifo for port in self.graph.processes if isinstance(port, MemoryPort) and port.op == "write")

    def timed_run(self) -> RtlRun:
        """The run without a fault, with the cycles of every access."""
        (ran,) = self._built.run()
        return ran

    def run(self, fault: Fault | None, room: Path, max_edges: int) -> FaultyRun:
        """One run; runs in different rooms may go on at once.

        Args:
            fault: what flips; None for nothing.
            room: folder of the run, made where there is none.
            max_edges: clock edges after which it is stopped.

        Raises:
            SttestError: the simulation failed.
        """
        (room / KEPT).mkdir(parents=True, exist_ok=True)
        for name in (EXPECTED, HELD):
            if not (room / name).exists():
                (room / name).symlink_to((self.folder / name).resolve())
        command = [str((self.folder / "obj" / "Vtwin").resolve()), f"+clocks={max_edges}"]
        if fault is not None:
            byte = fault.word * fault.site.word_bytes + fault.bit // 8
            command += [f"+site={fault.site.number}", f"+byte={byte}", f"+mask={1 << fault.bit % 8}"]
            command += [f"+edge={fault.cycle + _EDGES_OF_RESET}"]
        # Not forked from this process, which is large.
        ran = subprocess.run([*_LARGEST_STACK, *command], cwd=room, capture_output=True, check=False)
        lines = ran.stdout.decode("utf-8", "replace").splitlines()
        found = {line.split()[0]: line.split() for line in lines if line.startswith(("graph ", "edges "))}
        if ran.returncode or len(found) < 2:
            raise SttestError("simulator-failed", f"it ended with {ran.returncode} at {fault}", where=str(room))
        stored = {
            name: (room / KEPT / f"{self.graph.fifo_index[name]}.hex").read_text(encoding="ascii")
            for name in self.stored_fifos
        }
        return FaultyRun(found["graph"][2], int(found["edges"][1]), int(found["edges"][3]), stored)


def _identity_of(folder: Path) -> str:
    """A name of all that lies in a folder, and of the testbench."""
    found = hashlib.sha256(files("sttest.targets.rtl").joinpath("testbench.cpp").read_bytes())
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


_EDGES_OF_RESET = 1
_LARGEST_STACK = ("sh", "-c", 'ulimit -s "$(ulimit -H -s)"; exec "$@"', "sh")
_ROOT = "Vtwin___024root"


# --- What Verilator keeps


@dataclass(frozen=True)
class Member:
    """A member of Verilator's class."""

    words: int
    bits: int  # bits of a word
    word_bytes: int


_MEMBER = re.compile(
    r"^\s*(?:VlUnpacked<)?(?P<type>CData|SData|IData|QData|VlWide<(?P<wide>\d+)>)/\*(?P<high>\d+):(?P<low>\d+)\*/"
    r"(?:, (?P<words>\d+)>)? (?P<name>\w+);$"
)
_BYTES = {"CData": 1, "SData": 2, "IData": 4, "QData": 8}


def read_members(header: str) -> dict[str, Member]:
    """The members of Verilator's class that are numbers or arrays of one dim, by their names in C++.

    >>> read_members("    CData/*4:0*/ twin__DOT__stage;")
    {'twin__DOT__stage': Member(words=1, bits=5, word_bytes=1)}
    """
    found = {}
    for line in header.splitlines():
        match = _MEMBER.match(line)
        if match is None:
            continue
        size = _BYTES.get(match["type"]) or 4 * int(match["wide"])
        bits = int(match["high"]) - int(match["low"]) + 1
        found[match["name"]] = Member(int(match["words"] or 1), bits, size)
    return found


# --- Which of it are registers of the design

_ASSIGNED = re.compile(r"(?:^|;|\bbegin|\)|\belse)\s*([A-Za-z_]\w*)(?:\[[^;]*?\])*\s*<=(?!=)", re.MULTILINE)
_MODELLED = re.compile(r"_late_at$|_at$")
_CONTROL = re.compile(
    r"(?:fill_|drain_)?(?:stage|run|pass|ended|half|c\d+_(?:x\d+|on|phase|was))(?:$)|_number$|^(?:adds|goes|carries)\d+"
)
_RUNNING = re.compile(r"^(?:kept|level)\d+$")
_MEMORIES = {"memory", "words", "take_data"}
_COUNTS = {"count", "stored"}
_POINTERS_OF_RAM = {"head", "tail"}
_FLAGS = {"space", "avail", "any"}
_PLACE = re.compile(r"(?P<what>process|fifo)_(?P<number>\d+)_")
_COPY = re.compile(rf"(?:{'|'.join(COPIES)})$")


def registers_of(text: str) -> set[str]:
    """What a module's text assigns at a clock edge and hardware has: no places of delays that are modeled as a ring.

    >>> registers_of("  always_ff @(posedge clk) if (advance & a <= 4) begin in0 <= in0_data; end")
    {'in0'}
    """
    return {name for name in _ASSIGNED.findall(text) if not _MODELLED.search(name)}


def kind_of_register(name: str) -> SiteKind:
    """The kind of a register of a process.

    >>> kind_of_register("kept0"), kind_of_register("c2_was"), kind_of_register("tree0_late")
    ('accumulator', 'control', 'data-path')
    """
    if _RUNNING.match(name):
        return "accumulator"
    if name == "block":
        return "buffer"
    return "control" if _CONTROL.search(name) else "data-path"


def fault_sites(design: ValuedDesign, members: Mapping[str, Member], weights: Sequence[str]) -> list[FaultSite]:
    """The registers of a design that Verilator keeps, numbered; of one that is there three times, the copies."""
    graph = design.graph
    registers = {module.processes[0]: registers_of(module.body) for module in design.modules}
    places = {_key(name): member for name, member in members.items()}
    voted = {(place, _original(register)) for place, register in places if _original(register) != register}
    sites: list[FaultSite] = []
    for (place, register), member in places.items():
        match = _PLACE.match(place)
        if match is None or (place, register) in voted:
            continue
        original = _original(register)
        if match["what"] == "process":
            owner = graph.processes[int(match["number"])].name
            known = original in registers.get(owner, ())
            kind, bits = (kind_of_register(original), member.bits) if known else (None, 0)
        else:
            fifo = graph.fifos[int(match["number"])]
            owner = fifo.name
            kind, bits = _fifo_site(fifo, original, member, is_weight=owner in weights)
        if kind is not None:
            sites.append(FaultSite(len(sites), kind, owner, register, member.words, bits, member.word_bytes, place))
    return sites


def _original(register: str) -> str:
    """The register that a copy is of."""
    return _COPY.sub("", register)


def _key(member: str) -> tuple[str, str]:
    """The instance of a process or FIFO, ``fifo_3_``, and the register's name; nothing for what is in neither."""
    parts = member.split("__DOT__")
    match = _PLACE.match(parts[2]) if len(parts) >= 4 and parts[0] == "twin" else None
    if match is None or (match["what"] == "process" and len(parts) > 4):
        return "", member
    return match[0], parts[-1].replace("___05F", "__")


def _fifo_site(fifo: Fifo, register: str, member: Member, *, is_weight: bool) -> tuple[SiteKind | None, int]:
    """Kind and bits of a register of a FIFO; no kind where hardware has none like it."""
    if register in _MEMORIES and (register != "take_data" or fifo.kind == "ram"):
        return "weight-fifo" if is_weight else "fifo", member.bits
    if register in _COUNTS:
        return "control", min(member.bits, fifo.depth.bit_length())
    if fifo.kind == "ram" and register in _POINTERS_OF_RAM | _FLAGS:
        return "control", member.bits
    return None, 0


def missing_registers(design: ValuedDesign, sites: Sequence[FaultSite]) -> list[tuple[str, str]]:
    """Registers of processes that Verilator does not keep, since nothing depends on them: process and register."""
    there = {(site.owner, _original(site.register)) for site in sites}

    def of(module: ModuleText) -> set[tuple[str, str]]:
        return {(module.processes[0], name) for name in registers_of(module.body)}

    return sorted(each for module in design.modules for each in of(module) if each not in there)


def _sites_text(sites: Sequence[FaultSite], members: Mapping[str, Member]) -> str:
    """C++ that finds a site, and counts FIFOs that hold something."""
    names = {_key(name): name for name in members}
    cases, counts = [], dict[str, str]()
    for site in sites:
        name = names[site.place, site.register]
        cases.append(f"    case {site.number}: return reinterpret_cast<char*>(&root.{name});\n")
        if _original(site.register) in _COUNTS:
            counts.setdefault(site.owner, f"    left += root.{name} != 0;\n")
    return (
        "static char* fault_site(Vtwin___024root& root, int number) {\n    switch (number) {\n"
        f"{''.join(cases)}    default: return nullptr;\n    }}\n}}\n\n"
        f"static int fault_tokens_left(Vtwin___024root& root) {{\n    int left = 0;\n{''.join(counts.values())}"
        "    return left;\n}\n"
    )
