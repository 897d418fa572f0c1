"""Reads single files, each bounded and checked, and writes files and folders, each whole or not at all.

A file that cannot be read is refused with one line that names it and, where there is one, the place in it.
"""

import csv
import errno
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast
from uuid import uuid4
from xml.etree.ElementTree import Element, TreeBuilder
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

import yaml
from defusedxml.common import DefusedXmlException
from defusedxml.sax import parseString
from pydantic import BaseModel, ValidationError
from yaml.constructor import ConstructorError

from sttest.core.errors import InputError, note
from sttest.core.numbers import is_disguised, real, whole
from sttest.core.plain_files import check_replaceable, open_to_read, sync, sync_tree
from sttest.core.validation import as_input_error

MANIFEST = "manifest.json"

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Bytes of text, JSON and CSV; Python takes up to 24 times as much memory for what such a file holds."""
MAX_OBJECT_BYTES = 1024 * 1024
"""Bytes of a small JSON file with a schema, such as a manifest."""
MAX_YAML_BYTES = 256 * 1024
MAX_YAML_NESTING = 64
MAX_YAML_SCALAR_CHARS = 4096
MAX_XML_BYTES = 16 * 1024 * 1024
MAX_JSON_NESTING = 32
MAX_XML_NESTING = 40

Model = TypeVar("Model", bound=BaseModel)


# --- Bytes and text


STANDARD_INPUT = Path("-")


def place_of(path: Path) -> str:
    """How errors call a file.

    >>> place_of(Path("-")), place_of(Path("graph.json"))
    ('standard input', 'graph.json')
    """
    return "standard input" if path == STANDARD_INPUT else str(path)


def read_bytes(path: Path, *, most_bytes: int = MAX_FILE_BYTES, hints: Iterable[str] = ()) -> bytes:
    """The content of a file.

    Args:
        path: a file; ``-`` is standard input, about which a terminal is told, since it waits for its user; pipes and
            devices are refused.
        most_bytes: the largest size that is read.
        hints: ways out where the file cannot be read or is too large.

    Raises:
        InputError: the file cannot be read, or is too large.
    """
    where = place_of(path)
    try:
        if path == STANDARD_INPUT:
            data = _standard_input(most_bytes + 1)
        else:
            with open_to_read(path) as file:
                data = file.read(most_bytes + 1)
    except (OSError, ValueError) as error:
        what = f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"
        raise InputError("unreadable-file", what, where=where, hints=hints) from error
    if len(data) > most_bytes:
        raise InputError("file-too-large", "too large", where=where, bound=most_bytes, unit="bytes", hints=hints)
    return data


def _standard_input(most_bytes: int) -> bytes:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - where a process was started without one
        raise OSError(errno.EBADF, "it is closed")
    if sys.stdin.isatty():
        note("reading standard input from the terminal; end it with Ctrl-D")
    return sys.stdin.buffer.read(most_bytes)


def read_text(path: Path, *, most_bytes: int = MAX_FILE_BYTES, hints: Iterable[str] = ()) -> str:
    """The content of a UTF-8 file; see :func:`read_bytes`.

    Raises:
        InputError: the file cannot be read, is too large, or is not UTF-8.
    """
    return _decoded(read_bytes(path, most_bytes=most_bytes, hints=hints), place_of(path), hints)


def _decoded(data: bytes, where: str, hints: Iterable[str]) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("bad-encoding", f"not UTF-8 at byte {error.start}", where=where, hints=hints) from error


# --- JSON


_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def read_json(path: Path, *, most_bytes: int = MAX_FILE_BYTES, hints: Iterable[str] = ()) -> Any:
    """The content of a JSON file; keys that stand twice, NaN and infinities are refused.

    Raises:
        InputError: the file cannot be read, is too large or too deeply nested, or is not such JSON.
    """
    return parse_json(read_bytes(path, most_bytes=most_bytes, hints=hints), place_of(path), hints=hints)


def read_object(
    path: Path, schema: str, *, most_bytes: int = MAX_OBJECT_BYTES, hints: Iterable[str] = ()
) -> dict[str, Any]:
    """The keys of a JSON object that declares ``schema``, without the key that does.

    Raises:
        InputError: as :func:`read_json`, or the file is no such object.
    """
    content = read_json(path, most_bytes=most_bytes, hints=hints)
    _check_schema(content, schema, str(path), hints)
    return {key: value for key, value in content.items() if key != "schema"}


def read_model(model: type[Model], path: Path, schema: str, *, hints: Iterable[str] = ()) -> Model:
    """A JSON file as a pydantic model; its key ``schema`` is a field, too.

    Args:
        model: a class of which ``schema`` is a field, by alias.
        path: a file.
        schema: the value of its key ``schema``.
        hints: ways out where the file cannot be read or is too large.

    Raises:
        InputError: as :func:`read_json`, another schema, or the first complaint of the model.
    """
    return parse_model(model, read_bytes(path, hints=hints), place_of(path), schema, hints=hints)


def parse_model(model: type[Model], data: bytes, where: str, schema: str, *, hints: Iterable[str] = ()) -> Model:
    """The same of what a file holds; ``where`` is its name in errors.

    Raises:
        InputError: as :func:`read_model`.
    """
    content = parse_json(data, where, hints=hints)  # refuses what pydantic's parser would take
    _check_schema(content, schema, where, hints)
    try:
        # Else a text would be read as a number, be it 'nan' or '1_0'.
        return model.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise as_input_error(error, model, content, where) from error


def _check_schema(content: object, schema: str, where: str, hints: Iterable[str]) -> None:
    if not isinstance(content, dict):
        what = f"expected an object, found {type(content).__name__}"
        raise InputError("not-an-object", what, where=where, hints=hints)
    found = cast("dict[str, object]", content).get("schema")
    if found != schema:
        raise InputError("wrong-schema", f"schema is {found!r:.80}, not '{schema}'", where=where, hints=hints)


def parse_json(data: bytes, where: str, *, hints: Iterable[str] = ()) -> Any:
    """The content of a JSON text; ``where`` is its name in errors.

    Raises:
        InputError: as :func:`read_json`.
    """
    text = _decoded(data, where, hints)
    if nesting(data) > MAX_JSON_NESTING:
        what = f"not valid JSON, nested more than {MAX_JSON_NESTING} deep"
        raise InputError("json-nesting", what, where=where, hints=hints)
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant, parse_float=real)
    except (ValueError, RecursionError) as error:
        raise InputError("not-json", f"not valid JSON ({error})", where=where, hints=hints) from error


def nesting(data: bytes) -> int:
    """The nesting depth of a JSON text's brackets, found without parsing it.

    >>> nesting(b'{"a": [[], "[[["]}')
    3
    """
    import numpy as np

    steps = np.zeros(256, np.int8)
    steps[list(b"[{")] = 1
    steps[list(b"]}")] = -1
    brackets = steps[np.frombuffer(_STRINGS.sub(b"", data), np.uint8)]
    depths = np.cumsum(brackets[brackets != 0], dtype=np.int32)
    return int(depths.max()) if depths.size else 0


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"key '{twice:.80}' stands twice in one object")
    return content


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


# --- YAML that people wrote: safe, small, one mapping, every key once


_BAD_SCALAR = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What yaml's constructors raise on a scalar that only looks like a number or a date, such as 2001-99-99."""


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds.

    Raises:
        InputError: the file cannot be read, is too large or is not YAML, holds aliases or tags other than
            YAML's own, or is not a mapping.
    """
    where = str(path)
    text = read_text(path, most_bytes=MAX_YAML_BYTES)
    try:
        # Readers may change what they get; a text that was read before is not parsed again.
        data = deepcopy(_parsed_yaml(text))
    except yaml.YAMLError as error:
        raise InputError("bad-yaml", _one_line(error), where=where) from error
    except _BAD_SCALAR as error:
        raise InputError("bad-yaml", f"a value that cannot be read ({error})", where=where) from error
    if not isinstance(data, dict):
        what = f"holds a {type(data).__name__} where a mapping of keys is expected"
        raise InputError("bad-yaml", what, where=where, hints=["write 'key: value' lines"])
    return cast("dict[str, Any]", data)


# libyaml's parser where PyYAML was built with it: a tenth of the time.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_Loader):
    """A safe loader that refuses repeated keys, and numbers that are not what they look like."""

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """A number; YAML 1.1 reads ``010`` as eight, ``1:30`` as ninety, and has infinities."""
        text = str(self.construct_scalar(node))
        try:
            if _LEADING_ZERO.match(text):
                raise ValueError(f"'{text:.40}' is no number in plain digits")
            return whole(text) if node.tag.endswith(":int") else real(text)
        except ValueError as error:
            raise ConstructorError(None, None, str(error), node.start_mark) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(None, None, "a key is not a plain word", key.start_mark)
            if key.value in seen:
                raise ConstructorError(None, None, f"key '{key.value}' is given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")
for _kind in ("int", "float"):
    _StrictLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _StrictLoader.construct_number)


@lru_cache(maxsize=64)
def _parsed_yaml(text: str) -> object:
    depth = 0
    for event in yaml.parse(text, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_NESTING:  # libyaml recurses without a bound of its own
            raise yaml.YAMLError("nested too deeply")
        if isinstance(event, yaml.AliasEvent):  # they can blow a small file up
            raise yaml.YAMLError(f"{_place(event.start_mark)}aliases are not allowed")
        if isinstance(event, yaml.ScalarEvent):
            _check_scalar(event)
    return yaml.load(text, _StrictLoader)


def _check_scalar(event: yaml.ScalarEvent) -> None:
    """Refuses what is too long, could steer a terminal that it is printed on, or is no number to people."""
    line = f", line {event.start_mark.line + 1}" if event.start_mark else ""
    if len(event.value) > MAX_YAML_SCALAR_CHARS:
        raise yaml.YAMLError(f"a value of more than {MAX_YAML_SCALAR_CHARS} characters{line}")
    if not "".join(event.value.split()).isprintable():
        raise yaml.YAMLError(f"a value with characters that cannot be printed{line}")
    if is_disguised(event.value):
        raise yaml.YAMLError(f"'{event.value}' is no finite number in plain digits{line}")


def _one_line(error: yaml.YAMLError) -> str:
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    return f"{_place(error.problem_mark or error.context_mark)}{error.problem or error.context}"


def _place(mark: Any) -> str:
    """Line and column of a mark, which the two parsers of PyYAML have types of their own for."""
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""


# --- XML


def read_xml(path: Path) -> Element:
    """The root element of an XML file.

    Raises:
        InputError: the file cannot be read, is too large or too deeply nested, is not XML, or has a DTD.
    """
    return parse_xml(read_bytes(path, most_bytes=MAX_XML_BYTES), str(path))


def parse_xml(data: bytes, where: str) -> Element:
    """The root element of an XML document; ``where`` is its name in errors.

    Raises:
        InputError: as :func:`read_xml`.
    """
    if len(data) > MAX_XML_BYTES:
        raise InputError("file-too-large", "too large", where=where, bound=MAX_XML_BYTES, unit="bytes")
    tree = _TreeHandler(where)
    try:
        parseString(data, tree, forbid_dtd=True)
    except DefusedXmlException as error:
        hints = ["remove the DOCTYPE"]
        raise InputError("xml-dtd", "has a DOCTYPE, which is never read", where=where, hints=hints) from error
    except (SAXException, ValueError, LookupError) as error:
        raise InputError("bad-xml", f"not well-formed XML ({_sax_message(error)})", where=where) from error
    return tree.builder.close()


class _TreeHandler(ContentHandler):
    """Builds elements whose names are as they stand in the file, prefixes of namespaces included."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.builder = TreeBuilder()
        self._where = where
        self._depth = 0

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - named by SAX
        self._depth += 1
        if self._depth > MAX_XML_NESTING:
            what = f"elements are nested more than {MAX_XML_NESTING} deep"
            raise InputError("xml-nesting", what, where=self._where)
        self.builder.start(name, dict(attrs.items()))

    def endElement(self, name: str) -> None:  # noqa: N802 - named by SAX
        self._depth -= 1
        self.builder.end(name)

    def characters(self, content: str) -> None:
        self.builder.data(content)


def _sax_message(error: Exception) -> str:
    if not isinstance(error, SAXParseException):
        return str(error)
    return f"{error.getMessage()}: line {error.getLineNumber()}, column {error.getColumnNumber()}"


# --- CSV


def read_csv(path: Path, columns: Sequence[str] = (), *, hints: Iterable[str] = ()) -> list[dict[str, str]]:
    """The lines of a CSV file by the names of its columns.

    Args:
        path: a file whose first line names its columns; the mark that spreadsheets put before UTF-8 is left out.
        columns: all of them, in order, or none where any will do.
        hints: ways out where the file cannot be read or is no such table.

    Raises:
        InputError: the file cannot be read, is too large, or is no such table.
    """
    where = str(path)
    text = read_text(path, hints=hints).removeprefix("\ufeff")
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    rows: list[dict[str, str]] = []
    try:
        header = next(reader, list[str]())
        if columns and tuple(header) != tuple(columns):
            raise InputError("bad-table", f"its columns are not {', '.join(columns)}", where=where, hints=hints)
        if twice := [name for name, times in Counter(header).items() if times > 1]:
            raise InputError("bad-table", f"has two columns '{twice[0]:.80}'", where=where, hints=hints)
        for fields in reader:
            if len(fields) != len(header):
                raise InputError(
                    "bad-table",
                    "not as many fields as columns",
                    where=f"{where} line {reader.line_num}",
                    demand=len(fields),
                    bound=len(header),
                    hints=hints,
                )
            rows.append(dict(zip(header, fields, strict=True)))
    except csv.Error as error:
        raise InputError("bad-table", str(error), where=f"{where} line {reader.line_num}", hints=hints) from error
    return rows


# --- Writing: no reader ever sees half of a file or of a folder


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A name beside ``path`` to write to; that file takes the place of ``path`` unless there is an exception.

    After a loss of power, too, there is the file of before or the new one, whole.

    Raises:
        InputError: a device or a pipe has the name.
    """
    check_replaceable(path)
    unfinished = path.with_name(f".{path.name}.new-{uuid4().hex[:8]}")
    try:
        with _told_of(path, unfinished):
            yield unfinished
            sync(unfinished)
            unfinished.replace(path)
            sync(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _told_of(path: Path, unfinished: Path) -> Generator[None]:
    """Errors of writing that name no file, or one that is not there yet, name what was to be written."""
    try:
        yield
    except OSError as error:
        named = unfinished if error.filename is None else Path(str(error.filename))
        if named.is_relative_to(unfinished):
            error.filename = str(path / named.relative_to(unfinished))
        raise


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 file whole or not at all."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(data)


def write_json(path: Path, content: object, *, indent: int = 1) -> None:
    """Writes a JSON file whole or not at all."""
    write_text(path, json.dumps(content, indent=indent) + "\n")


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A CSV table, a line per row."""
    page = StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return page.getvalue()


@contextmanager
def replacing_folder(folder: Path) -> Generator[Path]:
    """A new folder to fill, which takes the place of ``folder`` unless there is an exception.

    Only a process that is killed outright leaves the new folder behind, hidden beside ``folder``.  After a loss of
    power, too, what ``folder`` holds is whole.
    """
    staging = folder.parent / f".{folder.name}.new-{uuid4().hex[:8]}"
    retired = folder.parent / f".{folder.name}.old"
    if retired.exists() and not folder.exists():  # an earlier process was killed between the two renames below
        retired.rename(folder)
    staging.mkdir(parents=True)
    try:
        with _told_of(folder, staging):
            yield staging
            sync_tree(staging)
            shutil.rmtree(retired, ignore_errors=True)
            if folder.exists():
                folder.rename(retired)
            _take_place(staging, folder, retired)
            sync(folder.parent)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if folder.exists():  # be it the new one, whose place in the folder above could not be synchronized
            shutil.rmtree(retired, ignore_errors=True)


def _take_place(staging: Path, folder: Path, retired: Path) -> None:
    try:
        staging.rename(folder)
    except OSError:
        if retired.exists():
            retired.rename(folder)
        raise


def check_output_folder(folder: Path, schema: str, what: str) -> None:
    """Refuses a folder that can't be written, or that holds anything but an earlier output of the same kind.

    Args:
        folder: the folder, or where it will be made; nothing in it is changed.
        schema: the schema of the manifest of an earlier output, which may be replaced.
        what: the kind of output, such as ``design package``.

    Raises:
        InputError: the folder cannot be written; the hints say what would help.
    """
    where, hints = str(folder), ["name another folder with -o"]
    if folder.exists() and not folder.is_dir():
        raise InputError("not-a-folder", "a file stands in the way", where=where, hints=["name a folder"])
    if folder.is_dir() and any(folder.iterdir()) and not _has_schema(folder / MANIFEST, schema):
        hints.append("empty it")
        raise InputError("foreign-folder", f"the folder holds something that is no {what}", where=where, hints=hints)
    parent = next(parent for parent in folder.resolve().parents if parent.exists())
    try:
        with tempfile.TemporaryDirectory(dir=parent, prefix=".sttest-"):
            pass
    except OSError as error:
        unwritable = f"can't write in {parent} ({error.strerror})"
        raise InputError("unwritable-folder", unwritable, where=where, hints=hints) from error


def _has_schema(manifest: Path, schema: str) -> bool:
    try:
        read_object(manifest, schema, most_bytes=MAX_FILE_BYTES)
    except InputError:
        return False
    return True
