"""Parameters as bytes in the DMA's packed, widened order, and back.

Memory holds the tiles in the order in which they are first streamed; a tile is
the row-major grid of its beats, a beat its elements row-major.  Elements follow
each other without gaps, little-endian: of two int4 the first is the low nibble,
across beats and tiles too.  Zeros fill the last beat.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import MANIFEST, check_output_folder
from sttest.core.validation import validated
from sttest.models.checkpoint import opened, require_safetensors
from sttest.models.quant.scheme import QuantScheme
from sttest.models.weights import shown
from sttest.runtime.stream_layout import ElementType, StreamLayout, row_major

if TYPE_CHECKING:
    from torch import Tensor, nn


Bytes = NDArray[np.uint8]
Values = NDArray[Any]

# What elements are in NumPy; int4 as int8.
_NUMPY = {"i4": np.dtype("i1"), "i8": np.dtype("i1"), "f16": np.dtype("<f2"), "f32": np.dtype("<f4")}


def pack(values: Values, layout: StreamLayout) -> Bytes:
    """The memory of a parameter, ``layout.padded_bytes`` long.

    Args:
        values: int8 for i4 and i8, else of the element type, of the layout's shape.
        layout: the order.

    Raises:
        InputError: values of another shape or type, an int4 out of range, or tiles that do not cover the tensor.
    """
    if values.shape != layout.shape or values.dtype != _NUMPY[layout.dtype]:
        raise InputError(
            "bad-parameter",
            f"{values.dtype} {list(values.shape)} where the layout has {layout.dtype} {list(layout.shape)}",
            where="pack",
            hints=["pass the parameter that the layout belongs to"],
        )
    rank = len(layout.tile)
    tiles = values.reshape(_interleaved(layout.grid, layout.tile)).transpose(_sorted_dims(rank))
    ordered = tiles.reshape(-1, *layout.tile)[layout.tiles_in_memory()]
    cut = ordered.reshape(len(ordered), *_interleaved(_beats(layout), layout.beat))
    beats = cut.transpose(0, *(1 + dim for dim in _sorted_dims(rank)))
    memory = np.zeros(layout.padded_bytes, dtype=np.uint8)
    memory[: layout.data_bytes] = _to_bytes(beats.ravel(), layout.dtype)
    return memory


def unpack(memory: Bytes, layout: StreamLayout) -> Values:
    """The parameter whose memory this is: the exact inverse of :func:`pack`.

    Raises:
        InputError: memory of another size, or with anything but zeros after the data.
    """
    ordered = _tiles(memory, layout)
    tiles = np.empty_like(ordered)
    tiles[layout.tiles_in_memory()] = ordered
    back = np.argsort(_sorted_dims(len(layout.tile)))
    return tiles.reshape(*layout.grid, *layout.tile).transpose(back).reshape(layout.shape)


def streamed_tiles(memory: Bytes, layout: StreamLayout) -> Iterator[Values]:
    """The tiles that a DMA pushes, one per token in stream order, each read from where it lies in memory.

    Raises:
        InputError: see :func:`unpack`.
    """
    ordered = _tiles(memory, layout)
    return (ordered[place] for place in layout.stream())


def _tiles(memory: Bytes, layout: StreamLayout) -> Values:
    """Tiles as they follow each other in memory, [tiles, *tile]."""
    if memory.dtype != np.uint8 or memory.shape != (layout.padded_bytes,):
        what = f"{memory.dtype} {list(memory.shape)} where the layout has {layout.padded_bytes} bytes"
        raise InputError("bad-memory", what, where="unpack", hints=["pass the memory that pack gave"])
    if memory[layout.data_bytes :].any():
        raise InputError("bad-memory", "the padding is not zero", where="unpack", hints=["pack the parameter anew"])
    rank = len(layout.tile)
    elements = _from_bytes(memory[: layout.data_bytes], layout)
    beats = elements.reshape(-1, *_beats(layout), *layout.beat)
    back = 1 + np.argsort(_sorted_dims(rank))
    return beats.transpose(0, *back).reshape(-1, *layout.tile)


def _beats(layout: StreamLayout) -> tuple[int, ...]:
    return tuple(size // part for size, part in zip(layout.tile, layout.beat, strict=True))


def _interleaved(outer: tuple[int, ...], inner: tuple[int, ...]) -> list[int]:
    """Shape of a tensor whose every dim is split in two."""
    return [size for pair in zip(outer, inner, strict=True) for size in pair]


def _sorted_dims(rank: int) -> list[int]:
    """Of interleaved dims, the outer ones first."""
    return [*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)]


def _to_bytes(elements: Values, dtype: str) -> Bytes:
    if dtype != "i4":
        return np.ascontiguousarray(elements).view(np.uint8)
    if elements.size and (elements.min() < -8 or elements.max() > 7):
        hints = ["quantise to int4 first"]
        raise InputError("bad-parameter", "integers outside of -8 to 7", where="pack", hints=hints)
    nibbles = elements.view(np.uint8) & 0xF
    nibbles = np.append(nibbles, np.zeros(len(nibbles) % 2, dtype=np.uint8))
    return (nibbles[0::2] | (nibbles[1::2] << 4)).astype(np.uint8)


def _from_bytes(data: Bytes, layout: StreamLayout) -> Values:
    if layout.dtype != "i4":
        return np.ascontiguousarray(data).view(_NUMPY[layout.dtype])
    # Shifted to the top of the byte and back, the nibble's sign spreads.
    low, high = (data << 4).view(np.int8) >> 4, data.view(np.int8) >> 4
    both = np.stack([low, high], axis=1).ravel()
    count = int(np.prod(layout.shape))
    if both[count:].any():
        raise InputError("bad-memory", "the padding is not zero", where="unpack", hints=["pack the parameter anew"])
    return both[:count]


# --- A folder of packed parameters: ``parameters.safetensors``, one run of bytes each, and ``manifest.json``


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
    return InputError("bad-parameters", what, where=shown(path), hints=["pack the parameters anew"])


# --- The parameters of a block, quantised or not, as arrays to be packed


def export_parameters(
    block: nn.Module, scheme: QuantScheme, layouts: Mapping[str, StreamLayout] | None = None
) -> dict[str, Parameter]:
    """Every parameter of a block by the name that its linalg text gives it (``attn.q_proj.weight``).

    Scales of integer weights, [groups, outputs] in FP16, are called ``attn.q_proj.weight_scale``;
    constant scales of inputs, [1] in FP32, ``attn.q_proj.input_scale``.  Layers that read one tensor
    have equal ones, of which the compiled design takes the first.

    Args:
        block: from ``quantise_block``, or in floating point.
        scheme: what it was quantised with.
        layouts: of the streams that a design has; what is not among them is kept row-major.

    Raises:
        InputError: a layout for a parameter that there is not.
    """
    chosen = layouts or {}
    arrays = {name: _array(tensor) for name, tensor in block.state_dict().items()}
    for name in chosen.keys() - arrays.keys():
        hints = [did_you_mean(name, arrays)]
        raise InputError("unknown-parameter", f"there is no parameter '{name}'", where="layouts", hints=hints)
    return {
        name: Parameter(array, chosen.get(name) or row_major(array.shape, _element_type(array.dtype.name, scheme)))
        for name, array in arrays.items()
    }


def _array(tensor: Tensor) -> Any:
    return tensor.detach().contiguous().numpy()


def _element_type(dtype: str, scheme: QuantScheme) -> ElementType:
    if dtype == "int8":
        return "i4" if scheme.weights == "int4" else "i8"
    return "f16" if dtype == "float16" else "f32"
