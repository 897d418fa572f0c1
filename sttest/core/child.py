"""A module in a process that ends with its parent: ``python -P -m sttest.core.child PARENT MODULE ARGUMENT...``.

The system kills it when its parent ends, even if that was killed itself: nothing is left that goes on for minutes.
"""

import ctypes
import os
import runpy
import signal
import sys

from sttest.core.interrupts import leave_silently

__depends__ = ()  # the module is that of whoever asks

_PR_SET_PDEATHSIG = 1
"""An option of Linux' ``prctl(2)``."""


def main(parent: int, module: str) -> None:
    """Runs the module as ``python -m`` does.

    Args:
        parent: process number.
        module: name.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before that
        sys.exit(1)
    leave_silently()
    del sys.argv[1:3]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
