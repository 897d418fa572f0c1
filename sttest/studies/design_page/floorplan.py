"""Where a placed design is on the chip: a box per SLR, in it a rectangle per process, its area that of its LUTs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sttest.boards.resources import KINDS
from sttest.studies.design_page.boxes import cut

WIDTH, HEIGHT, GAP, TOP = 1000.0, 190.0, 26.0, 4.0
"""Sizes of the drawing and of each SLR's box, in user units."""
MAX_CELLS = 400
"""Cells of an SLR; smaller processes share one more."""
_CHAR = 6.3
_LEAST_LABEL = 3

WORDS = {"task": "compute", "dma": "memory port"}
"""Kinds of the reports that people call otherwise."""

Row = Mapping[Any, Any]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Cell:
    """A process, or the small ones of an SLR together; ``label`` is what fits in it."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    label: str
    tip: str


@dataclass(frozen=True)
class DrawnSlr:
    """An SLR: its box, its cells, and the share of its budget that is taken of each resource."""

    name: str
    is_at_hbm: bool
    y: float
    shares: Sequence[tuple[str, float, float, float]]  # resource, taken, budget, share
    cells: Sequence[Cell]


@dataclass(frozen=True)
class DrawnFloorplan:
    """The SLRs from the top of the drawing down, the first of the card last; wires over each boundary between them."""

    regions: Sequence[DrawnSlr]
    wires: Sequence[int]
    height: float


def floorplan(
    partition: Sequence[Row], resources: Sequence[Row], wires: Sequence[int], hbm_slr: int = 0
) -> DrawnFloorplan:
    """Makes it from reports of a package.

    Args:
        partition: a line per process, with its SLR.
        resources: the report on resources, whose lines of kind ``budget`` are what a design may take of each SLR.
        wires: wires over each boundary, from SLR 0 up.
        hbm_slr: SLR beside the HBM.
    """
    budgets = {str(row["process"]): row for row in resources if row["kind"] == "budget"}
    count = 1 + len(wires)
    regions = []
    for place, slr in enumerate(reversed(range(count))):
        y = TOP + place * (HEIGHT + GAP)
        own = [row for row in partition if int(row["slr"]) == slr]
        regions.append(_region(slr, y, own, budgets[f"SLR{slr}"], is_at_hbm=slr == hbm_slr))
    return DrawnFloorplan(regions, list(reversed(wires)), TOP + count * (HEIGHT + GAP))


def _region(slr: int, y: float, rows: Sequence[Row], budget: Row, *, is_at_hbm: bool) -> DrawnSlr:
    taken = {kind: sum(float(row[kind]) for row in rows) for kind in KINDS}
    shares = [(kind, taken[kind], float(budget[kind]), _share(taken[kind], float(budget[kind]))) for kind in KINDS]
    filled = WIDTH * min(_share(taken["lut"], float(budget["lut"])), 1.0)
    rows = sorted(rows, key=lambda row: -float(row["lut"]))
    large, small = rows[:MAX_CELLS], rows[MAX_CELLS:]
    named = [(str(row["process"]), str(row["kind"]), float(row["lut"]), _tip(row)) for row in large]
    if small:
        lut = sum(float(row["lut"]) for row in small)
        named.append((f"{len(small)} more", "others", lut, f"{len(small)} smaller processes\n{lut:,.0f} LUTs"))
    boxes = squarified([lut for *_, lut, _ in named], (0.0, y, filled, HEIGHT))
    cells = [
        Cell(*box, kind, _label(name, box), tip)
        for (name, kind, _, tip), box in zip(named, boxes, strict=True)
        if box[2] > 0 and box[3] > 0
    ]
    return DrawnSlr(f"SLR {slr}", is_at_hbm, y, shares, cells)


def _share(taken: float, budget: float) -> float:
    if taken == 0:
        return 0.0
    return taken / budget if budget else float("inf")


def _tip(row: Row) -> str:
    kind = WORDS.get(str(row["kind"]), row["kind"])
    amounts = "\n".join(f"{float(row[kind]):,.0f} {_UNITS[kind]}" for kind in KINDS if float(row[kind]))
    return f"{row['process']}\n{kind}\n{amounts}"


_UNITS = {"dsp": "DSPs", "lut": "LUTs", "ff": "FFs", "bram18": "BRAM18", "uram": "URAM"}


def _label(name: str, box: Box) -> str:
    room = int((box[2] - 8) / _CHAR)
    if box[3] < 14 or room < _LEAST_LABEL:
        return ""
    return cut(name, room)


def squarified(sizes: Sequence[float], box: Box) -> list[Box]:
    """Boxes (x, y, width, height) of areas in proportion to ``sizes``, which fall; together they fill ``box``.

    Rows of boxes are laid along the shorter side as long as that makes them squarer (Bruls, Huizing and
    van Wijk, Squarified Treemaps, 2000).
    """
    whole = sum(sizes)
    if whole <= 0 or box[2] <= 0:
        return [(box[0], box[1], 0.0, 0.0) for _ in sizes]
    scale = box[2] * box[3] / whole
    areas, made, first = [size * scale for size in sizes], list[Box](), 0
    while first < len(areas):
        side = min(box[2], box[3])
        last = first + 1
        while last < len(areas) and _worst(areas[first : last + 1], side) <= _worst(areas[first:last], side):
            last += 1
        row, box = _row(areas[first:last], box)
        made += row
        first = last
    return made


def _worst(areas: Sequence[float], side: float) -> float:
    """The largest ratio of sides in a row along ``side``; areas fall."""
    whole = sum(areas)
    if whole <= 0 or areas[-1] <= 0 or side <= 0:
        return float("inf")
    return max(side * side * areas[0] / whole**2, whole**2 / (side * side * areas[-1]))


def _row(areas: Sequence[float], box: Box) -> tuple[list[Box], Box]:
    """The boxes of a row at the left or top of ``box``, and what is left of that."""
    x, y, width, height = box
    whole, made = sum(areas), list[Box]()
    if width >= height:
        thick = whole / height if height else 0.0
        for area in areas:
            made.append((x, y, thick, area / thick if thick else 0.0))
            y += made[-1][3]
        return made, (x + thick, box[1], max(width - thick, 0.0), height)
    thick = whole / width if width else 0.0
    for area in areas:
        made.append((x, y, area / thick if thick else 0.0, thick))
        x += made[-1][2]
    return made, (box[0], box[1] + thick, width, max(height - thick, 0.0))
