"""The command line, one file per verb: what it takes and what it does."""

import gc

from sttest.core.interrupts import leave_at_once

__all__ = ["main"]


def main() -> None:
    """The console script."""
    leave_at_once()
    from sttest.cli.app import app  # takes a second

    # A module of IR is a graph of many thousand objects that all stay; Python's 700 are for programs that hold little.
    gc.set_threshold(500_000, 20, 50)
    try:
        app()
    finally:
        leave_at_once()  # what the interpreter still does would print a traceback
