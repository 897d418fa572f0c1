"""WaferLLM's MeshGEMV on a WSE-2: one product by mesh and by how its sums are added, and how far the engines go.

A column of cores is simulated for every size, as columns have nothing to do with each other; whole meshes, of up to
4,096 cores and as many routers, show that, and what it costs the engines.  Nothing is fitted: rates are the paper's,
what it costs a core to pass a sum on is another paper's, recalled, and varied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from sttest.boards.load import load_board
from sttest.boards.systems import MeshBoard
from sttest.core.results import ResultFolder, Row
from sttest.sim import simulate
from sttest.studies.drawing import write_study_figure
from sttest.studies.lines import Line, print_lines, rows_of
from sttest_systems.wafer_mesh.gemv import MeshGemv, closed_form_cycles, column_graph
from sttest_systems.wafer_mesh.reduction import Reduction, k_tree, pipeline

BOARD = "wse-2"
SIDES = (240, 360, 480, 600, 750)
SIZES = (2048, 4096, 8192, 16384, 32768)
REDUCTIONS = ("pipeline", "tree of 1", "tree of 2", "tree of 3")
OURS, THEIRS = "tree of 2", "pipeline"
RELAYS = (2, 5, 10, 20)
MESHES = (8, 16, 32, 64)
MESH_WORDS = 4
WAFER = "WaferLLM (OSDI 2025, arXiv 2502.04563), table 6"
A100_MS: Mapping[int, float] = {16384: 0.336, 32768: 1.231}
WSE_US: Mapping[int, float] = {16384: 1.2, 32768: 2.03}
PUBLISHED: tuple[tuple[str, float, str, str], ...] = (
    *((f"time on an A100 [{size}]", 1e3 * ms, "us", WAFER) for size, ms in A100_MS.items()),
    *((f"time [{size}]", us, "us", WAFER) for size, us in WSE_US.items()),
    ("speed over an A100 [16384]", 280, "ratio", "WaferLLM, section 7.5"),
    ("speed over an A100 [32768]", 606, "ratio", "WaferLLM, abstract"),
    ("energy over an A100 [16384]", 7.47, "ratio", WAFER),
    ("energy over an A100 [32768]", 16.17, "ratio", WAFER),
    ("speed of the tree over a pipeline, about", 4.6, "ratio", "WaferLLM, section 7.3: over Cerebras' own product"),
)


@cache
def board() -> MeshBoard:
    """The wafer."""
    found = load_board(BOARD)
    assert isinstance(found, MeshBoard)
    return found


def reduction(name: str, cores: int) -> Reduction:
    """A reduction by name."""
    return pipeline(cores) if name == "pipeline" else k_tree(cores, int(name.rpartition(" ")[2]))


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``; one product at a time, so ``jobs`` does not matter."""
    cycles = dict(sweep(engine))
    lines = [*sweep_lines(cycles, engine), *beside_a100(cycles), *assumed(engine), *meshes()]
    print_lines(lines, "MeshGEMV on a WSE-2")
    config = {"board": BOARD, "sides": SIDES, "sizes": SIZES, "relays": RELAYS, "meshes": MESHES}
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows_of(lines, "wafer-mesh", "", board=BOARD, phase="decode"))
        for metric, value, unit, source in PUBLISHED:
            folder.add(Row("wafer-mesh", metric, value, unit, "published", board="wse-2 (paper)", source=source))
        write_study_figure(folder)
    return lines


# --- One product, by size, mesh and reduction


Point = tuple[int, int, str]


def sweep(engine: str) -> Iterator[tuple[Point, int]]:
    """Cycles by size, side and reduction; sides whose cores have no room for their tiles are left out."""
    for size in SIZES:
        for side in SIDES:
            for name in REDUCTIONS:
                gemv = MeshGemv(board(), side, size, size, reduction(name, side))
                yield (size, side, name), cycles_of(gemv, engine)


def cycles_of(gemv: MeshGemv, engine: str) -> int:
    """Simulated cycles of a column."""
    cycles = simulate(column_graph(gemv), engine).cycles
    assert cycles is not None, "sums go one way and come back another: no deadlock"
    return cycles


def sweep_lines(cycles: Mapping[Point, int], engine: str) -> Iterator[Line]:
    """Every point, its closed form, and what of it is not multiplying."""
    for (size, side, name), found in cycles.items():
        gemv = MeshGemv(board(), side, size, size, reduction(name, side))
        where = f"[{size}, {side} x {side}, {name}]"
        yield Line(f"product {where}", found, "cycles", engine=engine)
        yield Line(f"product in closed form {where}", closed_form_cycles(gemv), "cycles", "derived")
        share = 1 - gemv.compute_cycles / found
        yield Line(f"share of adding up and sending {where}", share, "ratio", "derived", "of the time of a product")
    for size in SIZES:
        ratios = [cycles[size, side, THEIRS] / cycles[size, side, OURS] for side in SIDES]
        yield Line(f"speed of the tree over a pipeline, most [{size}]", max(ratios), "ratio", "derived")
        for name in REDUCTIONS:
            best = min(SIDES, key=lambda side: cycles[size, side, name])
            note = f"of the sides {', '.join(map(str, SIDES))}"
            yield Line(f"best side [{size}, {name}]", best, "count", "derived", note)
    most = max(cycles[size, side, THEIRS] / cycles[size, side, OURS] for size in SIZES for side in SIDES)
    yield Line("speed of the tree over a pipeline, most", most, "ratio", "derived")


def _best_us(cycles: Mapping[Point, int], size: int) -> float:
    return min(cycles[size, side, OURS] for side in SIDES) / board().clock_mhz.value


def beside_a100(cycles: Mapping[Point, int]) -> Iterator[Line]:
    """Times on the best mesh beside the paper's, and over its A100."""
    for size, us in WSE_US.items():
        ours = _best_us(cycles, size)
        faster = 1e3 * A100_MS[size] / ours
        yield Line(f"time [{size}]", ours, "us", note="best of the sides, tree of 2", reference=us, source=WAFER)
        yield Line(
            f"speed over an A100 [{size}]",
            faster,
            "ratio",
            "derived",
            "the paper's time of an A100",
            reference=1e3 * A100_MS[size] / us,
            source=WAFER,
        )
        yield Line(
            f"energy over an A100 [{size}]",
            faster / board().power_over_a100.value,
            "ratio",
            "derived",
            "speed over the ratio of powers",
            reference={16384: 7.47, 32768: 16.17}[size],
            source=WAFER,
        )


def assumed(engine: str) -> Iterator[Line]:
    """The times under other assumptions: of passing a sum on, and of two 16-bit products in a word."""
    variants = {f"a relay of {relay} cycles": {"relay_cycles": relay} for relay in RELAYS}
    variants["two products per cycle"] = {"macs_per_cycle": 2}
    for what, changes in variants.items():
        other = board().model_copy(
            update={name: getattr(board(), name).model_copy(update={"value": value}) for name, value in changes.items()}
        )
        for size, us in WSE_US.items():
            times = (cycles_of(MeshGemv(other, side, size, size, reduction(OURS, side)), engine) for side in SIDES[-2:])
            yield Line(
                f"time with {what} [{size}]",
                min(times) / board().clock_mhz.value,
                "us",
                note="better of the two largest sides",
                reference=us,
                source=WAFER,
                engine=engine,
            )


# --- Whole meshes by both engines


def meshes() -> Iterator[Line]:
    """Cycles of whole meshes by both engines, and how long they took."""
    for side in MESHES:
        size = side * MESH_WORDS
        gemv = MeshGemv(board(), side, size, size, reduction(OURS, side))
        graph, column = column_graph(gemv, side), cycles_of(gemv, "maxplus")
        where = f"[{side} x {side}]"
        yield Line(f"processes {where}", len(graph.processes), "count", "derived", "cores, and a router for each")
        for engine in ("maxplus", "simpy"):
            run = simulate(graph, engine)
            if run.cycles is None or run.cycles != column:
                raise AssertionError(f"{engine}: a mesh of {side} takes {run.cycles} cycles, a column {column}")
            yield Line(f"mesh {where}", run.cycles, "cycles", note="as one column alone", engine=engine)
            yield Line(f"seconds of a simulation {where}", run.solve_s, "s", "measured", "two cores", engine=engine)
            passed = run.fifo_events / run.solve_s
            yield Line(f"words passed per second {where}", passed, "1/s", "measured", "two cores", engine=engine)
