"""The ways of using XRT wrongly that the emulator refuses, and what a card would have done instead.

Most are not refused by XRT, which is why there is an emulator: the program goes on, with wrong values or for ever.
References are to github.com/Xilinx/XRT at the release that `sttest.targets.xrt.contract` names.
"""

from collections.abc import Iterable
from enum import Enum

from sttest.core.errors import SttestError

ON_A_CARD: dict[str, str] = {
    "argument-unset": "starts with the argument at 0 (xrt_kernel.cpp:2385 checks nothing)",
    "buffer-freed": "the address stays set: the kernel reads or overwrites what is there by now",
    "buffer-in-flight": "a race: of DMA and kernel, or of two kernels",
    "buffer-too-small": "the kernel reads or overwrites what lies behind the buffer",
    "endless-wait": "never returns, and holds Python's lock while it does (pyxrt.cpp:201)",
    "not-found": "RuntimeError",
    "not-loaded": "RuntimeError",
    "not-started": "returns at once or never",
    "not-synced": "the kernel reads old values, or whatever the memory holds",
    "not-synced-back": "the host reads old values",
    "out-of-range": "RuntimeError (xrt_bo.cpp:338, 347, 902; xocl_bo.c:893) or IndexError (xrt_kernel.cpp:1787)",
    "run-busy": "RuntimeError 'bad command state' (xrt_kernel.cpp:857)",
    "stale-handle": "error of the driver, or use of memory that is another's",
    "wrong-bank": "XRT warns and works on a copy in the right bank: what the kernel writes never comes back "
    "(xrt_kernel.cpp:2008)",
    "wrong-design": "RuntimeError",
    "wrong-type": "TypeError; kernel(...) drops the argument without a word (pyxrt.cpp:229), and a buffer and a "
    "number are taken for each other",
}
"""What XRT and the card do, by code of misuse."""


class MisuseError(SttestError, RuntimeError):
    """A host program used XRT in a way that a card would not forgive: a bug of that program."""


def misuse(code: str, what: str, where: str, hints: Iterable[str] = ()) -> MisuseError:
    """The error for a misuse; its text ends with what would have happened on a card."""
    return MisuseError(code, f"{what} [on a card: {ON_A_CARD[code]}]", where=where, hints=hints)


# --- The enumerations of pyxrt, with its names and values; like those, their members are no integers


class SyncDirection(Enum):
    """``xclBOSyncDirection``."""

    XCL_BO_SYNC_BO_TO_DEVICE = 0
    XCL_BO_SYNC_BO_FROM_DEVICE = 1


class CommandState(Enum):
    """``ert_cmd_state``."""

    ERT_CMD_STATE_NEW = 1
    ERT_CMD_STATE_COMPLETED = 4
    ERT_CMD_STATE_ERROR = 5
    ERT_CMD_STATE_ABORT = 6
    ERT_CMD_STATE_SUBMITTED = 7
    ERT_CMD_STATE_TIMEOUT = 8


class InfoKey(Enum):
    """``xrt_info_device``; values are positions in xrt_device.h:84."""

    bdf = 0
    name = 5  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    electrical = 8
    thermal = 9


class BoFlag(Enum):
    """``bo.flags``."""

    normal = 0
