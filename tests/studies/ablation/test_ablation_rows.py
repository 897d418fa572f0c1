"""What ablations give on a small block, and that committed tables say what the program says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sttest.core.results import PointStore
from sttest.studies.ablation.form import ABLATIONS, load_ablation
from sttest.studies.ablation.outcome import AblationOutcome, campaign, speedup
from sttest.studies.ablation.report import AblationReport

RESULTS = Path(__file__).parents[3] / "results"
FORM = """
title: small
reference: plain
differs: everything
parts:
  - {name: step, model: small-gpt2, context: 32}
  - name: scaled
    model: small-gpt2
    context: 32
    scales: [{overall_unroll: 16}, {overall_unroll: 2048}, {overall_unroll: 4096}]
    lines: [plain]
lines:
  - {name: plain}
  - {name: halves, cut: halves}
  - {name: little memory, cut: 4}
  - {name: operators, cut: operators}
  - {name: tasks, cut: tasks}
  - {name: "tasks, all lanes", cut: tasks, lanes: own}
  - {name: all in turn, options: {share: all}}
  - {name: six layers, options: {layers: 6}}
  - {name: two tokens, tokens: 2}
published: [{figure: sn40l_fused_over_unfused, part: step, fast: plain, slow: tasks}]
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AblationOutcome]:
    pytest.importorskip("torch")  # which lowers a shape that is not shipped
    folder = tmp_path_factory.mktemp("ablation")
    path = folder / "small.yaml"
    path.write_text(FORM, encoding="utf-8")
    asked = campaign(load_ablation(path), "maxplus", PointStore(folder / "store"))
    found = asked.run(asked.campaign.in_processes(1))
    report = AblationReport("small", load_ablation(path), "maxplus", found)
    report.write(folder / "out")
    assert len(list(report.lines())) == len(found)
    assert campaign(load_ablation(path), "maxplus", PointStore(folder / "store")).campaign.missing == {}
    return {outcome.point.label.replace("step: ", ""): outcome for outcome in found}


def test_each_cut_moves_more_bytes_in_more_kernels(outcomes: dict[str, AblationOutcome]) -> None:
    rows = [outcomes[name] for name in ("plain", "halves", "operators", "tasks")]
    kernels = [row.result["kernels"] for row in rows]
    moved = [row.moved_bytes for row in rows]
    assert kernels[:2] == [1, 2]
    assert kernels == sorted(set(kernels))
    assert moved == sorted(set(moved))


def test_less_memory_for_fusion_gives_several_kernels(outcomes: dict[str, AblationOutcome]) -> None:
    assert 1 < outcomes["little memory"].result["kernels"] < outcomes["tasks"].result["kernels"]


def test_launches_cost_what_the_board_says(outcomes: dict[str, AblationOutcome]) -> None:
    for row in outcomes.values():
        launches = row.us - row.cycles / row.result["clock_mhz"]
        blocks = row.point.layers * row.point.tokens
        assert launches == pytest.approx(row.result["kernels"] * 4.57 / blocks)
    assert speedup(outcomes["plain"], outcomes["tasks"]).us > speedup(outcomes["plain"], outcomes["tasks"]).cycles > 1  # pyright: ignore[reportOptionalMemberAccess]


def test_kernels_with_all_lanes_take_what_the_largest_takes(outcomes: dict[str, AblationOutcome]) -> None:
    own, shared = outcomes["tasks, all lanes"], outcomes["tasks"]
    assert own.cycles <= shared.cycles
    assert own.shares["lut"] < shared.shares["lut"]
    assert shared.shares["lut"] > outcomes["plain"].shares["lut"]


def test_engines_that_are_shared_take_less(outcomes: dict[str, AblationOutcome]) -> None:
    assert outcomes["all in turn"].shares["dsp"] < outcomes["plain"].shares["dsp"]


def test_layers_and_tokens_are_divided_by(outcomes: dict[str, AblationOutcome]) -> None:
    layers, tokens, plain = outcomes["six layers"], outcomes["two tokens"], outcomes["plain"]
    assert layers.result["cycles"] == pytest.approx(6 * layers.cycles)
    assert layers.cycles <= plain.cycles
    assert tokens.cycles < plain.cycles < tokens.result["cycles"]


def test_of_several_scales_the_fastest_that_fits_is_taken(outcomes: dict[str, AblationOutcome]) -> None:
    row = outcomes["scaled: plain"]
    assert "refused" in row.results[0]
    assert row.chosen is not None
    assert row.fitting == 2
    assert row.result["cycles"] == min(each["cycles"] for each in row.results[1:])


def test_no_row_stands_for_a_design_that_does_not_fit_while_one_does(outcomes: dict[str, AblationOutcome]) -> None:
    row = outcomes["scaled: plain"]
    too_large = {**row.results[2], "cycles": 1, "shares": {"lut": 1.01, "dsp": 0.5}}
    assert AblationOutcome(row.point, (*row.results[:2], too_large), 0).chosen == 1
    assert AblationOutcome(row.point, (row.results[0], too_large, too_large), 0).fits is False
    assert AblationOutcome(row.point, (row.results[0],) * 3, 0).chosen is None


def test_a_committed_row_is_what_the_program_gives(tmp_path: Path) -> None:
    ablation = load_ablation(ABLATIONS / "fusion.yaml")
    cheap = ablation.model_copy(update={"parts": ablation.parts[:1], "lines": ablation.lines[:2], "published": ()})
    asked = campaign(cheap, "maxplus", PointStore(tmp_path))
    found = asked.run(asked.campaign.in_processes(1))
    with (RESULTS / "fusion" / "table.csv").open(newline="", encoding="utf-8") as file:
        committed = {(row["metric"], row["point"]): row["value"] for row in csv.DictReader(file)}
    for outcome in found:
        assert float(committed["cycles per layer", outcome.point.label]) == outcome.cycles
        assert float(committed["HBM traffic per layer", outcome.point.label]) == outcome.moved_bytes
