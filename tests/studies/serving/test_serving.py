"""Serving: queues with closed forms, and what must hold of any schedule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.studies.serving.requests import Request, poisson, read_trace
from sttest.studies.serving.scheduler import Card, Limits, StepCost
from sttest.studies.serving.step_times import Cell, Grid, doubled


@dataclass(frozen=True)
class Times:
    """Steps that take what their tokens and sequences do."""

    per_prompt: float = 0.0
    per_token: float = 0.0
    per_step: float = 1.0

    def prefill(self, tokens: int, context: int) -> StepCost:
        return StepCost(self.per_step + self.per_prompt * tokens, 1.0)

    def decode(self, sequences: int, context: int) -> StepCost:
        return StepCost(self.per_step + self.per_token * sequences, 1.0)


def mean_wait(requests: list[Request], limits: Limits, times: Times) -> float:
    served = Card(requests, times, limits).run()
    return float(np.mean([each.first_s - each.request.arrival_s for each in served]))


@pytest.mark.parametrize("load", [0.5])
def test_one_step_per_request_is_an_m_d_1_queue(load):
    """Pollaczek-Khinchine with a constant service time of 1: mean time in system 1 + load / (2 (1 - load))."""
    requests = poisson(100_000, load, [(1, 1)], seed=7)
    expected = 1 + load / (2 * (1 - load))
    found = mean_wait(requests, Limits(1, 100, 16), Times())
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_an_m_d_1_queue_under_load(seed):
    requests = poisson(2_000_000, 0.8, [(1, 1)], seed)
    assert mean_wait(requests, Limits(1, 100, 16), Times()) == pytest.approx(1 + 0.8 / 0.4, rel=0.01)


def test_two_services_in_turn_are_an_m_g_1_queue():
    """Prompts of 1 and 3 tokens: W = 1/2 rate E[S^2] / (1 - load), with services of 1 and 3."""
    rate = 0.3
    lengths = [(1, 1), (3, 1)]
    source = np.random.default_rng(3)
    drawn = [lengths[number] for number in source.integers(0, 2, 200_000)]
    found = mean_wait(poisson(50_000, rate, drawn[:50_000], 5), Limits(1, 100, 16), Times(per_prompt=1.0, per_step=0.0))
    assert found == pytest.approx(2 + rate * 5 / (2 * (1 - 2 * rate)), rel=0.02)


def test_a_lone_request_takes_a_prefill_and_a_step_per_further_token():
    (only,) = Card([Request(0, 2.0, 10, 4)], Times(per_prompt=0.5, per_token=0.25), Limits(8, 100, 4)).run()
    assert only.first_s == pytest.approx(2.0 + 1 + 10 * 0.5)
    assert only.end_s == pytest.approx(only.first_s + 3 * 1.25)


def test_chunks_take_a_step_each():
    card = Card([Request(0, 0.0, 10, 1)], Times(), Limits(8, 100, 4, chunk=4))
    (only,) = card.run()
    assert [step.tokens for step in card.steps] == [4, 4, 2]
    assert only.first_s == 3.0


def test_prompts_ride_in_the_steps_of_others():
    card = Card([Request(0, 0.0, 3, 2), Request(1, 0.5, 2, 1)], Times(), Limits(2, 100, 4, chunk=1, rides=True))
    first, second = card.run()
    assert [len(step.sequences) for step in card.steps] == [1, 2, 2, 1]
    assert (first.first_s, first.end_s, second.first_s) == (3.0, 4.0, 3.0)


def test_tokens_and_prompts_take_turns_unless_prompts_go_first():
    requests = [Request(number, 0.0, 4, 3) for number in range(3)]
    phases = {
        policy: "".join(step.phase[0] for step in _run(requests, Limits(4, 100, 4, policy)).steps)
        for policy in ("first-come", "prefill-first")
    }
    assert phases == {"first-come": "pdpdpdd", "prefill-first": "pppdd"}


def test_the_shortest_prompt_goes_first():
    requests = [Request(0, 0.0, 9, 1), Request(1, 0.1, 7, 1), Request(2, 0.2, 2, 1)]
    card = _run(requests, Limits(1, 100, 4, "shortest"))
    assert [step.sequences for step in card.steps] == [(0,), (2,), (1,)]


def test_one_design_follows_the_other_after_a_pause():
    card = _run([Request(0, 0.0, 4, 3)], Limits(1, 100, 4, reconfigure_s=5.0))
    assert [step.begin_s for step in card.steps] == [0.0, 6.0, 7.0]


def test_who_came_last_gives_way_where_pages_run_out():
    requests = [Request(0, 0.0, 4, 8), Request(1, 0.1, 4, 8)]
    card = Card(requests, Times(), Limits(2, 4, 4))
    first, second = card.run()
    assert (first.preempted, second.preempted) == (0, 1)
    assert first.end_s < second.end_s
    assert card.free_pages == 4


def test_a_request_that_never_fits_is_named():
    with pytest.raises(InputError, match="request 1 needs more memory") as refusal:
        Card([Request(0, 0.0, 4, 1), Request(1, 0.0, 40, 8)], Times(), Limits(2, 4, 4))
    assert (refusal.value.demand, refusal.value.bound) == (12, 4)


def _run(requests: list[Request], limits: Limits) -> Card:
    card = Card(requests, Times(), limits)
    card.run()
    return card


REQUESTS = st.lists(st.tuples(st.floats(0, 20), st.integers(1, 12), st.integers(1, 10)), min_size=1, max_size=12).map(
    lambda drawn: [Request(number, *each) for number, each in enumerate(sorted(drawn))]
)
LIMITS = st.builds(
    Limits,
    batch=st.integers(1, 5),
    pages=st.integers(6, 20),
    page_tokens=st.integers(4, 8),
    policy=st.sampled_from(["first-come", "shortest", "prefill-first"]),
    chunk=st.sampled_from([None, 1, 3]),
    rides=st.booleans(),
    reconfigure_s=st.sampled_from([0.0, 0.5]),
)


@settings(max_examples=300, deadline=None)
@given(REQUESTS, LIMITS)
def test_nothing_is_lost_whatever_the_schedule(requests, limits):
    card = Card(requests, Times(per_prompt=0.1, per_token=0.2), limits)
    served = card.run()
    # Every request has all of its tokens, in order, and not before it came.
    assert [each.made for each in served] == [each.request.output for each in served]
    assert all(each.request.arrival_s < each.first_s <= each.end_s for each in served)
    # Pages: as many as there are, none kept.
    assert card.free_pages == limits.pages
    assert all(each.pages == 0 for each in served)
    assert all(0 < step.pages <= limits.pages for step in card.steps)
    # One step after the other, of no more sequences than there is room for, each once.
    ends = [0.0, *(step.end_s for step in card.steps)]
    assert all(step.begin_s >= end for step, end in zip(card.steps, ends, strict=False))
    assert all(len(step.sequences) <= limits.batch for step in card.steps)
    assert all(max(Counter(step.sequences).values()) == 1 for step in card.steps)
    # Every position is computed once, and again after a loss.
    taken = Counter[int]()
    for step in card.steps:
        for number in step.sequences:
            taken[number] += step.tokens if step.phase == "prefill" else 1
    for each in served:
        least = each.request.positions
        assert taken[each.request.number] >= least
        assert each.preempted or taken[each.request.number] == least


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 5), min_size=2, max_size=12), st.integers(1, 4))
def test_alike_requests_are_served_in_order(arrivals, batch):
    requests = [Request(number, time, 5, 3) for number, time in enumerate(sorted(arrivals))]
    served = Card(requests, Times(), Limits(batch, 100, 4)).run()
    firsts = [each.first_s for each in served]
    assert firsts == sorted(firsts)


def test_a_trace_of_either_kind(tmp_path):
    ours, azure = tmp_path / "ours.csv", tmp_path / "azure.csv"
    ours.write_text("arrival_s,prompt_tokens,output_tokens\n1.5,7,3\n0.5,9,1\n")
    azure.write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n"
    )
    assert read_trace(ours) == [Request(0, 0.5, 9, 1), Request(1, 1.5, 7, 3)]
    first, second = read_trace(azure)
    assert (first.arrival_s, first.prompt, second.output) == (0.0, 374, 109)
    assert second.arrival_s == pytest.approx(4.314579, abs=1e-6)
    assert read_trace(azure, 1) == [first]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("arrival_s,prompt_tokens\n1,2\n", "no column 'output_tokens'"),
        ("arrival_s,prompt_tokens,output_tokens\n", "holds no requests"),
        ("arrival_s,prompt_tokens,output_tokens\n1,2,0\n", "at least one token"),
        ("arrival_s,prompt_tokens,output_tokens\nsoon,2,1\n", "line 2"),
        ("arrival_s,prompt_tokens,output_tokens\nnan,2,1\n", "line 2: 'nan' is no finite number"),
        ("arrival_s,prompt_tokens,output_tokens\n0,2,1\n-2.5,2,1\n", "line 3: arrives at -2.5 s, before the start"),
        ("arrival_s,prompt_tokens,output_tokens\n1e300,2,1\n", "line 2: arrives more than three years after"),
        ("arrival_s,prompt_tokens,output_tokens\n1700000000,2,1\n", "subtract the first arrival"),
        ("arrival_s,prompt_tokens,output_tokens\n1,2,1_0\n", "line 2: '1_0' is no whole number"),
        ("arrival_s,prompt_tokens,output_tokens\n2023-11-16 18:15:46,2,1\n1,2,1\n", "line 3: has seconds where"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,2,1\n2031-01-01,2,1\n", "line 3: arrives more"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-99-16 18:15:46,2,1\n", "line 2"),
        ("arrival_s,prompt_tokens,output_tokens\n1,2.5,1\n", "line 2"),
    ],
)
def test_what_is_wrong_with_a_trace_is_named(text, told, tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refusal:
        read_trace(path)
    assert told in str(refusal.value)


AZURE = ("2023-11-16 18:15:50.9951690,396,109", "2023-11-16 18:15:46.6805900,374,44", "2023-11-16 18:15:48,5,6")


@pytest.mark.parametrize("zones", [("+05:00", ""), ("", "Z")])
def test_dates_with_a_zone_and_without_are_not_taken_together(zones, tmp_path):
    path = tmp_path / "trace.csv"
    lines = [f"2023-11-16 18:17:0{second}{zone},8,8" for second, zone in enumerate(zones)]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *lines]))
    with pytest.raises(InputError, match=r"line 3: has dates with.* zone where the lines before it have dates with"):
        read_trace(path)


@pytest.mark.parametrize("zone", ["", "+00:00", "Z"])
def test_lines_out_of_order_are_taken_by_arrival_and_said(zone, tmp_path, capsys):
    path = tmp_path / f"trace{zone}.csv"
    lines = [f"{date}{zone},{rest}" for date, _, rest in (line.partition(",") for line in AZURE)]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *lines, ""]))
    found = read_trace(path)
    assert [each.prompt for each in found] == [374, 5, 396]
    assert [each.arrival_s for each in found] == pytest.approx([0, 1.31941, 4.314579], abs=1e-6)
    assert f"{path}: 1 of 3 lines arrive before the line above" in capsys.readouterr().err
    assert read_trace(path, 2) == found[:2]


def test_poisson_arrivals():
    found = poisson(100_000, 4.0, [(3, 2), (5, 1)], seed=1)
    gaps = np.diff([0.0, *(each.arrival_s for each in found)])
    assert gaps.mean() == pytest.approx(0.25, rel=0.01)
    assert gaps.std() == pytest.approx(0.25, rel=0.02)
    assert [(each.prompt, each.output) for each in found[:3]] == [(3, 2), (5, 1), (3, 2)]
    for rate in (0, -1, 1e-300, 1e300, float("nan"), float("inf")):
        with pytest.raises(InputError, match="--rate"):
            poisson(1, rate, [(1, 1)], 0)
    with pytest.raises(InputError, match="more requests than are served"):
        poisson(10**12, 1, [(1, 1)], 0)


def test_times_between_simulated_shapes_lie_on_straight_lines():
    cells = {
        Cell(batch, length): StepCost(10.0 * batch + length, 1.0 * batch) for batch in (1, 4) for length in (64, 128)
    }
    grid = Grid((1, 4), (64, 128), cells)
    assert all(grid.at(cell.sequences, cell.length) == cost for cell, cost in cells.items())
    assert grid.at(2, 96) == StepCost(pytest.approx(20 + 96), pytest.approx(2))
    # Shorter ones take the time of the shortest.
    assert grid.at(1, 3) == cells[Cell(1, 64)]
    assert grid.at(4, 500) == cells[Cell(4, 128)]


def test_shapes_double_up_to_the_longest():
    assert [doubled(1, most) for most in (1, 3, 8)] == [[1], [1, 2, 3], [1, 2, 4, 8]]
    assert doubled(64, 200, 1023) == [64, 128, 256]
    assert doubled(64, 900, 1000) == [64, 128, 256, 512, 1000]
