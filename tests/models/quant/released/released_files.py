"""Quantized layers unpacked from the formats' descriptions, byte by byte, with no code of sttest."""

import json
from pathlib import Path

import numpy as np
from safetensors.torch import load_file, save_file

FOLDERS = Path(__file__).parent / "folders"
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)  # output of the lowest four bits of a word first


def told_of(folder):
    return json.loads((folder / "config.json").read_text())["quantization_config"]


def tensors_of(folder):
    return load_file(folder / "model.safetensors")


def changed(out, folder, change=lambda tensors: None, told=lambda told: None, config=lambda config: None):
    """A copy of a folder whose tensors, whose ``quantization_config`` or whose configuration are changed."""
    tensors, content = tensors_of(folder), json.loads((folder / "config.json").read_text())
    change(tensors)
    told(content["quantization_config"])
    config(content)
    out.mkdir()
    save_file({name: each.contiguous() for name, each in tensors.items()}, out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(content))
    return out


def parts(words, bits):
    """Fields of rows of words: each byte is one of eight bits, or two of four, the lower one first."""
    octets = np.ascontiguousarray(words).view(np.uint8).astype(int)
    return octets if bits == 8 else np.stack([octets % 16, octets // 16], -1).reshape(len(octets), -1)


def layers(folder):
    """Integers [outputs, inputs] and scales [outputs, groups], float64, of each quantized layer by name."""
    tensors, told = tensors_of(folder), told_of(folder)
    method = told["quant_method"]
    leaf = "scales" if method in ("gptq", "awq") else "weight_scale"
    names = [name.removesuffix(f".{leaf}") for name in tensors if name.endswith(f".{leaf}")]
    return {name: READERS[method](tensors, name, told) for name in names}


def gptq(tensors, name, told):
    bits = told["bits"]
    fields = parts(tensors[f"{name}.qweight"].numpy().T, bits)
    late = told.get("checkpoint_format") == "gptq_v2"
    zeros = parts(tensors[f"{name}.qzeros"].numpy(), bits) + (0 if late else 1)
    group = tensors[f"{name}.g_idx"].numpy()
    return fields - zeros[group].T, tensors[f"{name}.scales"].double().numpy().T


def awq(tensors, name, told):
    def in_order(words):
        fields = parts(words, 4).reshape(len(words), -1, 8)
        found = np.empty_like(fields)
        for place, output in enumerate(AWQ_ORDER):
            found[:, :, output] = fields[:, :, place]
        return found.reshape(len(words), -1)

    zeros = in_order(tensors[f"{name}.qzeros"].numpy())
    fields = in_order(tensors[f"{name}.qweight"].numpy())
    values = fields - np.repeat(zeros, told["group_size"], 0)
    return values.T, tensors[f"{name}.scales"].double().numpy().T


def compressed(tensors, name, told):
    scales = tensors[f"{name}.weight_scale"].double().numpy()
    if told["format"] != "pack-quantized":
        return tensors[f"{name}.weight"].numpy().astype(int), scales
    bits = told["config_groups"]["group_0"]["weights"]["num_bits"]
    return parts(tensors[f"{name}.weight_packed"].numpy(), bits) - 2 ** (bits - 1), scales


READERS = {"gptq": gptq, "awq": awq, "compressed-tensors": compressed}


def weights(folder):
    """Weights of the quantized layers, float64 [outputs, inputs]."""
    found = layers(folder)
    return {name: q * np.repeat(scales, q.shape[1] // scales.shape[1], 1) for name, (q, scales) in found.items()}
