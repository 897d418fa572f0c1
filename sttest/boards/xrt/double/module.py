"""The double as a whole: an object with the names of the module pyxrt."""

from __future__ import annotations

from collections.abc import Callable

from sttest.boards.board import FpgaBoard
from sttest.boards.xrt.contract import PyXrt
from sttest.boards.xrt.double.bo import Bo
from sttest.boards.xrt.double.card import Card
from sttest.boards.xrt.double.device import Device
from sttest.boards.xrt.double.enums import INFO, STATES, SYNC
from sttest.boards.xrt.double.kernel import Kernel
from sttest.boards.xrt.double.library import KernelLibrary
from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.double.run import Run
from sttest.boards.xrt.double.xclbin import Xclbin

ENGINE = "double"
"""How results are marked that came from the double."""


class DoubleXrt:
    """pyxrt without a card: the surface of `sttest.boards.xrt.contract.PyXrt`, and what a test needs beside it.

    Args:
        board: whose memory banks the cards have.
        library: what runs when a kernel is started.
        cards: how many there are.
        passing: called with the seconds of simulated time whenever some pass.

    Raises:
        InputError: the board has no HBM.
    """

    engine = ENGINE
    xclBOSyncDirection = SYNC  # noqa: N815
    ert_cmd_state = STATES
    xrt_info_device = INFO
    bo = Bo
    kernel = Kernel
    run = Run
    xclbin = Xclbin

    def __init__(
        self,
        board: FpgaBoard,
        library: KernelLibrary,
        *,
        cards: int = 1,
        passing: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        self.cards = tuple(Card(board, library, passing) for _ in range(cards))

    def enumerate_devices(self) -> int:
        """Number of cards."""
        return len(self.cards)

    def device(self, which: int | str) -> Device:
        """Opens a card by its index, or its place on PCIe, which ends in the index: ``double:0``."""
        index = self._places().index(which) if which in self._places() else which
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(self.cards):
            raise misuse("no-such-card", f"no card {which!r} among {len(self.cards)}", "device")
        return Device(self.cards[index], self._places()[index])

    def reset(self, index: int = 0) -> None:
        """What ``xrt-smi reset`` does to a card; not part of pyxrt."""
        self.cards[index].reset()

    def _places(self) -> list[str]:
        return [f"double:{number}" for number in range(len(self.cards))]


def as_pyxrt(double: DoubleXrt) -> PyXrt:
    """The double, seen as the module that it stands for."""
    return double
