"""Limits of a process that executes what came in, and its end."""

import ctypes
import os
import resource
import signal

GRACE_S = 5
"""Seconds of processor time between the signal that says that it is over and the one that ends the process."""
_PR_SET_PDEATHSIG = 1
"""An option of Linux' ``prctl(2)``."""
_libc = ctypes.CDLL(None)  # opened here, for between fork and exec nothing may be loaded


def lower_limit(kind: int, most: int) -> None:
    """Sets a limit of this process, unless it has a lower one already, which only root could raise.

    Args:
        kind: such as ``resource.RLIMIT_AS``.
        most: bytes, or seconds of processor time.
    """
    hard = resource.getrlimit(kind)[1]
    highest = most + GRACE_S if kind == resource.RLIMIT_CPU else most
    if hard != resource.RLIM_INFINITY:
        most, highest = min(most, hard), min(highest, hard)
    resource.setrlimit(kind, (most, highest))


def end_with(parent: int) -> None:
    """The system kills this process when its parent ends, even if that was killed itself.

    Args:
        parent: process number; if it has ended before, so does this process.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
