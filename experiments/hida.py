"""The worked example of HIDA's parallelization: intensity (IA) and connectedness (CA), and what each costs in banks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.published import published_table
from sttest.compile.spaces.parallel_factors import (
    Banks,
    Index,
    NodeFacts,
    OperandAccess,
    Parallelism,
    array_partitions,
    parallel_factors,
)
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table

__depends__ = ("experiments/data/hida_*.csv",)

MODES = {"ia_ca": (True, True), "ia": (True, False), "ca": (False, True), "naive": (False, False)}
MAX_FACTOR = 32
CONTRADICTED = {("B", "ia"), ("B", "naive")}
_CONTRADICTION = "the published unroll factors give ours: see tests/data/hida/README.md"

_ROW, _COLUMN, _INNER = Index("i"), Index("j"), Index("k")
NODES = (
    NodeFacts("Node0", {"i": 32, "k": 16}, (OperandAccess("A", (_ROW, _INNER)),)),
    NodeFacts("Node1", {"k": 16, "j": 16}, (OperandAccess("B", (_INNER, _COLUMN)),)),
    NodeFacts(
        "Node2",
        {"i": 16, "j": 16, "k": 16},
        (
            OperandAccess("C", (_ROW, _COLUMN)),
            OperandAccess("A", (Index("i", 2), _INNER)),
            OperandAccess("B", (_INNER, _COLUMN)),
        ),
        reductions=frozenset("k"),
    ),
)
"""``A[32][16]`` written by Node0, ``B[16][16]`` by Node1, and ``C[i][j] += A[2 i][k] * B[k][j]`` in Node2."""


@dataclass(frozen=True)
class Ablation:
    """The decisions of one mode."""

    mode: str
    factors: Mapping[str, Parallelism]
    banks: Banks


def ablations() -> list[Ablation]:
    """All four modes."""
    found = []
    for mode, (ia, ca) in MODES.items():
        factors = parallel_factors(NODES, MAX_FACTOR, ia=ia, ca=ca)
        banks = array_partitions(NODES, {name: each.unroll for name, each in factors.items()})
        found.append(Ablation(mode, factors, banks))
    return found


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> None:
    """Prints the table and writes ``out``; nothing is simulated, so neither option matters."""
    rows = list(_rows(ablations()))
    print_table(
        ("mode", "of", "quantity", "ours", "published", "note"),
        [(row.phase, row.model, row.metric, row.value, row.reference, row.note) for row in rows],
    )
    with ResultFolder(out, made_by=__name__, config={"max_factor": MAX_FACTOR}) as folder:
        folder.add(*rows)


def _rows(found: Sequence[Ablation]) -> Iterator[Row]:
    nodes, arrays = _by("hida_parallel_factors", "node"), _by("hida_array_partitions", "array")
    for each in found:
        for name, chosen in each.factors.items():
            published = nodes[name]
            column = "parallel_factor_with_ia" if MODES[each.mode][0] else "max_parallel_factor_without_ia"
            yield _row(each.mode, name, "parallel factor", chosen.factor, published[column], published["source"])
            theirs = json.loads(published[f"unroll_{each.mode}"])
            for (loop, factor), their_factor in zip(chosen.unroll.items(), theirs, strict=True):
                yield _row(each.mode, name, f"unroll of {loop}", factor, their_factor, published["source"])
        for name, banks in each.banks.items():
            published = arrays[name]
            note = _CONTRADICTION if (name, each.mode) in CONTRADICTED else ""
            yield _row(
                each.mode, name, "banks", math.prod(banks), published[f"banks_{each.mode}"], published["source"], note
            )


def _row(mode: str, of: str, metric: str, ours: int, theirs: int, source: str, note: str = "") -> Row:
    return Row(
        "hida",
        metric,
        int(ours),
        "count",
        "derived",
        model=of,
        phase=mode,
        reference=int(theirs),
        source=source,
        note=note,
    )


def _by(table: str, key: str) -> dict[str, dict[str, Any]]:
    return {str(row[key]): row for row in published_table(table).to_dict("records")}  # type: ignore[index]
