"""Gaps and fills found from curves equal those found token by token."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from expanded_fifos import depth_from_curves
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.spaces import fifo_curves as fifo_gap
from sttest.compile.spaces.fifo_curves import Curve, Nest, greatest_gap, latest_token, most_held, nest
from sttest.core.errors import InputError

TOKENS_PER_BLOCK = 3


@pytest.fixture(scope="module", autouse=True)
def small_blocks() -> Iterator[None]:
    """So that curves of some dozen tokens are searched as those of millions are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fifo_gap, "_BLOCK", TOKENS_PER_BLOCK)
        yield


@st.composite
def nests(draw: st.DrawFn, tokens: int, first: int) -> Nest:
    """Loops of so many tokens in all, the last step of which may be cut short."""
    size = draw(st.integers(1, min(4, tokens)))
    offsets = np.cumsum([0, *draw(st.lists(st.integers(0, 4), min_size=size - 1, max_size=size - 1))])
    length, left, steps = int(offsets[-1]), -(-tokens // size), []
    while left > 1:
        count = draw(st.integers(2, 6))
        cycles = length + draw(st.integers(0, 4))
        steps.insert(0, (count, cycles))
        length += (count - 1) * cycles
        left = -(-left // count)
    return Nest(first, tuple(steps), offsets, tokens)


@st.composite
def curves(draw: st.DrawFn, tokens: int) -> Curve:
    """One or more nests one after the other, at a pace."""
    cuts = draw(st.sets(st.integers(1, max(1, tokens - 1)), max_size=2)) - {tokens}
    sizes = np.diff([0, *sorted(cuts), tokens])
    found, first = [], draw(st.integers(0, 5))
    for size in sizes.tolist():
        found.append(draw(nests(size, first)))
        first = int(found[-1].times(np.array([size - 1]))[0]) + draw(st.integers(0, 5))
    return Curve(tuple(found), draw(st.fractions(1, 5, max_denominator=12)))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Curve, Curve]:
    tokens = draw(st.integers(1, 90))
    return draw(curves(tokens)), draw(curves(tokens))


def spelled_out(curve: Curve) -> np.ndarray:
    """All times, walked step by step."""
    times: list[int] = []
    for part in curve.nests:
        found = [part.first]
        for count, cycles in part.steps:
            found = [start + index * cycles for start in found for index in range(count)]
        times += [start + offset for start in found for offset in part.offsets.tolist()][: part.tokens]
    return np.array([int(time * curve.pace) for time in times])


@given(pairs())
def test_times_are_those_of_the_loops(pair: tuple[Curve, Curve]) -> None:
    for curve in pair:
        times = spelled_out(curve)
        assert len(curve) == times.size
        assert curve.at(np.arange(times.size)).tolist() == times.tolist()
        assert curve[-1] == times[-1]
        asked = np.arange(-1, int(times[-1]) + 3)
        assert curve.count_before(asked).tolist() == np.searchsorted(times, asked, side="left").tolist()


@given(pairs(), st.data())
def test_the_greatest_gap_is_that_of_all_tokens(pair: tuple[Curve, Curve], data: st.DataObject) -> None:
    late, early = pair
    skip = data.draw(st.integers(0, len(late) - 1))
    gaps = spelled_out(late)[: len(late) - skip] - spelled_out(early)[skip:]
    greatest = int(gaps.max())
    assert greatest_gap(late, early, skip) == greatest
    for above in (greatest - 10, greatest - 1):
        found = latest_token(late, early, skip, above)
        assert found is not None
        assert gaps[found] == greatest
    assert latest_token(late, early, skip, above=greatest) is None


@given(pairs(), st.integers(0, 40))
def test_the_fill_is_that_of_all_tokens(pair: tuple[Curve, Curve], later: int) -> None:
    writes, reads = pair
    delay = greatest_gap(writes, reads) + later
    assert most_held(writes, reads, delay) == depth_from_curves(spelled_out(writes), spelled_out(reads), delay)


def test_a_step_that_goes_on_where_the_last_one_ends_is_no_level_of_its_own() -> None:
    loops = nest(3, [(4, 60), (5, 12), (2, 5), (3, 0)], [0])
    assert loops.steps == ((20, 12), (2, 5), (3, 0))
    assert loops.sizes == (6, 3, 1)


def looked_at(monkeypatch: pytest.MonkeyPatch, rows: int, reader: tuple[int, int]) -> int:
    """Tokens whose times are asked for, of rows of 10,000 that are read in other rows, with pauses in between."""
    asked = 0
    parts = Curve.parts

    def counted(curve: Curve, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal asked
        asked += tokens.size
        return parts(curve, tokens)

    columns, inner = reader
    writes = nest(0, [(rows, 30_007), (10_000, 3)], [0])
    reads = nest(
        0, [(rows * 10_000 // columns // inner, 3 * columns * inner + 9), (columns, 3 * inner), (inner, 2)], [0]
    )
    slower = int(reads.times(np.array([reads.tokens - 1]))[0])
    with monkeypatch.context() as patch:
        patch.setattr(fifo_gap, "_BLOCK", 512)
        patch.setattr(Curve, "parts", counted)
        ends = Curve((writes,), Fraction(slower + 17, rows * 30_007)), Curve((reads,), Fraction(slower + 17, slower))
        assert most_held(*ends, greatest_gap(*ends)) > 1
    return asked


@pytest.mark.parametrize("reader", [(40, 250), (40, 1000), (7, 2000)])
def test_few_of_many_tokens_are_looked_at(monkeypatch: pytest.MonkeyPatch, reader: tuple[int, int]) -> None:
    """Of 140 million; gaps that differ by less than a cycle from row to row take most looks."""
    assert looked_at(monkeypatch, 14_000, reader) < 1_000_000


def test_a_curve_too_long_to_be_counted_in_cycles_is_refused() -> None:
    with pytest.raises(InputError, match="cycles"):
        Curve((nest(0, [(1 << 40, 1)], [0]),), Fraction((1 << 40) + 1, 1 << 40))
