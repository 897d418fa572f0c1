"""Attention in one pass gives what three passes give, within rounding, wherever the chunks end."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.models.config import Maximum
from sttest.models.softmax import JointSoftmax, Mix, RunningMix, RunningSoftmax, Softmax, chunk_sizes, joined_by

pytestmark = pytest.mark.torch

HIDDEN = float(torch.finfo(torch.float32).min)
MAXIMA = st.sampled_from(["chunk", "running"])
SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 24), st.floats(0.1, 60.0), st.integers(0, 10**6))


def drawn(positions: int, spread: float, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores [3, 2, m], values [2, m, 5], a mask [3, 1, m] that shows a position at least, and own scores [3, 2]."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.where(torch.rand(3, 1, positions, generator=generator) < 0.4, HIDDEN, 0.0)
    mask[..., torch.randint(positions, (), generator=generator)] = 0.0
    scores = torch.randn(3, 2, positions, generator=generator) * spread + mask
    return (
        scores,
        torch.randn(2, positions, 5, generator=generator),
        mask,
        torch.randn(3, 2, generator=generator) * spread,
    )


def total(weights: torch.Tensor) -> torch.Tensor:
    return weights.sum(-1)


@settings(deadline=None, max_examples=150)
@given(SHAPES, MAXIMA)
def test_chunks_give_what_a_whole_row_gives(shape: tuple[int, int, float, int], maximum: Maximum) -> None:
    positions, chunk, spread, seed = shape
    scores, values, mask, _ = drawn(positions, spread, seed)
    p, denominator = Softmax()(scores)
    running = RunningSoftmax(chunk, total, maximum)(scores)
    found = RunningMix(chunk, Mix())(running, values, mask) / running.denominator.unsqueeze(-1)
    torch.testing.assert_close(found, Mix()(p, values, mask) / denominator.unsqueeze(-1), rtol=2e-5, atol=2e-5)
    assert torch.equal(running.maximum, scores.amax(-1))


@settings(deadline=None, max_examples=100)
@given(SHAPES, MAXIMA)
def test_the_token_itself_joins_what_was_cached(shape: tuple[int, int, float, int], maximum: Maximum) -> None:
    positions, chunk, spread, seed = shape
    scores, values, mask, own = drawn(positions, spread, seed)
    p, p_new, denominator = JointSoftmax()(scores, own)
    running = RunningSoftmax(chunk, total, maximum)(scores)
    mixed, joint, weight = joined_by(running, RunningMix(chunk, Mix())(running, values, mask), own)
    wanted = Mix()(p, values, mask)
    torch.testing.assert_close(mixed, wanted, rtol=2e-5, atol=2e-5)
    torch.testing.assert_close(joint, denominator, rtol=2e-5, atol=0.0)
    assert torch.equal(weight, p_new)


@settings(deadline=None, max_examples=50)
@given(SHAPES, st.integers(1, 30))
def test_hidden_positions_in_front_change_nothing(shape: tuple[int, int, float, int], more: int) -> None:
    """A design has whole chunks; what it has too much lies at the start and is hidden."""
    positions, chunk, spread, seed = shape
    scores, values, mask, _ = drawn(positions, spread, seed)
    padded = [torch.nn.functional.pad(scores, (more, 0), value=HIDDEN), torch.cat([torch.ones(2, more, 5), values], 1)]
    few, many = RunningSoftmax(chunk, total)(scores), RunningSoftmax(chunk, total)(padded[0])
    torch.testing.assert_close(few.denominator, many.denominator, rtol=1e-5, atol=0.0)
    hidden = torch.nn.functional.pad(mask, (more, 0), value=HIDDEN)
    mix = RunningMix(chunk, Mix())
    torch.testing.assert_close(mix(few, values, mask), mix(many, padded[1], hidden), rtol=1e-5, atol=1e-5)


def test_the_first_chunk_is_the_short_one() -> None:
    assert chunk_sizes(40, 16) == [8, 16, 16]
    assert chunk_sizes(5, 16) == [5]
    assert chunk_sizes(0, 16) == []


def test_under_the_running_maximum_weights_are_those_of_the_scores_so_far() -> None:
    scores, *_ = drawn(24, 3.0, seed=7)
    running = RunningSoftmax(8, total, "running")(scores)
    for end, part in zip((8, 16, 24), running.weights.split(8, -1), strict=True):
        assert torch.equal(part, torch.exp(scores[..., end - 8 : end] - scores[..., :end].amax(-1, keepdim=True)))
    assert running.joined is None


def test_every_chunk_has_a_weight_of_one() -> None:
    scores, *_ = drawn(24, 3.0, seed=7)
    weights = RunningSoftmax(8, total)(scores).weights
    assert all(torch.equal(part.amax(-1), torch.ones(3, 2)) for part in weights.split(8, -1))
