"""GPT-2 with linear layers of low rank, streamed and not: bytes moved, cycles and on-chip memory against the rank.

Streamed, one kernel has the block, and ``x u`` goes to ``v`` through FIFOs.  Not streamed, every operator of the model
is a kernel of its own, and ``x u`` goes to the HBM and comes back; its intermediate results are counted whole.  The
widths are those of BERT-Base, on which FlashSVD was measured.  The error of the factors is that of random weights,
whose singular values have a known law, which it is held against: trained weights lose less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from sttest.boards.operators import operators
from sttest.compile.compiler import CompiledDesign, on_chip
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import tiling_passes
from sttest.compile.resources.nodes import memories
from sttest.compile.sharing.functional_units import stream_ends
from sttest.core.processes import run_all
from sttest.core.results import Kind, ResultFolder, Row
from sttest.models.config import DecoderConfig
from sttest.models.parameters import weight_shapes
from sttest.models.program import Phase
from sttest.models.quant.scheme import load_scheme
from sttest.models.ranks import with_ranks
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.studies.ablation.measure import designs_of
from sttest.studies.lines import print_lines
from sttest.studies.steps import step_counter
from sttest.studies.whatif.bounds import moved_bytes
from sttest.studies.whatif.points import block_text
from sttest_systems.low_rank.live_tensors import live_tensors

__depends__ = ("sttest_systems/low_rank/*.py",)  # the family

MODEL, BOARD = "gpt2-small", "u55c"
SHAPES: tuple[tuple[Phase, int, int], ...] = (("prefill", 128, 0), ("decode", 1, 256))
PRECISIONS = ("w4a8", "fp32")
RANKS = (384, 192, 96, 48)
"""Half of the full rank of 768, at which square layers move as much as whole ones, and less."""
SOURCE = "FlashSVD (AAAI 2026, arXiv 2508.01506), abstract: up to 70.2 % and 75 %, BERT-Base on a GPU"
PUBLISHED = (("peak activation memory saved", 0.702), ("transient memory saved", 0.75))
SEED = 1
_OF_U = re.compile(r"(?!load_).*_u(_|$)")


@dataclass(frozen=True)
class Point:
    """A block at a rank."""

    cycles: int
    moved_bytes: int
    on_chip_bytes: int  # FIFOs, converters and tiles of DMAs
    between_bytes: int  # bytes, of those, in FIFOs and converters between the two factors of all layers
    apart_cycles: int  # every operator a kernel, one after the other
    apart_bytes: int
    kernels: int
    transient_bytes: int  # intermediate results of the operators, each whole
    peak_bytes: int  # bytes of them that live at one time
    peak_kernel: str


def ranked(rank: int | None) -> DecoderConfig:
    """The model with all linear layers of a rank; whole for None."""
    return with_ranks(get_config(MODEL), [] if rank is None else [str(rank)])


def run_point(key: Mapping[str, Any]) -> Point:
    """Compiles and simulates a block, in one kernel and in many."""
    options = CompileOptions(precision=key["precision"])
    text = block_text(ranked(key["rank"]), *key["shape"])
    (design,) = designs_of(text, BOARD, options, "block", "shared")
    apart = [
        (_cycles(each, key["engine"]), moved_bytes(each.graph))
        for each in designs_of(text, BOARD, options, "operators", "shared")
    ]
    module = parse(text, MODEL, new_context())
    for each in tiling_passes(options):
        each.apply(new_context(), module)
    live = live_tensors(module)
    return Point(
        _cycles(design, key["engine"]),
        moved_bytes(design.graph),
        on_chip(design.module).total_bytes,
        between_bytes(design),
        sum(cycles for cycles, _ in apart),
        sum(moved for _, moved in apart),
        len(apart),
        live.total_bytes,
        live.peak_bytes,
        live.peak_kernel,
    )


def _cycles(design: CompiledDesign, engine: str) -> int:
    cycles = simulate(design.graph, engine).cycles
    if cycles is None:
        raise AssertionError(f"{design.name}: the design deadlocks")
    return cycles


def between_bytes(design: CompiledDesign) -> int:
    """Bytes of FIFOs and converters from the first factor of each layer to its second."""
    library = operators(design.board)
    facts = (
        each
        for kernel in all_of(design.module, df.KernelOp)
        for each in memories(kernel, stream_ends(kernel), design.graph, library)
    )
    kept = (each for each in facts if each.role in ("fifo", "converter") and _OF_U.match(each.name.partition("__")[0]))
    return -(-sum(each.used_bits for each in kept) // 8)


def weight_bytes(config: DecoderConfig, precision: str) -> int:
    """Bytes of a block's matrices with their scales: int4 and two bytes for up to 128 rows of a column, or float32."""
    return sum(_matrix_bytes(*shape, precision) for shape in weight_shapes(config).values())


def _matrix_bytes(rows: int, columns: int, precision: str) -> int:
    if precision == "fp32":
        return 4 * rows * columns
    return rows * columns // 2 + 2 * rows // load_scheme(precision).rows_per_scale(rows) * columns


def kept_energy(rank: float, rows: int, columns: int) -> float:
    """Share of the squared sum of a random matrix that its largest singular values hold (Marchenko and Pastur, 1967).

    Args:
        rank: number of singular values that are kept.
        rows, columns: shape; entries are independent and of one variance.
    """
    least, most = min(rows, columns), max(rows, columns)
    ratio = least / most
    low, high = (1 - ratio**0.5) ** 2, (1 + ratio**0.5) ** 2
    # With x = middle - half * cos(angle), the density at both ends is smooth.
    angle = (np.arange(20_000) + 0.5) * pi / 20_000
    middle, half = (low + high) / 2, (high - low) / 2
    x = middle - half * np.cos(angle)
    weight = (half * np.sin(angle)) ** 2 / (2 * pi * ratio * x) * (pi / 20_000)
    above = np.cumsum(weight[::-1])[::-1]  # share of the singular values from each x on
    return float((weight * x)[above <= rank / least].sum() / (weight * x).sum())


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the table and writes ``out``."""
    work = {
        (precision, shape, rank): {"precision": precision, "shape": shape, "rank": rank, "engine": engine}
        for precision in PRECISIONS
        for shape in SHAPES
        for rank in (None, *RANKS)
    }
    say, found = step_counter(len(work)), {}
    for key, point in run_all(run_point, work, jobs, "low rank"):
        found[key] = point
        say(f"simulated {key[0]}, {key[1][0]}, rank {key[2] or 'full'}")
    rows = [row for key in work for row in _of_point(key, found[key], engine)]
    rows += [row for rank in RANKS for row in _errors(rank)]
    print_lines(rows, "Low rank", phase="phase")
    with ResultFolder(
        out, made_by=__name__, config={"shapes": SHAPES, "ranks": RANKS, "precisions": PRECISIONS}, seed=SEED
    ) as folder:
        folder.add(*rows)
        for metric, value in PUBLISHED:
            folder.add(Row("low-rank", metric, value, "ratio", "published", board="flashsvd", source=SOURCE))
    return rows


def _of_point(key: tuple[str, tuple[Phase, int, int], int | None], point: Point, engine: str) -> Iterator[Row]:
    precision, (phase, tokens, _), rank = key
    where = f"[{precision}, rank {rank or 'full'}]"
    config = ranked(rank)

    def row(metric: str, value: float, unit: str, kind: Kind = "simulated", note: str = "") -> Row:
        by = engine if kind == "simulated" and unit == "cycles" else ""
        return Row("low-rank", f"{metric} {where}", value, unit, kind, MODEL, BOARD, phase, by, note=note)

    yield row("cycles", point.cycles, "cycles")
    yield row("cycles, operators apart", point.apart_cycles, "cycles", note=f"{point.kernels} kernels, no launches")
    yield row("bytes moved", point.moved_bytes, "bytes")
    yield row("bytes moved, operators apart", point.apart_bytes, "bytes")
    yield row("bytes of matrices", weight_bytes(config, precision), "bytes", "derived", "closed form, with scales")
    yield row("on-chip bytes", point.on_chip_bytes, "bytes", note="FIFOs, converters, tiles of DMAs")
    yield row("transient bytes, operators apart", point.transient_bytes, "bytes", note="all intermediate results")
    yield row("peak bytes, operators apart", point.peak_bytes, "bytes", note=f"most at {point.peak_kernel}")
    ends = 2 * 4 * tokens * config.hidden
    note = "streamed, the HBM has the block's input and result; else also what is live at the peak"
    yield row("activation memory in the HBM saved", 1 - ends / (ends + point.peak_bytes), "ratio", "derived", note)
    note = "on-chip bytes, streamed, against results in memory, both of this rank"
    for metric, apart in (("transient", point.transient_bytes), ("peak activation", point.peak_bytes)):
        yield row(f"{metric} memory saved", 1 - point.on_chip_bytes / apart, "ratio", "derived", note)
    if rank is not None:
        whole = sum(4 * tokens * rank for _ in config.ranks)
        yield row("bytes between the factors", point.between_bytes, "bytes", note="FIFOs and converters")
        yield row("bytes of x u, whole", whole, "bytes", "derived", "float32, all layers")
        yield row("memory of x u saved", 1 - point.between_bytes / whole, "ratio", "derived", "streamed against whole")


def _errors(rank: int) -> Iterator[Row]:
    """SQNR of the truncated factors of random weights, by shape, and what the law of their singular values gives."""
    random = np.random.default_rng(SEED)
    for rows, columns in sorted(set(weight_shapes(get_config(MODEL)).values())):
        squares = np.linalg.svd(random.standard_normal((rows, columns)), compute_uv=False) ** 2
        found = 10 * np.log10(squares.sum() / squares[rank:].sum())
        law = -10 * np.log10(1 - kept_energy(rank, rows, columns))
        yield Row(
            "low-rank",
            f"SQNR of the weights [{rows} x {columns}, rank {rank}]",
            float(found),
            "dB",
            "measured",
            MODEL,
            reference=law,
            source="Marchenko-Pastur law",
            note="random weights, which no rank suits; trained ones lose less",
        )
