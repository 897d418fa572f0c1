"""Result folders as they lie on disk: rows, manifest and figures of each experiment."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.core.results import COLUMNS, RESULTS_SCHEMA, Row
from sttest.studies.tables import EXPERIMENTS

TABLE, MANIFEST = "table.csv", "manifest.json"
MAX_TABLE_BYTES = 32 * 1024 * 1024
MAX_MANIFEST_BYTES = 4 * 1024 * 1024
_PLACE = {name: place for place, name in enumerate(EXPERIMENTS)}
_AGAIN = ["run its experiment again", "name others with --experiment"]


@dataclass(frozen=True)
class ResultSet:
    """What one experiment left behind; ``figures`` holds the SVG of a figure, or its PNG where there is no SVG."""

    name: str
    rows: tuple[Row, ...]
    manifest: Mapping[str, Any]
    figures: tuple[Path, ...]


def read_results(results: Path, names: Sequence[str] = ()) -> Iterator[ResultSet]:
    """The named experiments of a folder of results, or all of them: those of the registry first.

    Raises:
        InputError: no such folder, nothing in it, an experiment that is not there, or files that are not results.
    """
    folders = {path.name: path for path in _folders(results)}
    if not folders:
        hints = ["name another folder with --results", "make some with 'sttest reproduce gpt2'"]
        raise InputError("no-results", "holds no folders of results", where=str(results), hints=hints)
    for name in names:
        if name not in folders:
            hints = [did_you_mean(name, folders)]
            raise InputError("no-such-experiment", f"no experiment '{name}'", where=str(results), hints=hints)
    for name in dict.fromkeys(names) or sorted(folders, key=lambda name: (_PLACE.get(name, len(_PLACE)), name)):
        yield _read(folders[name])


def _folders(results: Path) -> list[Path]:
    try:
        entries = sorted(results.iterdir())
    except OSError as error:
        hints = ["name the folder of results with --results"]
        raise InputError("no-such-folder", f"{error.strerror}", where=str(results), hints=hints) from error
    return [path for path in entries if path.is_dir() and not path.name.startswith((".", "_"))]


def _read(folder: Path) -> ResultSet:
    missing = [name for name in (TABLE, MANIFEST) if not (folder / name).is_file()]
    if missing:
        raise InputError("no-table", f"holds no {' and no '.join(missing)}", where=str(folder), hints=_AGAIN)
    drawn = {path.stem: path for suffix in (".png", ".svg") for path in sorted(folder.glob(f"*{suffix}"))}
    return ResultSet(
        folder.name,
        tuple(_rows(folder / TABLE)),
        _manifest(folder / MANIFEST),
        tuple(drawn[stem] for stem in sorted(drawn)),
    )


def _manifest(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(_text(path, MAX_MANIFEST_BYTES))
    except (ValueError, RecursionError) as error:
        raise InputError("bad-manifest", "not JSON", where=str(path), hints=_AGAIN) from error
    if not isinstance(data, dict) or data.get("schema") != RESULTS_SCHEMA:
        what = f"its schema is not {RESULTS_SCHEMA}"
        raise InputError("bad-manifest", what, where=str(path), hints=_AGAIN)
    return data


def _rows(path: Path) -> Iterator[Row]:
    reader = csv.reader(_text(path, MAX_TABLE_BYTES).splitlines(keepends=True), strict=True)
    try:
        header = next(reader, [])
        if tuple(header) != COLUMNS:
            what = f"its columns are not {', '.join(COLUMNS)}"
            raise InputError("bad-table", what, where=str(path), hints=_AGAIN)
        for fields in reader:
            yield _row(fields, f"{path} line {reader.line_num}")
    except csv.Error as error:
        raise InputError("bad-table", f"{error}", where=f"{path} line {reader.line_num}", hints=_AGAIN) from error


def _row(fields: list[str], where: str) -> Row:
    if len(fields) != len(COLUMNS):
        raise InputError("bad-table", "not as many fields as columns", where=where, demand=len(fields),
                         bound=len(COLUMNS), hints=_AGAIN)  # fmt: skip
    named: dict[str, Any] = dict(zip(COLUMNS, fields, strict=True))
    del named["error"]  # a Row computes it
    for column in ("value", "reference"):
        named[column] = _number(named[column], f"{where}, {column}")
    try:
        return Row(**named)
    except InputError as error:
        raise InputError(error.code, error.what, where=where, hints=error.hints) from error


def _number(text: str, where: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError as error:
        raise InputError("bad-table", f"'{text}' is no number", where=where, hints=_AGAIN) from error


def _text(path: Path, most: int) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InputError("unreadable", f"can't be read ({error.strerror})", where=str(path), hints=_AGAIN) from error
    if len(data) > most:
        raise InputError("too-large", "too large", where=str(path), bound=most, unit="bytes", hints=_AGAIN)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"not UTF-8 text at byte {error.start}"
        raise InputError("bad-encoding", what, where=str(path), hints=_AGAIN) from error
