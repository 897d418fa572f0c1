"""Hostile .npz files beside a graph with the traces ``src`` and ``dst``."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Callable

import numpy as np

_NAMES = ("src/tick", "src/op", "dst/tick", "dst/op")


def archive(dice: random.Random) -> tuple[str, bytes]:
    """What is wrong, and the .npz."""
    how = dice.choice(tuple(_KINDS))
    return how, _KINDS[how](dice)


def _arrays() -> dict[str, np.ndarray]:
    return {
        "src/tick": np.arange(16, dtype=np.int64) * 2,
        "src/op": np.ones(16, np.int32),
        "dst/tick": np.arange(32, dtype=np.int64),
        "dst/op": np.zeros(32, np.int32),
    }


def _saved(arrays: dict[str, np.ndarray], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    return _zipped({f"{name}.npy": _npy(array) for name, array in arrays.items()}, method)


def _npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=True)
    return out.getvalue()


def _zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return out.getvalue()


def _objects(dice: random.Random) -> bytes:
    return _saved(_arrays() | {dice.choice(_NAMES): np.array([{}, None, print], dtype=object)})


def _dtype(dice: random.Random) -> bytes:
    name = dice.choice(_NAMES)
    kind = dice.choice((">i8", "i2", "f8", "c16", "U3", "S0", "V0", "M8[s]", "?", [("a", "i8"), ("b", "O")]))
    array = _arrays()[name]
    changed = np.zeros(array.size, kind) if isinstance(kind, list) else array.astype(kind)
    return _saved(_arrays() | {name: changed})


def _shape(dice: random.Random) -> bytes:
    name = dice.choice(_NAMES)
    array = _arrays()[name]
    return _saved(_arrays() | {name: dice.choice((array[None], array[:3], array[:0], array[0], array.reshape(4, -1)))})


def _values(dice: random.Random) -> bytes:
    arrays = _arrays()
    array = arrays[dice.choice(_NAMES)]
    extremes = np.iinfo(array.dtype)
    array[dice.randrange(array.size)] = dice.choice((-1, 5, extremes.max, extremes.min, 1 << 20))
    return _saved(arrays)


def _header(dice: random.Random) -> bytes:
    """A header that promises more than there is, or is no header."""
    headers = (
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1099511627776,), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-5,), }",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (16,), 'x': 1}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (16,), }",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (1099511627776,), }",
        "__import__('os').abort()",
        "(" * 3000,
        "'",
        "{",
        "[]" * 4000,
        "{'descr': 1L}",
        "\x00",
        "",
    )
    text = dice.choice(headers).encode()
    version, size = dice.choice(((b"\x01\x00", "<H"), (b"\x02\x00", "<I"), (b"\x03\x00", "<I"), (b"\x09\x00", "<H")))
    length = dice.choice((len(text), len(text), 0xFFFF, 3))
    made = b"\x93NUMPY" + version + struct.pack(size, length) + text + bytes(128)
    members = {f"{name}.npy": _npy(array) for name, array in _arrays().items()}
    return _zipped(members | {f"{dice.choice(_NAMES)}.npy": made})


def _bomb(dice: random.Random) -> bytes:
    """Zeros that deflate to a thousandth."""
    size = dice.choice((1 << 16, 1 << 20, 1 << 24))
    ticks = np.zeros(size, np.int64)
    arrays = {"src/tick": ticks, "src/op": np.ones(size, np.int32), "dst/tick": ticks, "dst/op": ticks.astype(np.int32)}
    return _saved(arrays)


def _method(dice: random.Random) -> bytes:
    return _saved(_arrays(), dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)))


def _directory(dice: random.Random) -> bytes:
    """Numbers of the central directory and of its end that are not true."""
    data = bytearray(_saved(_arrays()))
    for _ in range(dice.choice((1, 2, 8))):
        at = (
            data.rfind(b"PK\x05\x06")
            if dice.random() < 0.4
            else data.rfind(b"PK\x01\x02", 0, dice.randrange(len(data)))
        )
        place = max(at, 0) + dice.choice((4, 6, 8, 10, 12, 16, 20, 24, 28, 42))
        data[place : place + 4] = dice.choice((b"\xff\xff\xff\xff", bytes(4), b"\x00\x00\x00\x7f", dice.randbytes(4)))
    return bytes(data)


def _encrypted(dice: random.Random) -> bytes:
    data = bytearray(_saved(_arrays()))
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= dice.choice((1, 0x20, 0x40))
            at = data.find(signature, at + 4)
    return bytes(data)


def _members(dice: random.Random) -> bytes:
    """Thousands of members, or too few, or two of one name."""
    members = {f"{name}.npy": _npy(array) for name, array in _arrays().items()}
    if dice.random() < 0.5:
        members.pop(f"{dice.choice(_NAMES)}.npy")
        return _zipped(members)
    return _zipped(members | {f"../x{i}": b"" for i in range(20_000)}, zipfile.ZIP_STORED)


def _no_archive(dice: random.Random) -> bytes:
    return dice.choice((b"", b"PK\x05\x06" + bytes(18), b"PK", dice.randbytes(500), _npy(np.arange(4)), b"\x80\x04N."))


_KINDS: dict[str, Callable[[random.Random], bytes]] = {
    "objects": _objects,
    "dtype": _dtype,
    "shape": _shape,
    "values": _values,
    "header": _header,
    "zip bomb": _bomb,
    "method": _method,
    "directory": _directory,
    "encrypted": _encrypted,
    "members": _members,
    "no archive": _no_archive,
}
