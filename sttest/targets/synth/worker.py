"""One run of yosys, in a process of its own: ``python -m sttest.targets.synth.worker`` in the folder of the job.

Reads ``job.json``, writes ``cells.json`` and ``netlist.v``.  An abort of yosys ends this process alone.
"""

import json
import time
from pathlib import Path

from pyosys import libyosys

# Cells at which a path begins and ends.
_STATE = ("FD*", "SRL*", "RAM*", "URAM*", "DSP*")


def main() -> None:
    """Synthesizes the job of this folder."""
    job = json.loads(Path("job.json").read_text(encoding="utf-8"))
    began, design = time.perf_counter(), libyosys.Design()
    parameters = " ".join(f"-G {name}={value}" for name, value in job["parameters"].items())

    def run(command: str) -> None:
        libyosys.run_pass(f"tee -q -a log.txt {command}", design)

    run(f"read_slang -D YOSYS --top {job['top']} {parameters} {' '.join(job['sources'])}")
    run("synth_xilinx -family xcup -uram -noiopad -noclkbuf -flatten")
    run("write_verilog -noattr netlist.v")
    libyosys.run_pass("tee -q -o stat.json stat -json", design)
    for kind in _STATE:
        run(f"delete t:{kind}")
    libyosys.run_pass("tee -q -o path.txt ltp -noff", design)
    cells = json.loads(Path("stat.json").read_text(encoding="utf-8"))["design"]["num_cells_by_type"]
    found = {"cells": cells, "levels": _levels(), "seconds": time.perf_counter() - began}
    Path("cells.json").write_text(json.dumps(found), encoding="utf-8")


def _levels() -> int:
    """Cells on the longest path between two of them."""
    for line in Path("path.txt").read_text(encoding="utf-8").splitlines():
        _, found, rest = line.partition("(length=")
        if found:
            return int(rest.partition(")")[0])
    return 0


if __name__ == "__main__":
    main()
