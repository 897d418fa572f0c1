"""One run of yosys, in a process of its own: ``python -m sttest.targets.synth.worker JOB...`` in the jobs' folder.

Reads ``job.json`` of every job, writes ``cells.json`` and ``netlist.v`` beside it.  Most of the time of a small module
goes into reading yosys' libraries of cells, which jobs of one run share.  An abort of yosys ends this process alone.
"""

import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyosys import libyosys  # pyright: ignore[reportAttributeAccessIssue] - compiled, without stubs

# Cells at which a path begins and ends.
_STATE = ("FD*", "SRL*", "RAM*", "URAM*", "DSP*")
_SYNTH = "synth_xilinx -family xcup -uram -noiopad -noclkbuf -flatten -run"
# The step `prepare` of `synth_xilinx` without its checks: they take minutes to look for loops in wide multiplexers.
_PREPARE = (
    "proc",
    "flatten",
    "tribuf -logic",
    "deminout",
    "opt_expr",
    "opt_clean",
    "opt -nodffe -nosdff",
    "fsm",
    "opt",
    "wreduce",
    "peepopt",
    "opt_clean",
    "pmux2shiftx",
    "clean",
    "sort",
)
# The step `map_luts` of `synth_xilinx` with abc in place of abc9: the latter takes every cell that is no LUT for a
# box with delays, 2.4 ms for each shift register, and finds as many LUTs.  Functions of seven and eight inputs stay in
# LUTs of six: abc gives constants to F7 and F8 multiplexers, which only LUTs that nobody would count can do.
_MAP_LUTS = (
    "opt_expr -mux_undef -noclkinv",
    "abc -luts 2:2,3,6:5",
    "clean",
    "xilinx_srl -fixed -minlen 3",
    "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6",
    "xilinx_dffopt",
    "opt_lut_ins -tech xilinx",
)
_PATH = re.compile(r"path in \\?(\S+) \(length=(\d+)\)")


def main(keys: Sequence[str]) -> None:
    """Synthesizes the jobs of these folders."""
    began, design = time.perf_counter(), libyosys.Design()

    def run(command: str, log: str = f"-a {keys[0]}/log.txt") -> None:
        libyosys.run_pass(f"tee -q {log} {command}", design)

    boxes: dict[str, str] = {}
    for key in keys:
        boxes |= {name: f"{key}/{name}" for name in _read(key, run)}
    for box in boxes.values():
        run(f"read_verilog -lib {box}")
    run("setattr -mod -unset top *")
    run("read_verilog -lib -specify +/xilinx/cells_sim.v")
    run("read_verilog -lib +/xilinx/cells_xtra.v")
    for command in _PREPARE:
        run(command)
    run(f"{_SYNTH} map_dsp:map_luts")
    for command in _MAP_LUTS:
        run(command)
    run(f"{_SYNTH} finalize:check")
    run("stat -json", f"-o {keys[0]}/stat.json")
    for key in keys:
        run(f"select {_module(key)}")
        run(f"write_verilog -noattr -selected {key}/netlist.v")
        run("select -clear")
    for kind in _STATE:
        run(f"delete t:{kind}")
    run("ltp -noff", f"-o {keys[0]}/paths.txt")
    _write(keys, (time.perf_counter() - began) / len(keys))


def _read(key: str, run: Any) -> list[str]:
    """Reads one job, whose module gets a name of its own; the texts of black boxes, which are read once for all jobs.

    Cells that it names come from the library.
    """
    job = json.loads(Path(key, "job.json").read_text(encoding="utf-8"))
    parameters = " ".join(f"-G {name}={value}" for name, value in job["parameters"].items())
    sources = " ".join(f"{key}/{name}" for name in (*job["boxes"], *job["sources"]))
    run(f"read_slang -D YOSYS --top {job['top']} {parameters} {sources}")
    run(f"rename {job['top']} {_module(key)}")
    run("delete =A:blackbox")
    return job["boxes"]


def _write(keys: Sequence[str], seconds: float) -> None:
    """Writes cells and levels of every job; levels are cells on the longest path between two registers."""
    modules = json.loads(Path(keys[0], "stat.json").read_text(encoding="utf-8"))["modules"]
    levels = dict(_PATH.findall(Path(keys[0], "paths.txt").read_text(encoding="utf-8")))
    for key in keys:
        cells = modules[f"\\{_module(key)}"]["num_cells_by_type"]
        found = {"cells": cells, "levels": int(levels.get(_module(key), 0)), "seconds": seconds}
        Path(key, "cells.json").write_text(json.dumps(found), encoding="utf-8")


def _module(key: str) -> str:
    return f"job_{key}"


if __name__ == "__main__":
    main(sys.argv[1:])
