"""Integers and scales: worked examples, and the laws that hold for all inputs."""

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.models.quant.quantizers import (
    quantize_folded,
    quantize_kv,
    quantize_p,
    quantize_tensor,
    quantize_vectors,
    quantize_weight,
)
from sttest.models.registry import get_config
from sttest.models.tables import prefill_mask

pytestmark = pytest.mark.torch
# Beyond 127 * 2^121, the largest FP32 scale, activations saturate.
FLOATS = st.floats(-(2.0**127), 2.0**127, width=32)
VECTORS = st.lists(FLOATS, min_size=1, max_size=40).map(lambda values: torch.tensor(values, dtype=torch.float32))


def test_int4_rounds_halves_to_even():
    # The peak 7 gives scale 1: the integers are the rounded values.
    column = torch.tensor([7.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -7.0])
    found = quantize_weight(column[:, None], None, 7)
    assert found.values[:, 0].tolist() == [7, 0, 2, 2, 0, -2, -2, -7]
    assert found.scales.tolist() == [[1.0]]


def test_each_group_of_rows_has_its_scale():
    # 5 rows in groups of 2: peaks 14, 3.5 and (a group of one row) 0.
    weight = torch.tensor([[14.0], [-2.0], [3.5], [1.0], [0.0]])
    found = quantize_weight(weight, 2, 7)
    assert found.scales[:, 0].tolist() == [2.0, 0.5, 2.0**-24]
    assert found.values[:, 0].tolist() == [7, -1, 7, 2, 0]


def test_a_scale_rounded_down_to_fp16_saturates():
    # 1.0003 * 7 / 7 is 1.0 in FP16 (spacing 2^-10 = 0.00098), so 7.0021 becomes 7, not 7.0021 / 1.0.
    found = quantize_weight(torch.tensor([[1.0003 * 7]]), None, 7)
    assert found.scales.item() == 1.0
    assert found.values.item() == 7


def test_a_group_too_large_for_fp16_saturates():
    found = quantize_weight(torch.tensor([[1e9], [65504.0]]), None, 7)
    assert found.scales.item() == 65504.0
    assert found.values[:, 0].tolist() == [7, 1]


def test_an_activation_at_the_end_of_float32_saturates():
    found = quantize_vectors(torch.tensor([3.4028e38]))
    assert (found.values.item(), found.scales.item()) == (127, 2.0**121)


def test_activations_of_a_token():
    found = quantize_vectors(torch.tensor([[127.0, -63.5, 0.5], [0.0, 0.0, 0.0]]))
    assert found.scales.tolist() == [1.0, 2.0**-126]
    assert found.values.tolist() == [[127, -64, 0], [0, 0, 0]]


def test_a_static_scale_saturates_beyond_the_calibrated_peak():
    found = quantize_tensor(torch.tensor([[1.0, 2.0, -3.0]]), peak=2.0)
    assert found.values.tolist() == [[64, 127, -127]]  # 1.0 is 63.5 steps, the even neighbor is 64
    assert quantize_tensor(torch.zeros(2, 3), peak=0.0).values.abs().max() == 0


def test_softmax_weights_have_a_constant_scale():
    assert quantize_p(torch.tensor([1.0, 0.5, 0.003, 0.0])).tolist() == [127, 64, 0, 0]


def test_softmax_weights_take_the_scales_of_their_values():
    # Scales 1/2 and 1/4: the peak that a weight could have is 1/2, so 127 steps are 1/2 and the second counts half.
    found = quantize_folded(torch.tensor([[[1.0, 1.0]]]), torch.tensor([[0.5, 0.25]]).half(), torch.zeros(2))
    assert found.values.tolist() == [[[127, 64]]]
    assert found.scales.item() == 0.5 * (torch.tensor(1.0) / torch.tensor(127.0))


def test_what_the_mask_hides_has_no_part_in_the_scale():
    mask = torch.from_numpy(prefill_mask(get_config("gpt2"), 3)).view(3, 1, 3)
    p = torch.tensor([[[1.0, 0.0, 0.0]], [[0.5, 1.0, 0.0]], [[1.0, 0.5, 0.25]]])
    few, many = (quantize_folded(p, torch.tensor([[0.5, 0.25, last]]).half(), mask) for last in (0.125, 1000.0))
    assert torch.equal(few.values[:2], many.values[:2])
    assert torch.equal(few.scales[:2], many.scales[:2])
    assert few.scales[2] < many.scales[2]


def test_a_zero_value_does_not_scale_the_others():
    values = quantize_kv(torch.tensor([[[0.0, 0.0], [0.01, -0.02]]]))
    found = quantize_folded(torch.tensor([[[1.0, 0.5]]]), values.scales, torch.zeros(2))
    assert found.values.tolist() == [[[0, 64]]]


@pytest.mark.parametrize("mask", [0.0, -1.5e38])
def test_a_cache_of_zeros_gives_integers_of_zero(mask):
    found = quantize_folded(torch.zeros(1, 2, 4), torch.zeros(2, 4).half(), torch.full((4,), mask))
    assert not found.values.any()
    assert torch.isfinite(found.scales).all()


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(2**-24, 1000, width=16)), min_size=1, max_size=20))
def test_errors_of_folded_weights_are_half_a_step_of_the_largest_scale(pairs):
    p, scales = (torch.tensor(part, dtype=torch.float32) for part in zip(*pairs, strict=True))
    found = quantize_folded(p.view(1, 1, -1), scales.half().view(1, -1), torch.zeros(len(pairs)))
    error = (found.dequantized().flatten() - p * scales).abs().max()
    assert float(error) <= float(scales.max()) / 127 * (0.5 + 127 * 2**-21)


@given(VECTORS)
def test_dynamic_errors_are_at_most_half_a_step(x):
    found = quantize_vectors(x)
    assert found.values.abs().max() <= 127
    step = float(found.scales)
    # Three float32 roundings (scale, reciprocal, product) of values up to 127 steps.
    assert float((found.dequantized() - x).abs().max()) <= step * (0.5 + 127 * 2**-21)


@given(st.lists(st.floats(-8, 8, width=32), min_size=1, max_size=40))
def test_cache_errors_are_at_most_a_step_and_fp16_rounding(values):
    x = torch.tensor(values, dtype=torch.float32)
    found = quantize_kv(x)
    assert found.scales.dtype == torch.float16
    # FP16 rounds the scale by 2^-11 at most, or by half a subnormal step; the rest saturates.
    bound = float(found.scales) * (0.5 + 127 * 2**-10) + 127 * 2.0**-25
    assert float((found.dequantized() - x).abs().max()) <= max(
        bound, float(x.abs().max()) if not found.values.any() else 0
    )


@given(VECTORS, st.sampled_from([1, 3, 128, None]))
def test_negating_weights_negates_the_integers(x, group):
    weight = x[:, None]
    plus, minus = quantize_weight(weight, group, 7), quantize_weight(-weight, group, 7)
    assert torch.equal(plus.values, -minus.values)
    assert torch.equal(plus.scales, minus.scales)
    assert plus.values.abs().max() <= 7


@given(VECTORS, st.integers(-20, 20))
def test_a_power_of_two_moves_to_the_scale(x, exponent):
    moderate = x.clamp(-1e20, 1e20)
    moderate = torch.where(moderate.abs() < 1e-20, torch.zeros_like(moderate), moderate)
    found, scaled = quantize_vectors(moderate), quantize_vectors(moderate * 2.0**exponent)
    assert torch.equal(found.values, scaled.values)
    assert not moderate.any() or float(scaled.scales) == float(found.scales) * 2.0**exponent


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused(bad):
    for quantize in (quantize_vectors, quantize_kv, lambda x: quantize_tensor(x, 1.0)):
        with pytest.raises(InputError, match="NaN or infinity"):
            quantize(torch.tensor([1.0, bad]))
