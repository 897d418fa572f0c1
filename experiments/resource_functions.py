"""Functions of published designs as the resource model sees them: the loops of their sources, their FIFOs and arrays.

A report's function holds more than the loop that it was written for: padding, line buffers, windows and what comes
after are processes of their own inside of it.  The tables read here say which; they are made from the public sources
(``experiments.synthesis_sources``), not from reports.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil, prod
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from sttest.boards.resources import LUTRAM_MAX_WORDS, PipelineLogic, Resources, fifo_resources, memory_resources
from sttest.sim.graph import SRL_MAX_BITS

__depends__ = ("experiments/data/synthesis/function_*.csv",)

DATA = Path(__file__).parent / "data" / "synthesis"
_LOOPS, _ARRAYS = DATA / "function_loops.csv", DATA / "function_arrays.csv"
_OPERATIONS = ("products", "double_products", "quotients", "sums", "differences", "comparisons", "choices")
# LUTs of a choice among so many inputs, of any width: 21,632, 3,841, 204 and 490 instances in the multiplexers of
# the Stream-HLS reports whose rows are marked `fit`, without exception.
_CHOICE_LUTS = {2: 9, 3: 14, 4: 20, 5: 26}
_WRITE_SIGNALS, _READ_SIGNALS = 4, 2  # Address, enable, write enable and data; address and enable.


_Row: TypeAlias = Mapping[Hashable, Any]


@dataclass(frozen=True)
class SourceLoop:
    """A pipelined loop, or the loops ``around`` pipelined ones, which only count.

    Attributes:
        trips: of the nest, outermost first.
        ports: FIFOs that an iteration reads or writes.
        operations: of an iteration, by kind.
    """

    around: bool
    trips: tuple[int, ...]
    ports: int
    operations: Mapping[str, int]

    @property
    def trip(self) -> int:
        """Iterations of the nest."""
        return prod(self.trips)


@dataclass(frozen=True)
class SourceFunction:
    """A function by its loops, and what its own arrays and FIFOs take."""

    loops: tuple[SourceLoop, ...]
    storage: Resources


@cache
def source_functions() -> Mapping[tuple[str, str], SourceFunction]:
    """All functions, by design and module."""
    loops, arrays = pd.read_csv(_LOOPS), pd.read_csv(_ARRAYS).fillna({"impl": ""})
    stored: dict[tuple[str, str], Resources] = {}
    for row in arrays.to_dict("records"):
        stored[_key(row)] = stored.get(_key(row), Resources()) + storage_of(row)
    nests: dict[tuple[str, str], list[SourceLoop]] = {}
    for row in loops.to_dict("records"):
        nests.setdefault(_key(row), []).append(_loop(row))
    return {key: SourceFunction(tuple(found), stored.get(key, Resources())) for key, found in nests.items()}


def _key(row: _Row) -> tuple[str, str]:
    return str(row["design"]), str(row["module"])


def _loop(row: _Row) -> SourceLoop:
    trips = tuple(int(trip) for trip in str(row["trips"]).split("x"))
    known = {name: int(row[name]) for name in _OPERATIONS}
    ports = int(row["fifo_reads"]) + int(row["fifo_writes"])
    return SourceLoop(row["kind"] == "around", trips, ports, known)


def integer_pipelines(function: SourceFunction, *, packs: bool) -> tuple[PipelineLogic, ...]:
    """The loops of a function that works on 8 bits; ``packs`` where products may go into DSPs."""
    return tuple(
        PipelineLogic(_integer_operators(loop.operations, packs=packs), loop.ports, loop.trip)
        for loop in function.loops
    )


def _integer_operators(counts: Mapping[str, int], *, packs: bool) -> dict[str, float]:
    """Products as Vitis HLS binds them where nothing is asked for.

    A product of at most 8 bits goes into LUTs; every second one of a sum is a DSP's that adds the
    other to its own (``a * b + c * d``).  With an int4 factor none is.  Sums wrap at 8 bits.
    """
    products = counts["products"]
    on_dsps = ceil(products / 2) if packs else 0
    return {
        "mac8_dsp": on_dsps,
        "mul8_fabric": products - on_dsps,
        "dmul": counts["double_products"],
        "add8": max(0, counts["sums"] - on_dsps) + counts["differences"],
        "divide8": counts["quotients"],
        "compare8": counts["comparisons"],
        "choose8": counts["choices"],
    }


def storage_of(row: _Row) -> Resources:
    """What an array or a FIFO takes with all its banks."""
    banks, words, bits = (int(row[name]) for name in ("banks", "words", "bits"))
    if row["kind"] == "fifo":
        return fifo_resources("srl" if words * bits <= SRL_MAX_BITS else "bram", words, bits) * banks
    in_luts = row["impl"] == "lutram" or (not row["impl"] and words <= LUTRAM_MAX_WORDS)
    cells = memory_resources("lutram" if in_luts else "bram", words, bits)
    return (cells + Resources(lut=_choices(row))) * banks


def _choices(row: _Row) -> int:
    """Of who uses a bank: loops of one process that share it choose each signal of its two ports, or none."""
    if int(row["loops_of_process"]) < 2:
        return 0
    users = ((int(row["writers"]), _WRITE_SIGNALS), (int(row["readers"]), _READ_SIGNALS))
    return sum(signals * _CHOICE_LUTS[count + 1] for count, signals in users if count)
