"""What a kernel may be given, and when it may run on it."""

from __future__ import annotations

import operator
import weakref
from typing import Any

from sttest.boards.xrt.double.bo import Bo
from sttest.boards.xrt.double.card import Card, Use
from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.double.storage import Storage
from sttest.boards.xrt.signature import BufferArgument

_INT32 = range(-(2**31), 2**31)


def scalar_word(value: Any, where: str) -> int:
    """The value for a scalar argument, if pyxrt can pass it."""
    if isinstance(value, Bo):
        raise misuse("scalar-expected", "a buffer where a number is expected", where)
    try:
        word = operator.index(value)
    except TypeError as error:
        levers = ["pass the bits of a float, as ScalarArgument.word gives them"]
        raise misuse("scalar-type", f"{value!r} is no integer", where, levers=levers) from error
    if word not in _INT32:
        raise misuse(
            "scalar-range", f"{word} does not fit 32 bits with sign", where, levers=["see ScalarArgument.word"]
        )
    return word


def buffer_use(card: Card, argument: BufferArgument, value: Any, where: str) -> Use:
    """The bytes of a buffer for an argument, if they are where its port can reach them."""
    if not isinstance(value, Bo):
        raise misuse("buffer-expected", f"a {type(value).__name__} where a buffer is expected", where)
    if value.card is not card or value.storage.generation != card.generation:
        raise misuse("stale-handle", "a buffer of another card or configuration", where)
    banks, port = value.storage.banks, range(argument.banks[0], argument.banks[-1] + 1)
    if not (port.start <= banks.start and banks.stop <= port.stop):
        what = f"a buffer in {_told(banks)}, the port is connected to {_told(port)}"
        raise misuse("wrong-bank", what, where, levers=["make it with kernel.group_id of the argument"])
    if value.size() < argument.bytes:
        raise misuse("buffer-too-small", f"{value.size()} bytes of {argument.bytes}", where)
    if value.address() % argument.alignment_bytes:
        what = f"address {value.address():#x} is no multiple of {argument.alignment_bytes}"
        raise misuse("misaligned", what, where)
    window = range(value.window.start, value.window.start + argument.bytes)
    return Use(weakref.ref(value.storage), window, argument)


def ready(use: Use, where: str) -> Storage:
    """The buffer of a use, if it is still there and a kernel that reads it finds what the host put in."""
    name = use.argument.name
    storage = use.storage()
    if storage is None:
        raise misuse("buffer-freed", f"the buffer of '{name}' was freed", where, levers=["keep a reference"])
    if not use.argument.is_read:
        return storage
    changed = storage.unsynced_in(use.window)
    if changed:
        what = f"bytes {changed.start} to {changed.stop - 1} of '{name}' were changed and not synced to the card"
        raise misuse("not-synced", what, where)
    unknown = storage.known.outside(use.window)
    if unknown:
        what = f"bytes {unknown[0].start} to {unknown[0].stop - 1} of '{name}' were never synced to the card"
        raise misuse("uninitialised", what, where)
    return storage


def granted(storage: Storage, use: Use) -> memoryview:
    """The bytes of a buffer that a kernel may touch."""
    view = storage.card.data[use.window.start : use.window.stop]
    return view if use.argument.is_written else view.toreadonly()


def _told(banks: range) -> str:
    return f"HBM[{banks.start}]" if len(banks) == 1 else f"HBM[{banks.start}:{banks.stop - 1}]"
