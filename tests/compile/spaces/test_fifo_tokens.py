import math

import pytest
from expanded_fifos import depth_from_curves
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.spaces.paper_fifo_sizing import EdgeRates, depth, max_tokens
from sttest.core.errors import InputError


def test_worked_example_of_a_faster_source():
    # writes at 3 4 5 6 7, reads at 3 5 7 9 11: at cycle 7 all 5 are written, 2 were read before
    rates = EdgeRates(tokens=5, source_ii=1, first_write_cycles=3, target_ii=2)
    assert rates.last_write_cycles == 7
    assert max_tokens(rates, delay_cycles=3) == 5 - (7 - 3) // 2 == 3
    assert depth(rates, delay_cycles=3) == 4


@pytest.mark.parametrize(("delay", "tokens"), [(3, 0), (4, 1), (5, 1), (6, 2), (11, 4), (50, 5)])
def test_slower_source_is_fullest_at_the_first_read(delay, tokens):
    # writes at 3 5 7 9 11
    rates = EdgeRates(tokens=5, source_ii=2, first_write_cycles=3, target_ii=1)
    assert max_tokens(rates, delay) == tokens
    assert depth(rates, delay) == max(2, tokens + 1)


def test_faster_source_that_is_done_before_the_target_starts():
    assert max_tokens(EdgeRates(5, 1, 3, 2), delay_cycles=8) == 5


def test_a_late_first_read_counts_as_delay():
    early, late = EdgeRates(5, 2, 3, 1), EdgeRates(5, 2, 3, 1, first_read_cycles=4)
    assert late.min_delay_cycles == -1
    assert max_tokens(late, 4) == max_tokens(early, 8)


def test_a_target_that_starts_too_early_waits():
    rates = EdgeRates(5, 1, 3, 2)
    assert max_tokens(rates, 0) == max_tokens(rates, 3)


@pytest.mark.parametrize("bad", [(0, 1, 0, 1), (1, 0, 0, 1), (1, 1, 0, 0)])
def test_rates_below_one_are_refused(bad):
    with pytest.raises(InputError, match="must be 1 or more"):
        EdgeRates(*bad)


def simulate(write_times, read_times, delay, read_after_write=0):
    """Cycle by cycle: most tokens inside if a same-cycle read counts first, and if it counts last."""
    arrivals, reads = list(write_times), list(read_times)
    written = read = peak_read_first = peak_write_first = stalled = 0
    cycle = 0
    while read < len(arrivals):
        written += sum(1 for time in arrivals if time == cycle)
        peak_write_first = max(peak_write_first, written - read)
        while read < len(arrivals) and reads[read] + delay + stalled <= cycle:
            if arrivals[read] + read_after_write > cycle:
                stalled += 1
                break
            read += 1
        peak_read_first = max(peak_read_first, written - read)
        cycle += 1
    return peak_read_first, peak_write_first


def curves_of(rates):
    writes = [rates.first_write_cycles + n * rates.source_ii for n in range(rates.tokens)]
    reads = [rates.first_read_cycles + n * rates.target_ii for n in range(rates.tokens)]
    return writes, reads


small_rates = st.builds(
    EdgeRates, st.integers(1, 14), st.integers(1, 5), st.integers(0, 9), st.integers(1, 5), st.integers(0, 9)
)


@given(small_rates, st.integers(0, 40))
def test_closed_form_against_a_simulation(rates, delay):
    read_first, write_first = simulate(*curves_of(rates), delay)
    closed = max_tokens(rates, delay)
    assert read_first <= closed <= read_first + 1
    assert write_first <= closed + 1 <= depth(rates, delay)
    if rates.source_ii >= rates.target_ii:
        assert closed == read_first


@given(small_rates, st.integers(0, 40))
def test_curves_of_one_rate_give_the_closed_form(rates, delay):
    """Equal where both count the same cycle alike, which is the fuller reading of each branch."""
    to_first_read = max(delay + rates.first_read_cycles, rates.first_write_cycles)
    exact = depth_from_curves(*curves_of(rates), delay)
    if rates.source_ii < rates.target_ii:
        whole_steps = (rates.last_write_cycles - to_first_read) % rates.target_ii == 0
        starts_late = to_first_read > rates.last_write_cycles
        assert exact == max_tokens(rates, delay) - (0 if whole_steps or starts_late else 1)
    else:
        meets_a_write = (to_first_read - rates.first_write_cycles) % rates.source_ii == 0
        assert exact == min(rates.tokens, max_tokens(rates, delay) + (1 if meets_a_write else 0))


sorted_times = st.lists(st.integers(0, 30), min_size=1, max_size=12).map(sorted)


@given(st.data(), st.integers(0, 30), st.integers(0, 2))
def test_curves_against_a_simulation(data, delay, read_after_write):
    writes = data.draw(sorted_times)
    reads = sorted(data.draw(st.lists(st.integers(0, 30), min_size=len(writes), max_size=len(writes))))
    _, write_first = simulate(writes, reads, delay, read_after_write)
    assert depth_from_curves(writes, reads, delay, read_after_write) == write_first


@given(small_rates, st.integers(0, 40), st.integers(1, 2))
def test_exact_depth_is_the_least_with_which_no_write_waits(rates, delay, read_after_write):
    writes, reads = curves_of(rates)
    exact = depth_from_curves(writes, reads, delay, read_after_write)

    def delayed_writes(fifo_depth):
        late, last_read, leaves = 0, -math.inf, []
        for n, planned in enumerate(writes):
            write = max(planned, leaves[n - fifo_depth] + 1) if n >= fifo_depth else planned
            late += write > planned
            step = reads[n] - reads[n - 1] if n else 0
            last_read = max(last_read + step, write + read_after_write, delay + reads[0])
            leaves.append(last_read)
        return late

    assert delayed_writes(exact) == 0
    assert exact == 1 or delayed_writes(exact - 1) > 0


def test_a_reader_that_pauses():
    writes = [4, 5, 6, 7, 8, 9, 10, 11]
    # reads at 4 5 6 7, then 12 13 14 15: tokens 4 to 7 are all inside at cycle 11
    assert depth_from_curves(writes, [0, 1, 2, 3, 8, 9, 10, 11], delay_cycles=4) == 4
    assert depth_from_curves(writes, range(8), delay_cycles=4) == 1
    assert depth_from_curves(writes, range(8), delay_cycles=100) == 8


def test_no_tokens_need_no_depth():
    assert depth_from_curves([], [], 0) == 0
