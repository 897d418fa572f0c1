"""Builds and runs a folder of emitted SystemVerilog; writes only below its work folder."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from sttest.boards.backends.rtl.read_log import read_runs
from sttest.boards.backends.rtl.run import RtlRun
from sttest.boards.backends.rtl.simulators import find_simulator
from sttest.errors import InputError, SttestError

MAX_CLOCKS = 2_000_000_000
# Few large C++ files, all in one Verilog scope: one class per module was measured to take six times as long to
# compile, and ten times as many files one and a half times. The simulation itself takes a second or two.
_LOG = "run.log"
_VERILATOR = (
    "verilator", "--cc", "--exe", "--top-module", "twin", "--prefix", "Vtwin", "-O3", "--x-assign", "fast",
    "--x-initial", "fast", "--noassert", "-Wno-lint", "-Wno-style", "-Wno-fatal", "--output-split", "20000",
    "-Mdir", "obj",
)  # fmt: skip
_MAKE = ("make", "-j2", "-C", "obj", "-f", "Vtwin.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1", "Vtwin")


def run_folder(folder: Path, simulator: str = "verilator", *, max_clocks: int = MAX_CLOCKS) -> list[RtlRun]:
    """Runs all graphs of a folder until each has finished or stands still.

    Args:
        folder: sources, ROMs and ``twin.json``; the build and the log go below it.
        simulator: ``verilator``, compiled, or ``icarus``, interpreted, for small graphs.
        max_clocks: clock edges after which it is stopped.

    Raises:
        InputError: no such simulator, or nothing to run in the folder.
        ToolMissingError: the simulator is not installed.
        SttestError: the simulator refused the sources.
    """
    find_simulator(simulator)
    manifest = _manifest(folder)
    began = time.perf_counter()
    command = (_build_verilator if simulator == "verilator" else _build_icarus)(folder, manifest)
    built = time.perf_counter()
    with (folder / _LOG).open("wb") as log:
        _call([*command, f"+clocks={max_clocks}"], folder, stdout=log)
    run_s = time.perf_counter() - built
    return read_runs(folder, folder / _LOG, manifest["graphs"], simulator, built - began, run_s)


def _manifest(folder: Path) -> dict[str, list]:
    try:
        return json.loads((folder / "twin.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("no-twin", "no twin.json, so nothing to run", where=str(folder)) from error


def _testbench(folder: Path, name: str) -> str:
    """Copies a testbench of this package into the folder."""
    text = files("sttest.boards.backends.rtl").joinpath(name).read_text(encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return name


def _build_verilator(folder: Path, manifest: dict[str, list]) -> list[str]:
    graphs = manifest["graphs"]
    counts = {"GRAPHS": len(graphs), "FIFOS": sum(len(graph["fifos"]) for graph in graphs)}
    defines = " ".join(f"-D{name}={count}" for name, count in counts.items())
    _call([*_VERILATOR, "-CFLAGS", defines, *manifest["sources"], _testbench(folder, "testbench.cpp")], folder)
    _call(_MAKE, folder)
    return ["obj/Vtwin"]


def _build_icarus(folder: Path, manifest: dict[str, list]) -> list[str]:
    graphs = f"-Ptestbench.GRAPHS={len(manifest['graphs'])}"
    sources = [*manifest["sources"], _testbench(folder, "testbench.sv")]
    _call(["iverilog", "-g2012", "-s", "testbench", graphs, "-o", "twin.vvp", *sources], folder)
    return ["vvp", "-n", "twin.vvp"]


def _call(command: Sequence[str], folder: Path, **streams: object) -> None:
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
