"""What the page says is monotone: deeper FIFOs and more bursts outstanding make nothing later, also beside actors."""

from dataclasses import replace

import pytest
from claims import moments
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle_graphs import mixed_graphs, tangled_graphs

from sttest.sim import MemoryPort, simulate
from sttest.sim.bursts import with_own_channels

MORE = st.lists(st.sampled_from([0, 1, 2, 7]), min_size=1, max_size=5)


@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.nightly)])
def test_more_space_makes_nothing_later(count):
    done = 0

    @settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.one_of(mixed_graphs(), tangled_graphs(5)), MORE, st.integers(0, 3))
    def compare(design, more, places):
        nonlocal done
        kinds = tuple(replace(fifo, impl=fifo.kind) for fifo in design.fifos)
        one = with_own_channels(replace(design, fifos=kinds))
        deeper = tuple(replace(fifo, depth=fifo.depth + more[i % len(more)]) for i, fifo in enumerate(kinds))
        roomier = tuple(
            replace(process, outstanding=process.outstanding + places) if isinstance(process, MemoryPort) else process
            for process in one.processes
        )
        before = simulate(one, record=True)
        after = simulate(replace(one, fifos=deeper, processes=roomier), record=True)
        done += before.verdict == "done"
        assert all(cycle >= sooner for cycle, sooner in moments(before, after))

    compare()
    assert done >= count // 10
