"""Reading checkpoints: local folders of safetensors files in Hugging Face naming.

All headers (names, shapes, types) are checked before any tensor is loaded and checked for NaN.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_json
from sttest.models.config import DecoderConfig
from sttest.models.config_file import CONFIG_FILE, read_config
from sttest.models.families import of_whole, whole_of
from sttest.models.language_model import LanguageModel
from sttest.models.other_parts import note_other_parts
from sttest.models.quant.released.folder import FolderWeights
from sttest.models.quant.released.kept import keep, refuse_kept
from sttest.models.weights import fill, is_ignored, model_state, shown

INDEX = "model.safetensors.index.json"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
MAX_INDEX_BYTES = 16 * 1024 * 1024
DTYPES = ("F32", "F16", "BF16")
"""Types of safetensors that float32 holds exactly."""


def load_model(config: DecoderConfig, folder: Path | None = None, *, seed: int = 0) -> LanguageModel:
    """A whole model with the weights of a checkpoint folder, or with random weights of a seed.

    Layers of a rank have the truncated decomposition of these weights.  Integers of a quantized checkpoint are kept.

    Raises:
        InputError: see :func:`read_checkpoint`.
    """
    if (whole := whole_of(config)) != config:
        model = load_model(whole, folder, seed=seed)
        refuse_kept(model, "layers of a rank")
        model.config = config
        model.layers = nn.ModuleList(of_whole(block, config) for block in model.layers)
        return model
    if folder is None:
        model = LanguageModel(config)
        randomize_model(model, seed)
        return model
    weights = FolderWeights.of(config, folder)
    state = _read(config, folder, weights)
    with torch.device("meta"):
        model = LanguageModel(config)
    model.load_state_dict(state, assign=True)
    keep(model, weights.kept)
    return model


def randomize_model(model: LanguageModel, seed: int = 0) -> None:
    """Fill a whole model with random weights, its layers all different, its logits near unit size."""
    generator = torch.Generator().manual_seed(seed)
    spread = model.config.hidden**-0.5
    with torch.no_grad():
        for parameter in model.embedding.parameters():
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
    for module in (*model.layers, model.norm, model.head):
        fill(module, generator)


def read_checkpoint(config: DecoderConfig, folder: Path) -> dict[str, Tensor]:
    """The state of ``LanguageModel(config)``, in float32, from ``*.safetensors`` and, where there is one, their index.

    Args:
        config: model that the checkpoint must fit; the folder's own ``config.json``, where there is one, must say the
            same.
        folder: local folder with Hugging Face names.

    Raises:
        InputError: a pickle; a file that is missing, truncated or outside the folder; a configuration that differs; a
            tensor that is missing, unknown, duplicate, of another shape or type, or not finite.
        ToolMissingError: safetensors is not installed.
    """
    return _read(config, folder, FolderWeights.of(config, folder))


def _read(config: DecoderConfig, folder: Path, weights: FolderWeights) -> dict[str, Tensor]:
    files = checkpoint_files(folder)
    if (folder / CONFIG_FILE).exists():
        _check_config(config, read_config(_checked(folder, CONFIG_FILE)), folder / CONFIG_FILE)
    outlines: dict[str, Tensor] = {}
    note_other_parts((name for path in files for name in _names(path)), folder.name)
    for path in files:
        for name, outline in _outlines(path, weights.more_types).items():
            if name in outlines:
                raise _bad(path, f"tensor {shown(name)} is in another file too", "keep one of them")
            outlines[name] = outline
    _check_outlines(config, model_state(config, weights.outlines(outlines)), folder)
    found: dict[str, Tensor] = {}
    for path in files:
        found |= _values(path)
    return _without_tied_head(config, model_state(config, weights.dense(found)), folder)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of one ``.safetensors`` file by name, in float32.

    Raises:
        InputError: not such a file, another type than float32 can hold, NaN or infinity.
        ToolMissingError: safetensors is not installed.
    """
    if path.suffix.lower() in PICKLES:
        raise _pickle_refused(path)
    if not path.is_file():
        hints = ["name a .safetensors file"]
        raise InputError("missing-file", "there is no such file", where=shown(path), hints=hints)
    _outlines(path)
    return _values(path)


_NAMING = ("name", "public_name", "source")
"""Fields of a configuration that change no value."""


def _check_config(config: DecoderConfig, told: DecoderConfig, where: Path) -> None:
    """Refuse a checkpoint of another model than the one that is run."""
    for field in fields(config):
        ours, theirs = getattr(config, field.name), getattr(told, field.name)
        # Rotary positions past the limit are not asked for, so that a shorter limit changes nothing.
        if ours == theirs or field.name in _NAMING or (field.name == "max_context" and config.rope_theta is not None):
            continue
        raise InputError(
            "other-model",
            f"{field.name} is {theirs}, that of {config.public_name} is {ours}",
            where=shown(where),
            hints=["give the checkpoint's folder as the model", "give a checkpoint of that model"],
        )


def _names(path: Path) -> list[str]:
    with open_checkpoint(path) as file:
        return list(file.keys())


def _outlines(path: Path, more_types: tuple[str, ...] = ()) -> dict[str, Tensor]:
    """Shapes of a file's tensors, on the meta device; types besides floating point where they are told."""
    outlines: dict[str, Tensor] = {}
    with open_checkpoint(path) as file:
        for name in filter(_is_needed, file.keys()):
            header = file.get_slice(name)
            if header.get_dtype() not in (*DTYPES, *more_types):
                what = f"tensor {shown(name)} has type {header.get_dtype()}, not one of {', '.join(DTYPES)}"
                raise _bad(path, what, "convert the checkpoint to BF16 or F32")
            outlines[name] = torch.empty(header.get_shape(), device="meta")
    return outlines


def _values(path: Path) -> dict[str, Tensor]:
    """A file's tensors, those in floating point in float32, all finite."""
    values: dict[str, Tensor] = {}
    with open_checkpoint(path) as file:
        for name in filter(_is_needed, file.keys()):
            found = file.get_tensor(name)
            values[name] = found.float() if found.is_floating_point() else found
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


@contextmanager
def open_checkpoint(path: Path) -> Iterator[Any]:
    """A safetensors file, opened by the library; what it says of a bad one in one line.

    Raises:
        InputError: no such file.
        ToolMissingError: safetensors is not installed.
    """
    if find_spec("safetensors") is None:
        hints = ["pip install 'sttest[frontend]'"]
        raise ToolMissingError("safetensors-missing", "weights need safetensors", where="weights", hints=hints)
    safetensors = import_module("safetensors")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            yield file
    except (safetensors.SafetensorError, OSError) as error:
        raise InputError(
            "bad-safetensors",
            f"truncated, or no safetensors file: {shown(error)}",
            where=shown(path),
            hints=["copy or convert it anew"],
        ) from error


# --- The files of a checkpoint folder: plain names, none of them outside the folder


def checkpoint_files(folder: Path) -> list[Path]:
    """The files that hold the checkpoint: those of its index, or else every ``*.safetensors`` of the folder.

    Raises:
        InputError: there is no such folder, it holds no safetensors, the index is malformed, or a file
            is missing, is not a regular file, or lies outside of the folder.
    """
    if folder.suffix.lower() in PICKLES:
        raise _pickle_refused(folder)
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
    data = read_json(index, most_bytes=MAX_INDEX_BYTES)
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
        raise _pickle_refused(index.parent / shown(name))
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
        return _pickle_refused(pickled)
    hints = ["give a folder with *.safetensors files"]
    return InputError("no-checkpoint", "the folder holds no safetensors files", where=str(folder), hints=hints)


def _pickle_refused(path: Path) -> InputError:
    what = "a pickle can run any code while it is read, so it is not"
    return InputError("pickle-refused", what, where=shown(path), hints=["convert it to safetensors"])
