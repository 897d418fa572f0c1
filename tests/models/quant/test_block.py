"""Fake-quantized blocks against the blocks in floating point."""

import math

import pytest

torch = pytest.importorskip("torch")

from block_runs import FAMILIES, blocks, rounded, run_decode, run_prefill, tokens

from sttest.core.errors import InputError
from sttest.models.layers import Linear
from sttest.models.quant.block import observe_peaks, quantize_block
from sttest.models.quant.layers import QuantLinear
from sttest.models.quant.quantizers import QuantizedTensor, quantize_kv, quantize_vectors, sqnr_db
from sttest.models.quant.scheme import QuantScheme, schemes

pytestmark = pytest.mark.torch

# What a block adds to the residual stream, against float32.  Uniform noise of a step d has power d^2/12.
# Gaussian weights in groups of 128 peak at about 2.7 sigma, so int4 has d = 2.7 sigma / 7 and each matmul
# 10 log10(12 * (7 / 2.7)^2) = 19 dB; every output passes about four of them one after the other, noise adds:
# 19 - 6 = 13 dB, less 2 for what softmax and gates do with it.  int8 has 127 / 7 times finer steps: 25 dB more
# on the weights, of which int8 activations (peak at 2.7 sigma, 44 dB) and cache leave about 20.
# int3 has 7 / 3 times coarser steps than int4: 7 dB less; -2 to 1 3 dB less than that.  The best ternary quantizer of
# a Gaussian leaves 7 dB, with three of four magnitudes kept less: after four matmuls about as much noise as signal.
# int4 activations add the noise of int4 weights a second time, an int4 cache in half of the matmuls; scales that are
# powers of two have up to twice the step.  FP16 rounds at 2^-12 of a number: 73 dB, less those 8 and the cache.
FLOOR_DB = {
    "w4a8": 10.0,
    "w4a8-g64": 10.0,
    "w4a8-g32": 10.0,
    "w4a8-channel": 10.0,
    "w4a8-static": 10.0,
    "w4a8-position": 10.0,
    "w8a8": 30.0,
    "w8a8-static": 25.0,
    "w4a8kv4": 8.0,
    "w4a8bfp4": 7.0,
    "w4a4kv4": 5.0,
    "w3a8": 3.5,
    "w2a8": 0.0,
    "ternary": 0.0,
    "ternary-3of4": -2.0,
    "w4a16": 10.0,
    "fp16": 58.0,
    "fp32": math.inf,
}


@pytest.mark.parametrize("scheme", schemes().values(), ids=schemes())
@pytest.mark.parametrize("name", FAMILIES)
def test_both_phases_stay_near_floating_point(name, scheme):
    config, first, then = blocks(name)
    x, new = tokens(config, 24), tokens(config, 1, seed=2)
    peaks = observe_peaks(first, lambda: run_prefill(first, config, x))
    quant_first, quant_then = (quantize_block(block, scheme, peaks) for block in (first, then))
    y, k, v = run_prefill(first, config, x)
    quant_y, quant_k, quant_v = run_prefill(quant_first, config, x)
    assert sqnr_db(y - x, quant_y - x) >= FLOOR_DB[scheme.name]
    y, _, _ = run_decode(then, config, new, k, v)
    quant_y, _, _ = run_decode(quant_then, config, new, quant_k, quant_v)
    assert sqnr_db(y - new, quant_y - new) >= FLOOR_DB[scheme.name]


@pytest.mark.parametrize(
    ("group", "qmax", "scheme"),
    [(128, 7, "w4a8"), (None, 7, "w4a8-channel"), (128, 7, "w4a8-position"), (128, 127, "w8a8")],
)
@pytest.mark.parametrize("name", FAMILIES)
def test_integers_give_what_rounded_operands_give_in_floating_point(name, group, qmax, scheme):
    config, first, then = blocks(name)
    x, new = tokens(config, 24), tokens(config, 1, seed=2)
    quant_first, quant_then = (quantize_block(block, schemes()[scheme]) for block in (first, then))
    folded = schemes()[scheme].value_scales == "folded"
    y, k, _ = run_prefill(rounded(first, group, qmax, folded=folded), config, x)
    quant_y, quant_k, quant_v = run_prefill(quant_first, config, x)
    # Float32 rounding alone would give over 100 dB, but a value at the edge between two integers may fall to either.
    # These are few: 20 dB, a hundredth of the power, under the noise of w8a8 itself (30 dB, above).
    assert sqnr_db(y, quant_y) >= 50.0
    assert sqnr_db(k, quant_k.dequantized()) >= 50.0
    then = rounded(then, group, qmax, folded=folded)
    y, _, _ = run_decode(then, config, new, quant_k.dequantized(), quant_v.dequantized())
    quant_y, _, _ = run_decode(quant_then, config, new, quant_k, quant_v)
    assert sqnr_db(y, quant_y) >= 40.0  # one row instead of 24: one such value weighs 14 dB more


def test_every_linear_layer_is_exchanged_and_the_block_stays():
    _, first, _ = blocks("gemma")
    quantized = quantize_block(first, schemes()["w4a8"])
    assert not any(isinstance(module, Linear) for module in quantized.modules())
    assert sum(isinstance(module, Linear) for module in first.modules()) == 7
    assert type(quantized) is type(first)
    assert quantized.attn_norm.weight is first.attn_norm.weight


def test_the_cache_is_int8_with_a_scale_per_head_and_position():
    config, first, _ = blocks("qwen")
    _, k, v = run_prefill(quantize_block(first, schemes()["w4a8"]), config, tokens(config, 5))
    for cache in (k, v):
        assert isinstance(cache, QuantizedTensor)
        assert (cache.values.dtype, cache.scales.dtype) == (torch.int8, torch.float16)
        assert cache.values.shape == (config.kv_heads, 5, config.head_dim)
        assert cache.scales.shape == (config.kv_heads, 5)


def test_decode_extends_a_prefill():
    """The last of n tokens in a prefill and one token after n - 1 cached ones meet the same integers of k and v."""
    config, first, then = blocks("llama")
    first, then = (quantize_block(block, schemes()["w8a8"]) for block in (first, then))
    x = tokens(config, 9)
    whole, k, v = run_prefill(first, config, x)
    cached = [QuantizedTensor(cache.values[:, :-1], cache.scales[:, :-1]) for cache in (k, v)]
    y, k_new, v_new = run_decode(then, config, x[-1:], *cached)
    assert torch.equal(k_new.values[:, 0], k.values[:, -1])
    assert torch.equal(v_new.scales[:, 0], v.scales[:, -1])
    # Only the own softmax weight differs: exact in decode, int8 in prefill.
    assert sqnr_db(whole[-1:] - x[-1:], y - x[-1:]) >= 30.0


def test_one_quantizer_at_the_source_serves_all_readers():
    """Layers that read one stream make the same integers of it, so the compiler may quantize where it is written."""
    config, first, _ = blocks("qwen")
    seen = []
    quantized = quantize_block(first, schemes()["w4a8"])
    for layer in (quantized.attn.q_proj, quantized.attn.k_proj, quantized.attn.v_proj):
        layer.register_forward_pre_hook(lambda _, inputs: seen.append(quantize_vectors(inputs[0])))
    run_prefill(quantized, config, tokens(config, 3))
    assert len(seen) == 3
    assert all(torch.equal(seen[0].values, other.values) for other in seen)


def test_quantizing_what_was_quantized_changes_nothing():
    x = tokens(blocks("qwen")[0], 4)
    once = quantize_vectors(x)
    again = quantize_vectors(once.dequantized())
    assert torch.equal(once.values, again.values)
    assert torch.allclose(once.scales, again.scales, rtol=2**-22)
    assert torch.equal(quantize_kv(quantize_kv(x).dequantized()).values, quantize_kv(x).values)


def test_static_scales_need_calibration():
    _, first, _ = blocks("gpt2")
    with pytest.raises(InputError, match=r"attn.q_proj: a static scale needs calibration"):
        quantize_block(first, schemes()["w4a8-static"])


def test_weights_alone():
    config, first, _ = blocks("llama")
    x = tokens(config, 8)
    scheme = QuantScheme("weights", weights="int8", activations="none", kv_bits=32)
    quantized = quantize_block(first, scheme)
    y, k, _ = run_prefill(quantized, config, x)
    assert isinstance(k, torch.Tensor)
    layer = quantized.mlp.down_proj
    assert isinstance(layer, QuantLinear)
    assert (layer.dequantized_weight() - first.mlp.down_proj.weight).abs().max() <= float(layer.weight_scale.max())
    assert sqnr_db(run_prefill(first, config, x)[0], y) >= 40.0


def test_sqnr_of_known_noise():
    # Noise of a tenth of the signal everywhere: a hundredth of its power, 20 dB.
    assert sqnr_db(torch.ones(4), torch.full((4,), 1.1)) == pytest.approx(20.0, abs=1e-4)
    assert sqnr_db(torch.ones(2), torch.ones(2)) == math.inf
    with pytest.raises(InputError, match="cannot be compared"):
        sqnr_db(torch.ones(2), torch.ones(3))
