"""What a design is made of, as synthesis takes it: its FIFOs, its memories, and the logic of its processes.

Every part carries what the resource model predicts of it, and together they are the total of the package's report, so
that what has no module yet is known by name and by size.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.rtl import Instance, fifo, memory
from sttest.package import DesignPackage
from sttest.targets.synth.yosys import SynthesisJob

NO_LOGIC = "not emitted as SystemVerilog yet"
NO_REGISTERS = "registers of a process are synthesized with its logic"
_TOTAL = ("total", "budget")


@dataclass(frozen=True)
class DesignPart:
    """Something that a design has one or several of."""

    name: str  # name of the FIFO, memory or process
    process: str  # process that it belongs to
    role: str  # ``fifo``, ``converter`` or ``tile`` for memories, the kind of process for logic
    predicted: Resources  # of one of them
    count: int = 1  # how many the design has of it, such as banks
    kind: str = ""  # kind of memory
    depth: int = 0  # words
    bits: int = 0  # width of a word, bits
    job: SynthesisJob | None = None
    why_not: str = ""  # reason for which it has no job


def design_parts(package: DesignPackage) -> list[DesignPart]:
    """The parts of a package; another kind of part that can be synthesized gets its jobs here.

    Raises:
        InputError: the package lacks a report.
    """
    memories, processes = package.report("memory_kinds"), package.report("resources")
    return [*map(_memory, _rows(memories)), *_logic(memories, processes)]


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
    return DesignPart(
        row["memory"], row["process"], row["role"], one, banks, kind, depth, bits, job, why_not
    )  # fmt: skip


def _job(made: Instance, predicted: Resources) -> SynthesisJob:
    return SynthesisJob(made.module, made.sources, made.parameters, predicted.lut)


def _logic(memories: pd.DataFrame, processes: pd.DataFrame) -> Iterator[DesignPart]:
    """Processes without the memories that their rows of the report include; FIFOs between them have their own rows."""
    rows = _rows(processes)
    apart = {row["process"] for row in rows if row["kind"] == "fifo"}
    included: dict[str, list[Resources]] = defaultdict(list)
    for row in _rows(memories):
        if row["memory"] not in apart:
            included[row["process"]].append(_amounts(row))
    for row in rows:
        if row["kind"] not in ("fifo", *_TOTAL):
            logic = _amounts(row) + total(included[row["process"]]) * -1
            yield DesignPart(row["process"], row["process"], row["kind"], logic, why_not=NO_LOGIC)


def _amounts(row: dict[str, Any]) -> Resources:
    return Resources(**{kind: float(row.get(kind, 0)) for kind in KINDS})
