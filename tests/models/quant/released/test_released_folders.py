"""Folders quantized and packed by others' code (``make_folders.py``): their integers, their logits, a flipped bit."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from released_files import FOLDERS, changed, layers, tensors_of, weights

from sttest.crosscheck.case import WeightSource, make_case
from sttest.models.checkpoint import load_model
from sttest.models.language_model import quantize_model
from sttest.models.program import BlockShape
from sttest.models.quant.quantizers import sqnr_db
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config

pytestmark = pytest.mark.torch

NAMES = ("gptq-g32", "gptq-int8", "awq-g32", "ct-w4a16", "ct-w4a8", "ct-w8a8", "ct-w8a8-static")
SCHEMES = {
    "gptq-g32": ("int4", 32, "none", 16),
    "gptq-int8": ("int8", None, "none", 16),
    "awq-g32": ("int4", 32, "none", 16),
    "ct-w4a16": ("int4", 32, "none", 16),
    "ct-w4a8": ("int4", 32, "dynamic", 8),
    "ct-w8a8": ("int8", None, "dynamic", 8),
    "ct-w8a8-static": ("int8", None, "static", 8),
}
TOKENS = [1, 5, 9, 33, 2, 60, 17, 4, 44, 8, 21, 3]


def model_of(folder):
    return load_model(model_config(str(folder)), folder)


def ours(name):
    """Our name of a layer of Llama."""
    return name.removeprefix("model.").replace("self_attn", "attn")


def assert_the_same(kept, theirs):
    """Ours [inputs, outputs] as theirs [outputs, inputs]; a width of 96 is filled up to 128 with zeros."""
    outputs, inputs = theirs.shape
    np.testing.assert_array_equal(kept[:inputs, :outputs].T, theirs)
    assert not kept[inputs:].any()
    assert not kept[:, outputs:].any()


@pytest.mark.parametrize("name", NAMES)
def test_integers_and_scales_are_those_of_the_file(name):
    folder = FOLDERS / name
    scheme = load_scheme(folder)
    assert (scheme.weights, scheme.group, scheme.activations, scheme.input_bits) == SCHEMES[name]
    quantized, found = quantize_model(model_of(folder), scheme), layers(folder)
    assert len(found) == 7 * len(quantized.layers)
    for theirs, (values, scales) in found.items():
        layer = quantized.get_submodule(ours(theirs))
        assert_the_same(layer.weight.numpy(), values)
        assert_the_same(layer.weight_scale.double().numpy(), scales)
    assert min(values.min() for values, _ in found.values()) == (-8 if scheme.weights == "int4" else -128)


@pytest.mark.parametrize("name", NAMES)
def test_the_memory_of_a_design_has_these_integers(name):
    folder = FOLDERS / name
    case = make_case(
        model_config(str(folder)), BlockShape("decode", 1, 8), load_scheme(folder), WeightSource(checkpoint=folder)
    )
    for theirs, (values, scales) in layers(folder).items():
        if ".layers.0." in theirs:
            layer = ours(theirs).removeprefix("layers.0.")
            assert_the_same(case.parameters[f"{layer}.weight"], values)
            assert_the_same(case.parameters[f"{layer}.weight_scale"].astype(np.float64), scales)


def dequantized(folder):
    """The model of transformers in float64, with the weights that the integers stand for."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig.from_json_file(folder / "config.json")
    del config.quantization_config
    config._attn_implementation = "eager"
    model = transformers.LlamaForCausalLM(config).double().eval()
    plain = {name: each.double() for name, each in tensors_of(folder).items() if each.is_floating_point()}
    found = {f"{name}.weight": torch.from_numpy(each) for name, each in weights(folder).items()}
    left = model.load_state_dict({name: plain[name] for name in plain.keys() & model.state_dict()} | found)
    assert not left.missing_keys
    return model


def as_integers(scale_of):
    """A hook that rounds what a layer reads to 8 bits."""

    def hook(layer, inputs):
        scale = scale_of(layer, inputs[0])
        return (torch.clamp(torch.round(inputs[0] / scale), -127, 127) * scale,)

    return hook


def with_rounded_inputs(model, folder, activations):
    tensors = tensors_of(folder)
    for name in layers(folder):
        layer = model.get_submodule(name)
        if activations == "none":
            layer.register_forward_pre_hook(lambda _, inputs: (inputs[0].half().double(),))
        elif activations == "dynamic":
            layer.register_forward_pre_hook(as_integers(lambda _, x: x.abs().amax(-1, keepdim=True) / 127))
        else:
            scale = tensors[f"{name}.input_scale"].double()
            layer.register_forward_pre_hook(as_integers(lambda _, x, scale=scale: scale))
    return model


@pytest.mark.parametrize("name", NAMES)
def test_logits_are_those_of_a_dequantized_run(name):
    folder = FOLDERS / name
    theirs, scheme = dequantized(folder), load_scheme(folder)
    model = model_of(folder)
    with torch.no_grad():
        plain, _ = model.prefill(TOKENS)
        exact = theirs(torch.tensor([TOKENS])).logits[0, -1]
        assert sqnr_db(exact, plain) > 100
        rounded = with_rounded_inputs(theirs, folder, scheme.activations)(torch.tensor([TOKENS])).logits[0, -1]
        quantized, _ = quantize_model(model, replace(scheme, kv_bits=32)).prefill(TOKENS)
    assert sqnr_db(rounded, quantized) > 60
    assert sqnr_db(exact, rounded) < 90  # the rounding of inputs is seen


@pytest.mark.parametrize(
    ("name", "leaf", "flipped", "place"),
    # the word of input 17 and output 5, or the byte
    [("gptq-g32", "qweight", (17 // 8, 5, 4 * (17 % 8)), (5, 17)), ("awq-g32", "qweight", (17, 0, 4 * 6), (5, 17)),
     ("ct-w4a16", "weight_packed", (5, 17 // 8, 4 * (17 % 8)), (5, 17)), ("ct-w8a8", "weight", (5, 17, 6), (5, 17))],
)  # fmt: skip
def test_a_flipped_bit_is_one_other_integer(name, leaf, flipped, place, tmp_path):
    layer = "model.layers.1.mlp.up_proj"

    def flip(tensors):
        row, column, bit = flipped
        tensors[f"{layer}.{leaf}"][row, column] ^= 1 << bit

    other = changed(tmp_path / "flipped", FOLDERS / name, flip)
    first, second = (quantize_model(model_of(each), load_scheme(each)) for each in (FOLDERS / name, other))
    one, two = (each.get_submodule(ours(layer)).weight.T for each in (first, second))
    assert [tuple(each) for each in (one != two).nonzero().tolist()] == [place]
    assert abs(int(one[place]) - int(two[place])) == (64 if name == "ct-w8a8" else 1)
    with torch.no_grad():
        assert not torch.equal(first.prefill(TOKENS)[0], second.prefill(TOKENS)[0])
