"""Caches of experts: laws of every rule, closed forms of drawn traces, and misses as time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.studies.experts.cache import CacheRun, run_cache, step_times
from sttest.studies.experts.routing import Routing, drawn_routing

POLICIES = ["lru", "lfu", "static", "belady"]


@st.composite
def routings(draw: st.DrawFn) -> Routing:
    experts = draw(st.integers(1, 8))
    chosen = draw(st.integers(1, experts))
    row = st.permutations(range(experts)).map(lambda order: order[:chosen])
    layers = draw(st.integers(1, 2))
    tokens = draw(st.lists(st.lists(row, min_size=layers, max_size=layers), min_size=1, max_size=30))
    return Routing(experts, np.array(tokens, dtype=np.int64))


def by_hand(*experts: int) -> Routing:
    return Routing(4, np.array(experts, dtype=np.int64).reshape(-1, 1, 1))


@pytest.mark.parametrize(
    ("policy", "misses"),
    [
        ("lru", [1, 1, 0, 1, 1, 1]),  # 2 drives 1 out, 1 drives 0 out, 0 drives 2 out
        ("lfu", [1, 1, 0, 1, 1, 0]),  # 0 was used twice when 2 and 1 come
        ("static", [1, 1, 0, 1, 0, 0]),  # 0 and 1 stay
        ("belady", [1, 1, 0, 1, 0, 0]),  # 2 is not wanted again
    ],
)
def test_by_hand(policy: str, misses: list[int]) -> None:
    run = run_cache(by_hand(0, 1, 0, 2, 1, 0), 2, policy)
    assert run.misses[:, 0].tolist() == misses
    assert run.hits == 6 - sum(misses)


@given(routings(), st.integers(1, 9), st.integers(1, 3), st.sampled_from(POLICIES))
def test_every_access_is_a_hit_or_a_miss(routing: Routing, capacity: int, batch: int, policy: str) -> None:
    batch = min(batch, len(routing.choices))
    run = run_cache(routing, capacity, policy, batch)
    assert run.hits + run.misses.sum() == run.accesses.sum()
    assert (run.misses <= run.accesses).all()
    steps = len(routing.choices) // batch
    assert run.misses.shape == (steps, routing.layers)
    distinct = sum(len({*routing.choices[: steps * batch, layer].ravel()}) for layer in range(routing.layers))
    assert run.misses.sum() >= distinct
    if capacity >= routing.experts:
        assert run.misses.sum() == distinct
    assert sum(run.miss_distribution()) == pytest.approx(1)


@given(routings(), st.integers(1, 8))
def test_more_room_never_makes_lru_or_the_bound_miss_more(routing: Routing, capacity: int) -> None:
    for policy in ("lru", "belady"):
        less, more = (run_cache(routing, room, policy).misses.sum() for room in (capacity, capacity + 1))
        assert more <= less
    # What is held with less room is held with more: step by step and not only in all.
    less, more = (run_cache(routing, room).misses for room in (capacity, capacity + 1))
    assert (more <= less).all()


@given(routings(), st.integers(1, 8), st.integers(1, 3))
def test_no_rule_misses_less_than_the_bound(routing: Routing, capacity: int, batch: int) -> None:
    batch = min(batch, len(routing.choices))
    least = run_cache(routing, capacity, "belady", batch).misses.sum()
    assert all(run_cache(routing, capacity, policy, batch).misses.sum() >= least for policy in POLICIES)


@pytest.mark.parametrize("capacity", [4, 12, 24])
def test_alike_experts_are_there_as_often_as_they_have_room(capacity: int) -> None:
    routing = drawn_routing(20_000, 1, 32, 1, seed=3)
    for policy in ("lru", "lfu"):
        assert run_cache(routing, capacity, policy).after(500).hit_rate == pytest.approx(capacity / 32, abs=0.015)


def test_of_several_at_a_time_each_has_the_others_before_it_in_its_way() -> None:
    """The n-th expert of a token is not one of those before, which are there: (C - n) / (E - n)."""
    routing = drawn_routing(5_000, 2, 64, 8, seed=5)
    expected = sum((24 - each) / (64 - each) for each in range(8)) / 8
    assert run_cache(routing, 24).after(200).hit_rate == pytest.approx(expected, abs=0.01)


def test_popular_experts_and_those_of_the_token_before_are_there_more_often() -> None:
    alike, popular, again = (
        run_cache(drawn_routing(2_000, 1, 64, 4, seed=7, **drawn), 16).hit_rate
        for drawn in ({}, {"popularity": 1.0}, {"again": 0.5})
    )
    assert alike < min(popular, again)


def test_experts_are_drawn_by_their_weight_and_taken_again_with_their_probability() -> None:
    routing = drawn_routing(30_000, 1, 4, 1, seed=11, popularity=1.0)
    shares = np.sort(np.bincount(routing.choices.ravel(), minlength=4))[::-1] / 30_000
    weights = 1 / np.arange(1, 5)
    assert shares == pytest.approx(weights / weights.sum(), abs=0.01)
    one = drawn_routing(20_000, 1, 100, 1, seed=11, again=0.6).choices[:, 0, 0]
    assert (one[1:] == one[:-1]).mean() == pytest.approx(0.6 + 0.4 / 100, abs=0.015)


def test_a_seed_says_all() -> None:
    one, other, third = (drawn_routing(50, 2, 16, 4, seed=seed).choices for seed in (1, 1, 2))
    assert (one == other).all()
    assert (one != third).any()


def test_misses_are_time() -> None:
    run = CacheRun("lru", 2, np.full((3, 2), 2), np.array([[0, 0], [1, 0], [2, 2]]))
    times = step_times(run, {0: 100, 1: 150, 2: 220})
    assert times.cycles.tolist() == [200, 250, 440]
    assert times.mean == pytest.approx(890 / 3)
    assert [times.percentile(share) for share in (50, 90, 100)] == [250, 440, 440]
    with pytest.raises(InputError, match="no cycles of a layer with 2 missing experts"):
        step_times(run, {0: 100, 1: 150})


def test_one_busy_expert_is_out_of_balance() -> None:
    routing = Routing(4, np.array([[[0], [0]], [[1], [0]], [[2], [0]], [[3], [0]]]))
    assert routing.imbalance(4).tolist() == [[1.0, 4.0]]


def test_the_best_group_of_a_segment_by_hand() -> None:
    routing = by_hand(0, 0, 1, 2, 3, 3)
    assert routing.covered(3, 1) == pytest.approx(4 / 6)
    assert routing.covered(3, 2) == 1
    assert routing.covered(6, 2) == pytest.approx(4 / 6)
    assert routing.covered(4, 1) == pytest.approx(2 / 4)  # two tokens are left out


@given(routings(), st.integers(1, 8), st.integers(1, 4))
def test_longer_segments_and_smaller_groups_cover_no_more(routing: Routing, room: int, segment: int) -> None:
    segment = min(segment, len(routing.choices))
    share = routing.covered(segment, room)
    assert min(1, room / routing.experts) - 1e-9 <= share <= routing.covered(segment, room + 1) <= 1
    whole = Routing(routing.experts, np.tile(routing.choices[:segment], (2, 1, 1)))
    assert whole.covered(2 * segment, room) == pytest.approx(whole.covered(segment, room))
    if len(routing.choices) % (2 * segment) == 0:
        assert routing.covered(2 * segment, room) <= share + 1e-9


@pytest.mark.parametrize(("capacity", "policy", "batch"), [(0, "lru", 1), (2, "lruu", 1), (2, "lru", 7)])
def test_what_cannot_be_is_refused(capacity: int, policy: str, batch: int) -> None:
    with pytest.raises(InputError):
        run_cache(by_hand(0, 1, 0), capacity, policy, batch)
