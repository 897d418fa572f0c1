"""The figure of an ablation, from its rows: per part a bar for every row's speed-up, hatched where it does not fit."""

import re
from collections.abc import Sequence

from sttest.core.results import ResultFolder, Row
from sttest.studies.ablation.form import Ablation
from sttest.studies.figures import Bar, Bars, Panel, draw

_LABEL = re.compile(r"(speed-up|fits|cycles per layer) \[([^:]+): (.+)\]")


def draw_beside(ablation: Ablation, folder: ResultFolder) -> None:
    """Draws the figure of the rows in a folder of results."""
    for suffix in ("png", "svg"):
        draw(panels(ablation.reference, folder.rows), folder.file(f"figure.{suffix}"), ablation.title)


def panels(reference: str, rows: Sequence[Row]) -> list[Panel]:
    """Panels of an ablation.

    Args:
        reference: row that the others are compared with.
        rows: rows of its table.
    """
    parts: dict[str, dict[str, dict[str, float | None]]] = {}
    for row in rows:
        found = _LABEL.fullmatch(row.metric)
        if found:
            parts.setdefault(found[2], {}).setdefault(found[3], {})[found[1]] = row.value
    x = f"Times as fast as '{reference}', launches left out (hatched: does not fit the board)"
    return [
        Bars(
            part,
            x if part == list(parts)[-1] else "",
            [Bar(line, known.get("speed-up"), fits=bool(known.get("fits"))) for line, known in lines.items()],
            at=1,
        )
        for part, lines in parts.items()
    ]
