"""A finished search as tables: its Pareto set and counts in long format, all its points in a file of their own."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from sttest.compile.options import CompileOptions, todays_option_keys
from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.core.files import csv_text, parse_json, read_csv, write_text
from sttest.core.numbers import real, whole
from sttest.core.results import Kind, Row
from sttest.core.validation import validated
from sttest.explore.evaluate import Evaluation, Evaluator
from sttest.explore.objectives import METRICS, Figures, Target, pareto_set
from sttest.explore.proposals import Tried, default_point
from sttest.explore.search import Search
from sttest.explore.space import Domain
from sttest.models.program import Phase

# --- Designs as rows of a file, each of which is enough to make its design again


MAKERS = ("sttest.explore.search", "sttest.explore.report", "sttest.studies.workload")
"""What the rows of a search are computed by; the command line is no part of it."""
PLACED = "placed_cycles"
_TARGET = ("model", "phase", "tokens", "context", "batch", "board", "precision", "layers", "launch_us")
_WHOLE = ("tokens", "context", "batch", "layers")
COLUMNS = ("point", *_TARGET, "text_sha256", "program", "options", *METRICS, PLACED)
"""The columns of the file of points: what a design is made from, then what came of it."""


@dataclass(frozen=True)
class Record:
    """A design with its figures."""

    point: int  # its number in the search
    target: Mapping[str, Any]  # the fields of a :class:`Target` but its text
    text_sha256: str  # SHA-256 of the text
    program: str  # identifies the version of the program
    options: CompileOptions  # compile options with all lanes spelled out
    figures: Figures  # metrics, and cycles with registers on crossings where it was placed

    @classmethod
    def of(cls, point: int, target: Target, program: str, options: CompileOptions, figures: Figures) -> "Record":
        """A design of a search."""
        fields = {name: getattr(target, name) for name in _TARGET}
        return cls(point, fields, text_hash(target.text), program, options, figures)

    def cells(self) -> list[str]:
        """The cells of the row; numbers with all digits."""
        figures = [repr(self.figures[name]) if name in self.figures else "" for name in (*METRICS, PLACED)]
        target = [str(self.target[name]) for name in _TARGET]
        options = json.dumps(self.options.model_dump())
        return [str(self.point), *target, self.text_sha256, self.program, options, *figures]


def text_hash(text: str) -> str:
    """Names a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Writes a CSV file with one row per design."""
    write_text(path, csv_text(COLUMNS, (record.cells() for record in records)))


def read_record(path: Path, point: int) -> Record:
    """One row of a file of points.

    Raises:
        InputError: no such file or point, or a row that does not say what is needed.
    """
    rows = {row.get("point"): row for row in read_csv(path, hints=["name the pareto.csv of a search"])}
    row = rows.get(str(point))
    if row is None:
        known = ", ".join(str(name) for name in rows if name) or "none"
        raise InputError("no-such-point", f"no point {point}", where=str(path), hints=[f"take one of {known}"])
    try:
        return _record(row, str(path))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "bad-point", f"point {point} does not say how it is made ({error})", where=str(path),
            hints=["take a file that 'sttest explore' wrote"],
        ) from error  # fmt: skip


def _record(row: Mapping[str, str], where: str) -> Record:
    row = {"batch": "1", **todays_option_keys(row)}  # rows of before there were batches are of one sequence
    target: dict[str, Any] = {name: row[name] for name in _TARGET}
    target |= {name: whole(row[name]) for name in _WHOLE} | {"launch_us": real(row["launch_us"])}
    if target["phase"] not in get_args(Phase):
        raise ValueError(f"no phase {target['phase']!r}")
    figures = {name: real(row[name]) for name in (*METRICS, PLACED) if row[name]}
    # Rows of before there was a choice were held to this one.
    given = {"budget": "published", **parse_json(row["options"].encode(), where)}
    options = validated(CompileOptions, given, "options")
    return Record(whole(row["point"]), target, row["text_sha256"], row["program"], options, figures)


def rebuild(record: Record, evaluator: Evaluator) -> Figures:
    """Makes a design again from its row.

    Raises:
        EnginesDisagreeError: it gives other numbers.
        SttestError: it can no longer be made.
    """
    found = dict(evaluator.figures(record.options))
    if PLACED in record.figures:
        placed = evaluator.placed_cycles(record.options)
        found |= {} if placed is None else {PLACED: placed}
    different = [name for name in record.figures if found.get(name) != record.figures[name]]
    if different:
        name = different[0]
        raise EnginesDisagreeError(
            "rebuild-differs", f"{', '.join(different)} differ from the row", where=f"point {record.point}",
            demand=record.figures[name], bound=found.get(name), unit=name,
            hints=["take the version of sttest that made the row"],
        )  # fmt: skip
    return found


# --- HIDA's ablation on this compiler: lanes handed out without and with intensity and connectedness, all else equal


HIDA_WAYS = ("naive", "ia", "ca", "ia+ca")
OUR_WAYS = ("pace", "chain")


@dataclass(frozen=True)
class Ablated:
    """What a way of handing out lanes came to with one budget."""

    way: str
    budget_percent: int
    evaluation: Evaluation


def ablation(evaluator: Evaluator, space: Sequence[Domain]) -> Iterator[Ablated]:
    """Every way with every budget of the space; other options are what the compiler does by default.

    The budget is the share of the board that the lanes may take, the same for all ways.
    """
    point = default_point(space)
    budgets = next(domain.choices for domain in space if domain.name == "budget_percent")
    for budget in budgets:
        for way in (*HIDA_WAYS, *OUR_WAYS):
            found = evaluator.evaluate({**point, "budget_percent": budget, "lanes_by": way})
            yield Ablated(way, int(budget), found)


REPORT_SCHEMA = "sttest.explore/1"
_ENGINE = "maxplus"
_BEFORE_METRICS = ("status", "refused_for", "demand", "bound", "unit")


@dataclass(frozen=True)
class SearchReport:
    """A finished search."""

    experiment: str  # its name, that of the folder of results
    # search, space, tried: the search, its space and the result of every point
    search: Search
    space: Sequence[Domain]
    tried: Sequence[Tried]
    # cycles with registers on crossings, by point of the Pareto set; None for a deadlock
    placed: dict[int, int | None] = field(default_factory=dict)
    ablated: Sequence[Ablated] = ()  # the ablation, if it was asked for

    @property
    def pareto(self) -> list[Tried]:
        """The simulated points that no other is better than, in order of their losses."""
        simulated = [each for each in self.tried if each.evaluation.status == "simulated"]
        return [simulated[position] for position in pareto_set([each.evaluation.losses for each in simulated])]

    @property
    def counts(self) -> Counter[str]:
        """Points by what became of them; refused ones by the reason."""
        return Counter(_outcome(each) for each in self.tried)

    def records(self) -> list[Record]:
        """The Pareto set, each point enough to be made again."""
        return [self._record(each) for each in self.pareto]

    def _record(self, tried: Tried) -> Record:
        options, figures = tried.evaluation.options, dict(tried.evaluation.figures)
        assert options is not None
        placed = self.placed.get(tried.slot)
        figures |= {} if placed is None else {PLACED: placed}
        return Record.of(tried.slot, self.search.target, self.search.program, options, figures)

    def rows(self) -> Iterator[Row]:
        """The long-format table: the Pareto set with its options, counts, and the ablation."""
        for each in self.pareto:
            yield from self._point_rows(each)
        for outcome, count in sorted(self.counts.items()):
            yield self._row(f"points {outcome}", count, "count", "derived")
        for each in self.ablated:
            yield from self._ablation_rows(each)

    def _point_rows(self, tried: Tried) -> Iterator[Row]:
        label = f"[point {tried.slot}]"
        named = {domain.name: tried.point[domain.name] for domain in self.space if domain.unit == ""}
        note = ", ".join(f"{name} {value}" for name, value in named.items())
        for metric, value in tried.evaluation.figures.items():
            known = METRICS[metric]
            yield self._row(f"{metric} {label}", value, known.unit, known.kind, note or known.note)
        if tried.slot in self.placed:
            gone = "" if self.placed[tried.slot] is not None else "deadlock"
            yield self._row(f"{PLACED} {label}", self.placed[tried.slot], "cycles", "simulated", gone)
        for domain in self.space:
            if domain.unit:
                value = int(tried.point[domain.name])
                yield self._row(f"{domain.name} {label}", value, domain.unit, "derived", "chosen by the search")

    def _ablation_rows(self, each: Ablated) -> Iterator[Row]:
        label = f"[{each.way}, budget {each.budget_percent} %]"
        if each.evaluation.status == "refused":
            yield self._row(
                f"cycles {label}", None, "cycles", "simulated", f"refused: {_reason(each.evaluation.refusal)}"
            )
            return
        for metric in ("cycles", "latency", "tokens_per_j", "area"):
            known = METRICS[metric]
            yield self._row(f"{metric} {label}", each.evaluation.figures[metric], known.unit, known.kind, "ablation")

    def _row(self, metric: str, value: float | None, unit: str, kind: Kind, note: str = "") -> Row:
        target = self.search.target
        engine = _ENGINE if kind == "simulated" else ""
        return Row(
            self.experiment, metric, value, unit, kind, model=target.model, board=target.board, phase=target.phase,
            engine=engine, note=note,
        )  # fmt: skip

    def write_points(self, path: Path) -> None:
        """Every point of the search, with its options and what became of it, as a CSV file."""
        options = [domain.name for domain in self.space]
        rows: list[list[object]] = []
        for each in self.tried:
            refusal = each.evaluation.refusal
            reasons = [refusal.get(key) for key in ("what", "demand", "bound", "unit")]
            figures = [each.evaluation.figures.get(name) for name in METRICS]
            values = [each.point[name] for name in options]
            rows.append([each.slot, *values, each.evaluation.status, *reasons, *figures])
        write_text(path, csv_text(("point", *options, *_BEFORE_METRICS, *METRICS), rows))

    def headline(self) -> str:
        """The best value of each objective, and whose it is."""
        if not self.pareto:
            return "no design was simulated"
        told = list[str]()
        for each in self.search.chosen:
            best = min(self.pareto, key=lambda tried, of=each: of.loss(tried.evaluation.figures))
            unit = METRICS[each.metric].unit
            told.append(f"{each.name} {best.evaluation.figures[each.metric]:,.4g} {unit} (point {best.slot})")
        return f"best {', '.join(told)}"

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The printed table: the Pareto set, one line per point, columns as in :attr:`columns`."""
        for each in self.pareto:
            figures = each.evaluation.figures
            shown = [each.point[name] for name in self._varied]
            yield (each.slot, *(figures[name] for name in _SHOWN), *shown)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the printed table."""
        units = [f"{name} ({METRICS[name].unit})" if METRICS[name].unit != "count" else name for name in _SHOWN]
        return ("point", *units, *self._varied)

    @property
    def _varied(self) -> list[str]:
        """CompileOptions with several choices, without the many shifts."""
        return [domain.name for domain in self.space if len(domain.choices) > 1 and "." not in domain.name]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "schema": REPORT_SCHEMA, "name": self.search.name, "storage": self.search.storage,
            "points": len(self.tried), "counts": dict(self.counts),
            "pareto": [
                {"point": each.slot, "options": dict(each.point), "figures": dict(each.evaluation.figures),
                 PLACED: self.placed.get(each.slot)}
                for each in self.pareto
            ],
            "ablation": [
                {"way": each.way, "budget_percent": each.budget_percent, "figures": dict(each.evaluation.figures),
                 "refused": _reason(each.evaluation.refusal)}
                for each in self.ablated
            ],
        }  # fmt: skip


_SHOWN = ("latency", "cycles", "tokens_per_j", "area", "lut", "dsp", "bram18", "uram")


def _outcome(tried: Tried) -> str:
    evaluation = tried.evaluation
    if evaluation.status != "refused":
        return evaluation.status
    return f"refused: {evaluation.refusal['code']}"


def _reason(refusal: dict[str, Any]) -> str:
    return "" if not refusal else f"{refusal['what']} ({refusal['demand']} of {refusal['bound']} {refusal['unit']})"
