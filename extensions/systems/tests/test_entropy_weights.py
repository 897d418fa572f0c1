"""Entropy-coded weights in a design: fewer bytes, the same cycles from both engines; closed forms beside samples."""

import numpy as np
import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate
from sttest_systems.entropy.coding import LaneFormat, entropy_bits
from sttest_systems.entropy.coding.lanes import EXPONENTS, bfloat16_bits, exponents
from sttest_systems.entropy.decoded_design import (
    bytes_of_weights,
    lane_plan,
    weight_ports,
    weights_of,
    with_decoders,
    with_plain_bfloat16,
)
from sttest_systems.entropy.decoder_timing import CATEGORY, any_trace_depths
from sttest_systems.entropy.savings import (
    integer_code_bits,
    integer_shares,
    normal_exponents,
    offload_tokens_per_s,
    quantized,
    rate_bound,
    share_entropy,
)

LANES = LaneFormat(4, 2, 32, 12, 128)


def is_weight(port):
    return "weight" in port.origin and "norm" not in port.origin


@pytest.fixture(scope="module")
def design():
    options = CompileOptions(share="weights", precision="fp32")
    return compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c", options).graph


@pytest.fixture(scope="module")
def weights(design):
    rng = np.random.default_rng(1)
    return {
        port.name: bfloat16_bits(rng.normal(0, 0.02, weights_of(port)).astype(np.float32))
        for port in weight_ports(design, is_weight)
    }


def test_a_design_with_decoders_moves_two_thirds_and_both_engines_agree(design, weights):
    code = LANES.code(np.concatenate([*weights.values()]))
    coded = with_decoders(design, is_weight, weights, LANES, code, any_trace_depths(LANES))
    plain = bytes_of_weights(with_plain_bfloat16(design, is_weight), is_weight)
    assert plain == bytes_of_weights(design, is_weight) / 2
    assert 0.6 < bytes_of_weights(coded, is_weight) / plain < 0.72
    assert sum(each.category == CATEGORY for each in coded.processes) == len(weights) * (LANES.lanes + 2)
    run, oracle = simulate(coded), simulate(coded, "simpy")
    assert run.cycles is not None
    assert (run.cycles, run.finish, run.max_occupancy) == (oracle.cycles, oracle.finish, oracle.max_occupancy)


def test_what_does_not_fit_is_refused(design, weights):
    code = LANES.code(np.full(8, 0x3F80, dtype=np.uint16))
    with pytest.raises(InputError, match="do not take"):
        with_decoders(design, is_weight, weights, LANES, code, any_trace_depths(LANES))
    with pytest.raises(InputError, match="no port"):
        weight_ports(design, lambda _: False)


def test_ports_planned_together_are_those_planned_apart(weights):
    both = np.stack([each[:512] for each in weights.values()][:2])
    code = LANES.code(both)
    together = lane_plan(both, LANES, code)
    for number, alone in enumerate(lane_plan(row[None], LANES, code) for row in both):
        assert alone.words[0] == together.words[number]
        for ours, theirs in zip(alone.steps[0].takes, together.steps[number].takes, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("deviation", [0.02, 1.0, 3.0e-39])
def test_exponents_of_normal_numbers_are_those_of_the_closed_form(deviation):
    values = np.random.default_rng(1).normal(0, deviation, 400_000).astype(np.float32)
    counts = np.bincount(exponents(bfloat16_bits(values)), minlength=EXPONENTS)
    shares = normal_exponents(deviation)
    assert shares.sum() == pytest.approx(1)
    assert np.abs(counts / values.size - shares).max() < 0.003
    assert entropy_bits(counts) == pytest.approx(share_entropy(shares), abs=0.01)


def test_integers_of_normal_numbers_are_those_of_the_closed_form():
    values = np.random.default_rng(1).normal(0, 1, 1 << 18)
    found = quantized(values, 4, 1 << 18)
    assert np.abs(found).max() == 7
    counts = np.bincount(found + 7, minlength=15)
    assert np.abs(counts / found.size - integer_shares(4, np.abs(values).max())).max() < 0.003
    entropy, mean = integer_code_bits(found, 12)
    assert entropy <= mean < entropy + 1


def test_bounds():
    assert rate_bound(4, 2, 425, 10.6) == 8
    assert rate_bound(64, 2, 425, 10.6) == pytest.approx(425 / 10.6)
    assert offload_tokens_per_s(8e9, 9e9, 400, lambda _: 1e9) == pytest.approx(50)
    assert offload_tokens_per_s(10e9, 9e9, 400, lambda size: size / 10e9) == pytest.approx(10)
