"""``device``: a card that has been opened."""

from __future__ import annotations

from sttest.boards.xrt.double.card import Card
from sttest.boards.xrt.double.enums import INFO, InfoKey
from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.double.sensors import electrical, thermal
from sttest.boards.xrt.double.xclbin import Uuid, Xclbin


class Device:
    """A handle on a card of the double; several handles are the same card."""

    def __init__(self, card: Card, bdf: str) -> None:
        self.card = card
        self._bdf = bdf

    def load_xclbin(self, xclbin: str | Xclbin, /) -> Uuid:
        """Puts a design on the card.

        Raises:
            InputError: the file is no signature.
            MisuseError: it is for another board, or a kernel still runs.
        """
        loaded = xclbin if isinstance(xclbin, Xclbin) else Xclbin(xclbin)
        board = self.card.board
        if loaded.design.board != board.name:
            what = f"a design for '{loaded.design.board}' on a '{board.name}'"
            raise misuse("wrong-board", what, "device.load_xclbin")
        for argument in (buffer for kernel in loaded.design.kernels for buffer in kernel.buffers):
            if argument.banks[-1] >= self.card.memory.banks:
                what = (
                    f"argument '{argument.name}' is connected to bank {argument.banks[-1]} of {self.card.memory.banks}"
                )
                raise misuse("wrong-board", what, "device.load_xclbin")
        self.card.load(loaded.design, loaded.uuid)
        return loaded.get_uuid()

    def get_xclbin_uuid(self) -> Uuid:
        """What is on the card."""
        return Uuid(self.card.uuid)

    def get_info(self, key: InfoKey, /) -> str:
        """A property or sensor reading, as text."""
        if not isinstance(key, InfoKey):
            raise misuse("wrong-type", f"{key!r} is no xrt_info_device", "device.get_info")
        if key is INFO.bdf:
            return self._bdf
        if key is INFO.name:
            return f"sttest_double_{self.card.board.name}"
        return electrical(self.card) if key is INFO.electrical else thermal()
