"""The safetensors files of a local checkpoint folder, and nothing outside of it."""

from __future__ import annotations

import json
from pathlib import Path

from sttest.errors import InputError

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
        levers = ["give the folder that holds the safetensors files"]
        raise InputError("no-checkpoint", "there is no such folder", where=str(folder), levers=levers)
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
        levers = ["write tensor names to file names under 'weight_map'"]
        raise InputError("bad-index", "has no map of tensors to files", where=str(index), levers=levers)
    names = sorted(set(places.values()))
    for name in names:
        _check_name(index, name)
    return names


def _check_name(index: Path, name: str) -> None:
    path = Path(name)
    if path.suffix.lower() in PICKLES:
        raise _pickled(index.parent / shown(name))
    if "\0" in name or "\\" in name or path.name != name or path.suffix != ".safetensors":
        levers = ["name files of the same folder that end in .safetensors"]
        raise InputError("bad-index", f"'{shown(name)}' is no file of the folder", where=str(index), levers=levers)


def _checked(folder: Path, name: str) -> Path:
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle
        inside = False
    if not inside:
        levers = ["copy the file into the folder"]
        raise InputError("outside-folder", "a link that leads out of the folder", where=shown(path), levers=levers)
    if not path.is_file():
        raise InputError("missing-file", "there is no such file", where=shown(path), levers=["copy it there"])
    return path


def _nothing_in(folder: Path) -> InputError:
    pickled = next((path for path in sorted(folder.iterdir()) if path.suffix.lower() in PICKLES), None)
    if pickled is not None:
        return _pickled(pickled)
    levers = ["give a folder with *.safetensors files"]
    return InputError("no-checkpoint", "the folder holds no safetensors files", where=str(folder), levers=levers)


def _pickled(path: Path) -> InputError:
    what = "a pickle can run any code while it is read, so it is not"
    return InputError("pickle-refused", what, where=shown(path), levers=["convert it to safetensors"])
