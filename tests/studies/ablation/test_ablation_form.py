"""Ablations as people write them: what is refused, and that the shipped ones are whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from sttest.core.errors import InputError, note_renamed
from sttest.studies.ablation.form import ABLATIONS, Ablation, ablation_names, is_ablation, load_ablation, points_of
from sttest.studies.ablation.outcome import published_figure
from sttest.studies.whatif.study import STUDIES

FORM = """
title: small
reference: plain
differs: everything
parts: [{name: step, model: small-gpt2, context: 32}]
lines: [{name: plain}, {name: cut, cut: tasks}]
published: [{figure: sn40l_fused_over_unfused, part: step, fast: plain, slow: cut}]
"""


def loaded(tmp_path: Path, text: str) -> Ablation:
    path = tmp_path / "form.yaml"
    path.write_text(text, encoding="utf-8")
    return load_ablation(path)


def test_a_form_has_a_row_per_line_and_part(tmp_path: Path) -> None:
    points = points_of(loaded(tmp_path, FORM), "maxplus")
    assert [point.label for point in points] == ["step: plain", "step: cut"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("reference: plain", "reference: plian", "did you mean 'plain'"),
        ("slow: cut", "slow: cot", "did you mean 'cut'"),
        ("sn40l_fused_over_unfused", "sn40l", "there is no 'sn40l'"),
        ("differs: everything", "", "does not say what differs"),
        ("{name: plain}", "{name: plain, options: {shar: all}}", "did you mean 'share'"),
        ("{name: plain}", "{name: plain, options: {layers: many}}", "layers: input should be a valid integer"),
        ("cut: tasks", "cut: tasks, head: true", "without head"),
        ("cut: tasks", "cut: tasks, options: {share: all}", "shared engines"),
        ("{name: cut, cut: tasks}", "{name: plain}, {name: cut}", "'plain' is there twice"),
        ("context: 32", "context: 0", "decode needs cached tokens"),
    ],
)
def test_what_is_wrong_is_refused_with_the_way_out(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in FORM
    with pytest.raises(InputError, match=says):
        points_of(loaded(tmp_path, FORM.replace(old, new)), "maxplus")


def test_a_step_of_several_tokens_has_options_of_its_own(tmp_path: Path) -> None:
    text = FORM.replace(
        "context: 32}", "context: 32, options: {tiles: ['a:1x1'], share: all}, step_options: {tiles: ['a:1x1x1']}}"
    )
    text = text.replace("{name: cut, cut: tasks}", "{name: cut, tokens: 4}")
    one, several = (point.candidates[0].key["options"] for point in points_of(loaded(tmp_path, text), "maxplus"))
    assert (one["tiles"], one["share"]) == (("a:1x1",), "all")
    assert (several["tiles"], several["share"]) == (("a:1x1x1",), "none")


def test_a_form_that_says_knobs_means_options_and_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note_renamed.cache_clear()
    text = FORM.replace("title: small", "title: small\nknobs: {layers: 2}")
    text = text.replace("context: 32}", "context: 32, knobs: {share: all}, step_knobs: {share: weights}}")
    text = text.replace("{name: cut, cut: tasks}", "{name: cut, tokens: 4, knobs: {prefetch_kib: 8}}")
    one, several = (point.candidates[0].key["options"] for point in points_of(loaded(tmp_path, text), "maxplus"))
    assert (one["layers"], one["share"], one["prefetch_kib"]) == (2, "all", 0)
    assert (several["layers"], several["share"], several["prefetch_kib"]) == (2, "weights", 8)
    told = capsys.readouterr().err
    assert "'knobs' is called 'options' now" in told
    assert "'step_knobs' is called 'step_options' now" in told


def test_a_launch_of_several_tokens_adds_positions_where_the_model_has_learned_ones(tmp_path: Path) -> None:
    text = FORM.replace("{name: cut, cut: tasks}", "{name: cut, options: {layers: 24, generate: 4}, head: true}")
    one, several = points_of(loaded(tmp_path, text), "maxplus")
    assert (one.generated, several.generated) == (1, 4)
    assert [each.candidates[0].key["options"]["positions"] for each in (one, several)] == [False, True]


def test_studies_and_ablations_are_told_apart() -> None:
    assert ablation_names() == ["attention", "fusion", "modes", "schedules"]
    assert all(is_ablation(ABLATIONS / f"{name}.yaml") for name in ablation_names())
    assert not any(is_ablation(path) for path in STUDIES.glob("*.yaml"))


@pytest.mark.parametrize("name", ablation_names())
def test_shipped_ablations_ask_for_what_there_is(name: str) -> None:
    ablation = load_ablation(ABLATIONS / f"{name}.yaml")
    assert points_of(ablation, "maxplus")
    for comparison in ablation.published:
        assert published_figure(comparison.figure)["source"]
