"""Cycles of a chain of three processes by the depth of its FIFOs."""

from pathlib import Path
from tempfile import TemporaryDirectory

from sttest.core.results import ResultFolder, Row
from sttest.sim import simulate
from sttest.studies.lines import print_lines
from sttest_sample.pipes import read_pipes

DEPTHS = (1, 2, 4)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the table and writes ``out``; a simulation takes no time worth a second process."""
    rows = [Row("waits", f"cycles [{depth}]", _cycles(depth, engine), "cycles", "simulated") for depth in DEPTHS]
    print_lines(rows, "A chain of three")
    with ResultFolder(out, made_by=__name__, config={"depths": DEPTHS}) as folder:
        folder.add(*rows)
    return rows


def _cycles(depth: int, engine: str) -> float | None:
    with TemporaryDirectory() as folder:
        text = Path(folder) / "chain.txt"
        text.write_text(f"pipes\nab {depth}\nbc {depth}\n", encoding="utf-8")
        return simulate(read_pipes(text), engine).cycles
