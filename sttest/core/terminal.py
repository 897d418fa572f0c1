"""What a person sees: lines that the terminal has room for and no more of them than one reads; all of it in a pipe.

A terminal gets the short form.  ``--wide``, ``--json``, ``--csv``, a pipe and a file get everything, each line whole.
"""

import io
import os
import re
import sys
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

MOST_LINES = 60
"""Lines that a command prints on a terminal, unless ``--wide`` is given."""
_LAST_LINES = 6
"""The lines of an output that is cut at its end: where the results are, and what comes next."""
_LEAST_WIDTH, _USUAL_WIDTH = 40, 80
_NUMBER = re.compile(r"[\d.,]")
_LABEL = re.compile(r"\s*\S+(?: \S+)*?\s{2,}(?=\S)")


@dataclass(frozen=True)
class Style:
    """How this process is to print."""

    wide: bool = False  # everything: all columns and all lines, none of them broken
    csv: "CsvSink | None" = None  # sink of tables that go as CSV, and nothing else is printed
    json: bool = False  # one JSON document
    columns: int | None = None  # width of the terminal; None where stdout is none


@dataclass
class CsvSink:
    """Tables as CSV, behind each other with an empty line in between."""

    out: TextIO
    tables: int = 0

    def write(self, text: str) -> None:
        """Writes a table."""
        self.out.write(f"\n{text}" if self.tables else text)
        self.tables += 1


style = Style()
"""The style of this process, set by :func:`styled`."""


def is_short() -> bool:
    """Whether output is for a terminal, of which a person sees one page."""
    return style.columns is not None and not style.wide and style.csv is None and not style.json


def terminal_width(out: TextIO) -> int | None:
    """Columns of a terminal, by ``COLUMNS`` if that is set; None where ``out`` is none."""
    if not out.isatty():
        return None
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return max(int(asked), _LEAST_WIDTH)
    try:
        found = os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):  # a stream that only says that it is one
        found = 0
    return max(found, _LEAST_WIDTH) if found else _USUAL_WIDTH


def lines_left() -> int:
    """Lines that a page of the terminal still has room for."""
    return sys.stdout.lines_left if isinstance(sys.stdout, Screen) else MOST_LINES


@contextmanager
def styled(*, wide: bool = False, csv: bool = False, json: bool = False) -> Generator[Style]:
    """Prints in one way within the ``with`` block: for a terminal in lines that fit and no more than one reads."""
    global style
    before, out = style, sys.stdout
    style = Style(wide, CsvSink(out) if csv else None, json, terminal_width(out))
    try:
        if csv:
            with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
                sys.stdout = nowhere
                yield style
        elif is_short():
            screen = Screen(out, style.columns or _USUAL_WIDTH)
            sys.stdout = screen
            try:
                yield style
            finally:
                screen.finish()
        else:
            yield style
    finally:
        style, sys.stdout = before, out


class Screen(io.TextIOBase):
    """A terminal that breaks long lines between words, and leaves out what is between the first and the last lines."""

    def __init__(self, out: TextIO, columns: int, most_lines: int = MOST_LINES) -> None:
        self._out, self._columns = out, columns
        self._first = most_lines - _LAST_LINES - 1
        self._count, self._unfinished = 0, ""
        self._last: deque[str] = deque(maxlen=_LAST_LINES + 1)
        self._left_out = 0

    def write(self, text: str, /) -> int:
        """Takes text; whole lines are printed."""
        *lines, self._unfinished = (self._unfinished + text).split("\n")
        for line in lines:
            for part in wrapped(line, self._columns):
                self._take(part)
        return len(text)

    def finish(self) -> None:
        """Prints what was kept back, and how much is left out."""
        if self._unfinished:
            self.write("\n")
        if self._left_out:
            self._last.popleft()
            self._out.write(f"… {self._left_out + 1:,} more lines; --wide shows all, as does a pipe or a file\n")
        self._out.writelines(f"{line}\n" for line in self._last)
        self._last.clear()
        self._out.flush()

    @property
    def lines_left(self) -> int:
        """Lines before something is left out."""
        return self._first + _LAST_LINES + 1 - self._count

    def _take(self, line: str) -> None:
        self._count += 1
        if self._count <= self._first:
            self._out.write(f"{line}\n")
            return
        self._left_out += len(self._last) == self._last.maxlen
        self._last.append(line)

    def flush(self) -> None:
        """Shows the lines that are complete."""
        self._out.flush()

    def isatty(self) -> bool:
        """It is one."""
        return True

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """That of the terminal."""
        return self._out.fileno()

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """That of the terminal."""
        return self._out.encoding

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


def wrapped(line: str, columns: int) -> list[str]:
    """A line as lines of at most so many columns, broken between words; below a label, what follows is aligned.

    A word that is longer than a line is kept whole: it is a path or a command, which somebody copies.

    >>> wrapped("clock      typical 250 MHz, 12.5 us; slow 200 MHz", 36)
    ['clock      typical 250 MHz, 12.5 us;', '           slow 200 MHz']
    """
    if len(line) <= columns:
        return [line]
    label = _LABEL.match(line)
    indent = len(line) - len(line.lstrip()) + 2
    if label is not None and len(label[0]) <= columns // 3:
        indent = len(label[0])
    lines, start = list[str](), line[: len(line) - len(line.lstrip())]
    words = line.split(" ")[len(start) :] if not start.strip(" ") else line.split(" ")
    current = start
    for word in words:
        if current.strip() and len(current) + len(word) > columns:
            lines.append(current.rstrip())
            current = " " * indent
            if not word:
                continue
        current += f"{word} "
    return [*lines, current.rstrip()]


def broken(word: str, width: int) -> list[str]:
    """A long word in parts of a width, behind a sign of its spelling if there is one, and never inside a number.

    >>> broken("fork_attn_residual__mlp_residual", 20)
    ['fork_attn_residual__', 'mlp_residual']
    >>> broken("arXiv:2402.07443", 8)
    ['arXiv:', '2402.07443']
    """
    parts = list[str]()
    while len(word) > width:
        places = [at for at in range(1, min(width, len(word) - 1) + 1) if not _in_number(word, at)]
        if not places:
            places = [at for at in range(width + 1, len(word)) if not _in_number(word, at)][:1]
            if not places:
                break
        after_sign = [at for at in places if not word[at - 1].isalnum() and word[at].isalnum()]
        at = max(after_sign, default=0)
        at = at if at >= max(width // 3, 1) else places[-1]
        parts.append(word[:at])
        word = word[at:]
    return [*parts, word]


def _in_number(word: str, at: int) -> bool:
    return bool(_NUMBER.match(word[at - 1]) and _NUMBER.match(word[at]))
