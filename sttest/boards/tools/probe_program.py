"""A probe for a program that tells its version."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sttest.boards.tools.ask import Answer, ask, printable
from sttest.boards.tools.finding import Finding

VERSION = r"(\d+(?:\.\d+)+)"


def program(commands: Sequence[Sequence[str]], pattern: str, expected: str = "") -> Callable[[], Finding]:
    """A probe that asks the first of some programs that is installed.

    Args:
        commands: alternatives, each a program with the arguments that make it tell its version.
        pattern: regular expression whose first group is the version in the answer.
        expected: start of the version that sttest was written for.
    """

    def probe() -> Finding:
        answer = first_answer(commands)
        return trouble(answer, commands) or version_in(answer, pattern, expected)

    return probe


def first_answer(commands: Sequence[Sequence[str]]) -> Answer:
    """The answer of the first program that is installed."""
    answer = Answer("missing")
    for command in commands:
        answer = ask(command)
        if answer.outcome != "missing":
            break
    return answer


def trouble(answer: Answer, commands: Sequence[Sequence[str]]) -> Finding | None:
    """The finding for a program that did not answer; None for one that did."""
    if answer.outcome == "answered":
        return None
    if answer.outcome == "missing":
        return Finding("missing", detail=f"no {' or '.join(command[0] for command in commands)} on PATH")
    told = f": {answer.last_line}" if answer.last_line else ""
    return Finding(answer.outcome, detail=printable(f"{answer.path}: {answer.trouble}{told}"))


def version_in(answer: Answer, pattern: str, expected: str) -> Finding:
    """The finding for a program that answered."""
    found = re.search(pattern, answer.text, re.MULTILINE)
    if found is None:
        told = printable(answer.text, most=60)
        return Finding("unreadable", detail=printable(f"{answer.path}: no version in its answer '{told}'"))
    return of_version(found.group(1), expected, answer.path)


def of_version(version: str, expected: str, detail: str) -> Finding:
    """The finding for a part of a known version."""
    if expected and version != expected and not version.startswith(f"{expected}."):
        return Finding("other-version", version, printable(f"{detail}; sttest was written for {expected}".lstrip("; ")))
    return Finding("ok", version, detail)
