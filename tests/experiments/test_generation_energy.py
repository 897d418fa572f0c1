"""The activity of a generation takes as long as the generation, and adds up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_blocks import block, model_blocks

from experiments.generation import Overheads, compose
from experiments.generation_energy import compose_activity
from sttest.boards.energy import Activity


@given(
    prefill_us=st.integers(1, 10**5),
    ends_us=st.tuples(st.integers(1, 10**4), st.integers(1, 10**4)),
    output_len=st.integers(1, 200),
    launch_us=st.floats(0, 100),
    host_ms=st.floats(0, 50),
)
def test_activity_takes_as_long_as_the_generation(
    prefill_us: int, ends_us: tuple[int, int], output_len: int, launch_us: float, host_ms: float
) -> None:
    decode = {32: block(ends_us[0]), 32 + output_len: block(ends_us[1])}
    arguments = (32, output_len, 24, block(prefill_us), decode, Overheads(launch_us, host_ms))
    time, done = compose(*arguments), compose_activity(*arguments)
    assert 1e3 * done.prefill.seconds == pytest.approx(time.ttft_ms)
    assert 1e3 * done.decode.seconds == pytest.approx(time.decode_ms)
    assert 1e3 * done.whole.seconds == pytest.approx(time.latency_ms)


def test_a_generation_moves_the_bits_of_its_blocks() -> None:
    """24 layers of one prefill and 64 decode blocks, 1 Mbit each; launches and host move none."""
    blocks = model_blocks()
    done = compose_activity(32, 64, 24, blocks.prefill[32], blocks.decode, Overheads(5, 10))
    assert done.whole.hbm_bits == pytest.approx(24 * (1 + 64) * 1e6)


def test_blocks_without_counts_are_refused() -> None:
    old = block(1)
    with pytest.raises(TypeError):
        _ = type(old)(*(getattr(old, name) for name in list(vars(old))[:10])).done
    assert block(1).done == Activity(1e-6, hbm_bits=1e6)
