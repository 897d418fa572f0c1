"""Where results go: long-format tables with provenance, in folders that appear whole or not at all.

``results/<experiment>/`` holds ``table.csv`` (one number per line, one column per axis), ``table.md`` (the same
for people), ``manifest.json`` (configuration, hash, versions, seed, wall time, revision)
and whatever figures the experiment wrote beside them.
"""

import dataclasses
import hashlib
import json
import math
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel

from sttest.core.closure import ROOT, program_files, program_hash
from sttest.core.errors import InputError, did_you_mean, note
from sttest.core.files import MANIFEST, MAX_FILE_BYTES, csv_text, read_csv, read_object, replacing_folder, write_text
from sttest.core.tables import markdown_table
from sttest.core.whole_run import AskedRun, current_run

RESULTS_SCHEMA = "sttest.results/1"
POINT_SCHEMA = "sttest.point/2"
PACKAGES = ("sttest", "numpy", "scipy", "numba", "pandas", "pydantic", "simpy", "xdsl")

Kind = Literal["datasheet", "published", "measured", "assumed", "simulated", "fitted", "derived", "synthesized"]
"""How a number was come by; ``derived``: from numbers of other kinds, as the note says; ``synthesized``: by yosys."""


@dataclass(frozen=True)
class Row:
    """One number of a table."""

    # experiment, model, board, phase, engine: what it belongs to; "" where it does not apply
    experiment: str
    metric: str  # its name, as in ``latency``, and in brackets the point that it is of, as in ``latency [32:32]``
    value: float | None  # the number, or None where there is none; then ``note`` says why
    unit: str  # never empty; "ratio" or "count" for numbers without dimension
    kind: Kind  # kind of the number: datasheet, measured, published, simulated, assumed, fitted or derived
    model: str = ""
    board: str = ""
    phase: str = ""
    engine: str = ""
    reference: float | None = None  # the published or golden value of the same metric, in the same unit
    source: str = ""  # origin of ``value``, or of ``reference`` for our own numbers
    note: str = ""  # anything a reader must know
    # settings of the point, by axis
    axes: Mapping[str, str | float] = field(default_factory=dict[str, str | float], hash=False)

    def __post_init__(self) -> None:
        where = f"row '{self.experiment}/{self.metric}'"
        if not (self.experiment and self.metric):
            raise InputError("bad-row", "experiment and metric must not be empty", where=where)
        if not self.unit:
            raise InputError("row-without-unit", "has no unit", where=where, hints=["give 'ratio' or 'count'"])
        if self.kind not in get_args(Kind):
            hints = [did_you_mean(str(self.kind), get_args(Kind))]
            raise InputError("row-without-kind", f"kind is {self.kind!r}", where=where, hints=hints)
        if self.value is None and not self.note:
            raise InputError("row-without-value", "has no value", where=where, hints=["say in the note why"])
        for name in ("value", "reference"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise InputError("bad-row", f"{name} is {number}", where=where, hints=["give None and a note"])

    @property
    def error(self) -> float | None:
        """``value / reference - 1``: 0.05 is 5 % above the reference."""
        if self.value is None or not self.reference:
            return None
        return self.value / self.reference - 1


COLUMNS = (
    "experiment",
    "model",
    "board",
    "phase",
    "engine",
    "point",
    "metric",
    "value",
    "unit",
    "kind",
    "reference",
    "error",
    "source",
    "note",
)
"""The columns of ``table.csv``; behind ``point`` stands a column for each further axis."""
_AXES_FROM = COLUMNS.index("point") + 1
_METRIC = re.compile(r"(.*?) \[(.*)\]")


def table_columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns of a table with these rows: an axis that is a column already has no second one."""
    axes = dict.fromkeys(axis for row in rows for axis in row.axes if axis not in COLUMNS)
    return (*COLUMNS[:_AXES_FROM], *axes, *COLUMNS[_AXES_FROM:])


def table_cells(row: Row, columns: Sequence[str]) -> list[object]:
    """A row of ``table.csv``: the metric without its brackets, what stands in them as the point.

    >>> table_cells(Row("gpt2", "ttft [32:32]", 34.7, "ms", "simulated"), ["point", "metric", "value"])
    ['32:32', 'ttft', 34.7]
    """
    found = _METRIC.fullmatch(row.metric)
    metric, point = found.groups() if found else (row.metric, "")
    own = {**row.axes, "metric": metric, "point": point}
    return [
        own[name] if name in ("metric", "point") else getattr(row, name) if name in COLUMNS else own.get(name, "")
        for name in columns
    ]


def table_rows(path: Path) -> list[dict[str, str]]:
    """The lines of a ``table.csv``, each with its metric as a :class:`Row` has it.

    Raises:
        InputError: it cannot be read, or is no such table.
    """
    hints = ["run its experiment again", "name another folder"]
    lines = read_csv(path, hints=hints)
    missing = [name for name in COLUMNS if lines and name not in lines[0]]
    if missing:
        raise InputError("bad-table", f"has no column {', '.join(missing)}", where=str(path), hints=hints)
    return [{**line, "metric": labeled(line["metric"], line["point"])} for line in lines]


def labeled(metric: str, point: str) -> str:
    """The metric of a :class:`Row`, from the two columns of ``table.csv``.

    >>> labeled("ttft", "32:32"), labeled("seconds", "")
    ('ttft [32:32]', 'seconds')
    """
    return f"{metric} [{point}]" if point else metric


def config_hash(data: object) -> str:
    """16 hex digits that name a configuration, whatever the order of its keys.

    Raises:
        InputError: ``data`` holds something that is not plain data (numbers, text,
            lists, mappings with text keys, dataclasses, pydantic models, paths).
    """
    return hashlib.sha256(_canonical(data).encode()).hexdigest()[:16]


def _canonical(data: object) -> str:
    try:
        return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError("bad-config", f"cannot be hashed: {error}", where="configuration") from error


def _plain(value: Any) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    raise TypeError(f"{type(value).__name__} is not plain data")


class ResultFolder:
    """A context that collects rows and puts a finished folder in place at its end.

    Everything is written to a hidden folder beside ``path``.  On success it takes the
    place of ``path``; on an exception it is removed and ``path`` stays as it was.  Only a
    process that is killed outright leaves the hidden folder behind.

    Args:
        path: the folder to make, ``results/<experiment>``.
        made_by: the modules that computed the rows, and files that they were made from, see
            :func:`sttest.core.closure.closure`.
        config: settings that the experiment depends on; plain data.
        seed: seed of random numbers, if there are any.
    """

    def __init__(
        self, path: str | Path, *, made_by: str | Sequence[str], config: Mapping[str, object], seed: int | None = None
    ) -> None:
        self.path = Path(path)
        self.makers = (made_by,) if isinstance(made_by, str) else tuple(made_by)
        self._program = program_hash(*self.makers)
        self.config = config
        self.seed = seed
        self.rows: list[Row] = []
        self.facts: dict[str, object] = {}  # more of the manifest, that the results do not depend on
        self._config_hash = config_hash(config)
        self._stack = ExitStack()
        self._staging = self.path
        self._run = AskedRun()

    def __enter__(self) -> "ResultFolder":
        self._staging = self._stack.enter_context(replacing_folder(self.path))
        self._stack.push(self._finish)
        self._run = current_run()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, *rows: Row) -> None:
        """Append rows to the table."""
        self.rows.extend(rows)

    def file(self, name: str) -> Path:
        """The path of a further file, a figure for example, that appears with the table."""
        return self._staging / name

    def _finish(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is not None:
            return
        columns = table_columns(self.rows)
        write_text(self._staging / "table.csv", csv_text(columns, (table_cells(row, columns) for row in self.rows)))
        write_text(self._staging / "table.md", _markdown(self.rows))
        text = json.dumps(self._manifest(), indent=2, default=_plain)
        write_text(self._staging / MANIFEST, f"{text}\n")

    def _manifest(self) -> dict[str, object]:
        return {
            "schema": RESULTS_SCHEMA,
            "experiment": self.path.name,
            "config_hash": self._config_hash,
            "config": self.config,
            "seed": self.seed,
            "rows": len(self.rows),
            "wall_s": round(self._run.wall_s, 3),
            "taken_over": self._run.taken_over,
            "cpus": os.cpu_count(),
            "finished_utc": datetime.now(UTC).isoformat(timespec="seconds"),
            "python": platform.python_version(),
            "versions": _versions(),
            "program": self._program,
            "program_of": self.makers,
            "git": git_revision(ROOT, program_files(*self.makers)),
            **self.facts,
        }


class PointStore:
    """Finished points of an experiment, so that one that was stopped goes on where it was.

    One JSON file per point, named by the hash of its key and written whole or not at all.  It has a digest of both; one
    that cannot be read back, or says something else than was stored, counts as missing, which is said.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def load(self, key: object) -> dict[str, Any] | None:
        """The stored result of a point, or None; one more that the run takes over."""
        found = self._read(key)
        current_run().taken_over += found is not None
        return found

    def _read(self, key: object) -> dict[str, Any] | None:
        path = self._file(key)
        try:
            stored = read_object(path, POINT_SCHEMA, most_bytes=MAX_FILE_BYTES)
        except InputError as error:
            if os.path.lexists(path):
                note(f"{path}: stored earlier, {error.what}; it is made anew")
            return None
        if stored.get("digest") != config_hash([key, stored.get("result")]):
            note(f"{path}: not what was stored there, by its digest; it is made anew")
            return None
        return stored["result"]

    def save(self, key: object, result: Mapping[str, Any]) -> None:
        """Keep the result of a point: plain data with text keys."""
        digest = config_hash([key, result])
        text = _canonical({"schema": POINT_SCHEMA, "key": key, "result": result, "digest": digest})
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self._file(key), text)

    def point(self, key: object, compute: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """The stored result of a point or, if there is none, ``compute()``, which is then stored."""
        stored = self.load(key)
        if stored is not None:
            return stored
        self.save(key, compute())
        fresh = self._read(key)
        if fresh is None:
            raise InputError("unstorable-point", "a point could not be read back", where=str(self._file(key)))
        return fresh

    def _file(self, key: object) -> Path:
        return self.folder / f"{config_hash(key)}.json"


def git_revision(root: Path, files: Iterable[str]) -> dict[str, object] | None:
    """The commit of a checkout, and whether some files differ from it; None without git, or outside of its checkout.

    Args:
        root: folder that holds the program.
        files: files from there; results that another one was made from may differ, for they are made together.
    """
    try:
        commit, top = _git(root, "rev-parse", "HEAD", "--show-toplevel").splitlines()
        changed = _git(root, "diff", "--name-only", "-z", "HEAD").split("\0")
        unknown = _git(root, "ls-files", "--others", "--full-name", "-z", "sttest", "experiments").split("\0")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    differing = {Path(top, name) for name in (*changed, *unknown)}
    here = [root.resolve() / file for file in files if not file.startswith("results/")]
    if here and all(path in differing for path in here):
        return None  # installed below somebody else's repository
    return {"commit": commit, "changed": not differing.isdisjoint(here)}


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _markdown(rows: Sequence[Row]) -> str:
    """A table without the columns that are empty throughout; numbers to six digits."""
    columns = [column for column in COLUMNS if column != "point"]
    used = [column for column in columns if any(getattr(row, column) not in ("", None) for row in rows)]
    return markdown_table(used, [[_cell(column, getattr(row, column)) for column in used] for row in rows])


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    if column == "error" and isinstance(value, float):
        return f"{value:+.1%}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
