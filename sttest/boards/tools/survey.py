"""Looks for all parts at once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from sttest.boards.tools.ask import printable
from sttest.boards.tools.finding import Finding
from sttest.boards.tools.part import Part


def survey(parts: Sequence[Part]) -> dict[str, Finding]:
    """Findings by name of part; takes as long as the slowest probe."""
    with ThreadPoolExecutor(max_workers=len(parts)) as pool:
        return dict(zip((part.name for part in parts), pool.map(_find, parts), strict=True))


def _find(part: Part) -> Finding:
    try:
        return part.probe()
    except Exception as error:  # one broken probe must not cost the report on all others
        return Finding("failed", detail=printable(f"cannot be looked for: {type(error).__name__}: {error}"))
