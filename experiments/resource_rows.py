"""Rows of published synthesis reports as cases: what the resource model is told, and what the tool reported.

The model is told the operations of one iteration, the interval, the trip count and the
FIFOs, never what the tool bound.  Rows of loops without a published operation mix were
left out of the data (its README says how many).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, isqrt
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from experiments.resource_functions import integer_pipelines, source_functions
from sttest.boards.operators import Operator, accumulator
from sttest.boards.resources import (
    LUTRAM_MAX_WORDS,
    MemoryKind,
    PipelineLogic,
    Resources,
    fifo_resources,
    memory_resources,
    pipeline_resources,
    total,
)
from sttest.sim.graph import SRL_MAX_BITS

__depends__ = ("experiments/data/synthesis/",)

DATA = Path(__file__).parent / "data" / "synthesis"
_OPERATOR_OF = {
    "src_fmul": "fmul",
    "src_fsub": "fsub",
    "src_fdiv": "fdiv",
    "src_frecip": "frecip",
    "src_fexp": "fexp",
    "src_frsqrt": "frsqrt",
    "src_fcmp": "fcmp",
    "src_fmax": "fmax",
}
_CODO_FLOAT = {"src_mul": "fmul", "src_add": "fadd", "src_sub": "fsub", "src_div": "fdiv", "src_cmp": "fcmp"}
# What the reports' own descriptions say of functions without multiply-accumulates.
_ALLO_LANES = {"float->int8 quantize 8 mul/cycle": {"fmul": 8, "fptosi": 8}, "fp32 residual add 8/cycle": {"fadd": 8}}
# Adders have fewer stages there; the library is that of 3.33 ns.
_SLOW_CLOCK_NS = 5.0
_SHARED = "shared operators"
# Vitis HLS has put these at no area since 2022.1, or hoists them out of the loop (frsqrt).
_NO_AREA = ("fdiv", "fcmp", "fmax", "frsqrt")


@dataclass(frozen=True)
class PipelineCase:
    """A loop or function.

    Attributes:
        use: ``fit`` or ``check``.
        group: of the table that it is counted in.
        pipelines: what the model is told of its loops.
        storage: arrays and FIFOs inside, where their control is reported with the function.
        reported: by the tool; logic alone.
    """

    use: str
    group: str
    pipelines: tuple[PipelineLogic, ...]
    storage: Resources
    reported: Resources

    def predicted(self, library: Mapping[str, Operator]) -> Resources:
        """By the model."""
        return total([*(pipeline_resources(each, library) for each in self.pipelines), self.storage])


@dataclass(frozen=True)
class MemoryCase:
    """A memory or FIFO with what the model predicts and the tool reported; ``count`` of them in the designs.

    Attributes:
        use: ``fit`` (whose rows the constants were read off) or ``check``.
    """

    use: str
    group: str
    predicted: Resources
    reported: Resources
    count: int


def pipeline_cases() -> list[PipelineCase]:
    """All loops and functions whose operations are known."""
    rows = pd.read_csv(DATA / "processes.csv").fillna({"trip_main": 1})
    return [case for row in rows.to_dict("records") for case in _pipeline_case(row)]


def _pipeline_case(row: Mapping[Hashable, Any]) -> Iterator[PipelineCase]:
    cell = _Row(row)
    suite = str(row["suite"])
    made = {"streamhls": _stream_hls, "codo": _codo, "allo": _allo}[suite](cell)
    if made is not None:
        group, pipelines, storage = made
        kept = tuple(replace(pipeline, operators=_reported(pipeline.operators)) for pipeline in pipelines)
        reported = Resources(*(cell[name] for name in ("dsp", "lut", "ff")))
        yield PipelineCase(str(row["use"]), group, kept, storage, reported)


def _reported(operators: Mapping[str, float]) -> dict[str, float]:
    """Without the operators whose area no report holds."""
    return {name: count for name, count in operators.items() if name not in _NO_AREA}


class _Row:
    """Cells of a row as numbers or text; what is not published is 0 or empty."""

    def __init__(self, cells: Mapping[Hashable, Any]) -> None:
        self.cells = cells

    def __getitem__(self, column: str) -> float:
        cell = self.cells[column]
        return 0.0 if pd.isna(cell) else float(cell)

    def text(self, column: str) -> str:
        cell = self.cells[column]
        return "" if pd.isna(cell) else str(cell)


_Made: TypeAlias = tuple[str, tuple[PipelineLogic, ...], Resources]
"""Group, loops and storage."""


def _stream_hls(row: _Row) -> _Made:
    interval = int(row["ii"])
    mix = {name: row[column] for column, name in _OPERATOR_OF.items()} | _adders(row, interval)
    bound = {name: ceil(count / interval) for name, count in mix.items() if count}
    accesses = row["src_load"] + row["src_store"]
    ports = int(row["src_fifo_rd"] + row["src_fifo_wr"])
    shared = sum(mix.values()) - sum(bound.values())
    group = "Stream-HLS fp32, " + ("II 1" if interval == 1 else _SHARED)
    return group, (PipelineLogic(bound, ports, int(row["trip"]), interval, shared, accesses),), Resources()


def _adders(row: _Row, interval: int) -> dict[str, float]:
    """Adders on DSPs, and in fabric where a running sum is too short for those."""
    adders, sums, distance = row["src_fadd"], row["acc_carried"], int(row["carried_distance"])
    if not sums or not distance:
        return {"fadd": adders}
    rule = accumulator(max(1, round(adders / sums)), distance, ii=interval)
    fabric = min(adders, sums * rule.carried_adders) if rule.adder == "fadd_fabric" else 0
    return {"fadd": adders - fabric, "fadd_fabric": fabric}


def _codo(row: _Row) -> _Made:
    """A function of several loops; intervals are not reported: 1 is taken."""
    function = source_functions()[row.text("design"), row.text("module")]
    if row.text("dtype") != "fp32":
        kind = "convolutions" if row.text("design").startswith("resnet") else "GPT-2"
        pipelines = integer_pipelines(function, packs=not row["has_int4_port"])
        return f"CODO int8, {kind}", pipelines, function.storage
    mix = {name: row[column] for column, name in _CODO_FLOAT.items()}
    if row["clock_target_ns"] == _SLOW_CLOCK_NS:
        mix["fadd_5ns"] = mix.pop("fadd")
    return "CODO fp32", (PipelineLogic(mix, trip=int(row["trip_main"])),), Resources()


def _allo(row: _Row) -> _Made | None:
    """A square systolic array, drained through one dequantizing multiplier per row; else what the report says."""
    macs = int(row["src_mac_per_cycle"])
    if macs:
        narrow = "W4A8" in row.text("op")
        element = "pe_w4a8" if narrow else "pe_w8a8"
        trip = int(row["mac_total"]) // macs
        array = PipelineLogic({element: macs, "fmul": isqrt(macs)}, trip=trip)
        return "Allo W4A8" if narrow else "Allo int8", (array,), Resources()
    if row.text("op") not in _ALLO_LANES:
        return None
    return "Allo fp32 lanes", (PipelineLogic(_ALLO_LANES[row.text("op")]),), Resources()


def memory_cases() -> list[MemoryCase]:
    """All arrays and FIFOs, held in the kind that the tool says or is documented to choose."""
    rows = pd.read_csv(DATA / "memories.csv")
    return [_memory_case(row) for row in rows.to_dict("records")]


def _memory_case(row: Mapping[Hashable, Any]) -> MemoryCase:
    cell = _Row(row)
    depth, bits, impl = int(cell["depth_words"]), int(cell["bits"]), cell.text("impl")
    group = f"{cell.text('suite')} {cell.text('kind')}s"
    if cell.text("kind") == "fifo":
        predicted = fifo_resources(_fifo_kind(depth, bits, cell["hls_uram"]), depth, bits)
        blocks = 0 if cell["hls_bram18"] == 0 else cell["capacity_bram18_lower_bound"]
    else:
        predicted = memory_resources(_array_kind(depth, impl, cell["hls_uram"]), depth, bits)
        blocks = cell["hls_bram18"]
    reported = Resources(lut=cell["hls_lut"], ff=cell["hls_ff"], bram18=blocks, uram=cell["hls_uram"])
    return MemoryCase(cell.text("use"), group, predicted, reported, int(cell["count"]))


def _fifo_kind(depth: int, bits: int, uram: float) -> MemoryKind:
    if depth * bits <= SRL_MAX_BITS:
        return "register" if depth <= 2 else "srl"
    if uram:
        return "uram"
    return "lutram" if depth <= LUTRAM_MAX_WORDS else "bram"


def _array_kind(depth: int, impl: str, uram: float) -> MemoryKind:
    """What the directive says; ``AUTO`` is by size, and UltraRAM where the tool took one."""
    if uram or "URAM" in impl:
        return "uram"
    if "LUTRAM" in impl:
        return "lutram"
    return "bram" if "BRAM" in impl or depth > LUTRAM_MAX_WORDS else "lutram"
