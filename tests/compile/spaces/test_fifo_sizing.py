import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.spaces.paper_fifo_sizing import (
    Delays,
    EdgeRates,
    FifoFacts,
    FifoSize,
    KernelTiming,
    Strategy,
    equalize,
    size_fifos,
)
from sttest.core.errors import InputError

FORK = KernelTiming("fork", ii=1, first_output_cycles=2, total_cycles=65)  # 64 tokens
SLOW = KernelTiming("slow", ii=4, first_output_cycles=20, total_cycles=272)  # 64 tokens
JOIN = KernelTiming("join", ii=1, first_output_cycles=1, total_cycles=64)  # 64 tokens
FIFOS = [FifoFacts("in", "fork", "slow"), FifoFacts("out", "slow", "join"), FifoFacts("skip", "fork", "join")]


def test_normal_sizes_of_a_fork_and_join():
    # delays: in 2, out 20, so skip 22.
    # in: writes 2..65, reads at 2 + 4n: 64 - floor((65 - 2) / 4) = 49; out: read as it is written: 0;
    # skip: the fork has written ceil((22 - 2) / 1) = 20 when the join starts
    assert size_fifos([FORK, SLOW, JOIN], FIFOS, Strategy.NORMAL) == {
        "in": FifoSize(delay_cycles=2, depth=50),
        "out": FifoSize(delay_cycles=20, depth=2),
        "skip": FifoSize(delay_cycles=22, depth=21),
    }


def test_conservative_sizes_of_a_fork_and_join():
    # every II is 4, so that the fork has written ceil((22 - 2) / 4) = 5 when the join starts
    assert size_fifos([FORK, SLOW, JOIN], FIFOS, Strategy.CONSERVATIVE) == {
        "in": FifoSize(delay_cycles=2, depth=2),
        "out": FifoSize(delay_cycles=20, depth=2),
        "skip": FifoSize(delay_cycles=22, depth=6),
    }


def test_normal_leaves_kernels_alone():
    assert equalize([FORK, SLOW], Strategy.NORMAL) == [FORK, SLOW]


def test_conservative_matches_the_slowest():
    assert equalize([FORK, SLOW], Strategy.CONSERVATIVE) == [KernelTiming("fork", 4, 2, 2 + 63 * 4), SLOW]


def test_throttled_moves_the_first_output_too():
    assert equalize([FORK, SLOW], Strategy.THROTTLED) == [KernelTiming("fork", 4, 8, 8 + 63 * 4), SLOW]


def test_every_hop_adds_the_fifos_own_latency():
    sizes = size_fifos([FORK, SLOW, JOIN], FIFOS, Strategy.CONSERVATIVE, read_after_write_cycles=1)
    assert {name: size.delay_cycles for name, size in sizes.items()} == {"in": 3, "out": 21, "skip": 24}


def test_no_kernels():
    assert equalize([], Strategy.CONSERVATIVE) == []
    assert size_fifos([], []) == size_fifos([], [], delays=Delays.SCHEDULE) == {}


def test_a_fifo_with_rates_of_its_own():
    """A reduction reads 16 tokens per output: its input FIFO has 1024 tokens, its output FIFO 64."""
    reduce = KernelTiming("reduce", ii=16, first_output_cycles=20, total_cycles=20 + 63 * 16)
    many = EdgeRates(tokens=1024, source_ii=1, first_write_cycles=2, target_ii=1)
    sizes = size_fifos(
        [KernelTiming("source", 1, 2, 1025), reduce, JOIN],
        [FifoFacts("many", "source", "reduce", many), FifoFacts("few", "reduce", "join")],
    )
    assert sizes == {"many": FifoSize(2, 2), "few": FifoSize(20, 2)}


def test_rates_of_its_own_are_stretched_with_the_kernels():
    rates = EdgeRates(tokens=32, source_ii=2, first_write_cycles=2, target_ii=8)
    fifo = FifoFacts("f", "fork", "slow", rates)
    assert size_fifos([FORK, SLOW], [fifo], Strategy.NORMAL)["f"].depth == 1 + 32 - 62 // 8
    assert size_fifos([FORK, SLOW], [fifo], Strategy.CONSERVATIVE)["f"].depth == 2


def test_kernels_without_one_rate_ask_for_rates():
    uneven = KernelTiming("uneven", ii=4, first_output_cycles=0, total_cycles=10)
    with pytest.raises(InputError, match="no multiple of the ii of 4"):
        size_fifos([uneven, JOIN], [FifoFacts("f", "uneven", "join")])


def test_unknown_kernels_are_refused():
    with pytest.raises(InputError, match="did you mean 'fork'"):
        size_fifos([FORK, JOIN], [FifoFacts("f", "frok", "join")])


@pytest.mark.parametrize("bad", [(0, 0, 1), (1, -1, 1), (1, 2, 1)])
def test_bad_timing_is_refused(bad):
    with pytest.raises(InputError, match="correct the timing of this kernel"):
        KernelTiming("k", *bad)


single_rate = st.builds(
    lambda ii, first, tokens: (ii, first, first + (tokens - 1) * ii),
    st.integers(1, 9),
    st.integers(0, 50),
    st.integers(1, 40),
)


@given(st.lists(single_rate, min_size=1, max_size=6), st.sampled_from([Strategy.CONSERVATIVE, Strategy.THROTTLED]))
def test_no_kernel_becomes_faster_or_slower_than_the_slowest(timings, strategy):
    kernels = [KernelTiming(f"k{n}", *timing) for n, timing in enumerate(timings)]
    pace = max(kernel.busy_cycles for kernel in kernels)
    for before, after in zip(kernels, equalize(kernels, strategy), strict=True):
        assert after.tokens == before.tokens
        assert before.busy_cycles <= after.busy_cycles <= pace
        assert after.busy_cycles > pace - before.tokens
