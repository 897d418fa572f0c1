"""Which tests run by day: those that are quick by the record, and of each other test the quickest case, if it is short.

The suite runs before every change that lands, so it has minutes.  What tests take stands in ``durations.csv``, which
``pytest --nightly --record-durations`` writes.  The rest runs in the nightly tests, with ``--slow``, and where a test
is named on the command line.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

RECORD = Path(__file__).with_name("durations.csv")
"""Seconds of tests, and of all others in their file together, as the last run that recorded them found them."""
QUICK_FILE_S = 1.5
"""What the tests of a file that run by day may take together to be part of a quick run."""
QUICK_CASE_S = 0.5
"""What runs always; longer cases run by day if they are the quickest of their test."""
LONGEST_S = 1.0
"""What the quickest case of a test may take to run by day, unless the test is marked ``daily``."""
_LEAST_S = 0.5
"""What is not worth a row."""


class Collected(Protocol):
    """What is looked at of a test."""

    @property
    def nodeid(self) -> str: ...
    def get_closest_marker(self, name: str) -> Any: ...


Test = TypeVar("Test", bound=Collected)


def file_of(test: str) -> str:
    """The file of a test by its id."""
    return test.partition("::")[0]


def recorded() -> dict[str, float]:
    """Seconds by the name of a file or the id of a test."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        return {row["name"]: float(row["seconds"]) for row in csv.DictReader(file)}


def record(taken: Mapping[str, float], skipped: Iterable[str]) -> None:
    """Writes what tests took; those that were skipped keep what they had.

    Args:
        taken: seconds by the id of a test that ran.
        skipped: ids of tests that did not.
    """
    known = recorded()
    seconds = {name: known[name] for name in skipped if name in known} | dict(taken)
    others: dict[str, float] = defaultdict(float)
    for name, each in seconds.items():
        if each < _LEAST_S:
            others[file_of(name)] += each
    rows = sorted((name, f"{each:.1f}") for name, each in (seconds | others).items() if each >= _LEAST_S)
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "seconds"))
        writer.writerows(rows)


def nightly(items: Iterable[Test], seconds: Mapping[str, float]) -> Iterator[Test]:
    """Tests that are for the night by the record.

    Args:
        items: tests that were collected.
        seconds: see :func:`recorded`.
    """
    tests: dict[str, list[tuple[float, Test]]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("nightly") is None and item.nodeid in seconds:
            tests[item.nodeid.partition("[")[0]].append((seconds[item.nodeid], item))
    for cases in tests.values():
        quickest = min(cases, key=lambda case: case[0])
        for taken, item in cases:
            is_first = item is quickest[1] and (taken <= LONGEST_S or item.get_closest_marker("daily") is not None)
            if taken > QUICK_CASE_S and not is_first:
                yield item


def long_files(items: Iterable[Collected], seconds: Mapping[str, float]) -> set[str]:
    """Files that are no part of a quick run.

    Args:
        items: tests that were collected; those that are marked nightly count for nothing.
        seconds: see :func:`recorded`.
    """
    taken: dict[str, float] = defaultdict(float)
    for item in items:
        if item.get_closest_marker("nightly") is None:
            taken[file_of(item.nodeid)] += seconds.get(item.nodeid, 0)
    return {file for file, each in taken.items() if each + seconds.get(file, 0) > QUICK_FILE_S}
