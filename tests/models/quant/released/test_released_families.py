"""Every family's layers packed as GPTQ packs them: the model is that of the same weights in floating point."""

import json
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")
pytest.importorskip("transformers")

from own_configurations import MODELS, write_model

from sttest.models.checkpoint import load_model
from sttest.models.language_model import quantize_model
from sttest.models.quant.layers import QuantExpertLinear, QuantLinear
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config

pytestmark = pytest.mark.torch

GROUP = 16
TOLD = {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "sym": True, "desc_act": False}
NAMES = ("gpt2", "llama with biases", "qwen3", "gemma3", "phi3", "opt", "qwen3 of experts", "mixtral")


def packed(weight):
    """Tensors of a weight [outputs, inputs], and what they stand for."""
    scales = (weight.unflatten(1, (-1, GROUP)).abs().amax(-1) / 7.9).half()
    spread = scales.float().repeat_interleave(GROUP, 1)
    fields = torch.clamp(torch.round(weight / spread), -8, 7).to(torch.uint8).numpy() + np.uint8(8)
    words = (fields[:, ::2] & 15 | fields[:, 1::2] << 4).view(np.int32)
    values = torch.from_numpy((fields & 15).astype(np.float32)) - 8
    zeros = torch.full((scales.shape[1], len(weight) // 8), 0x77777777, dtype=torch.int32)
    found = {"qweight": torch.from_numpy(words.T.copy()), "qzeros": zeros, "scales": scales.T.contiguous()}
    return found, values * spread


def write_both(folder, name):
    """A family's small model with quantized layers: packed, and in floating point."""
    kind, fields = MODELS[name]
    write_model(kind, fields, folder / "drawn")
    tensors = safetensors_torch.load_file(folder / "drawn" / "model.safetensors")
    quantized, plain = dict(tensors), dict(tensors)
    for each, tensor in tensors.items():
        if tensor.dim() != 2 or (".layers." not in each and ".h." not in each) or each.endswith("gate.weight"):
            continue
        turned = kind == "gpt2"  # its layers are stored [inputs, outputs]
        found, weight = packed(tensor.T.contiguous() if turned else tensor)
        del quantized[each]
        quantized |= {f"{each.removesuffix('.weight')}.{leaf}": part for leaf, part in found.items()}
        plain[each] = (weight.T if turned else weight).contiguous()
    config = json.loads((folder / "drawn" / "config.json").read_text())
    for place, content, more in (("packed", quantized, {"quantization_config": TOLD}), ("plain", plain, {})):
        (folder / place / "model").mkdir(parents=True)
        safetensors_torch.save_file(content, folder / place / "model" / "model.safetensors")
        (folder / place / "model" / "config.json").write_text(json.dumps(config | more))
    shutil.rmtree(folder / "drawn")
    return folder / "packed" / "model", folder / "plain" / "model"


@pytest.mark.parametrize("name", NAMES)
def test_a_family_is_that_of_the_same_weights_in_floating_point(name, tmp_path):
    ours, theirs = write_both(tmp_path, name)
    model = load_model(model_config(str(ours)), ours)
    plain = load_model(model_config(str(theirs)), theirs)
    state = plain.state_dict()
    assert model.state_dict().keys() == state.keys()
    assert [each for each, weight in model.state_dict().items() if not torch.equal(weight, state[each])] == []
    quantized = quantize_model(model, load_scheme(ours))
    layers = [
        (each, layer) for each, layer in quantized.named_modules() if isinstance(layer, QuantLinear | QuantExpertLinear)
    ]
    assert len(layers) >= 5 * model.config.layers - 1
    for each, layer in layers:
        if not each.endswith("router.proj"):  # in floating point, and int8 by our own rule
            weight = layer.weight.float() * layer.weight_scale.float().repeat_interleave(GROUP, -2)
            assert torch.equal(weight, state[f"{each}.weight"]), each
