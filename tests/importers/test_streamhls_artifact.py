"""The whole Stream-HLS artifact, where it is at hand: the twelve graphs of the fidelity table, and all cycles."""

import os
from pathlib import Path

import pytest

from sttest.core.files import read_csv
from sttest.importers.streamhls import read_streamhls
from sttest.sim import simulate

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
@pytest.mark.timeout(600)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_is_read_and_close_to_cosimulation(artifact, design):
    row = DESIGNS[design]
    graph = read_streamhls(artifact / design)
    cycles = simulate(graph).cycles or 0
    assert sum(fifo.name.endswith(".full") for fifo in graph.fifos) == int(row["buffers"])
    assert abs(cycles / int(row["cosim_cycles"]) - 1) < 0.009
