"""The engine's search against sorting, and its cycles against what is known of quick-select."""

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest_systems.spatten.top_k import TopKFormat, largest, select

ENGINE = TopKFormat(16, 64, 16)


def softmax_scores(rng, count, deviation=2.0):
    logits = rng.normal(0, deviation, count)
    shares = np.exp(logits - logits.max())
    return np.rint(shares / shares.sum() * 0xFFFF).astype(np.int64)


@pytest.mark.parametrize("lanes", [1, 3, 16])
def test_it_keeps_what_sorting_keeps_with_ties_in_order(lanes):
    rng = np.random.default_rng(lanes)
    engine = TopKFormat(lanes, 200 // lanes, 6)
    for _ in range(100):
        scores = rng.integers(0, int(rng.choice([2, 8, 64])), int(rng.integers(1, engine.capacity + 1)))
        k = int(rng.integers(1, scores.size + 1))
        found = select(scores, k, engine)
        wanted = largest(scores, k)
        assert np.array_equal(found.places, wanted)
        # An independent reading of "the k largest, of equal ones the first": by Python's sort of pairs.
        pairs = sorted((-int(score), place) for place, score in enumerate(scores))
        assert sorted(place for _, place in pairs[:k]) == wanted.tolist()
        assert found.puts.size == engine.rows_of(k)
        assert found.passes[:1] in ((), (engine.rows_of(scores.size),))
        assert list(found.passes) == sorted(found.passes, reverse=True)


def test_all_alike_take_one_pass_and_keeping_all_none():
    scores = np.full(100, 7)
    assert select(scores, 30, ENGINE).passes == (7,)
    assert select(scores, 30, ENGINE).places.tolist() == list(range(30))
    assert select(scores, 100, ENGINE).passes == ()
    assert select(scores, 100, ENGINE).cycles == 1 + 7 + 7 + 3


def test_rows_read_are_about_those_of_quick_select():
    """A search for a median compares 2 n (1 + ln 2) = 3.39 n scores on average (Knuth 1971); other ranks fewer."""
    rng = np.random.default_rng(1)
    engine = TopKFormat(1, 2000, 20)
    read = [sum(select(rng.permutation(2000) * 100, 1000, engine).passes) / 2000 for _ in range(200)]
    assert np.mean(read) == pytest.approx(3.39, rel=0.12)


@pytest.mark.parametrize(
    ("scores", "k", "what"),
    [
        ([1, 2], 0, "0 of 2"),
        ([1, 2], 3, "3 of 2"),
        ([], 1, "1 of 0"),
        ([1] * 1025, 3, "of 1025"),
        ([-1], 1, "16 bits"),
        ([1 << 16], 1, "16 bits"),
    ],
)
def test_what_an_engine_does_not_take_is_refused(scores, k, what):
    with pytest.raises(InputError, match=what):
        select(np.array(scores), k, ENGINE)


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (16, 5000, 8), (1, 1, 33)])
def test_engines_that_cannot_be_are_refused(sizes):
    with pytest.raises(InputError, match="top-k"):
        TopKFormat(*sizes)
