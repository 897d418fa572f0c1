"""A strict in-process emulator of XRT: the surface of pyxrt over simulated cards, which refuses common mistakes.

It says whether a host program uses XRT rightly and, with a library of kernels, what values come out.  It says
nothing about hardware: its times are those that the library gives, and results from it are marked ``emulator``.
"""

from collections.abc import Callable
from typing import cast

from sttest.boards.board import FpgaBoard
from sttest.targets.xrt.contract import PyXrt
from sttest.targets.xrt.emulator.bo import Bo
from sttest.targets.xrt.emulator.card import Device, EmulatedCard, Xclbin
from sttest.targets.xrt.emulator.kernel import Kernel, KernelRun
from sttest.targets.xrt.emulator.library import (
    ExecutionOutcome,
    FaultyKernels,
    KernelLaunch,
    KernelLibrary,
    PythonKernels,
)
from sttest.targets.xrt.emulator.misuse import ON_A_CARD, CommandState, InfoKey, MisuseError, SyncDirection, misuse

__all__ = [
    "ENGINE",
    "ON_A_CARD",
    "EmulatedXrt",
    "ExecutionOutcome",
    "FaultyKernels",
    "KernelLaunch",
    "KernelLibrary",
    "MisuseError",
    "PythonKernels",
    "as_pyxrt",
]

ENGINE = "emulator"
"""How results are marked that came from the emulator."""


class EmulatedXrt:
    """pyxrt without a card: the surface of `sttest.targets.xrt.contract.PyXrt`, and what a test needs beside it.

    Args:
        board: board that has the cards' memory banks.
        library: kernels that run when they are started.
        cards: number of cards.
        passing: callback that gets the seconds of simulated time that pass.

    Raises:
        InputError: the board has no HBM.
    """

    engine = ENGINE
    xclBOSyncDirection = SyncDirection  # noqa: N815
    ert_cmd_state = CommandState
    xrt_info_device = InfoKey
    bo = Bo
    kernel = Kernel
    run = KernelRun
    xclbin = Xclbin

    def __init__(
        self,
        board: FpgaBoard,
        library: KernelLibrary,
        *,
        cards: int = 1,
        passing: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        self.cards = tuple(EmulatedCard(board, library, passing) for _ in range(cards))

    def enumerate_devices(self) -> int:
        """Number of cards."""
        return len(self.cards)

    def device(self, which: int | str) -> Device:
        """Opens a card by its index, or its place on PCIe, which ends in the index: ``emulator:0``."""
        index = self._places().index(which) if which in self._places() else which
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(self.cards):
            raise misuse("not-found", f"no card {which!r} among {len(self.cards)}", "device")
        return Device(self.cards[index], self._places()[index])

    def reset(self, index: int = 0) -> None:
        """What ``xrt-smi reset`` does to a card; not part of pyxrt."""
        self.cards[index].reset()

    def _places(self) -> list[str]:
        return [f"emulator:{number}" for number in range(len(self.cards))]


def as_pyxrt(emulator: EmulatedXrt) -> PyXrt:
    """The emulator, seen as the module that it stands for."""
    return cast(PyXrt, emulator)  # members of an enumeration are no properties to the type checker
