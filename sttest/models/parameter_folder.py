"""A folder of packed parameters: ``parameters.safetensors``, one run of bytes each, and ``manifest.json``.

The manifest says of every parameter its shape and element type, the facts of its
stream, the shape that it has in memory, its bytes and their SHA-256; and the
quantisation scheme of all.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from sttest.boards.validation import validated
from sttest.errors import InputError
from sttest.models.checkpoint_files import shown
from sttest.models.packing import Bytes, Values, pack, unpack
from sttest.models.quant.scheme import QuantScheme
from sttest.models.safetensors_file import opened, require_safetensors
from sttest.models.stream_layout import StreamLayout
from sttest.output_folder import MANIFEST, check_output_folder

SCHEMA = "sttest.parameters/1"
DATA = "parameters.safetensors"
MAX_MANIFEST_BYTES = 16 * 1024 * 1024


class Parameter(NamedTuple):
    """Values (int4 as int8) and the order in which they are streamed."""

    values: Values
    layout: StreamLayout


class _Entry(BaseModel):
    """What the manifest says of one parameter; shapes and sizes follow from the layout and are checked against it."""

    model_config = ConfigDict(extra="forbid")

    shape: tuple[int, ...]
    layout: StreamLayout
    memory_shape: tuple[int, ...]
    data_bytes: int
    bytes: int
    sha256: str

    @classmethod
    def of(cls, memory: Bytes, layout: StreamLayout) -> _Entry:
        """The entry of a packed parameter."""
        return cls(
            shape=layout.shape,
            layout=layout,
            memory_shape=layout.memory_shape,
            data_bytes=layout.data_bytes,
            bytes=layout.padded_bytes,
            sha256=hashlib.sha256(memory.tobytes()).hexdigest(),
        )


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    schema_: Literal["sttest.parameters/1"]
    scheme: dict[str, Any]
    parameters: dict[str, _Entry]


def write_parameters(folder: Path, parameters: Mapping[str, Parameter], scheme: QuantScheme) -> Path:
    """Pack parameters into a folder, which appears whole or not at all; an earlier one is replaced.

    Raises:
        InputError: values that do not fit their layout, or a folder that holds something else.
    """
    check_output_folder(folder, SCHEMA, "folder of parameters")
    require_safetensors()
    packed = {name: pack(values, layout) for name, (values, layout) in parameters.items()}
    entries = {name: _Entry.of(memory, parameters[name].layout) for name, memory in packed.items()}
    described = {name: entry.model_dump(mode="json") for name, entry in entries.items()}
    manifest = {"schema": SCHEMA, "scheme": dataclasses.asdict(scheme), "parameters": described}
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".sttest-"))
    try:
        import_module("safetensors.numpy").save_file(packed, staging / DATA)
        (staging / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        staging.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        staging.rename(folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return folder


def read_parameters(folder: Path) -> tuple[dict[str, Parameter], QuantScheme]:
    """The parameters of a folder, unpacked, and their scheme.

    Raises:
        InputError: a file is missing or malformed, or bytes are not those that the manifest tells of.
    """
    manifest = _read_manifest(folder / MANIFEST)
    path = folder / DATA
    found: dict[str, Parameter] = {}
    with opened(path, "np") as file:
        if set(file.keys()) != manifest.parameters.keys():
            raise _bad(path, "holds other parameters than the manifest")
        for name, entry in manifest.parameters.items():
            memory = file.get_tensor(name)
            if memory.dtype != np.uint8 or _Entry.of(memory, entry.layout) != entry:
                raise _bad(path, f"the bytes of {shown(name)} are not those of the manifest")
            found[name] = Parameter(unpack(memory, entry.layout), entry.layout)
    return found, QuantScheme(**manifest.scheme)


def _read_manifest(path: Path) -> _Manifest:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_MANIFEST_BYTES + 1)
        data = json.loads(raw.decode("utf-8")) if len(raw) <= MAX_MANIFEST_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise _bad(path, f"not readable as JSON: {shown(error)}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise _bad(path, f"no manifest of schema {SCHEMA}")
    manifest = validated(
        _Manifest, {"schema_" if key == "schema" else key: value for key, value in data.items()}, str(path)
    )
    known = {field.name for field in dataclasses.fields(QuantScheme)}
    if manifest.scheme.keys() != known:
        raise _bad(path, f"a scheme has {', '.join(sorted(known))}")
    return manifest


def _bad(path: Path, what: str) -> InputError:
    return InputError("bad-parameters", what, where=shown(path), levers=["pack the parameters anew"])
