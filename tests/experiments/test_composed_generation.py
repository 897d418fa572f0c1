"""Composition of a generation from its blocks, by hand-computed cases and laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.blocks import BlockTime
from experiments.generation import Overheads, compose


def block(cycles: int) -> BlockTime:
    return BlockTime(cycles, cycles, 250.0, {"compute": cycles - 10, "HBM wait": 10}, 100, 10, 8, 3, 1, 1.0)


def test_a_generation_by_hand() -> None:
    """2 layers, prefill 1 ms, decode 0.1 ms at every context, 5 us launch, 3 ms host."""
    found = compose(4, 10, 2, block(250_000), {4: block(25_000), 14: block(25_000)}, Overheads(5.0, 3.0))
    assert found.ttft_ms == pytest.approx(2 * (1.0 + 0.005))
    assert found.decode_ms == pytest.approx(10 * 2 * (0.1 + 0.005) + 3.0)
    assert found.latency_ms == pytest.approx(found.ttft_ms + 10 / found.speed_tok_per_s * 1e3)


def test_contexts_between_simulated_ones_are_interpolated() -> None:
    """Contexts 0, 1, 2 between 100 and 120 us at 0 and 2: 100 + 110 + 120."""
    found = compose(0, 3, 1, block(250), {0: block(25_000), 2: block(30_000)}, Overheads(0.0, 0.0))
    assert found.decode_ms == pytest.approx(0.330)


@given(
    prefill=st.integers(20, 10**7),
    ends=st.tuples(st.integers(20, 10**6), st.integers(20, 10**6)),
    output_len=st.integers(1, 300),
    launch_us=st.floats(0, 100),
    host_ms=st.floats(0, 50),
)
def test_items_add_up_to_the_latency(
    prefill: int, ends: tuple[int, int], output_len: int, launch_us: float, host_ms: float
) -> None:
    decode = {32: block(ends[0]), 32 + output_len: block(ends[1])}
    found = compose(32, output_len, 24, block(prefill), decode, Overheads(launch_us, host_ms))
    assert sum(found.items_ms.values()) == pytest.approx(found.latency_ms)
