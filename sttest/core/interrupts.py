"""Ctrl-C while modules are imported: one line and the exit code of an interrupted program, no traceback."""

import os
import signal
from contextlib import suppress

INTERRUPTED = 130
"""Exit code."""


def leave_at_once() -> None:
    """From now on Ctrl-C ends the process, until :func:`raise_again`; where somebody else decides, nothing changes."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # not the main thread, which alone is interrupted
            signal.signal(signal.SIGINT, _leave)


def leave_silently() -> None:
    """The same without a line, for a process whose parent is interrupted as well, and tells."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_again() -> None:
    """From now on Ctrl-C is an exception again."""
    if signal.getsignal(signal.SIGINT) in (_leave, signal.SIG_DFL):
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    """Ends the process from within an import, which may catch exceptions or be half done."""
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
