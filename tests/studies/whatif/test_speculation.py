"""Speculative decoding: what a step makes, and what its drafts take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.studies.whatif.outcome import StudyOutcome
from sttest.studies.whatif.points import Point, key_of, points_of, simulate_block
from sttest.studies.whatif.speculation import Acceptance
from sttest.studies.whatif.study import load_study

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_tokens_per_step_are_those_of_independent_drafts(share):
    """Drawn at random: up to the first token that is not accepted, and one more."""
    source = np.random.default_rng(1)
    accepted = source.random((200_000, 4)) < share
    made = 1 + accepted.cumprod(axis=1).sum(axis=1)
    assert Acceptance(share).made(5) == pytest.approx(made.mean(), rel=0.01)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_percentiles_are_those_of_tokens_that_are_drawn(share):
    """Every token takes a step's time over the tokens that its step makes."""
    source = np.random.default_rng(2)
    made = 1 + (source.random((200_000, 4)) < share).cumprod(axis=1).sum(axis=1)
    drawn = np.percentile(np.repeat(1 / made, made), [25, 50, 95, 99], method="inverted_cdf")
    assert list(Acceptance(share).token_shares(5, (25, 50, 95, 99)).values()) == pytest.approx(drawn)


def test_chances_add_up_to_the_mean(tmp_path):
    (tmp_path / "trace.csv").write_text("accepted\n0\n3\n7\n")
    for found in (Acceptance(0.0), Acceptance(0.7), Acceptance(1.0), Acceptance.of("trace.csv", tmp_path)):
        chances = found.chances(4)
        assert sum(chances.values()) == pytest.approx(1)
        assert sum(tokens * chance for tokens, chance in chances.items()) == pytest.approx(found.made(4))


def test_a_trace_counts_up_to_what_was_drafted(tmp_path):
    (tmp_path / "trace.csv").write_text("accepted\n0\n3\n7\n")
    found = Acceptance.of("trace.csv", tmp_path)
    assert [found.made(tokens) for tokens in (1, 3, 9)] == [1, (1 + 3 + 3) / 3, (1 + 4 + 8) / 3]


@pytest.mark.parametrize("given", [1.5, -0.1, "none.csv", "empty.csv", "words.csv"])
def test_what_is_no_acceptance_is_named(given, tmp_path):
    (tmp_path / "empty.csv").write_text("accepted\n")
    (tmp_path / "words.csv").write_text("accepted\nmost\n")
    with pytest.raises(InputError):
        Acceptance.of(given, tmp_path)


STUDY = """
title: drafts
base: {model: small-llama, phase: decode, context: 32, acceptance: 0.5, step_tokens: 3, link_us: 2}
axes: {draft: [100, small-gpt2]}
"""


def points(tmp_path, text: str) -> list[Point]:
    (tmp_path / "study.yaml").write_text(text)
    return points_of(load_study(tmp_path / "study.yaml"), tmp_path)


def outcome(point: Point) -> StudyOutcome:
    assert point.block is not None
    draft = simulate_block(key_of(point.draft.block, "maxplus")) if point.draft and point.draft.block else {}
    return StudyOutcome.of(point, simulate_block(key_of(point.block, "maxplus")), draft)


def test_drafts_take_their_time_and_a_step_makes_what_is_accepted(tmp_path):
    by_time, by_model = (outcome(point) for point in points(tmp_path, STUDY))
    assert by_time.tokens == 1 + 0.5 + 0.25
    assert by_time.draft_us == 2 * 100 + 2
    (alone,) = points(tmp_path, "title: alone\nbase: {phase: decode, context: 32}\naxes: {model: [small-gpt2]}")
    assert by_model.draft_us == pytest.approx(2 * outcome(alone).total_us + 2)
    for found in (by_time, by_model):
        checks = found.launches * found.block_us + found.launch_us
        assert found.speed == pytest.approx(1e6 * 1.75 / (checks + found.draft_us))
        assert found.gains["draft"] == pytest.approx(found.total_us / (found.total_us - found.draft_us / 11) - 1)


def test_gains_stand_in_one_order_whether_a_point_was_simulated_now_or_kept(tmp_path):
    now = outcome(points(tmp_path, STUDY)[0])
    kept = replace(now, result={**now.simulated, "gains": dict(sorted(now.simulated["gains"].items()))})
    assert [*kept.simulated["gains"]] != [*now.simulated["gains"]]
    assert [*kept.gains] == [*now.gains] == ["bandwidth", "ports", "lanes", "latency", "launch", "clock", "draft"]


def test_latencies_have_percentiles_where_steps_differ_and_none_where_they_do_not(tmp_path):
    half, *_ = (outcome(point) for point in points(tmp_path, STUDY))
    step_ms = half.total_us / 1e3
    assert half.token_ms == {50: step_ms / 2, 95: step_ms, 99: step_ms}
    for given in ("acceptance: 1", "acceptance: 0"):
        text = STUDY.replace("acceptance: 0.5", given).replace("[100, small-gpt2]", "[100]")
        (alike,) = (outcome(point) for point in points(tmp_path, text))
        assert alike.token_ms == {}


def test_one_token_has_no_drafts(tmp_path):
    (one,) = points(tmp_path, STUDY.replace("step_tokens: 3", "step_tokens: 1").replace("[100, small-gpt2]", "[100]"))
    assert (outcome(one).draft_us, outcome(one).tokens, one.draft) == (0.0, 1.0, None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("draft: [-1]", "microseconds of at least 0"),
        ("step_tokens: [2.5]", "whole number"),
        ("acceptance: [2]", "no share"),
    ],
)
def test_what_no_step_can_be_is_named(text, told, tmp_path):
    with pytest.raises(InputError, match=told):
        points(tmp_path, f"title: x\nbase: {{model: small-gpt2, phase: decode, context: 32}}\naxes: {{{text}}}")
