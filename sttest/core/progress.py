"""What is going on, on stderr, where it takes long: a live line on a terminal, else a line now and then."""

import json
import re
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console

from sttest.core import terminal

_COUNTED = re.compile(r"\b(\d[\d,]*) of (\d[\d,]*)\b")
SCHEMA = "sttest.progress/1"
_EVERY_S = 10.0
"""Seconds before the first line where stderr is no terminal, and between that and the next ones."""


@contextmanager
def progress(what: str) -> Generator["Told"]:
    """Tells on stderr what is going on, for how long and, where parts are counted, for how long still.

    A terminal has one line that changes.  A file or a pipe gets a line every 10 seconds, with ``--json`` a JSON
    object (``sttest.progress/1``); what takes less says nothing.
    """
    told = Told(what)
    if sys.stderr.isatty():
        with Console(stderr=True, highlight=False, markup=False).status(told):
            yield told
        return
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=(told, ended), daemon=True)
    teller.start()
    try:
        yield told
    finally:
        ended.set()
        teller.join()


def _tell(told: "Told", ended: threading.Event) -> None:
    while not ended.wait(_EVERY_S):
        print(told.line(), file=sys.stderr, flush=True)


class Told:
    """What is going on: a step, how much of it is done, and an estimate of how long the rest will take."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._step, self._began = "", time.monotonic()
        self._first: tuple[int, int, float] | None = None
        self._done: tuple[int, int, float] | None = None

    def __call__(self, step: str) -> None:
        """Takes the step that has begun; where its text counts, as in "3 of 20 points", that is how far it is."""
        self._step = step
        counted = _COUNTED.search(step)
        if counted is None:
            self._first = self._done = None
            return
        done, total = (int(number.replace(",", "")) for number in counted.groups())
        self._done = (done, total, time.monotonic())
        if self._first is None or self._first[1] != total or self._first[0] > done:
            self._first = self._done

    def text(self) -> str:
        """As "simulating: 120 of 256 points, 40 s, about 45 s left"."""
        parts = [f"{self.what}: {self._step}" if self._step else self.what]
        parts.append(seconds_text(time.monotonic() - self._began))
        left = self.left_s()
        return ", ".join([*parts, f"about {seconds_text(left)} left"] if left is not None else parts)

    def line(self) -> str:
        """The text, as JSON where that is asked for."""
        if not terminal.style.json:
            return self.text()
        facts = {"what": self.what, "step": self._step, "seconds": round(time.monotonic() - self._began, 1)}
        left = self.left_s()
        return json.dumps({"schema": SCHEMA, **facts, "left_s": None if left is None else round(left, 1)})

    def __rich__(self) -> str:
        """The live line of a terminal."""
        return self.text()

    def left_s(self) -> float | None:
        """Seconds that the rest will take if each part takes as long as those since the first; None before that."""
        if self._first is None or self._done is None:
            return None
        (before, _, began), (done, total, now) = self._first, self._done
        if done <= before:
            return None
        return max((now - began) / (done - before) * (total - done) - (time.monotonic() - now), 0.0)


def seconds_text(seconds: float) -> str:
    """Seconds, or minutes, or hours, in whole numbers of two places or so.

    >>> [seconds_text(s) for s in (7.4, 119, 121, 7300)]
    ['7 s', '119 s', '2 min', '2 h 2 min']
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
