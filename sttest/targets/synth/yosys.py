"""Jobs for yosys: a module with parameters, and the cells of UltraScale+ that it takes.

yosys' counts are not Vivado's: it does not put two small functions into one LUT, so that LUTs are too many, and does
not count LUTs that only lead to a carry.  Inverters are counted apart: Vivado puts them into the LUTs behind.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sttest.boards.resources import Resources
from sttest.core.errors import InputError, SttestError, ToolMissingError
from sttest.core.files import read_object, write_text

SCHEMA = "sttest.synthesized/1"
LIMIT_S = 600.0
"""Seconds for one job."""
# LUTs of cells that are not one each (AMD UG974).
_LUTS_OF = {
    "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM256X1D": 8, "RAM512X1S": 8,
    "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM32X16DR8": 8,
}  # fmt: skip
_SHIFT_REGISTERS = ("SRL16E", "SRLC16E", "SRLC32E")
_FLIP_FLOPS = ("FDRE", "FDSE", "FDCE", "FDPE")
_BRAM18 = {"RAMB18E2": 1, "RAMB36E2": 2}


@dataclass(frozen=True)
class SynthesisJob:
    """A module to be synthesized."""

    top: str  # name of the module
    sources: tuple[tuple[str, str], ...]  # file names with their texts
    parameters: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """A name by content: of the same texts, parameters and yosys."""
        facts = [self.top, self.sources, sorted(self.parameters.items()), yosys_version()]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Synthesized:
    """What a module takes."""

    cells: Mapping[str, int]  # by kind
    levels: int  # cells on the longest path between two registers
    seconds: float  # that it took

    @property
    def resources(self) -> Resources:
        """Its cells as resources of a board."""
        return Resources(
            lut=sum(count * _luts(kind) for kind, count in self.cells.items()),
            ff=sum(self.cells.get(kind, 0) for kind in _FLIP_FLOPS),
            dsp=self.cells.get("DSP48E2", 0),
            bram18=sum(count * self.cells.get(kind, 0) for kind, count in _BRAM18.items()),
            uram=self.cells.get("URAM288", 0),
        )

    @property
    def shift_registers(self) -> int:
        """LUTs that are shift registers."""
        return sum(self.cells.get(kind, 0) for kind in _SHIFT_REGISTERS)


def _luts(kind: str) -> int:
    return _LUTS_OF.get(kind, int(kind.startswith("LUT") or kind in _SHIFT_REGISTERS))


def yosys_version() -> str:
    """The version of the package that is installed.

    Raises:
        ToolMissingError: there is none.
    """
    if importlib.util.find_spec("pyosys") is None:
        raise ToolMissingError(
            "no-yosys", "yosys is not installed", where="synth", hints=["pip install 'sttest[rtl]'"]
        )  # fmt: skip
    return importlib.metadata.version("pyosys")


def synthesize(job: SynthesisJob, folder: Path, limit_s: float = LIMIT_S) -> Synthesized:
    """What a module takes; a job that was done before, in the same folder, is not run again.

    Args:
        job: module.
        folder: folder of all jobs; each has one of its own there.
        limit_s: seconds after which it is stopped.

    Raises:
        SttestError: yosys refuses the module or is stopped.
    """
    place = folder / job.key
    done = place / "result.json"
    if done.is_file():
        try:
            return _result(read_object(done, SCHEMA))
        except InputError:
            done.unlink()
    place.mkdir(parents=True, exist_ok=True)
    for name, text in job.sources:
        write_text(place / name, text)
    asked = {
        "top": job.top, "sources": [name for name, _ in job.sources],
        "parameters": {name: f'"{value}"' if isinstance(value, str) else value for name, value in job.parameters.items()},
    }  # fmt: skip
    write_text(place / "job.json", json.dumps(asked))
    _run(job, place, limit_s)
    found = json.loads((place / "cells.json").read_text(encoding="utf-8"))
    write_text(done, json.dumps({"schema": SCHEMA, **found}))
    return _result(found)


def _run(job: SynthesisJob, place: Path, limit_s: float) -> None:
    command = [sys.executable, "-m", "sttest.targets.synth.worker"]
    try:
        ended = subprocess.run(command, cwd=place, capture_output=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        raise SttestError(
            "synth-timeout", f"yosys took longer than {limit_s:g} s", where=job.top, hints=["raise --timeout"]
        ) from None
    if ended.returncode or not (place / "cells.json").is_file():
        told = (ended.stdout + ended.stderr).decode(errors="replace")
        reasons = [line for line in told.splitlines() if "ERROR" in line or "error:" in line]
        raise SttestError(
            "synth-failed", (reasons or [f"yosys ended with {ended.returncode}"])[0].strip(), where=job.top,
            hints=[f"see {place}/log.txt"],
        )  # fmt: skip


def _result(found: Mapping[str, Any]) -> Synthesized:
    return Synthesized(dict(found["cells"]), int(found["levels"]), float(found["seconds"]))


def synthesize_all(
    jobs: Sequence[SynthesisJob], folder: Path, parallel: int, tell: Callable[[str], None], limit_s: float = LIMIT_S
) -> dict[str, Synthesized | SttestError]:
    """All distinct jobs, some at a time: what each takes, or why it could not be had, by its key.

    Args:
        jobs: modules, the same one as often as it comes.
        folder: see :func:`synthesize`.
        parallel: jobs at a time.
        tell: called with a line of progress.
        limit_s: see :func:`synthesize`.
    """
    distinct = {job.key: job for job in jobs}
    found: dict[str, Synthesized | SttestError] = {}
    with ThreadPoolExecutor(parallel) as pool:
        running = {pool.submit(synthesize, job, folder, limit_s): key for key, job in distinct.items()}
        for ended in as_completed(running):
            key = running[ended]
            error = ended.exception()
            if error is not None and not isinstance(error, SttestError):
                raise error
            found[key] = error if isinstance(error, SttestError) else ended.result()
            tell(f"{len(found)}/{len(distinct)} {distinct[key].top}")
    return found
