"""A figure of an experiment, from the rows of its table: which panels it has, and lines by what metrics are called."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sttest.core.results import Row
from sttest.studies.figures import Panel, Series, draw, in_words


class Drawn:
    """A figure of an experiment: name of its file, title, panels from rows, panels beside each other, note."""

    def __init__(
        self,
        panels: Callable[[Sequence[Row]], list[Panel]],
        title: str = "",
        columns: int = 2,
        stem: str = "figure",
        note: str = "",
    ) -> None:
        self.panels, self.title, self.columns, self.stem, self.note = panels, title, columns, stem, note

    def write(self, rows: Sequence[Row], place: Callable[[str], Path]) -> None:
        """Writes ``STEM.png`` and ``STEM.svg``."""
        for suffix in ("png", "svg"):
            draw(self.panels(rows), place(f"{self.stem}.{suffix}"), self.title, columns=self.columns, note=self.note)


def matching(rows: Sequence[Row], pattern: str) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """Rows whose metric matches in full, with the groups of the match."""
    for row in rows:
        matched = re.fullmatch(pattern, row.metric)
        if matched:
            yield row, matched.groups()


def series(rows: Sequence[Row], pattern: str, *, scale: float = 1.0) -> list[Series]:
    """Lines by the group ``name`` of a pattern, over the group ``x``."""
    lines: dict[str, list[tuple[float, float | None]]] = {}
    for row in rows:
        matched = re.fullmatch(pattern, row.metric)
        if matched:
            x = float(matched["x"].replace(",", ""))
            lines.setdefault(matched["name"], []).append((x, None if row.value is None else row.value * scale))
    return [Series(in_words(name), sorted(points, key=lambda point: point[0])) for name, points in lines.items()]
