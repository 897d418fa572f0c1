"""Safetensors files, whose complaints become one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from sttest.errors import InputError, ToolMissingError
from sttest.models.checkpoint_files import shown


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
            levers=["copy or convert it anew"],
        ) from error  # fmt: skip


def require_safetensors() -> Any:
    """The package safetensors.

    Raises:
        ToolMissingError: it is not installed.
    """
    if find_spec("safetensors") is None:
        levers = ["pip install 'sttest[frontend]'"]
        raise ToolMissingError("safetensors-missing", "weights need safetensors", where="weights", levers=levers)
    return import_module("safetensors")
