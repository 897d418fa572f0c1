"""Tables of the page about studies: every entry, every figure beside ours, and what is not done."""

from pathlib import Path

from sttest.core.results import table_rows
from sttest.core.tables import markdown_table
from sttest.studies.catalog import COLUMNS, catalog_names, compared, entry_file, load_entry, papers

RESULTS = Path(__file__).parents[1] / "results"


def studies_list() -> str:
    """Every study with its papers, the command that runs it and how long that takes."""
    lines = []
    for name in catalog_names():
        entry = load_entry(name)
        lines.append((f"`{name}`", entry.title, "; ".join(entry.papers), f"`{entry.command}`", f"{entry.seconds:,.0f}"))
    columns = ("study", "what is asked", "papers", "command", "seconds")
    return markdown_table(columns, lines, is_right=lambda column: column == len(columns) - 1)


def studies_rows() -> str:
    """Every published figure beside ours."""
    lines = [
        (f"`{name}`", *row.cells)
        for name in catalog_names()
        for row in compared(load_entry(name), RESULTS, str(entry_file(name)))
    ]
    return markdown_table(("study", *COLUMNS), lines)


def studies_undone() -> str:
    """What has no study, or only a part of one, and why."""
    lines = [
        (paper.paper, ", ".join(f"`{name}`" for name in paper.studies), paper.undone)
        for paper in papers()
        if paper.undone
    ]
    return markdown_table(("system", "study", "not done"), lines)


def nano_batches() -> str:
    """Nano-batches by width and way: cycles, bytes, what is held, overlap."""
    found = {row["metric"]: float(row["value"]) for row in table_rows(RESULTS / "nano-batches" / "table.csv")}
    places = [name.partition(" ")[2] for name in found if name.startswith("layer ")]
    shares = ("compute busy", "memory busy", "compute and memory busy")
    columns = ("way", "cycles per layer", "MB moved", "MB on chip", *shares, "gain of overlap")
    lines = [
        (
            where.strip("[]"),
            f"{found[f'layer {where}']:,.0f}",
            f"{found[f'bytes moved per layer {where}'] / 1e6:.1f}",
            f"{found[f'held on chip {where}'] / 1e6:.1f}",
            *(f"{found[f'{name} {where}']:.0%}" for name in shares),
            f"{found[f'gain of overlap {where}']:.2f}",
        )
        for where in places
    ]
    return markdown_table(columns, lines, is_right=lambda column: column > 0)
