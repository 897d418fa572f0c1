"""A what-if over boards: each has a design that fits, and a memory that the times come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from sttest.boards.load import known_boards
from sttest.core.processes import run_all
from sttest.core.results import PointStore
from sttest.studies.whatif.outcome import StudyOutcome, campaign
from sttest.studies.whatif.points import simulate_block
from sttest.studies.whatif.study import load_study

TOO_SMALL = {"kv260"}
"""Targets that no design of the models here fits."""


def outcomes(folder: Path, model: str, context: int, boards: list[str]) -> dict[str, StudyOutcome]:
    path = folder / "boards.yaml"
    path.write_text(
        f"title: boards\nbase: {{model: {model}, phase: decode, context: {context}, design: best}}\n"
        f"axes: {{board: [{', '.join(boards)}]}}\n",
        encoding="utf-8",
    )
    found = campaign(load_study(path), folder, "maxplus", PointStore(folder / "store"))
    ran = found.run(lambda blocks: run_all(simulate_block, blocks, 1))
    return {str(each.axes["board"]): each for each in ran}


def test_boards_without_a_neighbor_or_without_hbm_have_designs_that_fit(tmp_path):
    found = outcomes(tmp_path, "small-gpt2", 32, ["v80", "vck5000"])
    assert [each.fits for each in found.values()] == [True, True]
    assert found["v80"].speed > found["vck5000"].speed > 0


@pytest.mark.nightly
@pytest.mark.torch
def test_every_target_has_a_gpt2_that_fits_and_faster_memory_is_faster(tmp_path):
    targets = [each.name for each in known_boards() if each.target]
    found = outcomes(tmp_path, "gpt2", 64, targets)
    assert {name for name, each in found.items() if not each.fits} == TOO_SMALL
    speeds = {name: each.speed for name, each in found.items()}
    assert speeds["v80"] > speeds["u55c"] > speeds["u280"] >= speeds["u50"] > speeds["vck5000"] > speeds["kv260"]
