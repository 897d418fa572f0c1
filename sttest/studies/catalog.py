"""The catalog of studies: for each published system the command that answers it, and its figures beside ours.

An entry is a file of ``studies/data/catalog``, or stands in the ``study.yaml`` of a study.  A figure of
ours is never written there: an entry names the row of a table of results that has it, so a row that is gone, or that
became two, is an error.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field, field_validator, model_validator

from sttest.core.errors import InputError, did_you_mean
from sttest.core.extensions import has_systems
from sttest.core.files import read_csv, read_yaml
from sttest.core.results import Row
from sttest.core.validation import validated
from sttest.studies.ablation.form import ablation_names
from sttest.studies.folders import Study, studies, study_file
from sttest.studies.report.read import TABLE, read_results
from sttest.studies.seconds import SECONDS, command_seconds
from sttest.studies.tables import questions
from sttest.studies.whatif.study import STUDIES, study_names

__depends__ = ("sttest/studies/data/catalog/*", "sttest/studies/data/papers.csv")

CATALOG = STUDIES / "catalog"
PAPERS = STUDIES / "papers.csv"
MOST_SECONDS = 600
"""What a command of the catalog may take on two cores."""

Column = Literal["model", "board", "phase", "engine", "metric", "unit", "kind"]
_OWN_SOURCE = re.compile(r"\bsttest\b|\bresults/|\bours\b|\bour own\b", re.IGNORECASE)
_COMMANDS = {"reproduce": lambda: [*questions()], "whatif": lambda: [*study_names(), *ablation_names()]}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Published(_Part):
    """A published figure: a value, a range, one end of a range, or none, and then a note says why."""

    value: float | None = None  # the figure, where it is one number
    low: float | None = None  # least value of a range
    high: float | None = None  # largest value of a range
    unit: str = Field(min_length=1)  # unit of both figures; "ratio" or "count" for numbers without dimension
    source: str = ""  # place where it is printed: "abstract", a table, a figure
    note: str = ""  # anything a reader must know of the figure

    @field_validator("source")
    @classmethod
    def _not_ours(cls, given: str) -> str:
        if _OWN_SOURCE.search(given):
            raise ValueError("the reference is our own")
        return given

    @model_validator(mode="after")
    def _a_figure_or_why_not(self) -> "Published":
        ends = [end for end in (self.low, self.high) if end is not None]
        if self.value is not None and ends:
            raise ValueError("a value and a range")
        numbers = ends if self.value is None else [self.value]
        if not all(isfinite(number) and number > 0 for number in numbers):
            raise ValueError("a figure is not above 0")
        if len(ends) == 2 and ends[0] >= ends[1]:
            raise ValueError("a range whose low end is not below its high end")
        if numbers and not self.source:
            raise ValueError("a figure without a source")
        if not numbers and not self.note:
            raise ValueError("no figure, and no note that says why")
        return self

    @property
    def text(self) -> str:
        """The figure with its unit, as ``2 to 13``; ratios without."""
        unit = "" if self.unit in ("ratio", "count") else f" {self.unit}"
        if self.value is not None:
            return f"{number_text(self.value)}{unit}"
        if self.low is not None and self.high is not None:
            return f"{number_text(self.low)} to {number_text(self.high)}{unit}"
        if self.low is not None:
            return f"at least {number_text(self.low)}{unit}"
        return f"up to {number_text(self.high)}{unit}" if self.high is not None else f"none: {self.note}"

    def ratio_of(self, ours: float) -> float | None:
        """Ours over the figure, over the nearer end of a range, or None within a range or without a figure."""
        if self.value is not None:
            return ours / self.value
        if self.low is not None and (self.high is None or ours < self.low):
            return ours / self.low
        if self.high is not None and (self.low is None or ours > self.high):
            return ours / self.high
        return None


class CatalogRow(_Part):
    """A published figure beside ours."""

    what: str = Field(min_length=1)  # name of the quantity
    published: Published
    # filters of the table of results, that select one row; None where there is no figure of ours
    ours: dict[Column, str] | None = None
    # filters of the row that ours is divided by, where ours is a ratio of two rows
    over: dict[Column, str] | None = None
    note: str = ""  # why there is no figure of ours
    differs: str = Field(min_length=1)  # what differs between their setting and ours

    @model_validator(mode="after")
    def _ours_or_why_not(self) -> "CatalogRow":
        if self.ours is None and not self.note:
            raise ValueError("no figure of ours, and no note that says why")
        if self.ours is None and self.over is not None:
            raise ValueError("'over' without 'ours'")
        for filters in (self.ours, self.over):
            if filters is not None and "metric" not in filters:
                raise ValueError("filters without a metric")
        return self


class CatalogEntry(_Part):
    """A study of a published system: what it asks, what runs it, and what it found."""

    title: str = Field(min_length=1, max_length=66)  # what is asked, one line
    papers: tuple[str, ...] = Field(min_length=1)  # authors, short title, place
    command: str  # the one command that makes the results
    results: str = Field(min_length=1)  # folder of ``results``
    rows: tuple[CatalogRow, ...] = Field(min_length=1)

    @field_validator("command")
    @classmethod
    def _known(cls, given: str) -> str:
        words = shlex.split(given)
        if len(words) < 3 or words[0] != "sttest" or words[1] not in _COMMANDS:
            raise ValueError("not 'sttest reproduce NAME' or 'sttest whatif NAME'")
        known = _COMMANDS[words[1]]()
        if words[2] not in known:
            raise ValueError(f"nothing is called '{words[2]}'; {did_you_mean(words[2], known)}")
        if given not in command_seconds():
            raise ValueError(f"its seconds are not in {SECONDS.name}; run python -m experiments.seconds")
        return given

    @computed_field
    @property
    def seconds(self) -> float:
        """What the command took."""
        return command_seconds()[self.command]


def catalog_names() -> list[str]:
    """Names of the entries, sorted."""
    return sorted([*(path.stem for path in CATALOG.glob("*.yaml")), *_of_studies()])


def _of_studies() -> dict[str, Study]:
    """The entries that stand in files of studies."""
    return {name: study for study in studies().values() for name in study.systems}


def load_entry(name: str) -> CatalogEntry:
    """One entry by name.

    Raises:
        InputError: an unknown name, with the nearest known one; or a file that is no entry.
    """
    known = catalog_names()
    if name not in known:
        hints = [did_you_mean(name, known), "see 'sttest studies'"]
        raise InputError("unknown-study", f"unknown study '{name}'", where="studies", hints=hints)
    study = _of_studies().get(name)
    if study is None:
        return read_entry(entry_file(name))
    told = {"command": study.command, "results": study.name, **study.systems[name]}
    return validated(CatalogEntry, told, f"{entry_file(name)}: {name}")


def entry_file(name: str) -> Path:
    """The file that an entry stands in."""
    study = _of_studies().get(name)
    return CATALOG / f"{name}.yaml" if study is None else study_file(study.name)


def read_entry(path: Path) -> CatalogEntry:
    """The entry of a file.

    Raises:
        InputError: unreadable, or not an entry; the message names file and key.
    """
    return validated(CatalogEntry, read_yaml(path), str(path))


# --- A published figure beside ours


@dataclass(frozen=True)
class Compared:
    """A row of an entry with what the table of results says."""

    row: CatalogRow
    ours: float | None  # our figure, in the unit of the published one
    why_not: str = ""  # why there is none

    @property
    def ratio(self) -> float | None:
        """Ours over the published figure; see :meth:`Published.ratio_of`."""
        return None if self.ours is None else self.row.published.ratio_of(self.ours)

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """What, published, ours, ratio, what differs, as text."""
        published = self.row.published
        if self.ours is None:
            return self.row.what, published.text, f"none: {self.why_not}", "", self.row.differs
        unit = "" if published.unit in ("ratio", "count") else f" {published.unit}"
        ratio = self.ratio
        within = "within" if published.low is not None else ""
        return (
            self.row.what,
            published.text,
            f"{number_text(self.ours)}{unit}",
            within if ratio is None else f"{ratio:.2g}" if ratio < 0.1 else f"{ratio:.2f}",
            self.row.differs,
        )

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "what": self.row.what,
            "published": self.row.published.model_dump(),
            "ours": self.ours,
            "why_not": self.why_not,
            "ratio": self.ratio,
            "differs": self.row.differs,
        }


COLUMNS = ("what", "published", "ours", "ratio", "what differs")


def compared(entry: CatalogEntry, results: Path | None, where: str) -> list[Compared]:
    """Every row of an entry with our figure.

    Args:
        entry: the entry.
        results: folder that holds the folders of results; None where there is none.
        where: the entry's file, for messages.

    Raises:
        InputError: filters that select no row or several, a figure that is published itself, or another unit.
    """
    if results is None or not (results / entry.results / TABLE).is_file():
        absent = f"results/{entry.results} is not here"
        return [Compared(row, None, absent if row.ours else row.note) for row in entry.rows]
    (table,) = read_results(results, [entry.results])
    return [_compared(row, table.rows, f"{where}: rows[{number}]") for number, row in enumerate(entry.rows)]


def _compared(row: CatalogRow, table: Sequence[Row], where: str) -> Compared:
    if row.ours is None:
        return Compared(row, None, row.note)
    ours = _selected(row.ours, table, f"{where}.ours")
    if ours.value is None:
        return Compared(row, None, ours.note)
    if row.over is None:
        if ours.unit != row.published.unit:
            what = f"the table has {ours.unit}, the published figure {row.published.unit}"
            raise InputError("other-unit", what, where=where, hints=["give the published figure in the table's unit"])
        return Compared(row, ours.value)
    over = _selected(row.over, table, f"{where}.over")
    if ours.unit != over.unit or row.published.unit != "ratio":
        raise InputError("other-unit", f"{ours.unit} over {over.unit} is no ratio", where=where)
    return Compared(row, ours.value / over.value) if over.value else Compared(row, None, over.note or "divided by 0")


def _selected(filters: Mapping[Column, str], table: Sequence[Row], where: str) -> Row:
    found = [row for row in table if all(getattr(row, column) == wanted for column, wanted in filters.items())]
    if len(found) != 1:
        hints = [did_you_mean(filters["metric"], {row.metric for row in table})] if not found else ["add a column"]
        raise InputError("not-one-row", f"{len(found)} rows of the table match", where=where, hints=hints)
    if found[0].kind == "published":
        raise InputError("not-ours", "the row that it selects is published, not ours", where=where)
    return found[0]


def number_text(number: float | None) -> str:
    """A number to four digits, thousands separated, as ``5.86``.

    >>> number_text(1.5), number_text(12345.6), number_text(0.00123)
    ('1.5', '12,346', '0.00123')
    """
    if number is None:
        return ""
    return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.4g}"


def results_folder() -> Path | None:
    """The folder of results: of this directory, or of the checkout that the program is part of; None without."""
    folders = (Path.cwd() / "results", Path(__file__).parents[2] / "results")
    return next((folder for folder in folders if folder.is_dir()), None)


# --- What has no study


@dataclass(frozen=True)
class Paper:
    """A published system that belongs here."""

    paper: str  # its name, and what it is
    version: str  # what a faithful version here would be
    published: str  # quotes of the abstract
    studies: tuple[str, ...]  # entries of the catalog that are of it
    undone: str  # what is not done of it, and why; "" where nothing is missing


@cache
def papers() -> tuple[Paper, ...]:
    """The published systems that belong here, the most wanted first.

    Raises:
        InputError: a study that is not in the catalog, or a paper that has neither a study nor a reason.
    """
    return tuple(_papers(PAPERS))


def _papers(path: Path) -> Iterator[Paper]:
    known = catalog_names()
    for number, fields in enumerate(read_csv(path, ("paper", "version", "published", "studies", "undone")), start=2):
        where = f"{path} line {number}"
        named = tuple(fields["studies"].split())
        for name in named:
            if name not in known and has_systems():
                hints = [did_you_mean(name, known)]
                raise InputError("unknown-study", f"unknown study '{name}'", where=where, hints=hints)
        if not named and not fields["undone"]:
            raise InputError("no-reason", "neither a study nor a reason why there is none", where=where)
        yield Paper(fields["paper"], fields["version"], fields["published"], named, fields["undone"])
