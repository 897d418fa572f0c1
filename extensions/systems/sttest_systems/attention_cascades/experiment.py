"""FLAT and FuseMax as cascades of the same attention: 12 heads of 64, a block of 64 queries each, 1k to 128k positions.

Keys and values are int8 with a scale per position, as a cache has them; nothing is projected and nothing hidden.  Each
line is the fastest of the same scales that fits the budget of the whole U55C.  Three lines stand for FLAT, since its
published rows come from an accelerator with one array for products and another for everything else:

* ``FLAT, stages overlap``: whole rows on chip, two passes, every stage a unit of its own and all at work at once.
* ``FLAT, a row block at a time``: the same with one row block in the design; its time and activity, times the blocks.
* ``FLAT, N lanes beside the products``: the first with N lanes for every other task.  N is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

from sttest.boards.board import FpgaBoard
from sttest.boards.energy import CASES, Energy, energy
from sttest.boards.load import load_board, require_hbm
from sttest.core.processes import run_all
from sttest.core.results import Kind, ResultFolder, Row
from sttest.studies.drawing import write_study_figure
from sttest.studies.lines import Line, print_lines, rows_of
from sttest_systems.attention_cascades.attention_alone import AttentionShape
from sttest_systems.attention_cascades.cascades import Cascade, Measured, attention_text, fastest

BOARD, HEADS, HEAD_DIM, QUERIES, ROW_BLOCK = "u55c", 12, 64, 64, 16
POSITIONS = (1024, 4096, 16384, 65536, 131072)
SCALES = tuple(
    {"overall_unroll": unroll, "most_lanes": lanes}
    for unroll, lanes in ((3072, 1024), (4608, 2048), (5120, 2048), (6144, 2048))
)
_ONE_PASS = {"attention": "one-pass", "attention_chunk": 64}
FLAT, IN_TURN, NARROW = "FLAT, stages overlap", "FLAT, a row block at a time", "FLAT, {} lanes beside the products"
OWN_CHUNK, FUSEMAX = "one pass, own maximum of each chunk", "FuseMax, running maximum"
LANES = (16, 8, 4)
LINES = (
    Cascade(FLAT),
    Cascade(IN_TURN),
    *(Cascade(NARROW.format(lanes), others_lanes=lanes) for lanes in LANES),
    Cascade(OWN_CHUNK, _ONE_PASS),
    Cascade(FUSEMAX, _ONE_PASS | {"attention_maximum": "running"}),
)
_ABSTRACT = "Nayak et al., FuseMax, MICRO 2024, arXiv 2406.10491 abstract: at the same area, average of its models"
PUBLISHED: tuple[tuple[str, float, str, str], ...] = (
    ("speed-up over FLAT", 6.7, "ratio", _ABSTRACT),
    ("energy over FLAT's", 0.79, "ratio", _ABSTRACT),
    ("busy share of multiplying lanes", 1.0, "ratio", f"{_ABSTRACT}: nearly 100 %"),
)


def card() -> FpgaBoard:
    """The board."""
    return require_hbm(load_board(BOARD))


def shape_of(positions: int, line: str) -> AttentionShape:
    """What a design of a line computes."""
    if line == IN_TURN:
        return AttentionShape(1, ROW_BLOCK, positions, HEAD_DIM)
    return AttentionShape(HEADS, QUERIES, positions, HEAD_DIM)


def times_of(line: str) -> int:
    """Runs of a line's design that make all of the attention."""
    return HEADS * ceil(QUERIES / ROW_BLOCK) if line == IN_TURN else 1


def run_positions(key: Mapping[str, Any]) -> dict[str, dict[str, Any] | None]:
    """All lines over so many positions; None where no scale fits.

    Args:
        key: ``positions`` and ``engine``.
    """
    texts = {shape: attention_text(shape) for shape in {shape_of(key["positions"], line.name) for line in LINES}}
    found = {
        line.name: fastest(texts[shape_of(key["positions"], line.name)], line, SCALES, BOARD, key["engine"])
        for line in LINES
    }
    return {name: None if each is None else asdict(each) for name, each in found.items()}


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    work = {positions: {"positions": positions, "engine": engine} for positions in POSITIONS}
    found = {
        positions: {name: None if each is None else Measured(**each) for name, each in lines.items()}
        for positions, lines in run_all(run_positions, work, jobs, "attention-cascades")
    }
    lines = [line for positions in POSITIONS for line in _of_positions(positions, found[positions])]
    print_lines(lines, "Cascades of attention on a U55C")
    config = {
        "heads": HEADS,
        "head_dim": HEAD_DIM,
        "queries": QUERIES,
        "row_block": ROW_BLOCK,
        "positions": POSITIONS,
        "scales": SCALES,
        "lines": [asdict(each) for each in LINES],
    }
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows_of(lines, "attention-cascades", engine, board=BOARD, phase="prefill"))
        for metric, value, unit, source in PUBLISHED:
            folder.add(Row("attention-cascades", metric, value, unit, "published", board="fusemax", source=source))
        write_study_figure(folder)
    return lines


def _of_positions(positions: int, found: Mapping[str, Measured | None]) -> Iterator[Line]:
    for name, measured in found.items():
        where = f"[{positions:,} positions: {name}]"
        if measured is None:
            yield Line(f"cycles {where}", None, "cycles", note="no scale fits the board")
            continue
        kind: Kind = "derived" if times_of(name) > 1 else "simulated"
        yield Line(f"cycles {where}", cycles_of(name, measured), "cycles", kind, measured.scale)
        yield Line(f"passes over positions {where}", measured.passes, "count", "derived", "of the compiled text")
        yield Line(f"busy share of multiplying lanes {where}", measured.busy, "ratio", kind)
        yield Line(f"bytes moved {where}", measured.moved_bytes * times_of(name), "bytes", kind)
        yield Line(f"attention buffers {where}", measured.attention_bytes, "bytes", "derived")
        for resource in ("lut", "dsp", "uram"):
            yield Line(f"{resource.upper()} of the budget {where}", measured.shares[resource], "ratio", "derived")
        for case in CASES:
            yield Line(f"energy, {case} case {where}", energy_of(name, measured, case).total_j, "J", "derived")
        spent = energy_of(name, measured, "central")
        yield Line(f"energy of the work, central case {where}", spent.dynamic_j, "J", "derived")
        yield from _over(name, measured, found[FUSEMAX], where)


def _over(name: str, measured: Measured, fusemax: Measured | None, where: str) -> Iterator[Line]:
    if fusemax is None or not name.startswith("FLAT"):
        return
    ours, flat = energy_of(FUSEMAX, fusemax, "central"), energy_of(name, measured, "central")
    speed_up = cycles_of(name, measured) / cycles_of(FUSEMAX, fusemax)
    yield Line(f"speed-up of FuseMax {where}", speed_up, "ratio", "derived")
    yield Line(f"energy of FuseMax over this {where}", ours.total_j / flat.total_j, "ratio", "derived", "central case")
    note = "without static and clocked power, central case"
    yield Line(
        f"energy of the work of FuseMax over this {where}", ours.dynamic_j / flat.dynamic_j, "ratio", "derived", note
    )


def cycles_of(name: str, measured: Measured) -> int:
    """Cycles of all of the attention."""
    return measured.cycles * times_of(name)


def energy_of(name: str, measured: Measured, case: Any) -> Energy:
    """Energy of all of the attention."""
    return energy(measured.done.times(times_of(name)), card().energy_costs, case)
