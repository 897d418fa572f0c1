"""Requests: when they arrive, how long their prompts are, and how many tokens they ask for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np

from sttest.core.errors import InputError, note
from sttest.core.files import read_csv
from sttest.core.numbers import real, whole

COLUMNS = ("arrival_s", "prompt_tokens", "output_tokens")
AZURE_COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
"""Columns of the Azure LLM inference traces (github.com/Azure/AzurePublicDataset), whose arrivals are times of day."""
MOST_ARRIVAL_S = 1e8
"""Three years.  A double there still tells times that are 15 ns apart; the shortest step takes microseconds."""
LEAST_RATE, MOST_RATE = 1 / MOST_ARRIVAL_S, 1e9
"""Requests per second: one in all that time, and one per nanosecond, within a clock cycle of any card."""
MOST_REQUESTS = 10_000_000
"""Requests of a run, each of which takes about 1 KB."""
_DATE = re.compile(r"\s*\d{4}-\d\d-\d\d", re.ASCII)
_FRACTION = re.compile(r"(\.\d{6})\d+", re.ASCII)
_HINTS = (f"its first line is {','.join(COLUMNS)}", "as in 0.25,128,64")


@dataclass(frozen=True)
class Request:
    """A prompt that arrives, and what is asked for."""

    number: int
    arrival_s: float
    prompt: int  # tokens
    output: int  # tokens, at least 1

    @property
    def positions(self) -> int:
        """Positions of a cache that its last step reads: the last token is chosen and never cached."""
        return self.prompt + self.output - 1


def poisson(count: int, rate_per_s: float, lengths: Sequence[tuple[int, int]], seed: int) -> list[Request]:
    """Requests whose arrivals are independent of each other.

    Args:
        count: requests.
        rate_per_s: mean arrivals per second.
        lengths: tokens of prompt and output, taken in turn.
        seed: seed of the arrivals.

    Raises:
        InputError: a rate or a length that no run has, too many requests, or such that come years later.
    """
    if not LEAST_RATE <= rate_per_s <= MOST_RATE:
        what = f"{rate_per_s:g} requests per second, not {LEAST_RATE:g} to {MOST_RATE:g}"
        raise InputError("bad-rate", what, where="--rate", hints=["give a rate in between"])
    if count > MOST_REQUESTS:
        raise _too_many(count, "--requests")
    times = np.random.default_rng(seed).exponential(1 / rate_per_s, count).cumsum()
    return [
        _checked(
            Request(number, float(time), *lengths[number % len(lengths)]), "--rate", [f"give more than {rate_per_s:g}"]
        )
        for number, time in enumerate(times)
    ]


def read_trace(path: Path, most: int | None = None) -> list[Request]:
    """Requests of a CSV file, by arrival; a note says how many lines are out of order.

    Args:
        path: file with the columns `COLUMNS`, or those of the Azure LLM inference traces.
        most: requests that are taken, the first ones; None for all.

    Raises:
        InputError: no such file, no such table, or an arrival before the start or years after it.
    """
    rows = read_csv(path, hints=_HINTS)
    if not rows:
        raise InputError("bad-trace", "holds no requests", where=str(path), hints=_HINTS)
    if len(rows) > MOST_REQUESTS:
        raise _too_many(len(rows), str(path))
    columns = AZURE_COLUMNS if AZURE_COLUMNS[0] in rows[0] else COLUMNS
    if missing := [name for name in columns if name not in rows[0]]:
        raise InputError("bad-trace", f"has no column '{missing[0]}'", where=str(path), hints=_HINTS)
    read = [_of_row([row[name] for name in columns], f"{path} line {line}") for line, row in enumerate(rows, 2)]
    starts = _start_s([dated for dated, _ in read], [each.arrival_s for _, each in read], columns, path)
    found = [
        _checked(replace(each, arrival_s=each.arrival_s - starts), f"{path} line {line}")
        for line, (_, each) in enumerate(read, 2)
    ]
    late = sum(later.arrival_s < earlier.arrival_s for earlier, later in pairwise(found))
    if late:
        note(f"{path}: {late:,} of {len(found):,} lines arrive before the line above; requests are taken by arrival")
    found.sort(key=lambda request: request.arrival_s)
    return [replace(request, number=number) for number, request in enumerate(found[:most])]


def _of_row(fields: Sequence[str], where: str) -> tuple[str, Request]:
    """How a line is dated, and its request, whose arrival is in seconds since 1970 then."""
    arrival, prompt, output = fields
    try:
        dated, time = _seconds(arrival)
        return dated, Request(0, time, whole(prompt), whole(output))
    except ValueError as error:
        raise InputError("bad-trace", str(error), where=where, hints=_HINTS) from error


def _start_s(dated: Sequence[str], times: Sequence[float], columns: Sequence[str], path: Path) -> float:
    """What is second 0 of a trace: its first date, whichever line has it, or 0 as written.

    Raises:
        InputError: dates and seconds in one column, or dates with a zone and without.
    """
    if other := next((kind for kind in dated if kind != dated[0]), None):
        what = f"has {other} where the lines before it have {dated[0]}"
        where = f"{path} line {dated.index(other) + 2}"
        raise InputError("bad-trace", what, where=where, hints=["write all arrivals in one way"])
    return min(times) if dated[0] != _SECONDS or columns is AZURE_COLUMNS else 0.0


_SECONDS, _ZONED, _UNZONED = "seconds", "dates with a zone", "dates without a zone"


def _seconds(text: str) -> tuple[str, float]:
    """How a text is dated, and its seconds, of a date those since 1970; without a zone it is of UTC."""
    try:
        return _SECONDS, real(text)
    except ValueError:
        if not _DATE.match(text):
            raise
    # Azure's have seven digits behind the point, of which Python takes six.
    date = datetime.fromisoformat(_FRACTION.sub(r"\1", text.strip()))
    if date.tzinfo is None:
        return _UNZONED, date.replace(tzinfo=UTC).timestamp()
    return _ZONED, date.timestamp()


def _checked(request: Request, where: str, hints: Sequence[str] = _HINTS) -> Request:
    if request.prompt < 1 or request.output < 1:
        raise InputError("bad-length", "a prompt and an output have at least one token", where=where, hints=hints)
    if request.arrival_s < 0:
        what = f"arrives at {request.arrival_s:g} s, before the start at 0 s"
        raise InputError("bad-arrival", what, where=where, hints=["add that much to every arrival"])
    if request.arrival_s > MOST_ARRIVAL_S:
        raise InputError(
            "bad-arrival",
            "arrives more than three years after the start",
            where=where,
            demand=request.arrival_s,
            bound=MOST_ARRIVAL_S,
            unit="s",
            hints=hints if hints is not _HINTS else ["subtract the first arrival"],
        )
    return request


def _too_many(count: int, where: str) -> InputError:
    return InputError(
        "too-many-requests",
        "more requests than are served in one run",
        where=where,
        demand=count,
        bound=MOST_REQUESTS,
        unit="requests",
        hints=["give --requests", "cut the trace"],
    )
