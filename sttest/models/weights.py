"""Weights of a block: from a Hugging Face layer, or random ones for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.layers import LayerNorm, RMSNorm

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel


# --- The safetensors files of a local checkpoint folder, and nothing outside of it


INDEX = "model.safetensors.index.json"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
MAX_INDEX_BYTES = 16 * 1024 * 1024


def shown(name: object) -> str:
    """A name from a file as it may stand in a one-line message: escaped, and cut where it is long."""
    text = str(name).encode("unicode_escape").decode("ascii")
    return text if len(text) <= 120 else text[:117] + "..."


def checkpoint_files(folder: Path) -> list[Path]:
    """The files that hold the checkpoint: those of its index, or else every ``*.safetensors`` of the folder.

    Raises:
        InputError: there is no such folder, it holds no safetensors, the index is malformed, or a file
            is missing, is not a regular file, or lies outside of the folder.
    """
    if folder.suffix.lower() in PICKLES:
        raise _pickled(folder)
    if not folder.is_dir():
        hints = ["give the folder that holds the safetensors files"]
        raise InputError("no-checkpoint", "there is no such folder", where=str(folder), hints=hints)
    if (folder / INDEX).exists() or (folder / INDEX).is_symlink():
        names = _indexed(_checked(folder, INDEX))
    else:
        names = sorted(path.name for path in folder.glob("*.safetensors"))
    if not names:
        raise _nothing_in(folder)
    return [_checked(folder, name) for name in names]


def _indexed(index: Path) -> list[str]:
    """The file names of an index, checked to be plain names."""
    try:
        size = index.stat().st_size
        if size > MAX_INDEX_BYTES:
            raise InputError(
                "bad-index", "too large for an index", where=str(index),
                demand=size, bound=MAX_INDEX_BYTES, unit="bytes",
            )  # fmt: skip
        data = json.loads(index.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("bad-index", f"not readable as JSON: {shown(error)}", where=str(index)) from error
    places = data.get("weight_map") if isinstance(data, dict) else None
    if not isinstance(places, dict) or not all(isinstance(name, str) for name in places.values()):
        hints = ["write tensor names to file names under 'weight_map'"]
        raise InputError("bad-index", "has no map of tensors to files", where=str(index), hints=hints)
    names = sorted(set(places.values()))
    for name in names:
        _check_name(index, name)
    return names


def _check_name(index: Path, name: str) -> None:
    path = Path(name)
    if path.suffix.lower() in PICKLES:
        raise _pickled(index.parent / shown(name))
    if "\0" in name or "\\" in name or path.name != name or path.suffix != ".safetensors":
        hints = ["name files of the same folder that end in .safetensors"]
        raise InputError("bad-index", f"'{shown(name)}' is no file of the folder", where=str(index), hints=hints)


def _checked(folder: Path, name: str) -> Path:
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle
        inside = False
    if not inside:
        hints = ["copy the file into the folder"]
        raise InputError("outside-folder", "a link that leads out of the folder", where=shown(path), hints=hints)
    if not path.is_file():
        raise InputError("missing-file", "there is no such file", where=shown(path), hints=["copy it there"])
    return path


def _nothing_in(folder: Path) -> InputError:
    pickled = next((path for path in sorted(folder.iterdir()) if path.suffix.lower() in PICKLES), None)
    if pickled is not None:
        return _pickled(pickled)
    hints = ["give a folder with *.safetensors files"]
    return InputError("no-checkpoint", "the folder holds no safetensors files", where=str(folder), hints=hints)


def _pickled(path: Path) -> InputError:
    what = "a pickle can run any code while it is read, so it is not"
    return InputError("pickle-refused", what, where=shown(path), hints=["convert it to safetensors"])


# Their name of a module -> ours, per family.
_GPT2 = {
    "ln_1": "attn_norm",
    "attn.c_proj": "attn.o_proj",
    "ln_2": "mlp_norm",
    "mlp.c_fc": "mlp.fc1",
    "mlp.c_proj": "mlp.fc2",
}
_LLAMA = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn.q_proj",
    "self_attn.k_proj": "attn.k_proj",
    "self_attn.v_proj": "attn.v_proj",
    "self_attn.o_proj": "attn.o_proj",
    "post_attention_layernorm": "mlp_norm",
    "mlp.gate_proj": "mlp.gate_proj",
    "mlp.up_proj": "mlp.up_proj",
    "mlp.down_proj": "mlp.down_proj",
}
_GEMMA3 = {
    **_LLAMA,
    "self_attn.q_norm": "attn.q_norm",
    "self_attn.k_norm": "attn.k_norm",
    "post_attention_layernorm": "attn_post_norm",
    "pre_feedforward_layernorm": "mlp_norm",
    "post_feedforward_layernorm": "mlp_post_norm",
}
# Their name of a tensor outside of the layers -> ours.
_HOST = {
    "wte.weight": "embedding.tokens",
    "wpe.weight": "embedding.positions",
    "ln_f.weight": "norm.weight",
    "ln_f.bias": "norm.bias",
    "embed_tokens.weight": "embedding.tokens",
    "norm.weight": "norm.weight",
    "lm_head.weight": "head.weight",
}
# Published GPT-2 checkpoints leave the prefix out.
_PREFIX = re.compile(r"^(transformer|model)\.")
_LAYER = re.compile(r"(?:h|layers)\.(0|[1-9][0-9]{0,5})\.(.+)")
# Buffers that some checkpoints carry and no block needs.
_IGNORED = ("attn.bias", "attn.masked_bias", "self_attn.rotary_emb.inv_freq")


def load_layer(block: nn.Module, config: DecoderConfig, state: Mapping[str, Tensor]) -> None:
    """Copy the weights of one Hugging Face decoder layer into ``block``.

    Args:
        block: a prefill or decode block of ``config``, not on the meta device.
        config: its configuration.
        state: the layer's tensors by their names within the layer, such as ``self_attn.q_proj.weight``.

    Raises:
        InputError: a tensor is missing, unknown or of another shape.
    """
    ours = layer_state(config, state)
    expected = block.state_dict()
    missing, unknown = sorted(expected.keys() - ours.keys()), sorted(ours.keys() - expected.keys())
    if missing or unknown:
        raise InputError(
            "bad-weights",
            f"weights do not fit the block: missing {missing or 'none'}, without a place {unknown or 'none'}",
            where=config.name,
            hints=["load a layer of the same family"],
        )
    for name, tensor in ours.items():
        if tensor.shape != expected[name].shape:
            raise InputError(
                "bad-weights",
                f"shape {list(tensor.shape)} where the block has {list(expected[name].shape)}",
                where=name,
                hints=["load a layer of the same size"],
            )
    block.load_state_dict(ours)


def layer_state(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of one Hugging Face decoder layer under our names, matrices stored [inputs, outputs].

    Raises:
        InputError: a tensor has no counterpart.
    """
    if config.norm == "layernorm":
        return _from_gpt2(state)
    names = _GEMMA3 if config.post_norms else _LLAMA
    # nn.Linear stores [outputs, inputs].
    return {_renamed(name, names): tensor.T if tensor.dim() == 2 else tensor for name, tensor in _needed(state)}


def model_state(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a whole Hugging Face model under the names of ``LanguageModel``, matrices [inputs, outputs].

    A head that a tied model stores all the same is among them, as ``head.weight``.

    Raises:
        InputError: a tensor has no counterpart, or two have the same.
    """
    ours: dict[str, Tensor] = {}
    layers: dict[str, dict[str, Tensor]] = {}
    for name, tensor in state.items():
        local = _PREFIX.sub("", name)
        found = _LAYER.fullmatch(local)
        place, leaf = (layers.setdefault(found[1], {}), found[2]) if found else (ours, _HOST.get(local, ""))
        if not leaf:
            raise InputError(
                "bad-weights", "no part of the model takes this tensor", where=shown(name),
                hints=["load a checkpoint of the family"],
            )  # fmt: skip
        if leaf in place:
            hints = ["keep one of them"]
            raise InputError("bad-weights", "given twice, with and without a prefix", where=shown(name), hints=hints)
        place[leaf] = tensor.T if leaf == "head.weight" else tensor
    for number, layer in layers.items():
        ours |= {f"layers.{number}.{name}": tensor for name, tensor in layer_state(config, layer).items()}
    return ours


def _from_gpt2(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    ours: dict[str, Tensor] = {}
    for name, tensor in _needed(state):
        module, _, leaf = name.rpartition(".")
        if module != "attn.c_attn":
            ours[_renamed(name, _GPT2)] = tensor
            continue
        if tensor.dim() == 0 or tensor.shape[-1] % 3:
            what = f"shape {list(tensor.shape)} does not hold queries, keys and values"
            raise InputError("bad-weights", what, where=name, hints=["load a layer of GPT-2"])
        # One matrix [inputs, 3 * outputs] holds queries, keys and values side by side.
        for ours_name, part in zip("qkv", tensor.chunk(3, dim=-1), strict=True):
            ours[f"attn.{ours_name}_proj.{leaf}"] = part
    return ours


def is_ignored(name: str) -> bool:
    """Whether a tensor of a whole checkpoint is a buffer that no block needs."""
    found = _LAYER.fullmatch(_PREFIX.sub("", name))
    return found is not None and found[2] in _IGNORED


def _needed(state: Mapping[str, Tensor]) -> list[tuple[str, Tensor]]:
    return [(name, tensor) for name, tensor in state.items() if name not in _IGNORED]


def _renamed(name: str, names: Mapping[str, str]) -> str:
    module, _, leaf = name.rpartition(".")
    if module not in names:
        raise InputError(
            "bad-weights",
            "no part of the block takes this tensor",
            where=shown(name),
            hints=["load a layer of the family"],
        )
    return f"{names[module]}.{leaf}"


def randomise(block: nn.Module, seed: int = 0) -> None:
    """Fill ``block`` with weights that keep activations near unit size: for tests and for timing without weights."""
    _fill(block, torch.Generator().manual_seed(seed))


def randomise_model(model: LanguageModel, seed: int = 0) -> None:
    """Fill a whole model with random weights, its layers all different, its logits near unit size."""
    generator = torch.Generator().manual_seed(seed)
    spread = model.config.hidden**-0.5
    with torch.no_grad():
        for parameter in model.embedding.parameters():
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
    for module in (*model.layers, model.norm, model.head):
        _fill(module, generator)


def _fill(module: nn.Module, generator: torch.Generator) -> None:
    with torch.no_grad():
        for parameter in module.parameters():
            spread = parameter.shape[0] ** -0.5 if parameter.dim() == 2 else 0.1
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
        for child in module.modules():
            if isinstance(child, LayerNorm) or (isinstance(child, RMSNorm) and not child.plus_one):
                child.weight.add_(1.0)
