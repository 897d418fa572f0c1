"""Public measurements of memories beside their simulation: every row of ``sttest/studies/data/memory_published.csv``.

A row that was used for a number of a board's file is *fitted*, and says for which; all others are *predicted*.  Rows
that no ports express are in the table without a value, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from experiments.drawing import write_figure
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.studies.memory.published import CONDITIONS, PublishedRow, published_rows

__depends__ = ()

CLOSE, NEAR = 0.05, 0.15
FIGURES = {
    "total": "bandwidth of all ports",
    "port": "bandwidth of the slowest port",
    "read": "bandwidth of reads",
    "write": "bandwidth of writes",
    "latency": "latency",
    "served": "latency without the wait for the channel",
    "blocks": "bandwidth of blocks by turns",
}
MEMORIES = {
    ("u50", "hbm"): "HBM2",
    ("u55c", "hbm"): "HBM2",
    ("u280", "hbm"): "HBM2",
    ("f2", "hbm"): "HBM2",
    ("u280", "ddr"): "DDR4-2400",
    ("u55c", "host"): "host over PCIe",
}
"""What a memory of a board is; boards that share one share its law, but for what their files say otherwise."""


@dataclass(frozen=True)
class Simulated:
    """A published row with its simulation."""

    published: PublishedRow
    value: float

    @property
    def error(self) -> float:
        """Ours over theirs, less 1."""
        return self.value / self.published.value - 1

    @property
    def memory(self) -> str:
        """What the memory is."""
        return memory_of(self.published)


def memory_of(row: PublishedRow) -> str:
    """What the memory of a published row is."""
    return MEMORIES[row.board, row.memory]


def simulated_rows(engine: str = "maxplus") -> list[Simulated]:
    """All rows that ports express."""
    return [Simulated(row, row.simulated(engine)) for row in published_rows() if row.conditions is not None]


@dataclass(frozen=True)
class Errors:
    """How far simulations are from what was measured."""

    count: int
    middle: float  # median of the absolute errors
    close: float  # share of rows within 5 %
    near: float  # share of rows within 15 %
    most: float  # largest absolute error


def errors_of(rows: Iterable[Simulated]) -> Errors:
    """Of some rows, at least one."""
    found = [abs(row.error) for row in rows]
    close, near = (sum(error <= bound for error in found) / len(found) for bound in (CLOSE, NEAR))
    return Errors(len(found), median(found), close, near, max(found))


def groups(rows: Sequence[Simulated]) -> dict[tuple[str, str], list[Simulated]]:
    """Rows by memory and role, and all of them."""
    found: dict[tuple[str, str], list[Simulated]] = {}
    for row in rows:
        for memory in (row.memory, "all"):
            for role in (str(row.published.role), "all"):
                found.setdefault((memory, role), []).append(row)
    return dict(sorted(found.items(), key=lambda each: (each[0][0] == "all", each[0])))


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> None:
    """Prints how far the simulations are, and writes ``out``; it takes seconds, so ``jobs`` does not matter."""
    del jobs
    rows = simulated_rows(engine)
    print_table(
        ("memory", "rows", "how many", "median error", "within 5 %", "within 15 %", "most"),
        [
            (memory, role, found.count, *(f"{100 * each:.1f} %" for each in _shares(found)))
            for (memory, role), found in ((key, errors_of(group)) for key, group in groups(rows).items())
        ],
        title="simulated over measured",
    )
    far = [row for row in rows if abs(row.error) > NEAR]
    print_table(
        ("memory", "card", "benchmark", "measured", "simulated", "error", "conditions"),
        [
            (row.memory, row.published.card, row.published.benchmark, f"{row.published.value:.4g}", f"{row.value:.4g}",
             f"{100 * row.error:+.0f} %", row.published.printed or row.published.assumed) for row in far
        ],
        title=f"beyond {100 * NEAR:.0f} %",
    )  # fmt: skip
    values = {id(row.published): row.value for row in rows}
    with ResultFolder(out, made_by=__name__, config={"engine": engine, "rows": len(published_rows())}) as folder:
        for number, each in enumerate(published_rows(), start=1):
            folder.add(_row(number, each, values.get(id(each)), engine))
        folder.add(*_summary(rows))
        write_figure(folder)


def _shares(found: Errors) -> tuple[float, ...]:
    return found.middle, found.close, found.near, found.most


def _row(number: int, row: PublishedRow, value: float | None, engine: str) -> Row:
    """A row of the result: simulated, with what was measured as its reference."""
    conditions = {} if row.conditions is None else asdict(row.conditions)
    axes: dict[str, str | float] = {
        "memory": memory_of(row),
        "card": row.card,
        "benchmark": row.benchmark,
        **{name: _axis(conditions.get(name)) for name in CONDITIONS},
        "blocks": row.blocks or "",
        "setting": " ".join(f"{name}={each:g}" for name, each in row.setting.items()),
        "role": row.role or "not expressed",
        "fits": row.fits,
    }
    role = f"{row.role}: {row.fits}" if row.fits else str(row.role)
    notes = (row.reason or role, row.printed and f"printed: {row.printed}", row.assumed and f"assumed: {row.assumed}")
    return Row(
        "memory",
        f"{FIGURES[row.figure] if row.conditions else 'not expressed'} [{number}]",
        value,
        row.unit,
        "simulated",
        board=row.board,
        engine=engine,
        reference=row.value,
        source=row.source,
        note="; ".join(note for note in notes if note),
        axes=axes,
    )


def _axis(value: object) -> str | float:
    if isinstance(value, bool):
        return "yes" if value else ""
    return value if isinstance(value, int | float | str) else ""


def _summary(rows: Sequence[Simulated]) -> Iterable[Row]:
    """Shares and errors per memory and role."""
    names = ("median error", f"share within {CLOSE:.0%}", f"share within {NEAR:.0%}", "largest error")
    for (memory, role), group in groups(rows).items():
        found = errors_of(group)
        for name, value in zip(names, _shares(found), strict=True):
            note = f"of {found.count} rows; absolute errors, simulated over measured"
            axes: dict[str, str | float] = {"memory": memory, "role": role}
            yield Row("memory", f"{name} [{memory}, {role}]", value, "ratio", "derived", note=note, axes=axes)
