"""A checkpoint's folder with other weights: the same files and names, the tensors of its layers exchanged."""

import shutil
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sttest.core.files import read_json, replacing_folder, write_json
from sttest.models.checkpoint import checkpoint_files, open_checkpoint
from sttest.models.config_file import CONFIG_FILE
from sttest.models.language_model import LanguageModel
from sttest.models.text import TOKENIZER
from sttest.models.weights import is_ignored, model_state

HEAD = "lm_head.weight"
CALIBRATION = "calibration.json"
CALIBRATION_SCHEMA = "sttest.calibration/1"


def write_calibrated(model: LanguageModel, source: Path, out: Path, facts: Mapping[str, Any]) -> None:
    """Write a folder of one safetensors file that :func:`~sttest.models.checkpoint.load_model` reads as ``model``.

    Args:
        model: model whose weights differ from those of the source, and whose head may have become its own.
        source: folder that the model was loaded from, of which configuration and tokenizer are copied.
        out: folder to write, replaced whole.
        facts: how the weights came about, for ``calibration.json``.

    Raises:
        InputError: see :func:`~sttest.models.checkpoint.read_checkpoint`.
    """
    ours = model.state_dict()
    tensors: dict[str, Tensor] = {}
    for path in checkpoint_files(source):
        with open_checkpoint(path) as file:
            for name in file.keys():  # noqa: SIM118 - a handle of safetensors, no mapping
                tensors[name] = _exchanged(model, ours, name, file.get_tensor(name))
    holds_head = any("head.weight" in _places(model, name, tensor) for name, tensor in tensors.items())
    unties = "head.weight" in ours and not holds_head  # the embedding was the head
    if unties:
        tensors[HEAD] = ours["head.weight"].T.contiguous()
    with replacing_folder(out) as folder:
        import_module("safetensors.torch").save_file(tensors, folder / "model.safetensors")
        for name in (CONFIG_FILE, TOKENIZER):
            if (source / name).is_file():
                shutil.copyfile(source / name, folder / name)
        if unties:
            config = read_json(source / CONFIG_FILE)
            write_json(folder / CONFIG_FILE, config | {"tie_word_embeddings": False})
        write_json(folder / CALIBRATION, {"schema": CALIBRATION_SCHEMA, **facts})


def _exchanged(model: LanguageModel, ours: Mapping[str, Tensor], name: str, tensor: Tensor) -> Tensor:
    """The tensor of a checkpoint with our values in float32; itself where they are the same, or the model has none."""
    places = _places(model, name, tensor)
    if not places or not all(each in ours for each in places):
        return tensor
    values = torch.empty(tensor.numel())
    for each, numbers in places.items():
        values[numbers.flatten()] = ours[each].flatten()
    values = values.view(tensor.shape)
    return tensor if torch.equal(values, tensor.float()) else values


def _places(model: LanguageModel, name: str, tensor: Tensor) -> dict[str, Tensor]:
    """Our names of what a tensor holds, each with the numbers of its elements there.

    Renaming transposes and cuts.  Done to the numbers of the elements it tells the place of each.
    """
    if is_ignored(name):
        return {}
    return model_state(model.config, {name: torch.arange(tensor.numel()).view(tensor.shape)})
