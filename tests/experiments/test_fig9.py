"""What explains Fig. 9: made-up blocks, and what the committed table says."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_blocks import model_blocks

from experiments.blocks import BlockRun
from experiments.emerging import MODELS, SHAPES
from experiments.emerging_what_ifs import what_ifs
from experiments.fig9 import LAUNCHES, Case, Explained, Fit, explain, rows
from experiments.gpu_opponents import a100_opponents
from experiments.pages import results

RESULTS = Path(__file__).parents[2] / "results" / "fig9" / "table.csv"


def test_an_error_is_the_largest_factor_and_a_bound_counts_where_it_is_broken() -> None:
    case = Case(1, "queued_us", with_head=False)
    assert Explained(case, {"qwen": 1.99, "llama": 0.5, "gemma": 1.59}, ()).error_factor == pytest.approx(1)
    assert Explained(case, {"qwen": 1.99, "llama": 1.2, "gemma": 1.59}, ()).error_factor == pytest.approx(1.2)
    assert Explained(case, {"qwen": 0.995, "llama": 1.2, "gemma": 1.59}, ()).error_factor == pytest.approx(2)


def test_cases_are_those_of_the_what_ifs_and_sorted_by_their_error() -> None:
    blocks = {model: model_blocks() for model in MODELS}
    shape = BlockRun("qwen", "decode", 1, 32)
    fits = {8: [Fit(shape, {"hls": {"lut": 1.2, "dsp": 0.1}, "rtl": {"lut": 0.9, "dsp": 0.1}})]}
    found = explain({8: blocks}, fits, a100_opponents()[0])
    assert len(found) == 2 * len(LAUNCHES)
    assert [each.error for each in found] == sorted(each.error for each in found)
    assert {each.fits for each in found} == {("rtl",)}
    known = {(each.launch, each.with_head): each.best for each in what_ifs(blocks, SHAPES, a100_opponents()[0])}
    for each in found:
        assert each.ratios == pytest.approx(known[each.case.launch, each.case.with_head])
    table = list(rows(found, fits, {"qwen": {1 << 20: 2}}, "maxplus"))
    assert {row.value for row in table if row.metric.startswith("fullest share")} == {1.2, 0.9}
    assert all("designs that fit: RTL" in row.note for row in table if row.metric.startswith("best"))


def test_no_prefill_of_the_reproduced_designs_fits_and_fewer_lanes_ask_for_less() -> None:
    found = results("fig9")
    found = found[found["metric"].str.startswith("fullest share") & (found["phase"] == "prefill")]
    assert (found["value"] > 1).all()
    lanes = found["metric"].str.extract(r"(\d+) lanes")[0].astype(int)
    for _, group in found.assign(lanes=lanes).groupby(["model", found["metric"].str.endswith("RTL")]):
        assert group.sort_values("lanes")["value"].is_monotonic_increasing
