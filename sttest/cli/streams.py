"""Standard output and error of the process: what they cannot show is escaped, and what they cannot take is no bug.

Whoever redirects output decides its encoding, its disk, and whether it is open at all.
"""

import codecs
import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TextIO

from sttest.core.errors import note

_ESCAPED = "sttest.escaped"
_STRICT = ("strict", "surrogateescape")
"""How Python's streams treat what they cannot show, unless somebody asked for something else."""


def prepare_streams() -> None:
    """Makes the standard streams fit to be printed on.

    Those that are closed lead to nowhere.  Standard output escapes what it has no sign for, and a note says so.  What
    standard error does not take is lost, for there is nobody to tell.
    """
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere(number))
    codecs.register_error(_ESCAPED, _escaped)
    if type(sys.stdout) is io.TextIOWrapper:
        sys.stdout = _again(_Output, sys.stdout)
    if type(sys.stderr) is io.TextIOWrapper:
        sys.stderr = _again(_Patient, sys.stderr)


def _again(kind: type[io.TextIOWrapper], stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """A stream of another kind to where one leads; both stay, for others may have either, and one closes both."""
    encoding, errors = stream.encoding, _ESCAPED if stream.errors in _STRICT or _unknown(stream) else stream.errors
    stream.flush()
    other = kind(
        stream.buffer, encoding, errors, line_buffering=stream.line_buffering, write_through=stream.write_through
    )
    _kept.extend((stream, other))
    return other


def _unknown(stream: TextIO) -> bool:
    """Whether what treats its letters without a sign is unknown to Python, which looks for it at the first of them."""
    try:
        codecs.lookup_error(stream.errors or "strict")
    except LookupError:
        return True
    return False


_kept: list[io.TextIOWrapper] = []


def flush_output() -> OSError | None:
    """Writes out what is printed; where that fails, what is left goes nowhere, and why is returned."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _silence(sys.stdout)
        return error
    except ValueError:  # closed by whoever runs us
        return None
    return None


class _Output(io.TextIOWrapper):
    """Standard output, which errors call by this name."""

    def write(self, text: str, /) -> int:
        with _named():
            return super().write(text)

    def flush(self) -> None:
        with _named():
            super().flush()


@contextmanager
def _named() -> Generator[None]:
    try:
        yield
    except OSError as error:
        error.filename = "standard output"
        raise


class _Patient(io.TextIOWrapper):
    """Standard error that may be full, or whose reader may have gone."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            _silence(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _silence(self)


def _nowhere(number: int) -> TextIO:
    """A stream to nowhere, which also takes the number, so that no file gets what is printed there."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
    return os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def _silence(stream: TextIO) -> None:
    """What is left goes nowhere; the interpreter flushes once more at its end, and would complain again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        way_out = "" if error.encoding == "utf-8" else "; PYTHONIOENCODING=utf-8 shows most of them"
        note(f"standard output is {error.encoding}, which has no sign for some letters: they are escaped{way_out}")
    return codecs.backslashreplace_errors(error)
