"""Variants of quantized checkpoints: those that are read to the same integers, and those that are refused by name."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors.torch")

from released_files import FOLDERS, changed, layers

from sttest.core.errors import InputError, note
from sttest.models.card_blocks import split_block
from sttest.models.checkpoint import load_model
from sttest.models.config_file import read_config
from sttest.models.language_model import quantize_model
from sttest.models.quant.calibration import calibrated
from sttest.models.quant.scheme import load_scheme
from sttest.models.ranks import with_ranks
from sttest.models.registry import model_config

pytestmark = pytest.mark.torch

GPTQ, AWQ, PACKED, PLAIN = (FOLDERS / name for name in ("gptq-g32", "awq-g32", "ct-w4a16", "ct-w8a8"))
Q_PROJ = "model.layers.0.self_attn.q_proj"


def model_of(folder):
    return load_model(model_config(str(folder)), folder)


def integers(folder):
    quantized = quantize_model(model_of(folder), load_scheme(folder))
    return quantized.layers[0].get_submodule("attn.q_proj").weight


def refused(folder, *words):
    with pytest.raises(InputError) as caught:
        integers(folder)
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert "\n" not in message


# --- GPTQ


def late_zeros(tensors):
    for name in tensors:
        if name.endswith("qzeros"):
            tensors[name] += 0x11111111


def test_zero_points_of_the_second_version_are_stored_as_they_are(tmp_path):
    second = changed(tmp_path / "v2", GPTQ, late_zeros, lambda told: told.update(checkpoint_format="gptq_v2"))
    assert torch.equal(integers(second), integers(GPTQ))
    refused(changed(tmp_path / "v1", GPTQ, late_zeros), ".qzeros", "zero points are not all 8, 9", "asymmetric")


def test_inputs_of_a_group_must_lie_side_by_side(tmp_path):
    def reorder(tensors):
        tensors[f"{Q_PROJ}.g_idx"] = tensors[f"{Q_PROJ}.g_idx"].flip(0)

    act_order = changed(tmp_path / "order", GPTQ, reorder, lambda told: told.update(desc_act=True))
    refused(act_order, "q_proj.g_idx", "side by side", "desc_act")
    in_order = changed(tmp_path / "in-order", GPTQ, told=lambda told: told.update(desc_act=True))
    assert torch.equal(integers(in_order), integers(GPTQ))


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_a_bias_that_the_model_lacks_must_be_zero(value, tmp_path):
    bias = {f"{Q_PROJ}.bias": torch.full((64,), value, dtype=torch.float16)}
    folder = changed(tmp_path / "bias", GPTQ, lambda tensors: tensors.update(bias))
    if value:
        refused(folder, "a bias other than 0", "q_proj.bias")
    else:
        assert torch.equal(integers(folder), integers(GPTQ))


# --- What is refused, by its name

QUANT_METHODS = ("fp8", "fbgemm_fp8", "bitsandbytes", "gguf", "mxfp4", "hqq", "aqlm", "torchao", "auto-round", "exl2")
REFUSED = {
    **{method: (GPTQ, {"quant_method": method}, f"quant_method '{method}' is not read") for method in QUANT_METHODS},
    "no method": (GPTQ, {"quant_method": None}, "quant_method"),
    "another name": (GPTQ, {"quant_method": "quantum\n"}, "no format is called so"),
    "3 bits": (GPTQ, {"bits": 3}, "bits is 3, read are 4, 8"),
    "bits as text": (GPTQ, {"bits": "4"}, "bits is '4'"),
    "a group of 0": (GPTQ, {"group_size": 0}, "group_size is 0"),
    "Marlin": (GPTQ, {"is_marlin_format": True}, "is_marlin_format"),
    "an order": (GPTQ, {"checkpoint_format": "marlin"}, "checkpoint_format is 'marlin'"),
    "layers of their own": (GPTQ, {"dynamic": {"-:mlp": {}}}, "dynamic"),
    "GEMV": (AWQ, {"version": "gemv"}, "version is 'gemv', read are gemm"),
    "AWQ of 3 bits": (AWQ, {"bits": 3}, "bits is 3"),
    "float-quantized": (PLAIN, {"format": "float-quantized"}, "format is 'float-quantized'"),
    "nvfp4": (PLAIN, {"format": "nvfp4-pack-quantized"}, "format is 'nvfp4-pack-quantized'"),
    "a cache": (PLAIN, {"kv_cache_scheme": {"num_bits": 8}}, "kv_cache_scheme"),
    "a rotation": (PLAIN, {"transform_config": {"config_groups": {"R1": {}}}}, "transform_config"),
    "2:4": (PLAIN, {"sparsity_config": {"format": "sparse-24-bitmask"}}, "sparsity_config"),
    "no groups": (PLAIN, {"config_groups": {}}, "no groups of layers"),
    "a group that is none": (PLAIN, {"config_groups": {"group_0": 3}}, "no groups of layers"),
}
OF_WEIGHTS = {
    "FP8": ({"type": "float"}, "floating point of 8 bits"),
    "asymmetric": ({"symmetric": False}, "symmetric is False"),
    "blocks": ({"strategy": "block"}, "strategy is 'block'"),
    "6 bits": ({"num_bits": 6}, "num_bits is 6"),
}
OF_INPUTS = {
    "FP8": ({"type": "float"}, "input_activations: type"),
    "asymmetric": ({"symmetric": False}, "symmetric is False"),
    "4 bits": ({"num_bits": 4}, "num_bits is 4"),
    "groups": ({"strategy": "group"}, "strategy is 'group'"),
    "local": ({"dynamic": "local"}, "dynamic is 'local'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_named_before_any_tensor_is(name, tmp_path):
    folder, update, words = REFUSED[name]
    other = changed(tmp_path / "other", folder, lambda tensors: tensors.clear(), lambda told: told.update(update))
    for ask in (read_config, load_scheme):
        with pytest.raises(InputError) as caught:
            ask(other)
        assert words in str(caught.value)
        assert "quantization_config" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.hints


@pytest.mark.parametrize(
    ("part", "update", "words"),
    [("weights", *each) for each in OF_WEIGHTS.values()]
    + [("input_activations", *each) for each in OF_INPUTS.values()],
)
def test_what_compressed_tensors_may_say_of_weights_and_inputs(part, update, words, tmp_path):
    def change(told):
        told["config_groups"]["group_0"][part].update(update)

    refused(changed(tmp_path / "other", PLAIN, told=change), words)


def test_groups_of_layers_are_alike(tmp_path):
    def more(told):
        first = told["config_groups"]["group_0"]
        told["config_groups"]["group_1"] = first | {"weights": first["weights"] | {"num_bits": 4}}

    refused(changed(tmp_path / "other", PLAIN, told=more), "groups of layers are quantized in different ways")


# --- Tensors that do not fit


def other_scale(tensors):
    tensors[f"{Q_PROJ}.weight_scale"] = tensors[f"{Q_PROJ}.weight_scale"].float() * 1.0001


def other_input(tensors):
    tensors[f"{Q_PROJ}.input_scale"] *= 2


def asymmetric(tensors):
    tensors[f"{Q_PROJ}.qzeros"][0, 0] ^= 1 << 8


@pytest.mark.parametrize(
    ("folder", "change", "words"),
    [
        (PLAIN, other_scale, "a scale is no FP16 number"),
        (FOLDERS / "ct-w8a8-static", other_input, "different input_scale"),
        (AWQ, asymmetric, "zero points are not all 8, 9 is among them"),
        (GPTQ, asymmetric, "zero points are not all 8"),
        (PACKED, lambda tensors: tensors[f"{Q_PROJ}.weight_shape"].fill_(1), "weight_shape is not [64, 64]"),
        (PACKED, lambda tensors: tensors.pop(f"{Q_PROJ}.weight_packed"), "tensors of a quantized layer are missing"),
        (GPTQ, lambda tensors: tensors.pop(f"{Q_PROJ}.qzeros"), "no qzeros of 32-bit words"),
        (GPTQ, lambda tensors: tensors.pop(f"{Q_PROJ}.scales"), "no scales"),
        (FOLDERS / "ct-w8a8-static", lambda tensors: tensors.pop(f"{Q_PROJ}.input_scale"), "no input_scale"),
        (GPTQ, lambda tensors: tensors.update({"lm_head.weight": torch.ones(64, 64, dtype=torch.int32)}), "integers"),
    ],
)
def test_tensors_that_do_not_fit_are_refused_by_layer(folder, change, words, tmp_path):
    refused(changed(tmp_path / "other", folder, change), words)


def test_int4_of_one_byte_each_must_be_of_4_bits(tmp_path):
    def beyond(tensors):
        tensors[f"{Q_PROJ}.weight"][3, 3] = 8

    folder = FOLDERS / "ct-w4a8"
    refused(changed(tmp_path / "other", folder, beyond), "q_proj", "weights are not of 4 bits")


def test_a_scale_for_a_whole_tensor_is_one_for_each_output(tmp_path):
    def whole(tensors):
        for name in tensors:
            if name.endswith("weight_scale"):
                tensors[name] = tensors[name].amax().reshape(1)

    def told(told):
        told["config_groups"]["group_0"]["weights"]["strategy"] = "tensor"

    folder = changed(tmp_path / "tensor", PLAIN, whole, told)
    quantized = quantize_model(model_of(folder), load_scheme(folder))
    scales = quantized.layers[0].get_submodule("attn.q_proj").weight_scale
    assert scales.shape == (1, 64)
    assert scales.unique().tolist() == [layers(folder)[Q_PROJ][1].item()]


def test_a_quantized_head_has_its_integers(tmp_path, capsys):
    note.cache_clear()

    def head(tensors):
        weight = tensors.pop("lm_head.weight").float()
        scale = (weight.abs().amax(1, keepdim=True) / 90).bfloat16()
        tensors |= {"lm_head.weight": torch.round(weight / scale).to(torch.int8), "lm_head.weight_scale": scale}

    folder = changed(tmp_path / "head", PLAIN, head, lambda told: told["ignore"].clear())
    scheme = load_scheme(folder)
    assert scheme.lm_head == "weights"
    quantized, (values, scales) = quantize_model(model_of(folder), scheme), layers(folder)["lm_head"]
    assert torch.equal(quantized.head.weight.T, torch.from_numpy(values).to(torch.int8))
    assert torch.equal(quantized.head.weight_scale.double().T, torch.from_numpy(scales))
    assert capsys.readouterr().err == ""
    model_of(changed(tmp_path / "no-head", PLAIN, told=lambda told: told["ignore"].clear()))
    assert "the LM head is not quantized" in capsys.readouterr().err


# --- Nobody rounds the integers anew


def test_a_layer_that_is_ignored_stays_in_floating_point_and_is_told(tmp_path, capsys):
    name = "model.layers.0.mlp.down_proj"

    def plain(tensors):
        tensors[f"{name}.weight"] = torch.linspace(-1, 1, 64 * 96).view(64, 96).bfloat16()
        del tensors[f"{name}.weight_scale"]

    folder = changed(tmp_path / "ignored", PLAIN, plain, lambda told: told["ignore"].append(name))
    model = model_of(folder)
    told = capsys.readouterr().err
    assert "1 matrices of layers are not quantized" in told
    assert name in told
    down, up = (model.layers[0].get_submodule(f"mlp.{each}") for each in ("down_proj", "up_proj"))
    assert torch.equal(down.weight[:96], torch.linspace(-1, 1, 64 * 96).view(64, 96).bfloat16().float().T)
    quantized = quantize_model(model, load_scheme(folder)).layers[0]
    assert int(quantized.get_submodule("mlp.down_proj").weight.max()) == 127  # by our own rule
    assert torch.equal(quantized.get_submodule("mlp.up_proj").dequantized_weight(), up.weight)


@pytest.mark.parametrize(
    ("name", "scheme", "words"),
    [("gptq-g32", "w8a8", "int4"), ("gptq-g32", "w4a8", "32"), ("ct-w8a8", "w8a8", "one scale per output"),
     ("gptq-g32", "fp16", "int4"), ("ct-w4a8", "w4a16-g32", "dynamic 8"), ("ct-w8a8", "w3a8", "int8")],
)  # fmt: skip
def test_a_scheme_of_other_integers_is_refused(name, scheme, words):
    chosen = replace(load_scheme("w4a16"), group=32) if scheme == "w4a16-g32" else load_scheme(scheme)
    with pytest.raises(InputError, match="of the checkpoint") as caught:
        quantize_model(model_of(FOLDERS / name), chosen)
    assert words in str(caught.value)
    assert caught.value.code == "other-scheme"


def test_integer_inputs_may_be_asked_for_where_the_checkpoint_has_none():
    model, scheme = model_of(GPTQ), load_scheme("w4a8-g32")
    assert torch.equal(quantize_model(model, scheme).layers[0].get_submodule("attn.q_proj").weight, integers(GPTQ))


def test_what_would_round_them_anew_is_refused():
    model, config = model_of(GPTQ), model_config(str(GPTQ))
    for attempt in (
        lambda: load_model(with_ranks(config, ["mlp.up_proj=16"]), GPTQ),
        lambda: split_block(model.layers[0], config, 2),
        lambda: calibrated(model, load_scheme("w4a8-g32"), [[1, 2, 3]]),
    ):
        with pytest.raises(InputError, match="anew") as caught:
            attempt()
        assert caught.value.code == "quantized-checkpoint"
