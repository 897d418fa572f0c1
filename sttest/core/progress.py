"""What is going on, on stderr, where it takes long: a live line on a terminal, else a line now and then."""

import re
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from sttest.core import terminal
from sttest.core.json_text import to_json

_COUNTED = re.compile(r"\b(\d[\d,]*) of (\d[\d,]*)\b")
SCHEMA = "sttest.progress/1"
_EVERY_S = 10.0
"""Seconds before the first line where stderr is no terminal, and between that and the next ones."""


_told: ContextVar["Told | None"] = ContextVar("told", default=None)


@contextmanager
def progress(what: str, usual_s: float | None = None) -> Generator["Told"]:
    """Tells on stderr what is going on, for how long and, where parts are counted, for how long still.

    A terminal has one line that changes.  A file or a pipe gets a line every 10 seconds, with ``--json`` a JSON
    object (``sttest.progress/1``); what takes less says nothing.  What goes on within something else is a step of that.

    Args:
        what: what is going on.
        usual_s: seconds that it took when it was measured, for an estimate where no parts are counted.
    """
    outer = _told.get()
    if outer is not None:
        yield outer
        return
    told = Told(what, usual_s)
    asked = _told.set(told)
    try:
        with _shown(told):
            yield told
    finally:
        _told.reset(asked)


def tell(step: str) -> None:
    """Says which step has begun to whoever tells what is going on; see :meth:`Told.__call__`."""
    told = _told.get()
    if told is not None:
        told(step)


def suggester() -> Callable[[str], None]:
    """What says from below, in any thread, how far the step is; see :meth:`Told.suggest`."""
    told = _told.get()
    return (lambda step: None) if told is None else told.suggest


@contextmanager
def _shown(told: "Told") -> Generator[None]:
    if sys.stderr.isatty():
        console = Console(stderr=True, highlight=False, markup=False)
        # As Console.status, which would also turn to stderr what is printed on stdout.
        with Live(
            Spinner("dots", told, style="status.spinner"),
            console=console,
            refresh_per_second=12.5,
            transient=True,
            redirect_stdout=False,
        ):
            yield
        return
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=(told, ended), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(told: "Told", ended: threading.Event) -> None:
    while not ended.wait(_EVERY_S):
        print(told.line(), file=sys.stderr, flush=True)


class Told:
    """What is going on: a step, how much of it is done, and an estimate of how long the rest will take."""

    def __init__(self, what: str, usual_s: float | None = None) -> None:
        self.what, self.usual_s = what, usual_s
        self._step, self._began = "", time.monotonic()
        self._part = ""
        self._first: tuple[int, int, float] | None = None
        self._done: tuple[int, int, float] | None = None

    def __call__(self, step: str) -> None:
        """Takes the step that has begun; where its text counts, as in "3 of 20 points", that is how far it is."""
        self._step, self._part = step, ""
        self._count(step)

    def suggest(self, part: str) -> None:
        """Takes how far the step is; where no step was said, how far all of it is."""
        self._part = part
        if not self._step:
            self._count(part)

    def _count(self, step: str) -> None:
        counted = _COUNTED.search(step)
        if counted is None:
            self._first = self._done = None
            return
        done, total = (int(number.replace(",", "")) for number in counted.groups())
        self._done = (done, total, time.monotonic())
        if self._first is None or self._first[1] != total or self._first[0] > done:
            self._first = self._done

    @property
    def step(self) -> str:
        """What was said last, with how far it is."""
        return f"{self._step} ({self._part})" if self._step and self._part else self._step or self._part

    def text(self) -> str:
        """As "simulating: 120 of 256 points, 40 s, about 45 s left"."""
        parts = [f"{self.what}: {self.step}" if self.step else self.what]
        parts.append(seconds_text(time.monotonic() - self._began))
        left = self.left_s()
        return ", ".join([*parts, f"about {seconds_text(left)} left"] if left is not None else parts)

    def line(self) -> str:
        """The text, as JSON where that is asked for."""
        if not terminal.style.json:
            return self.text()
        facts = {"what": self.what, "step": self.step, "seconds": round(time.monotonic() - self._began, 1)}
        left = self.left_s()
        return to_json({"schema": SCHEMA, **facts, "left_s": None if left is None else round(left, 1)})

    def __rich__(self) -> str:
        """The live line of a terminal."""
        return self.text()

    def left_s(self) -> float | None:
        """Seconds that the rest will take if each part takes as long as those since the first.

        Before that, what is left of the usual seconds; None where those are not known, or have gone by.
        """
        if self._first is not None and self._done is not None:
            (before, _, began), (done, total, now) = self._first, self._done
            if done > before:
                return max((now - began) / (done - before) * (total - done) - (time.monotonic() - now), 0.0)
        left = (self.usual_s or 0.0) - (time.monotonic() - self._began)
        return left if left > 0 else None


def seconds_text(seconds: float) -> str:
    """Seconds, or minutes, or hours, in whole numbers of two places or so.

    >>> [seconds_text(s) for s in (7.4, 119, 121, 7300)]
    ['7 s', '119 s', '2 min', '2 h 2 min']
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
