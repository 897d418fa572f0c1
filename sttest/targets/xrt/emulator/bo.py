"""``bo``: a buffer on the card with its copy on the host."""

import operator
from typing import Any, ClassVar

import numpy as np

from sttest.targets.xrt.contract import BANK_MASK
from sttest.targets.xrt.emulator.card import Device, EmulatedCard
from sttest.targets.xrt.emulator.misuse import BoFlag, SyncDirection, misuse
from sttest.targets.xrt.emulator.storage import Storage


class Bo:
    """``bo(device, size, flags, group)``, or ``bo(parent, size, offset)`` for a part of another.

    Raises:
        DoesNotFitError: the banks of the group have no room.
        MisuseError: arguments that the binding would not take, or that no card could serve.
    """

    flags: ClassVar = BoFlag
    normal: ClassVar = BoFlag.normal

    def __init__(self, *arguments: Any) -> None:
        if len(arguments) == 4 and isinstance(arguments[0], Device):
            self.card, self.storage = _allocated(*arguments)
            self.window = range(self.storage.size)
        elif len(arguments) == 3 and isinstance(arguments[0], Bo):
            parent, size, offset = arguments
            inner = _window(size, offset, parent.size(), "bo")
            self.card, self.storage = parent.card, parent.storage
            self.window = range(parent.window.start + inner.start, parent.window.start + inner.stop)
        else:
            shown = ", ".join(type(argument).__name__ for argument in arguments)
            hints = ["give (device, size, flags, group) or (parent, size, offset)"]
            raise misuse("wrong-type", f"bo({shown})", "bo", hints=hints)

    def size(self) -> int:
        """Bytes."""
        return len(self.window)

    def address(self) -> int:
        """The address on the card."""
        return self.storage.address + self.window.start

    def write(self, data: Any, seek: int, /) -> None:
        """Into the host copy."""
        self._check_alive("bo.write")
        try:
            content = memoryview(data).cast("B")
        except TypeError as error:
            raise misuse("wrong-type", f"{type(data).__name__} is no contiguous buffer", "bo.write") from error
        window = self._inside(content.nbytes, seek, "bo.write")
        self.storage.write(content, window.start)

    def read(self, size: int, skip: int, /) -> np.ndarray:
        """A copy of bytes of the host copy, int8 ``[size]``.

        Raises:
            MisuseError: a kernel has overtaken them and they were not synced back.
        """
        self._check_alive("bo.read")
        window = self._inside(size, skip, "bo.read")
        stale = self.storage.stale.within(window)
        if stale:
            raise misuse("not-synced-back", f"{self._told(stale[0])} were written by a kernel since", "bo.read")
        return self.storage.host[window.start : window.stop].copy().view(np.int8)

    def map(self) -> memoryview:
        """The host copy itself."""
        self._check_alive("bo.map")
        return self.storage.view(self.window)

    def sync(self, direction: SyncDirection, *part: int) -> None:
        """Copies between host copy and card copy: all, or ``size`` bytes from ``offset``."""
        self._check_alive("bo.sync")
        if not isinstance(direction, SyncDirection):
            raise misuse("wrong-type", f"{direction!r} is no xclBOSyncDirection", "bo.sync")
        if len(part) not in (0, 2):
            raise misuse("wrong-type", "a size without an offset", "bo.sync", hints=["give both or none"])
        window = self._inside(part[0], part[1], "bo.sync") if part else self.window
        self._check_idle(window, direction)
        if direction is SyncDirection.XCL_BO_SYNC_BO_TO_DEVICE:
            self.storage.to_card(window)
        else:
            self.storage.from_card(window)

    def _check_idle(self, window: range, direction: SyncDirection) -> None:
        """Refuses to race with a kernel: it may not be given other input, nor be read before it is done."""
        for flight, use, common in self.card.meeting(self.storage, window):
            if use.argument.is_written or direction is SyncDirection.XCL_BO_SYNC_BO_TO_DEVICE:
                what = f"kernel '{flight.kernel}' may still work on {self._told(common)}"
                raise misuse("buffer-in-flight", what, "bo.sync", hints=["wait for the run"])

    def _check_alive(self, where: str) -> None:
        if self.storage.generation != self.card.generation:
            raise misuse("stale-handle", "the card was configured anew since the buffer was made", where)

    def _inside(self, size: int, offset: int, where: str) -> range:
        """Bytes of the storage, for bytes of this buffer."""
        inner = _window(size, offset, self.size(), where)
        return range(self.window.start + inner.start, self.window.start + inner.stop)

    def _told(self, window: range) -> str:
        start = window.start - self.window.start
        return f"bytes {start} to {start + len(window) - 1}"


def _allocated(device: Device, size: int, flags: BoFlag, group: int) -> tuple[EmulatedCard, Storage]:
    card = device.card
    if not isinstance(flags, BoFlag):
        raise misuse("wrong-type", f"{flags!r} is no bo.flags", "bo", hints=["give bo.normal"])
    bank = _whole(group, "bo") & BANK_MASK
    if card.design is None:
        raise misuse("not-loaded", "no xclbin is loaded", "bo", hints=["load it before buffers are made"])
    if bank >= len(card.groups):
        what = f"group {group} of a card with {len(card.groups)}"
        raise misuse("wrong-bank", what, "bo", hints=["take kernel.group_id of the argument"])
    if _whole(size, "bo") <= 0:
        raise misuse("out-of-range", f"a buffer of {size} bytes", "bo")
    return card, Storage(card.memory, size, card.groups[bank], card.generation)


def _window(size: int, offset: int, bound: int, where: str) -> range:
    size, offset = _whole(size, where), _whole(offset, where)
    if size <= 0 or offset < 0 or offset + size > bound:
        what = f"bytes {offset} to {offset + size - 1} of a buffer of {bound}"
        raise misuse("out-of-range", what, where)
    return range(offset, offset + size)


def _whole(value: Any, where: str) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise misuse("wrong-type", f"{value!r} is no integer", where) from error
