"""The enumerations of pyxrt, with its names and values; like those, their members are no integers.

No Python ``Enum``: one of XRT's members is called ``name``.
"""

from __future__ import annotations

from dataclasses import dataclass


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
