"""Tokens that pass a port one by one: none comes late, registers suffice, none is left behind."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.schedule.tile_walk import spread_reads, spread_writes

TILES = 4


@st.composite
def tiles(draw: st.DrawFn) -> tuple[list[int], int, int]:
    """Steps of each token, ascending; steps of a tile; the least cycles of a step in which all tokens can pass."""
    steps, tokens = draw(st.integers(1, 24)), draw(st.integers(1, 24))
    at = sorted(draw(st.lists(st.integers(0, steps - 1), min_size=tokens, max_size=tokens)))
    return at, steps, -(-tokens // steps)


@given(tiles())
def test_tokens_come_in_time_and_find_a_register(tile: tuple[list[int], int, int]) -> None:
    needed, steps, interval = tile
    spread = spread_reads(needed, steps, interval)
    if spread is None:
        assert max(Counter(needed).values()) <= interval
        return
    come = {
        (number, token): number * steps + token // interval - spread.ahead
        for number in range(TILES)
        for token in range(len(needed))
    }
    taken = {(number, token): number * steps + needed[token] for number, token in come}
    assert max(Counter(come.values()).values()) <= interval
    assert all(come[each] <= taken[each] for each in come)
    assert spread.ahead <= steps
    assert len(needed) % spread.registers == 0
    for now in range(-spread.ahead, TILES * steps):
        waiting = [each for each in come if come[each] <= now <= taken[each]]
        assert len({token % spread.registers for _, token in waiting}) == len(waiting)


@given(tiles(), st.randoms())
def test_tokens_that_are_read_where_they_wait_stay_until_their_last_step(
    tile: tuple[list[int], int, int], random: Random
) -> None:
    needed, steps, interval = tile
    last = [random.randint(step, steps - 1) for step in needed]
    spread = spread_reads(needed, steps, interval, last)
    if spread is None or not spread.in_place:
        return
    come = {
        (number, token): number * steps + token // spread.per_step * spread.every - spread.ahead
        for number in range(TILES)
        for token in range(len(needed))
    }
    assert max(Counter(come.values()).values()) <= interval
    assert all(come[number, token] <= number * steps + needed[token] for number, token in come)
    assert spread.steps <= steps or spread.every == 1
    for now in range(-spread.ahead, TILES * steps):
        used = [(n, token) for n, token in come if come[n, token] <= now <= n * steps + last[token]]
        assert len({token % spread.registers for _, token in used}) == len(used)


@given(tiles())
def test_results_leave_in_order_and_find_a_register(tile: tuple[list[int], int, int]) -> None:
    complete, steps, interval = tile
    spread = spread_writes(complete, steps, interval)
    if spread is None:
        assert max(Counter(complete).values()) <= interval
        return
    waiting: list[int] = []
    for now in range(TILES * steps):
        waiting += [token for token, step in enumerate(complete) if step == now % steps]
        places = [token % spread.registers for token in waiting]
        assert len({*places}) == len(places)
        del waiting[:interval]
    assert len(waiting) <= spread.rest


@pytest.mark.parametrize(
    ("needed", "steps", "ahead", "registers"), [([0, 0], 16, 1, 2), ([0] * 16, 16, 15, 16), ([0, 0, 2, 2], 4, 1, 2)]
)
def test_a_tile_that_needs_all_at_once_is_read_ahead(needed: list[int], steps: int, ahead: int, registers: int) -> None:
    spread = spread_reads(needed, steps, 1)
    assert spread is not None
    assert (spread.ahead, spread.registers) == (ahead, registers)
