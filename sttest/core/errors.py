"""The one tree of errors that sttest raises on purpose.

Every error says *what* is wrong, *where*, the *demand* and the *bound* where
there are such, and the *hints* that would close the gap.  People read
``str(error)`` (one line), programs read ``error.to_dict()``; the exit code of
the command line is ``error.exit_code``.

==== =========================================
exit meaning
==== =========================================
0    done
1    internal error (a bug in sttest)
2    bad input or usage, or a file that the operating system refuses
3    deadlock
4    does not fit (a resource bound)
5    a tool is missing
6    engines disagree
==== =========================================
"""

import difflib
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Any, cast

MAX_SHOWN_CHARS = 2000
"""A text of an error is cut after so many characters: part of it may come from a hostile file."""
_MAX_NAMES_SEARCHED = 10_000
_MAX_NAMES_LISTED = 40
_MAX_NAME_CHARS = 200


def _restored(kind: type["SttestError"], args: tuple[Any, ...], facts: dict[str, Any]) -> "SttestError":
    error = kind.__new__(kind, *args)
    vars(error).update(facts)
    return error


class SttestError(Exception):
    """An error with a name, a place and a way out.

    Args:
        code: stable kebab-case name, for programs.
        what: the problem, one sentence without a final full stop.
        where: the file, option, op or field that it concerns.
        demand: requested amount, in ``unit``.
        bound: available amount, in ``unit``.
        unit: unit of ``demand`` and ``bound``.
        hints: ways to close the gap, each an imperative phrase.
    """

    exit_code = 1

    def __init__(
        self,
        code: str,
        what: str,
        *,
        where: str = "",
        demand: float | int | None = None,
        bound: float | int | None = None,
        unit: str = "",
        hints: Iterable[str] = (),
    ) -> None:
        self.code = code
        self.what = what = _harmless(what)
        self.where = _harmless(where)
        self.demand = demand
        self.bound = bound
        self.unit = unit
        self.hints = tuple(map(_harmless, hints))
        super().__init__(what)

    def __reduce__(self) -> tuple[Any, ...]:
        """How the error comes out of a worker process; Exception's way would call ``__init__`` with ``what`` alone."""
        return _restored, (type(self), self.args, vars(self))

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{where}{self.what}{self._gap()}{self._way_out()}"

    def _gap(self) -> str:
        if self.demand is None and self.bound is None:
            return ""
        parts = (("demand", self.demand), ("bound", self.bound))
        shown = ", ".join(f"{name} {value} {self.unit}".rstrip() for name, value in parts if value is not None)
        return f" ({shown})"

    def _way_out(self) -> str:
        return f"; {' or '.join(self.hints)}" if self.hints else ""

    def to_dict(self) -> dict[str, object]:
        """The error as JSON-ready data."""
        return {
            "code": self.code,
            "what": self.what,
            "where": self.where,
            "demand": self.demand,
            "bound": self.bound,
            "unit": self.unit,
            "hints": list(self.hints),
        }


class InputError(SttestError):
    """Bad input or usage: nothing has been started, nothing is left behind."""

    exit_code = 2


class PassingError(SttestError):
    """What is no fault of the input and may be gone at the next try, such as a full disk; it is never kept."""

    exit_code = 2


class DeadlockError(SttestError):
    """A design that cannot finish."""

    exit_code = 3


class DoesNotFitError(SttestError):
    """A design that asks for more of a resource than the board has."""

    exit_code = 4


class ToolMissingError(SttestError):
    """A tool outside sttest that a verb needs is not installed."""

    exit_code = 5


class EnginesDisagreeError(SttestError):
    """Two engines gave different answers for the same design."""

    exit_code = 6


def _harmless(text: str) -> str:
    """A text cut to length, with what could steer a terminal (or is no text at all) spelled out as an escape."""
    if len(text) > MAX_SHOWN_CHARS:
        text = f"{text[:MAX_SHOWN_CHARS]}…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


_MOST_BEGUN = 3
"""Names that begin with what was written, of which a hint names so many."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint naming the nearest known name, or some of them if none is near.

    >>> did_you_mean("dpeth", ["depth", "bits"])
    "did you mean 'depth'?"
    >>> did_you_mean("hbm", ["bits", "hbm-bandwidth", "hbm-channels"])
    "did you mean 'hbm-bandwidth' or 'hbm-channels'?"
    """
    options = sorted(islice(known, _MAX_NAMES_SEARCHED))
    near = difflib.get_close_matches(name[:_MAX_NAME_CHARS], options, n=1)
    near = near or ([each for each in options if each.startswith(name)][:_MOST_BEGUN] if name else [])
    if near:
        named = " or ".join(f"'{each}'" for each in near)
        return f"did you mean {named}?"
    more = ", …" if len(options) > _MAX_NAMES_LISTED else ""
    return f"choose one of {', '.join(options[:_MAX_NAMES_LISTED])}{more}"


@cache
def note(text: str) -> None:
    """Tells once, on stderr, what is no error but should be known."""
    print(f"note: {_harmless(text)}", file=sys.stderr)


@cache
def note_renamed(old: str, new: str) -> None:
    """Tells once, on stderr, that a name of an earlier version was used."""
    print(f"note: '{old}' is called '{new}' now; the old name will go in the next release", file=sys.stderr)


def todays_keys(data: Any, names: Mapping[str, str]) -> Any:
    """A mapping with keys of earlier versions called by their names of today, which is told; anything else as it is.

    A key keeps its old name where that of today is there, too, so that whoever reads the data refuses it.
    """
    if not isinstance(data, Mapping):
        return data
    renamed = {old: new for old, new in names.items() if old in data and new not in data}
    for old, new in renamed.items():
        note_renamed(old, new)
    return {renamed.get(key, key): value for key, value in cast("Mapping[str, Any]", data).items()}


def todays_engine(name: str) -> str:
    """The name of an engine; ``simpy`` was called ``des``, and ``reference`` was called ``functional``."""
    today = {"des": "simpy", "functional": "reference"}.get(name, name)
    if today != name:
        note_renamed(name, today)
    return today
