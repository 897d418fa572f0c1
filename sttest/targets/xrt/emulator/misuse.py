"""Every way of using XRT wrongly that the emulator refuses, and what a card would have done instead.

Most are not refused by XRT, which is why there is an emulator: the program goes on, with wrong values or for ever.
References are to github.com/Xilinx/XRT at the release that `sttest.targets.xrt.contract` names.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sttest.core.errors import SttestError

ON_A_CARD: dict[str, str] = {
    "argument-count": "pyxrt drops arguments that are too many and starts with missing ones at 0 (pyxrt.cpp:229)",
    "argument-unset": "starts with the argument at 0 (xrt_kernel.cpp:2385 checks nothing)",
    "bad-index": "IndexError (xrt_kernel.cpp:1787); dropped without a word inside kernel(...)",
    "bad-size": "error of the driver, or an empty buffer",
    "buffer-expected": "the number fills the low half of an address: the kernel reads or overwrites other memory",
    "buffer-freed": "the address stays set: the kernel reads or overwrites what is there by now",
    "buffer-in-flight": "a race: of DMA and kernel, or of two kernels",
    "buffer-too-small": "the kernel reads or overwrites what lies behind the buffer",
    "card-busy": "error of the driver, or runs that never end",
    "endless-wait": "never returns, and holds Python's lock while it does (pyxrt.cpp:201)",
    "lost-writes": "the host's writes are overwritten (xrt_bo.cpp:448 checks nothing)",
    "misaligned": "an AXI port drops the low bits of the address: the kernel works beside the buffer",
    "no-such-card": "RuntimeError",
    "not-loaded": "RuntimeError",
    "not-started": "returns at once or never",
    "not-synced": "the kernel reads old values",
    "not-synced-back": "the host reads old values",
    "nothing-to-sync": "the host reads whatever the memory holds",
    "out-of-range": "RuntimeError (xrt_bo.cpp:338, 347, 902; xocl_bo.c:893)",
    "real-xclbin": "works; the emulator has no hardware to put it on",
    "run-busy": "RuntimeError 'bad command state' (xrt_kernel.cpp:857)",
    "scalar-expected": "the address of the buffer goes into a number",
    "scalar-range": "TypeError in set_arg; dropped without a word inside kernel(...) (pyxrt.cpp:229)",
    "scalar-type": "TypeError in set_arg; dropped without a word inside kernel(...) (pyxrt.cpp:229)",
    "stale-handle": "error of the driver, or use of memory that is another's",
    "uninitialised": "the kernel reads whatever the memory holds",
    "unknown-kernel": "RuntimeError 'No such kernel' (xrt_kernel.cpp:1516)",
    "view-after-free": "reads or overwrites freed memory (pyxrt.cpp:287 keeps nothing alive)",
    "wrong-bank": "XRT warns and works on a copy in the right bank: what the kernel writes never comes back "
    "(xrt_kernel.cpp:2008)",
    "wrong-board": "RuntimeError",
    "wrong-type": "TypeError",
    "wrong-uuid": "RuntimeError",
}
"""What XRT and the card do, by code of misuse."""


class MisuseError(SttestError, RuntimeError):
    """A host program used XRT in a way that a card would not forgive: a bug of that program."""


def misuse(code: str, what: str, where: str, hints: Iterable[str] = ()) -> MisuseError:
    """The error for a misuse; its text ends with what would have happened on a card."""
    return MisuseError(code, f"{what} [on a card: {ON_A_CARD[code]}]", where=where, hints=hints)


# --- The enumerations of pyxrt, with its names and values; like those, their members are no integers


@dataclass(frozen=True)
class Member:
    """A member of an enumeration."""

    name: str
    value: int


class SyncDirection(Member):
    """Of ``xclBOSyncDirection``."""


class CommandState(Member):
    """Of ``ert_cmd_state``."""


class InfoKey(Member):
    """Of ``xrt_info_device``."""


class BoFlag(Member):
    """Of ``bo.flags``."""


class SyncDirections:
    """``xclBOSyncDirection``."""

    XCL_BO_SYNC_BO_TO_DEVICE = SyncDirection("XCL_BO_SYNC_BO_TO_DEVICE", 0)
    XCL_BO_SYNC_BO_FROM_DEVICE = SyncDirection("XCL_BO_SYNC_BO_FROM_DEVICE", 1)


class CommandStates:
    """``ert_cmd_state``."""

    ERT_CMD_STATE_NEW = CommandState("ERT_CMD_STATE_NEW", 1)
    ERT_CMD_STATE_COMPLETED = CommandState("ERT_CMD_STATE_COMPLETED", 4)
    ERT_CMD_STATE_ERROR = CommandState("ERT_CMD_STATE_ERROR", 5)
    ERT_CMD_STATE_ABORT = CommandState("ERT_CMD_STATE_ABORT", 6)
    ERT_CMD_STATE_SUBMITTED = CommandState("ERT_CMD_STATE_SUBMITTED", 7)
    ERT_CMD_STATE_TIMEOUT = CommandState("ERT_CMD_STATE_TIMEOUT", 8)


class InfoKeys:
    """``xrt_info_device``; values are positions in xrt_device.h:84."""

    bdf = InfoKey("bdf", 0)
    name = InfoKey("name", 5)
    electrical = InfoKey("electrical", 8)
    thermal = InfoKey("thermal", 9)


class BoFlags:
    """``bo.flags``."""

    normal = BoFlag("normal", 0)


SYNC, STATES, INFO, FLAGS = SyncDirections(), CommandStates(), InfoKeys(), BoFlags()
