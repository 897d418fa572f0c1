"""Builds and runs a folder of emitted SystemVerilog; writes only below its work folder."""

import resource
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sttest.core.errors import InputError, SttestError, ToolMissingError, did_you_mean
from sttest.core.files import read_json

__depends__ = ("sttest/targets/rtl/testbench.*",)

# --- Finds the simulators of SystemVerilog that may be installed


SIMULATORS = {"verilator": ("verilator", "make", "g++"), "icarus": ("iverilog", "vvp")}
"""The programs that each simulator needs."""

INSTALL = {"verilator": "apt-get install verilator make g++", "icarus": "apt-get install iverilog"}
"""How they come onto a Debian or Ubuntu machine."""


def find_simulator(name: str) -> None:
    """Makes sure that a simulator can be run.

    Raises:
        InputError: there is no such simulator.
        ToolMissingError: one of its programs is not installed; names the command that installs it.
    """
    if name not in SIMULATORS:
        raise InputError("unknown-simulator", f"no simulator '{name}'", hints=[did_you_mean(name, SIMULATORS)])
    missing = [program for program in SIMULATORS[name] if shutil.which(program) is None]
    if missing:
        other = next(other for other in SIMULATORS if other != name)
        raise ToolMissingError(
            "no-simulator",
            f"{' and '.join(missing)} not found",
            where=f"--simulator {name}",
            hints=[f"install with '{INSTALL[name]}'", f"use --simulator {other}"],
        )


# --- What a run of the hardware gave


@dataclass(frozen=True)
class Blocked:
    """A process that stood still at the end: it needed ``need`` tokens or places of a FIFO that had ``have``.

    ``fifo`` is empty where it waited for memory.
    """

    process: str
    waits_to: str
    fifo: str
    need: int
    have: int


@dataclass(frozen=True)
class Violation:
    """A failed assertion: a reader got token ``got``, -1 for none, where ``expected`` was due."""

    fifo: str
    got: int
    expected: int
    cycle: int


@dataclass(frozen=True)
class WrongToken:
    """The first token of a FIFO whose value is not what it shall be."""

    fifo: str  # name of the FIFO
    token: int  # number of the token
    cycle: int  # cycle in which it was written
    # the first byte that differs, the lowest of the token being 0, as it was written and as it shall be
    byte: int = 0
    got: int = 0
    expected: int = 0

    @staticmethod
    def of(fifo: str, token: int, cycle: int, got: int, expected: int) -> "WrongToken":
        """A token as it was written and as it shall be, all its bits as a number."""
        apart = got ^ expected
        byte = ((apart & -apart).bit_length() - 1) // 8
        return WrongToken(fifo, token, cycle, byte, got >> 8 * byte & 0xFF, expected >> 8 * byte & 0xFF)

    def __str__(self) -> str:
        where = f"token {self.token} of '{self.fifo}', cycle {self.cycle}"
        return f"{where}: byte {self.byte} is 0x{self.got:02x}, not 0x{self.expected:02x}"


@dataclass(frozen=True)
class RtlRun:
    """One graph, run.

    ``verdict``: ``done``, ``deadlock``, or ``limit`` where the clock edges did not suffice; ``cycles``: the latest
    finish, None unless done; ``finish``: cycle per process, None where it never did; ``writes``, ``reads``: int64
    cycles per FIFO, one entry per token; ``blocked``: who stood still in a deadlock; ``violations``: of the order
    of tokens; ``wrong``: values that differ from what is expected; ``build_s``, ``run_s``: seconds of the whole
    folder.
    """

    name: str
    simulator: str
    verdict: str
    cycles: int | None
    finish: dict[str, int | None]
    writes: dict[str, np.ndarray] = field(repr=False)
    reads: dict[str, np.ndarray] = field(repr=False)
    blocked: tuple[Blocked, ...] = ()
    violations: tuple[Violation, ...] = ()
    wrong: tuple[WrongToken, ...] = ()
    build_s: float = 0.0
    run_s: float = 0.0

    @property
    def fifo_events(self) -> int:
        """Tokens written and read."""
        return sum(times.size for times in (*self.writes.values(), *self.reads.values()))


# --- Reads what a testbench wrote: lines of text, and from Verilator one binary file of access times per FIFO


Lines = dict[str, list[list[int]]]


def read_runs(
    folder: Path, log: Path, graphs: list[dict[str, Any]], simulator: str, build_s: float, run_s: float
) -> list[RtlRun]:
    """One run per graph of the folder's manifest."""
    lines, verdicts = _parse(log)
    accesses = _text_accesses(lines["access"]) if simulator == "icarus" else None
    runs, first_process, first_fifo = [], 0, 0
    for number, graph in enumerate(graphs):
        names = _Names(graph, first_process, first_fifo)
        times = [
            _fifo_times(folder, first_fifo + index, accesses) for index in range(len(graph["fifos"]))
        ]  # (writes, reads) per FIFO
        finish = names.finish(lines["finish"])
        done = [cycle for cycle in finish.values() if cycle is not None]
        runs.append(
            RtlRun(
                name=graph["name"],
                simulator=simulator,
                verdict=verdicts[number],
                cycles=max(done) if verdicts[number] == "done" else None,
                finish=finish,
                writes={name: pair[0] for name, pair in zip(graph["fifos"], times, strict=True)},
                reads={name: pair[1] for name, pair in zip(graph["fifos"], times, strict=True)},
                blocked=names.blocked(lines["blocked"]),
                violations=names.violations(lines["wrong"]),
                wrong=names.wrong(lines["value"]),
                build_s=build_s,
                run_s=run_s,
            )
        )
        first_process += len(graph["processes"])
        first_fifo += len(graph["fifos"])
    return runs


def _parse(log: Path) -> tuple[Lines, dict[int, str]]:
    """Numbers of the lines by their first word, and the verdict per graph."""
    lines: Lines = defaultdict(list)
    verdicts: dict[int, str] = {}
    with log.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            word, *rest = line.split()
            if word == "graph":
                verdicts[int(rest[0])] = rest[1]
            elif word == "value":
                lines[word].append([*map(int, rest[:3]), *(int(bits, 16) for bits in rest[3:])])
            elif word in ("access", "finish", "blocked", "wrong"):
                lines[word].append([_number(text) for text in rest])
    return lines, verdicts


def _number(text: str) -> int:
    """-1 for what the simulator calls unknown, as a place of a FIFO that was never written."""
    return -1 if text.strip("xX") == "" else int(text)


class _Names:
    """The names of one graph behind the numbers of the log."""

    def __init__(self, graph: dict[str, Any], first_process: int, first_fifo: int) -> None:
        self.processes = {first_process + k: name for k, name in enumerate(graph["processes"])}
        self.fifos = {first_fifo + k: name for k, name in enumerate(graph["fifos"])}

    def finish(self, lines: list[list[int]]) -> dict[str, int | None]:
        cycles: dict[str, int | None] = dict.fromkeys(self.processes.values())
        cycles.update({self.processes[process]: cycle for process, cycle in lines if process in self.processes})
        return cycles

    def blocked(self, lines: list[list[int]]) -> tuple[Blocked, ...]:
        return tuple(
            Blocked(self.processes[process], "write" if op % 2 else "read", self.fifos[op // 2], need, have)
            for process, op, need, have in lines
            if process in self.processes
        )

    def violations(self, lines: list[list[int]]) -> tuple[Violation, ...]:
        return tuple(
            Violation(self.fifos[fifo], got, expected, cycle)
            for fifo, got, expected, cycle in lines
            if fifo in self.fifos
        )

    def wrong(self, lines: list[list[int]]) -> tuple[WrongToken, ...]:
        found = (WrongToken.of(self.fifos[fifo], *rest) for fifo, *rest in lines if fifo in self.fifos)
        return tuple(sorted(found, key=lambda each: each.cycle))


def _text_accesses(lines: list[list[int]]) -> dict[int, list[int]]:
    """Cycles by FIFO side, one entry per token."""
    sides: dict[int, list[int]] = defaultdict(list)
    for op, tokens, cycle in lines:
        sides[op].extend([cycle] * tokens)
    return sides


def _fifo_times(folder: Path, fifo: int, accesses: dict[int, list[int]] | None) -> tuple[np.ndarray, np.ndarray]:
    """Writes and reads, int64."""
    if accesses is not None:
        writes, reads = accesses.get(2 * fifo + 1, []), accesses.get(2 * fifo, [])
        return np.array(writes, np.int64), np.array(reads, np.int64)
    return read_times(folder / "times" / f"{fifo}.bin")


def read_times(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Writes and reads from a file: int64 (bytes per cycle, writes, reads), then the cycles, 4 or 8 bytes each."""
    width, writes, _ = np.fromfile(path, "<i8", 3).tolist()
    cycles = np.fromfile(path, f"<u{width}", offset=24).astype(np.int64)
    return cycles[:writes], cycles[writes:]


MAX_CLOCKS = 2_000_000_000
# Few large C++ files, all in one Verilog scope: one class per module was measured to take six times as long to
# compile, and ten times as many files one and a half times. The simulation itself takes a second or two.
_LOG = "run.log"
_VERILATOR = (
    "verilator", "--cc", "--exe", "--top-module", "twin", "--prefix", "Vtwin", "-O3", "--x-assign", "fast",
    "--x-initial", "fast", "--noassert", "-Wno-lint", "-Wno-style", "-Wno-fatal", "--output-split", "20000",
    "--unroll-count", "100000", "--unroll-stmts", "1", "-Mdir", "obj",
)  # fmt: skip
# Tokens are wider than what is traced by default.
_TRACED = ("--trace-max-width", "65536", "--trace-max-array", "64")
_MAKE = ("make", "-j2", "-C", "obj", "-f", "Vtwin.mk", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1", "Vtwin")


TRACE_OPTIONS = {".fst": "--trace-fst", ".vcd": "--trace"}
"""What Verilator is asked for, by the suffix of a waveform; FST needs the headers of zlib."""


@dataclass(frozen=True)
class Window:
    """Clock edges of a waveform; edge ``n + 1`` ends cycle ``n``, but where actors take several edges per cycle."""

    path: Path  # a file of one of the kinds that :data:`TRACE_OPTIONS` names
    first: int
    last: int


@dataclass(frozen=True)
class BuiltFolder:
    """A simulation that can be run, with what lies in its folder then."""

    folder: Path
    simulator: str
    command: tuple[str, ...]
    graphs: list[dict[str, Any]]  # graphs of the folder's manifest
    build_s: float

    def run(self, max_clocks: int = MAX_CLOCKS, window: "Window | None" = None) -> list[RtlRun]:
        """Runs all graphs until each has finished or stands still.

        Args:
            max_clocks: clock edges after which it is stopped.
            window: what to keep as a waveform, of a folder that was built for it.

        Raises:
            SttestError: the simulation failed.
        """
        began, log = time.perf_counter(), self.folder / _LOG
        asked = [f"+clocks={max_clocks}"]
        if window is not None:
            asked += [f"+wave={window.path.resolve()}", f"+from={window.first}", f"+to={window.last}"]
        with log.open("wb") as lines:
            call_tool([*self.command, *asked], self.folder, stdout=lines, preexec_fn=largest_stack)
        return read_runs(self.folder, log, self.graphs, self.simulator, self.build_s, time.perf_counter() - began)


def build_folder(
    folder: Path, simulator: str = "verilator", *, many_small: bool = False, waveform: str = ""
) -> BuiltFolder:
    """Builds the simulation of a folder.

    Args:
        folder: sources, ROMs and ``twin.json``; the build and the log go below it.
        simulator: ``verilator``, compiled, or ``icarus``, interpreted, for small graphs.
        many_small: whether building takes longer than running, so that the C++ compiler shall not optimize.
        waveform: suffix of the waveforms that it can write, with Verilator; none if left out.

    Raises:
        InputError: no such simulator, or nothing to run in the folder.
        ToolMissingError: the simulator is not installed.
        SttestError: the simulator refused the sources.
    """
    find_simulator(simulator)
    manifest, began = read_json(folder / "twin.json"), time.perf_counter()
    if simulator == "verilator":
        command = _build_verilator(folder, manifest, "-O0" if many_small else "-O1", waveform)
    else:
        command = _build_icarus(folder, manifest)
    return BuiltFolder(folder, simulator, tuple(command), manifest["graphs"], time.perf_counter() - began)


def _testbench(folder: Path, name: str) -> str:
    """Copies a testbench of this package into the folder."""
    text = files("sttest.targets.rtl").joinpath(name).read_text(encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return name


def _build_verilator(folder: Path, manifest: dict[str, list], optimize: str, waveform: str) -> list[str]:
    graphs = manifest["graphs"]
    counts = {"GRAPHS": len(graphs), "FIFOS": sum(len(graph["fifos"]) for graph in graphs)}
    defines = " ".join(f"-D{name}={count}" for name, count in counts.items())
    defines += " -I../include"
    trace = [TRACE_OPTIONS[waveform], *_TRACED] if waveform else []
    sources = [*manifest["sources"], _testbench(folder, "testbench.cpp")]
    call_tool([*_VERILATOR, *trace, "-CFLAGS", defines, *sources], folder)
    call_tool([*_MAKE, f"OPT_FAST={optimize}"], folder)
    return ["obj/Vtwin"]


def _build_icarus(folder: Path, manifest: dict[str, list]) -> list[str]:
    graphs = f"-Ptestbench.GRAPHS={len(manifest['graphs'])}"
    sources = [*manifest["sources"], _testbench(folder, "testbench.sv")]
    call_tool(["iverilog", "-g2012", "-s", "testbench", graphs, "-o", "twin.vvp", *sources], folder)
    return ["vvp", "-n", "twin.vvp"]


def largest_stack() -> None:
    """Verilator's functions keep the signals of a large design on the stack."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))


def call_tool(command: Sequence[str], folder: Path, **streams: object) -> None:
    """Runs a tool in the folder; its complaints become one error.

    Raises:
        SttestError: it failed.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    done = subprocess.run(command, cwd=folder, check=False, **options)  # pyright: ignore
    if done.returncode:
        said = (done.stderr or done.stdout or b"").decode("utf-8", "replace").strip().splitlines()
        told = next((line for line in said if "error" in line.lower()), said[-1] if said else "no message")
        raise SttestError("simulator-failed", f"{command[0]} ended with {done.returncode}: {told}", where=str(folder))
