"""The whole Stream-HLS artifact, where it is at hand: the twelve graphs of the fidelity table, and all cycles."""

import os
from pathlib import Path

import pytest

from sttest.core.files import read_csv
from sttest.importers.streamhls import read_streamhls
from sttest.importers.vitis import read_vitis
from sttest.sim import load, simulate

DATA = Path(__file__).parents[1] / "data" / "streamhls"
VARIABLE = "STTEST_STREAM_HLS"
DESIGNS = {row["design"]: row for row in read_csv(DATA / "artifact.csv")}
TWELVE = {path.stem: path for path in DATA.glob("*.json")}


def name_of(design: str) -> str:
    return "_".join(design.lower().split("/")[-3:])


@pytest.fixture
def artifact() -> Path:
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} names no clone of https://github.com/UCLA-VAST/Stream-HLS")
    return Path(os.environ[VARIABLE]) / "FPGA2025_Artificats"


def test_the_twelve_are_of_the_artifact():
    assert len(DESIGNS) == 91
    assert len(TWELVE) == 12
    assert {name_of(design) for design in DESIGNS} >= set(TWELVE)


@pytest.mark.nightly
@pytest.mark.parametrize("design", [design for design in DESIGNS if name_of(design) in TWELVE])
def test_the_importer_makes_the_graphs_of_the_fidelity_table(artifact, design):
    made, committed = read_streamhls(artifact / design), load(TWELVE[name_of(design)])
    assert made == committed  # traces are compared array for array
    assert [process.trace for process in made.processes] == [process.trace for process in committed.processes]


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_is_read_and_close_to_cosimulation(artifact, design):
    row = DESIGNS[design]
    graph = read_streamhls(artifact / design)
    cycles = simulate(graph).cycles
    assert (cycles, sum(fifo.name.endswith(".full") for fifo in graph.fifos)) == (
        int(row["law_cycles"]), int(row["buffers"])
    )  # fmt: skip
    assert abs(cycles / int(row["cosim_cycles"]) - 1) < 0.009


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("design", "law_cycles", "cosim_cycles"),
    [("gesummv", 1543, 1538), ("atax", 8825, 8822), ("bicg", 1651, 1651), ("mvt", 470, 468)],
)
def test_designs_of_another_generator(artifact, design, law_cycles, cosim_cycles):
    """Allo's, in the same artifact, by the importer for Vitis HLS; the cycles of co-simulation are published there."""
    folder = artifact / "polybench" / "allo" / design
    reports = folder / f"{design}.prj" / "solution1" / "syn" / "report"
    assert simulate(read_vitis(folder / f"{design}.cpp", reports=reports)).cycles == law_cycles
    published = (reports.parents[1] / "sim" / "report" / f"kernel_{design}_cosim.rpt").read_text(encoding="utf-8")
    assert str(cosim_cycles) in next(line for line in published.splitlines() if "Verilog" in line)
