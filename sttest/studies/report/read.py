"""Result folders as they lie on disk: rows, manifest and figures of each experiment."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import MANIFEST, read_object, read_text
from sttest.core.numbers import real
from sttest.core.results import COLUMNS, RESULTS_SCHEMA, Row, table_rows
from sttest.studies.tables import programs

TABLE = "table.csv"
MAX_MANIFEST_BYTES = 4 * 1024 * 1024
_AGAIN = ["run its experiment again", "name others with --experiment"]


@dataclass(frozen=True)
class ResultSet:
    """What one experiment left behind; ``figures`` holds the SVG of a figure, or its PNG where there is no SVG."""

    name: str
    rows: tuple[Row, ...]
    manifest: Mapping[str, Any]
    figures: tuple[Path, ...]

    @property
    def config_hash(self) -> str:
        """Names the configuration."""
        return str(self.manifest.get("config_hash", ""))


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
    place = {name: number for number, name in enumerate(programs())}
    for name in dict.fromkeys(names) or sorted(folders, key=lambda name: (place.get(name, len(place)), name)):
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
        read_object(folder / MANIFEST, RESULTS_SCHEMA, most_bytes=MAX_MANIFEST_BYTES, hints=_AGAIN),
        tuple(drawn[stem] for stem in sorted(drawn)),
    )


def _rows(path: Path) -> Iterator[Row]:
    lines = table_rows(path)
    if not lines:  # whose columns nobody has looked at
        heads = read_text(path, hints=_AGAIN)[:_LONGEST_HEAD].partition("\n")[0].split(",")
        if absent := [name for name in COLUMNS if name not in heads]:
            raise InputError("bad-table", f"has no column {', '.join(absent)}", where=str(path), hints=_AGAIN)
    for number, fields in enumerate(lines, start=2):
        yield _row(fields, f"{path} line {number}")


_LONGEST_HEAD = 64 * 1024
_OF_ROW = [name for name in COLUMNS if name not in ("point", "error")]  # which a Row computes


def _row(fields: dict[str, str], where: str) -> Row:
    named: dict[str, Any] = {name: fields[name] for name in _OF_ROW}
    named["axes"] = {name: text for name, text in fields.items() if name not in COLUMNS and text}
    for column in ("value", "reference"):
        named[column] = _number(named[column], f"{where}, {column}")
    try:
        return Row(**named)
    except InputError as error:
        raise InputError(error.code, error.what, where=where, hints=error.hints) from error


def _number(text: str, where: str) -> float | None:
    try:
        return real(text) if text else None
    except ValueError as error:
        raise InputError("bad-table", str(error), where=where, hints=_AGAIN) from error
