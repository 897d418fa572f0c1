"""How far the FIFO law is from published Vitis co-simulation: 12 designs of the Stream-HLS FPGA'25 artifact.

Nothing is fitted.  ``sttest reproduce fidelity`` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_csv
from sttest.core.processes import process_pool
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.sim import Simulation, load, simulate

__depends__ = ("tests/data/streamhls/",)

ROOT = Path(__file__).parents[1]
DESIGNS = ROOT / "tests" / "data" / "streamhls"
SOURCE = "https://github.com/UCLA-VAST/Stream-HLS"
ENGINES = ("maxplus", "simpy")
SHALLOW = 2
COLUMNS = ("design", "FIFO events", "co-simulation", "own depths", "error %", "all depth 2", "engines agree")


@dataclass(frozen=True)
class Fidelity:
    """A design: published cycles, ours at its own depths and with every FIFO two deep (None: deadlock)."""

    design: str
    published_cycles: int
    cycles: int | None
    shallow_cycles: int | None
    fifo_events: int
    engines_agree: bool

    @property
    def error(self) -> float:
        """Ours at own depths relative to the published cycles; a deadlock is an error of 1."""
        return 1.0 if self.cycles is None else self.cycles / self.published_cycles - 1


def published_cycles() -> dict[str, int]:
    """Published co-simulation cycles by design.

    Raises:
        InputError: the designs are not there.
    """
    path = DESIGNS / "expected.csv"
    if not path.is_file():
        raise InputError("no-designs", "the designs are missing", where=str(path), hints=["run it from a checkout"])
    return {row["design"]: int(row["cosim_cycles"]) for row in read_csv(path)}


def measure(design: str, cosim_cycles: int) -> Fidelity:
    """Both engines at both depths."""
    own = load(DESIGNS / f"{design}.json")
    shallow = own.with_all_depths(SHALLOW)
    results = {engine: (simulate(own, engine), simulate(shallow, engine)) for engine in ENGINES}
    first, second = results[ENGINES[0]]
    agree = all(_is_same(pair[0], first) and _is_same(pair[1], second) for pair in results.values())
    return Fidelity(design, cosim_cycles, first.cycles, second.cycles, first.fifo_events, agree)


def _is_same(one: Simulation, other: Simulation) -> bool:
    names = ("verdict", "cycles", "finish", "max_occupancy", "breakdown", "deadlock")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def measure_all(jobs: int) -> list[Fidelity]:
    """All designs, largest error last."""
    published = published_cycles()
    with process_pool(jobs) as pool:
        found = list(pool.map(measure, published, published.values()))
    return sorted(found, key=lambda each: abs(each.error))


def mean_and_worst(found: Sequence[Fidelity]) -> tuple[float, float]:
    """Mean and largest absolute error."""
    errors = [abs(each.error) for each in found]
    return sum(errors) / len(errors), max(errors)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Fidelity]:
    """Prints the table and writes ``out``; both engines are run, ``engine`` is the one that is named in the results."""
    found = measure_all(jobs)
    print_table(COLUMNS, [_cells(each) for each in found])
    print(_summary(found))
    with ResultFolder(out, made_by=__name__, config={"engine": engine, "designs": len(found)}) as folder:
        for each in found:
            folder.add(*_rows(each, engine))
    return found


def _rows(each: Fidelity, engine: str) -> list[Row]:
    def row(metric: str, cycles: int | None, reference: int | None) -> Row:
        return Row(
            "fidelity",
            metric,
            cycles,
            "cycles",
            "simulated",
            model=each.design,
            engine=engine,
            reference=reference,
            source=SOURCE if reference else "",
            note="" if cycles is not None else "deadlock",
        )

    return [row("cycles", each.cycles, each.published_cycles), row("cycles-depth-2", each.shallow_cycles, None)]


def _cells(each: Fidelity) -> tuple[object, ...]:
    return (
        each.design,
        each.fifo_events,
        each.published_cycles,
        _cycles(each.cycles),
        f"{100 * each.error:+.3f}",
        _cycles(each.shallow_cycles),
        "yes" if each.engines_agree else "NO",
    )


def _cycles(cycles: int | None) -> str:
    return "deadlock" if cycles is None else f"{cycles:,}"


def _summary(found: Sequence[Fidelity]) -> str:
    mean, worst = mean_and_worst(found)
    return f"absolute error: mean {100 * mean:.3f} %, largest {100 * worst:.3f} %, {len(found)} designs"
