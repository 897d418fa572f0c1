"""Real weights from a local folder in Hugging Face naming; random ones of a seed otherwise.

Nothing is loaded before everything has been checked: the headers of all files
first (names, shapes, types), then each tensor's values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from sttest.core.errors import InputError, ToolMissingError
from sttest.models.config import DecoderConfig
from sttest.models.language_model import LanguageModel
from sttest.models.weights import checkpoint_files, is_ignored, model_state, randomise_model, shown

# --- Safetensors files, whose complaints become one line


@contextmanager
def opened(path: Path, framework: Literal["pt", "np"]) -> Iterator[Any]:
    """An open file, to be asked for names, shapes and tensors.

    Raises:
        InputError: the file is truncated, or is none of that format.
        ToolMissingError: safetensors is not installed.
    """
    safetensors = require_safetensors()
    try:
        with safetensors.safe_open(path, framework=framework) as file:
            yield file
    except (safetensors.SafetensorError, OSError) as error:
        raise InputError(
            "bad-safetensors", f"truncated, or no safetensors file: {shown(error)}", where=shown(path),
            hints=["copy or convert it anew"],
        ) from error  # fmt: skip


def require_safetensors() -> Any:
    """The package safetensors.

    Raises:
        ToolMissingError: it is not installed.
    """
    if find_spec("safetensors") is None:
        hints = ["pip install 'sttest[frontend]'"]
        raise ToolMissingError("safetensors-missing", "weights need safetensors", where="weights", hints=hints)
    return import_module("safetensors")


# Of the types of safetensors, those that float32 holds exactly.
DTYPES = ("F32", "F16", "BF16")


def load_model(config: DecoderConfig, folder: Path | None = None, *, seed: int = 0) -> LanguageModel:
    """A whole model with the weights of a checkpoint folder, or with random weights of a seed.

    Raises:
        InputError: see :func:`read_checkpoint`.
    """
    if folder is None:
        model = LanguageModel(config)
        randomise_model(model, seed)
        return model
    state = read_checkpoint(config, folder)
    with torch.device("meta"):
        model = LanguageModel(config)
    model.load_state_dict(state, assign=True)
    return model


def read_checkpoint(config: DecoderConfig, folder: Path) -> dict[str, Tensor]:
    """The state of ``LanguageModel(config)``, in float32, from ``*.safetensors`` and, where there is one, their index.

    Args:
        config: what the checkpoint must fit; no configuration of the folder is read.
        folder: local, with names as Hugging Face has them.

    Raises:
        InputError: a pickle; a file that is missing, truncated or outside of the folder; a tensor that is
            missing, has no place, is given twice, has another shape or type, or holds NaN or infinity.
    """
    files = checkpoint_files(folder)
    outlines: dict[str, Tensor] = {}
    for path in files:
        for name, outline in _outlines(path).items():
            if name in outlines:
                raise _bad(path, f"tensor {shown(name)} is in another file too", "keep one of them")
            outlines[name] = outline
    _check_outlines(config, model_state(config, outlines), folder)
    found: dict[str, Tensor] = {}
    for path in files:
        found |= _values(path)
    return _without_tied_head(config, model_state(config, found), folder)


def _outlines(path: Path) -> dict[str, Tensor]:
    """Shapes of the tensors of a file, on the meta device; types are checked."""
    outlines: dict[str, Tensor] = {}
    with opened(path, "pt") as file:
        for name in filter(_is_needed, file.keys()):
            header = file.get_slice(name)
            if header.get_dtype() not in DTYPES:
                what = f"tensor {shown(name)} has type {header.get_dtype()}, not one of {', '.join(DTYPES)}"
                raise _bad(path, what, "convert the checkpoint to BF16 or F32")
            outlines[name] = torch.empty(header.get_shape(), device="meta")
    return outlines


def _values(path: Path) -> dict[str, Tensor]:
    """The tensors of a file in float32, all finite."""
    values: dict[str, Tensor] = {}
    with opened(path, "pt") as file:
        for name in filter(_is_needed, file.keys()):
            values[name] = file.get_tensor(name).float()
            if not torch.isfinite(values[name]).all():
                raise _bad(path, f"tensor {shown(name)} holds NaN or infinity", "take another copy of the checkpoint")
    return values


def _is_needed(name: str) -> bool:
    return not is_ignored(name)


def _check_outlines(config: DecoderConfig, ours: Mapping[str, Tensor], folder: Path) -> None:
    with torch.device("meta"):
        expected = dict(LanguageModel(config).state_dict())
    if config.tied_embeddings and "head.weight" in ours:
        expected["head.weight"] = expected["embedding.tokens"].T
    missing, surplus = sorted(expected.keys() - ours.keys()), sorted(ours.keys() - expected.keys())
    if missing:
        what = f"{len(missing)} tensors of {config.public_name} are missing, {missing[0]} among them"
        raise _bad(folder, what, "give the folder of that model, complete")
    if surplus:
        what = f"{len(surplus)} tensors have no place in {config.public_name}, {shown(surplus[0])} among them"
        raise _bad(folder, what, "give the folder of that model")
    for name, tensor in expected.items():
        if ours[name].shape != tensor.shape:
            what = f"{name} has shape {list(ours[name].shape)} where {config.public_name} has {list(tensor.shape)}"
            raise _bad(folder, what, "give a checkpoint of that size")


def _without_tied_head(config: DecoderConfig, state: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    if config.tied_embeddings:
        head = state.pop("head.weight", None)
        if head is not None and not torch.equal(head.T, state["embedding.tokens"]):
            what = f"the head differs from the embedding, to which {config.public_name} ties it"
            raise _bad(folder, what, "take a configuration with tied_embeddings=False")
    return state


def _bad(where: Path, what: str, hint: str) -> InputError:
    return InputError("bad-checkpoint", what, where=shown(where), hints=[hint])
