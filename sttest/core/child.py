"""A module in a process that ends with its parent: ``python -P -m sttest.core.child PARENT MODULE ARGUMENT...``.

The system kills it when its parent ends, even if that was killed itself: nothing is left that goes on for minutes.
"""

import runpy
import sys

from sttest.core.interrupts import leave_silently
from sttest.core.limits import end_with

__depends__ = ()  # the module is that of whoever asks


def main(parent: int, module: str) -> None:
    """Runs the module as ``python -m`` does.

    Args:
        parent: process number.
        module: name.
    """
    end_with(parent)
    leave_silently()
    del sys.argv[1:3]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
