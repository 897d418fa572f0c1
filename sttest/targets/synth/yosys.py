"""Jobs for yosys: a module with parameters, and the cells of UltraScale+ that it takes.

yosys' counts are not Vivado's: it does not put two small functions into one LUT, so that LUTs are too many, and does
not count LUTs that only lead to a carry.  Inverters are counted apart: Vivado puts them into the LUTs behind.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sttest.boards.resources import Resources
from sttest.core.children import python_command
from sttest.core.errors import InputError, SttestError, ToolMissingError
from sttest.core.files import read_object, write_text

INSTALL = "pip install 'sttest[rtl]'"
SCHEMA = "sttest.synthesized/1"
LIMIT_S = 600.0
"""Seconds for one job."""
_STEPS = "synth_xilinx -family xcup -uram -flatten, abc -luts 2:2,3,6:5"
_ASKED, _DONE, _LOG = "job.json", "result.json", "log.txt"
# Of modules that share a run: some passes grow with the square of what they work on.
_MOST_JOBS, _MOST_LUTS = 16, 6000
# LUTs of cells that are not one each (AMD UG974).
_LUTS_OF = {
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1S": 2,
    "RAM128X1D": 4,
    "RAM256X1S": 4,
    "RAM256X1D": 8,
    "RAM512X1S": 8,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32M16": 8,
    "RAM64M8": 8,
    "RAM32X16DR8": 8,
}
_SHIFT_REGISTERS = ("SRL16E", "SRLC16E", "SRLC32E")
_FLIP_FLOPS = ("FDRE", "FDSE", "FDCE", "FDPE")
_BRAM18 = {"RAMB18E2": 1, "RAMB36E2": 2}


@dataclass(frozen=True)
class SynthesisJob:
    """A module to be synthesized."""

    top: str  # name of the module
    sources: tuple[tuple[str, str], ...]  # file names with their texts
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    size: float = 0  # predicted LUTs, by which jobs are put together
    boxes: tuple[tuple[str, str], ...] = ()  # modules inside it that stay black boxes: their names and texts

    @property
    def title(self) -> str:
        """The module with its parameters."""
        return f"{self.top}({', '.join(f'{name}={value}' for name, value in self.parameters.items())})"

    @cached_property
    def key(self) -> str:
        """A name by content: of the same texts, parameters, steps and yosys.

        Raises:
            ToolMissingError: yosys is not installed.
        """
        facts = [_STEPS, self.top, self.sources, sorted(self.parameters.items()), yosys_version(), *self.boxes]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Synthesized:
    """What a module takes."""

    cells: Mapping[str, int]  # cells by kind
    levels: int  # cells on the longest path between two registers
    seconds: float  # seconds that it took

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


def assembled(
    frame: Synthesized | SttestError, parts: Mapping[str, Synthesized | SttestError]
) -> Synthesized | SttestError:
    """A module with what its black boxes are made of, as often as it has them; or why it is not known.

    Args:
        frame: the module.
        parts: its black boxes by name.
    """
    if isinstance(frame, SttestError):
        return frame
    cells, levels, seconds = Counter(frame.cells), frame.levels, frame.seconds
    for name, part in parts.items():
        if isinstance(part, SttestError):
            return part
        count = cells.pop(name, 0)
        cells.update({kind: count * each for kind, each in part.cells.items()})
        levels, seconds = max(levels, part.levels), seconds + part.seconds
    return Synthesized(dict(cells), levels, seconds)


def _luts(kind: str) -> int:
    return _LUTS_OF.get(kind, int(kind.startswith("LUT") or kind in _SHIFT_REGISTERS))


def yosys_version() -> str:
    """The version of the package that is installed.

    Raises:
        ToolMissingError: there is none.
    """
    if importlib.util.find_spec("pyosys") is None:
        raise ToolMissingError("no-yosys", "yosys is not installed", where="synth", hints=[INSTALL])
    return importlib.metadata.version("pyosys")


def synthesize(
    jobs: Iterable[SynthesisJob], folder: Path, parallel: int, tell: Callable[[str], None], limit_s: float = LIMIT_S
) -> dict[str, Synthesized | SttestError]:
    """What each distinct module takes, or why that could not be had, by the key of its job.

    A job that was done before in the same folder is not run again.  Small ones share a run of yosys; where that run
    fails, each has one of its own.

    Args:
        jobs: modules, the same one as often as it comes.
        folder: folder of all jobs; each has one of its own there.
        parallel: runs of yosys at a time.
        tell: called with a line of progress.
        limit_s: seconds per job after which a run is stopped.

    Raises:
        ToolMissingError: yosys is not installed.
    """
    distinct = {job.key: job for job in jobs}
    found: dict[str, Synthesized | SttestError] = {
        key: done for key in distinct if (done := _done(folder / key)) is not None
    }
    groups = _groups([job for key, job in distinct.items() if key not in found])
    with ThreadPoolExecutor(parallel) as pool:
        running = [pool.submit(_synthesize_group, group, folder, limit_s) for group in groups]
        try:
            for ended in as_completed(running):
                found |= ended.result()
                tell(f"{len(found)} of {len(distinct)} modules")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {key: found[key] for key in distinct}


def _groups(jobs: Iterable[SynthesisJob]) -> list[list[SynthesisJob]]:
    """Jobs that share a run of yosys, the largest first."""
    groups: list[list[SynthesisJob]] = []
    room = 0
    for job in sorted(jobs, key=lambda each: (-each.size, each.key)):
        if not groups or len(groups[-1]) == _MOST_JOBS or job.size > room:
            groups.append([])
            room = _MOST_LUTS
        groups[-1].append(job)
        room -= job.size
    return groups


def _synthesize_group(
    group: Sequence[SynthesisJob], folder: Path, limit_s: float
) -> dict[str, Synthesized | SttestError]:
    for job in group:
        _write(job, folder / job.key)
    try:
        _run(group, folder, limit_s * len(group))
    except SttestError as error:
        if len(group) == 1:
            return {group[0].key: error}
        alone = [_synthesize_group([job], folder, limit_s) for job in group]
        return {key: found for each in alone for key, found in each.items()}
    return {job.key: _keep(folder / job.key) for job in group}


def _write(job: SynthesisJob, place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    boxes = [(f"{name}.v", text) for name, text in job.boxes]
    for name, text in (*job.sources, *boxes):
        write_text(place / name, text)
    given = {name: f'"{value}"' if isinstance(value, str) else value for name, value in job.parameters.items()}
    asked = {
        "top": job.top,
        "sources": [name for name, _ in job.sources],
        "parameters": given,
        "boxes": [name for name, _ in boxes],
    }
    write_text(place / _ASKED, json.dumps(asked, indent=1) + "\n")
    (place / _LOG).unlink(missing_ok=True)


def _run(group: Sequence[SynthesisJob], folder: Path, limit_s: float) -> None:
    """Runs yosys once.

    Raises:
        SttestError: it refuses a module, aborts or takes too long.
    """
    worker = ["-m", "sttest.targets.synth.worker", *(job.key for job in group)]
    command = python_command(worker, ends_with_us=True)
    where, log = group[0].title, folder / group[0].key / _LOG
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        raise SttestError(
            "synth-timeout", f"yosys took longer than {limit_s:g} s", where=where, hints=["raise --timeout"]
        ) from None
    if ended.returncode:
        told = (ended.stdout + ended.stderr).decode(errors="replace").splitlines()
        reasons = [line.strip() for line in told if "ERROR" in line or "error:" in line]
        reason = reasons[0] if reasons else f"yosys ended with {ended.returncode}"
        raise SttestError("synth-failed", reason, where=where, hints=[f"see {log}"])


def _keep(place: Path) -> Synthesized:
    """The figures of a run that went well, in a file that is whole or not there."""
    found = json.loads((place / "cells.json").read_text(encoding="utf-8"))
    write_text(place / _DONE, json.dumps({"schema": SCHEMA, **found}) + "\n")
    return _result(found)


def _done(place: Path) -> Synthesized | None:
    """What was found before; None where there is nothing, or nothing that can be read."""
    if not (place / _DONE).is_file():
        return None
    try:
        return _result(read_object(place / _DONE, SCHEMA))
    except (InputError, KeyError, ValueError):
        return None


def _result(found: Mapping[str, Any]) -> Synthesized:
    return Synthesized(dict(found["cells"]), int(found["levels"]), float(found["seconds"]))
