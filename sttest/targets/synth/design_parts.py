"""What a design is made of, as synthesis takes it: its FIFOs, its memories, and the logic of its processes.

Every part carries what the resource model predicts of it, and together they are the total of the package's report, so
that what has no module yet is known by name and by size.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.resources.synthesis import (
    corrected,
    fifo_estimate,
    port_estimate,
    port_rows,
    process_estimate,
    synthesized_rows,
)
from sttest.compile.rtl import Instance, fifo, memory
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.targets.synth.ports import PortJob, port_jobs
from sttest.targets.synth.processes import ProcessJobs, process_jobs
from sttest.targets.synth.yosys import SynthesisJob

NO_LOGIC = "not emitted as SystemVerilog yet"
NO_REGISTERS = "registers of a process that has no module"
_TOTAL = ("total", "budget")


@dataclass(frozen=True)
class DesignPart:
    """Something that a design has one or several of."""

    name: str  # name of the FIFO, memory or process
    process: str  # process that it belongs to
    role: str  # ``fifo``, ``converter`` or ``tile`` for memories, the kind of process for logic
    predicted: Resources  # resources of one of them
    count: int = 1  # how many the design has of it, such as banks
    kind: str = ""  # kind of memory
    depth: int = 0  # words
    bits: int = 0  # width of a word, bits
    job: SynthesisJob | None = None
    why_not: str = ""  # reason for which it has no job
    parts: Mapping[str, SynthesisJob] = field(default_factory=dict)  # jobs of the black boxes in it, by name
    corrected: Resources | None = None  # prediction for one of them by rows of synthesis


def design_parts(package: DesignPackage, folder: Path) -> list[DesignPart]:
    """The parts of a package; another kind of part that can be synthesized gets its jobs here.

    Args:
        package: design.
        folder: folder for what is made before synthesis.

    Raises:
        InputError: the package lacks a report.
        ToolMissingError: XLS is not installed.
    """
    memories, processes = _rows(package.report("memory_kinds")), _rows(package.report("resources"))
    jobs = process_jobs(package, folder)
    # Arrays of a process are in its module.
    whole = {name for name, found in jobs.items() if isinstance(found, ProcessJobs)}
    apart = [row for row in memories if row["role"] == "fifo" or row["process"] not in whole]
    return [*map(_memory, apart), *_logic(apart, processes, jobs | port_jobs(package))]


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _memory(row: dict[str, Any]) -> DesignPart:
    banks, kind, depth, bits = int(row["banks"]), row["kind"], int(row["depth_words"]), int(row["word_bits"])
    one = _amounts(row) * (1 / banks)
    is_fifo = row["role"] == "fifo"
    if not is_fifo and kind == "register":
        job, why_not = None, NO_REGISTERS
    else:
        made = fifo(kind, depth, bits) if is_fifo else memory(kind, depth, bits)
        job, why_not = _job(made, one), ""
    better = fifo_estimate(kind, depth, bits, one) if is_fifo else None
    return DesignPart(
        row["memory"], row["process"], row["role"], one, banks, kind, depth, bits, job, why_not, corrected=better
    )


def _job(made: Instance, predicted: Resources) -> SynthesisJob:
    return SynthesisJob(made.module, made.sources, made.parameters, predicted.lut)


def _logic(
    apart: Sequence[Mapping[str, Any]],
    processes: Sequence[Mapping[str, Any]],
    jobs: Mapping[str, ProcessJobs | PortJob | InputError],
) -> Iterator[DesignPart]:
    """Processes without the memories that are parts of their own but in their rows; FIFOs between them are not."""
    between = {row["process"] for row in processes if row["kind"] == "fifo"}
    included: dict[str, list[Resources]] = defaultdict(list)
    for row in apart:
        if row["memory"] not in between:
            included[row["process"]].append(_amounts(row))
    for row in processes:
        if row["kind"] in ("fifo", *_TOTAL):
            continue
        name, found = row["process"], jobs.get(row["process"])
        part = DesignPart(name, name, row["kind"], _amounts(row) + total(included[name]) * -1, why_not=NO_LOGIC)
        if isinstance(found, ProcessJobs):
            better = corrected(part.predicted, process_estimate(found.module, synthesized_rows()))
            yield replace(part, job=found.frame, parts=found.parts, why_not="", corrected=better)
        elif isinstance(found, PortJob):
            port = found.port
            better = port_estimate(port.words, port.bursts, port.room, reads=port.reads, rows=port_rows())
            yield replace(part, job=found.job, why_not="", corrected=better)
        else:
            yield part if found is None else replace(part, why_not=found.what)


def _amounts(row: Mapping[str, Any]) -> Resources:
    return Resources(**{kind: float(row.get(kind, 0)) for kind in KINDS})
