"""Requests: when they arrive, how long their prompts are, and how many tokens they ask for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

from sttest.core.errors import InputError
from sttest.core.files import read_csv

COLUMNS = ("arrival_s", "prompt_tokens", "output_tokens")
AZURE_COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
"""Of the Azure LLM inference traces (github.com/Azure/AzurePublicDataset), whose arrivals are times of day."""
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
        InputError: a rate or a length that is not above 0.
    """
    if rate_per_s <= 0 or not np.isfinite(rate_per_s):
        raise InputError("bad-rate", f"{rate_per_s:g} requests per second", where="rate", hints=["give more than 0"])
    times = np.random.default_rng(seed).exponential(1 / rate_per_s, count).cumsum()
    return [
        _checked(Request(number, float(time), *lengths[number % len(lengths)]), "requests")
        for number, time in enumerate(times)
    ]


def read_trace(path: Path, most: int | None = None) -> list[Request]:
    """Requests of a CSV file, by arrival.

    Args:
        path: file with the columns `COLUMNS`, or those of the Azure LLM inference traces.
        most: requests that are taken, the first ones; None for all.

    Raises:
        InputError: no such file, or no such table.
    """
    rows = read_csv(path, hints=_HINTS)
    if not rows:
        raise InputError("bad-trace", "holds no requests", where=str(path), hints=_HINTS)
    found = sorted(_of_rows(rows, path), key=lambda request: request.arrival_s)[:most]
    return [replace(request, number=number) for number, request in enumerate(found)]


def _of_rows(rows: Sequence[Mapping[str, str]], path: Path) -> Iterator[Request]:
    columns = AZURE_COLUMNS if AZURE_COLUMNS[0] in rows[0] else COLUMNS
    if missing := [name for name in columns if name not in rows[0]]:
        raise InputError("bad-trace", f"has no column '{missing[0]}'", where=str(path), hints=_HINTS)
    began: float | None = None
    for line, row in enumerate(rows, 2):
        where = f"{path} line {line}"
        try:
            time = _seconds(row[columns[0]])
            prompt, output = int(row[columns[1]]), int(row[columns[2]])
        except ValueError as error:
            raise InputError("bad-trace", str(error), where=where, hints=_HINTS) from error
        began = time if began is None or columns is COLUMNS else began
        start = 0.0 if columns is COLUMNS else began
        yield _checked(Request(0, time - start, prompt, output), where)


def _seconds(text: str) -> float:
    """Seconds, or those of a date since 1970."""
    try:
        return float(text)
    except ValueError:
        # Azure's have seven digits behind the point, of which Python takes six.
        return datetime.fromisoformat(text[:26]).timestamp()


def _checked(request: Request, where: str) -> Request:
    if request.prompt < 1 or request.output < 1:
        raise InputError("bad-length", "a prompt and an output have at least one token", where=where, hints=_HINTS)
    if not np.isfinite(request.arrival_s):
        raise InputError("bad-arrival", f"arrives at {request.arrival_s} s", where=where, hints=_HINTS)
    return request
