"""Lowering depths: laws of the search itself."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sttest.sim.depth_search import least_depth, reduce_depths


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50))
def test_least_depth_is_found_by_bisection(low, extra, needed):
    high = low + extra
    needed = min(needed, high)
    assert least_depth(lambda depth: depth >= needed, low, high) == max(low, needed)


@given(st.integers(1, 20), st.integers(1, 60), st.integers(1, 60), st.integers(1, 30))
def test_a_shift_register_may_be_enough_where_a_deeper_ram_is_not(low, as_srl, as_ram, threshold):
    """Up to the threshold ``as_srl`` places are enough, above it ``as_ram``."""
    high = max(low, threshold, as_ram) + 5

    def is_enough(depth: int) -> bool:
        return depth >= (as_srl if depth <= threshold else as_ram)

    enough = [depth for depth in range(low, high + 1) if is_enough(depth)]
    assert least_depth(is_enough, low, high, threshold) == enough[0]


@given(st.lists(st.integers(1, 12), min_size=2, max_size=4), st.integers(4, 30), st.randoms())
def test_what_is_left_is_a_local_minimum(start, total, random):
    """Enough is a total: however depths are lowered, none can be lowered further."""
    depths = np.array(start)
    total = min(total, int(depths.sum()))
    order = list(range(depths.size))
    random.shuffle(order)
    zeros = np.zeros_like(depths)
    found = reduce_depths(depths, np.ones_like(depths), lambda trial: int(trial.sum()) >= total, order, zeros)
    assert (found <= depths).all()
    assert found.sum() == max(total, depths.size)
