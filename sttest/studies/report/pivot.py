"""Long rows as tables that read well: one line per thing, one column per quantity, or the other way round."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice

from sttest.core.results import Row
from sttest.studies.figures import in_words
from sttest.studies.report.ledger import Column, Ledger, Table, TableLine, cells, name_of, point_parts, said

ALIKE = 0.5
"""Quantities known of so large a share of the same things stand in one table."""
MOST_COLUMNS = 9
"""Columns of a table, those of its heads included."""
_FEW_THINGS = 6
_TITLE_CHARS = 70

Thing = tuple[str, ...]
"""What a number is of: a text per axis."""


@dataclass(frozen=True)
class TableQuantity:
    """A metric without its point, with its unit."""

    family: str
    name: str
    unit: str


@dataclass(frozen=True)
class Grid:
    """Rows by quantity and thing; no two share a place."""

    axes: Sequence[str]
    of: dict[TableQuantity, Mapping[Thing, Row]]

    @property
    def things(self) -> list[Thing]:
        """All of them, in order of appearance."""
        return list(dict.fromkeys(thing for rows in self.of.values() for thing in rows))

    @property
    def is_turned(self) -> bool:
        """Whether quantities are the lines: they are many, and things are few."""
        things, quantities = len(self.things), len(self.of)
        return quantities > 2 * things or (quantities > things and things <= _FEW_THINGS)


def tables_of(rows: Sequence[Row], ledger: Ledger) -> list[Table]:
    """Tables that hold every row once, none wider than a page."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.phase, name_of(row).family].append(row)
    return [
        part
        for (phase, _), group in groups.items()
        for grid in _grids(group)
        for part in _parts(_turned(grid, phase, ledger) if grid.is_turned else _upright(grid, phase, ledger))
    ]


def _parts(table: Table) -> Iterator[Table]:
    """The table in parts of at most so many columns, each with all heads; lines without a number in it are left out."""
    room = max(MOST_COLUMNS - len(table.heads) - table.has_units, 3)
    for start in range(0, len(table.columns), room):
        end = start + room
        lines = [replace(line, cells=line.cells[start:end]) for line in table.lines if any(line.cells[start:end])]
        title = table.title if start == 0 else f"{table.title}, continued"
        yield replace(table, title=title, columns=table.columns[start:end], lines=lines)


def _grids(rows: Sequence[Row]) -> Iterator[Grid]:
    by_quantity: dict[TableQuantity, list[Row]] = defaultdict(list)
    for row in rows:
        name = name_of(row)
        by_quantity[TableQuantity(name.family, name.quantity, row.unit)].append(row)
    clusters: list[Grid] = []
    for quantity, own in by_quantity.items():
        axes, things = _things(own)
        found = dict(zip(things, own, strict=True))
        home = next((grid for grid in clusters if grid.axes == axes and _are_alike(grid, found)), None)
        if home is None:
            clusters.append(Grid(axes, {quantity: found}))
        else:
            home.of[quantity] = found
    yield from clusters


def _are_alike(grid: Grid, other: Mapping[Thing, Row]) -> bool:
    first = next(iter(grid.of.values()))
    return len(first.keys() & other.keys()) >= ALIKE * len(first.keys() | other.keys())


def _things(rows: Sequence[Row]) -> tuple[list[str], list[Thing]]:
    """What each row of a quantity is of, told by as few axes as keep any two rows apart."""
    axes = ["model", "board", "point"]
    things = [(row.model, row.board, name_of(row).point) for row in rows]
    for axis in ("engine", "source"):
        told = _with(things, [getattr(row, axis) for row in rows])
        if len(set(things)) < min(len(set(told)), len(things)):
            axes, things = [*axes, axis], told
    if len(set(things)) < len(things):
        seen: Counter[Thing] = Counter()
        ordinals = []
        for thing in things:
            seen[thing] += 1
            ordinals.append(str(seen[thing]))
        axes, things = [*axes, "no."], _with(things, ordinals)
    return axes, things


def _with(things: Sequence[Thing], texts: Sequence[str]) -> list[Thing]:
    return [(*thing, text) for thing, text in zip(things, texts, strict=True)]


def _upright(grid: Grid, phase: str, ledger: Ledger) -> Table:
    heads, texts, facts = _heads(grid, phase)
    columns = [Column(said(quantity.name), quantity.unit) for quantity in grid.of]
    by_column = [cells([rows.get(thing) for thing in grid.things], ledger) for rows in grid.of.values()]
    lines = [TableLine(text, "", found) for text, *found in zip(texts, *by_column, strict=True)]
    return Table(_title(grid), facts, heads, columns, lines)


def _turned(grid: Grid, phase: str, ledger: Ledger) -> Table:
    _, texts, facts = _heads(grid, phase)
    labels = [", ".join(filter(None, text)) or "value" for text in texts]
    columns = [Column(label, "") for label in labels]
    units = list(dict.fromkeys(quantity.unit for quantity in grid.of))
    rows = [[rows.get(thing) for thing in grid.things] for rows in grid.of.values()]
    if len(units) == 1:
        facts = [*facts, f"in {units[0]}"]
        found = iter(cells(list(chain.from_iterable(rows)), ledger))
        shown = [list(islice(found, len(line))) for line in rows]
    else:
        shown = [cells(line, ledger) for line in rows]
    lines = [
        TableLine([said(quantity.name)], quantity.unit if len(units) > 1 else "", own)
        for quantity, own in zip(grid.of, shown, strict=True)
    ]
    return Table(_title(grid), facts, [next(iter(grid.of)).family or "quantity"], columns, lines)


def _heads(grid: Grid, phase: str) -> tuple[list[str], list[list[str]], list[str]]:
    """Heads of the lines, their texts, and as facts what is the same in all lines."""
    heads: list[str] = []
    by_head: list[list[str]] = []
    facts = [phase] if phase else []
    for axis, texts in zip(grid.axes, zip(*grid.things, strict=True), strict=True):
        if len(set(texts)) == 1:
            facts += [in_words(texts[0])] if texts[0] else []
            continue
        is_point = axis == "point"
        names, parts = point_parts(list(texts)) if is_point else ([axis], [[in_words(text)] for text in texts])
        heads += [in_words(name).removesuffix(":") for name in names] if is_point else names
        by_head += [list(column) for column in zip(*parts, strict=True)]
    engines = {row.engine for rows in grid.of.values() for row in rows.values() if row.engine}
    if "engine" not in grid.axes and len(engines) == 1:
        facts.append(f"engine {engines.pop()}")
    return heads, [list(text) for text in zip(*by_head, strict=True)] or [[] for _ in grid.things], facts


def _title(grid: Grid) -> str:
    quantities = list(grid.of)
    names = list(dict.fromkeys(quantity.name for quantity in quantities))
    if quantities[0].family:
        what = f"{quantities[0].family}s"
    else:
        ends = accumulate(len(name) for name in names)
        shown = names[: max(sum(end <= _TITLE_CHARS for end in ends), 1)]
        more = len(names) - len(shown)
        what = ", ".join(shown) + (f" and {more} more" if more else "")
    return what
