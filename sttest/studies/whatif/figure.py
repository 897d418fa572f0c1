"""The figure of a study, from its rows: a panel per model or design, speed by the x axis below its roofline."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sttest.core.results import ResultFolder, Row
from sttest.studies.figures import COLUMN_IN, Bar, Bars, Lines, Panel, Series, draw, in_words
from sttest.studies.whatif.outcome import BEST
from sttest.studies.whatif.report import UNITS
from sttest.studies.whatif.study import Study

_MARKS = {"lanes": "o", "bandwidth": "s", "ports": "P", "latency": "^", "launch": "D", "draft": "v", "clock": "X"}
NOTE = (
    "Markers: a tenth more of what helps most (● lanes, ■ bandwidth, + ports, ▲ latency, ◆ launch, ▼ draft, × only the "
    "clock, which moves several). Dashed or gray: roofline. Hollow or hatched: does not fit."
)
_PLACE = re.compile(r"(speed|roofline|fits) \[(.+)\]")
_HELPED = re.compile(r"helped most by (\w+)")


def draw_beside(study: Study, folder: ResultFolder) -> None:
    """Draws the figure of the rows in a folder of results."""
    for suffix in ("png", "svg"):
        draw(panels(study, folder.rows), folder.file(f"figure.{suffix}"), study.title, columns=2, note=NOTE)


def draw_column(study: Study, rows: Sequence[Row], path: Path) -> None:
    """Draws the figure alone, as wide as a column of print and with a legend."""
    draw(panels(study, rows), path, columns=1, width_in=COLUMN_IN, legend=True)


def panels(study: Study, rows: Sequence[Row]) -> list[Panel]:
    """Panels of a study.

    Args:
        study: the study.
        rows: rows of its table.
    """
    axes = list(study.axes)
    across = axes.index(study.x_axis)
    drawn = {str(design) for design in study.designs[:1]} | {BEST}
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        place = _PLACE.fullmatch(row.metric)
        parts = tuple(place[2].split(", ")) if place else ()
        if place and len(parts) == len(axes) and (not study.best_of or parts[axes.index(study.best_of)] in drawn):
            found.setdefault(parts, {})[place[1]] = row
    others = list(dict.fromkeys(parts[:across] + parts[across + 1 :] for parts in found))
    values = [_number(parts[across]) for parts in found]
    if any(value is None for value in values):
        return [_categories(study, other, across, found) for other in others]
    unit = _axis_unit(study.x_axis, rows)
    x = axis_name(study.x_axis) + ("" if unit in ("count", "sequences", "tokens") else f" ({unit})")
    heads = list(dict.fromkeys(other[:-1] for other in others))
    ticks = sorted({value for value in values if value is not None})
    return [
        Lines(
            ", ".join(map(_said, head)),
            x,
            "Speed (tokens/s)",
            [line for other in others if other[:-1] == head for line in _lines(other, across, found)],
            "xy",
            ticks=ticks if len(ticks) <= _NAMED_TICKS else (),
        )
        for head in heads
    ]


_NAMED_TICKS = 9


def axis_name(axis: str) -> str:
    """An axis in words; of a path that has no name of its own, the last step."""
    name = in_words(axis)
    name = in_words(axis.rpartition(".")[2]) if "." in name else name
    return name[:1].upper() + name[1:]


def _said(part: str) -> str:
    """One value of a point in words: ``batch=4`` is ``Sequences of a batch 4``."""
    name, equals, value = part.partition("=")
    return f"{in_words(name)} {value}" if equals else in_words(part)


def _number(part: str) -> float | None:
    """The number that a value of the x axis begins with."""
    try:
        return float(part.partition("=")[2] or part.split()[0])
    except ValueError:
        return None


def _axis_unit(axis: str, rows: Sequence[Row]) -> str:
    return next((row.unit for row in rows if row.metric.startswith(f"{axis} [")), UNITS.get(axis, "count"))


def _lines(other: tuple[str, ...], across: int, found: Mapping[tuple[str, ...], Mapping[str, Row]]) -> Iterator[Series]:
    """The simulated speeds of a series, and its roofline."""
    own = [
        (_number(parts[across]) or 0.0, rows)
        for parts, rows in found.items()
        if parts[:across] + parts[across + 1 :] == other
    ]
    speeds = [(x, rows["speed"]) for x, rows in own if rows["speed"].value is not None]
    if not speeds:
        return
    helped = [_HELPED.match(row.note) for _, row in speeds]
    yield Series("", [(x, rows["roofline"].value) for x, rows in own if "roofline" in rows], "bound")
    yield Series(
        _said(other[-1]) if other else "simulated",
        [(x, row.value) for x, row in speeds],
        markers=[_MARKS[by[1]] if by else "o" for by in helped],
        hollow=[not _fits(rows) for _, rows in own if rows["speed"].value is not None],
    )


def _fits(rows: Mapping[str, Row]) -> bool:
    """Whether a design fits its board; of what does not say so it is not known, and nothing is marked."""
    return "fits" not in rows or bool(rows["fits"].value)


def _categories(
    study: Study, other: tuple[str, ...], across: int, found: Mapping[tuple[str, ...], Mapping[str, Row]]
) -> Bars:
    """A bar per category, with the roofline as a mark; what is not simulated says so."""
    bars = [
        Bar(
            _said(parts[across]),
            rows["speed"].value,
            bound=rows["roofline"].value if "roofline" in rows else None,
            text="" if rows["speed"].value else "not simulated",
            fits=_fits(rows),
        )
        for parts, rows in found.items()
        if parts[:across] + parts[across + 1 :] == other
    ]
    return Bars(", ".join(map(_said, other)), f"Speed by {axis_name(study.x_axis).lower()} (tokens/s)", bars)
