"""Child processes that are Python: their command lines, what they may import, and when they end.

The folder in which a command is called is data.  ``python -m`` and ``python -c`` would import modules from it before
those of Python and of packages, so every child is started with ``-P``, and the test suite looks for others.
"""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

_SAFE = "PYTHONSAFEPATH"

__depends__ = ("sttest/core/child.py",)


def python_command(arguments: Sequence[str], *, ends_with_us: bool = False) -> list[str]:
    """A command line of this Python that imports nothing from the current folder.

    Args:
        arguments: as Python takes them, ``["-m", "MODULE", ...]`` or ``["-c", "CODE", ...]``.
        ends_with_us: whether it is killed as soon as this process ends, however that ends; of ``-m`` alone.
    """
    command = [sys.executable, "-P", *arguments]
    if ends_with_us:
        place = command.index("-m") + 1
        command[place:place] = ["sttest.core.child", str(os.getpid())]
    return command


@contextmanager
def safe_path() -> Generator[None]:
    """What is started within it, by whatever library, is Python with ``-P``."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE]
        else:
            os.environ[_SAFE] = before
