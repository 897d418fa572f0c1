"""Reads and writes ``sttest.timed-graph/1`` (docs/reference/timed-graph.md)."""

import json
import math
import struct
import warnings
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from tokenize import TokenError
from typing import IO, Annotated, Any, BinaryIO, Literal, cast

import numpy as np
from pydantic import BaseModel, ConfigDict
from pydantic import Field as ModelField

from sttest.core.errors import InputError
from sttest.core.files import STANDARD_INPUT, parse_model, place_of, read_bytes, write_text
from sttest.core.plain_files import open_to_read
from sttest.sim.graph import (
    MAX_ACCESSES_VARIABLE,
    MAX_NAME_CHARS,
    Actor,
    ActorPhase,
    Channel,
    Event,
    Fifo,
    Loop,
    MemoryPort,
    Pipeline,
    Process,
    TimedGraph,
    Trace,
    max_accesses,
)

# --- Traces of pipelines in the .npz beside a timed graph: ``P/tick`` and ``P/op`` for a trace called P


MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
"""Bytes of the list of members at the end of an .npz; each takes ten times as much in memory."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (
    OSError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    MemoryError,
    OverflowError,
    SyntaxError,
    TokenError,
    RecursionError,
    struct.error,
    Warning,
)
"""What zipfile and numpy raise on files that were cut, flipped or made up, and what they would warn of."""
_HEADER_BYTES = 16 * 1024
_ACCESS_BYTES = 12


def read_traces(graph_path: Path, file_name: str, wanted: Iterable[str]) -> dict[str, Trace]:
    """The traces called ``wanted``; the file must lie in the folder of the graph.

    Raises:
        InputError: the file is missing, elsewhere, damaged or too large, or an array is.
    """
    names = list(dict.fromkeys(wanted))
    if not names:
        return {}
    if not file_name:
        raise InputError(
            "no-traces",
            "processes have traces but there is no key 'traces'",
            where=str(graph_path),
            hints=["name the .npz file beside the graph"],
        )
    path = _inside(graph_path.parent, file_name, str(graph_path))
    try:
        with open_to_read(path) as file, zipfile.ZipFile(_ShortReads(file)) as archive, warnings.catch_warnings():
            warnings.simplefilter("error")
            _check_members(archive, names, path)
            return {name: Trace(*(_array(archive, f"{name}/{part}") for part in ("tick", "op"))) for name in names}
    except _DAMAGED as error:
        raise InputError("bad-traces", f"not a readable .npz of plain arrays ({error})", where=str(path)) from error


class _ShortReads:
    """A file of which zipfile reads members piece by piece, but the directory at once, however long it claims to be."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell = file.seek, file.tell
        self._file = file

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile(f"a directory of {size} bytes, at most {MAX_DIRECTORY_BYTES} are possible")
        return self._file.read(MAX_DIRECTORY_BYTES if size < 0 else size)


def _array(archive: zipfile.ZipFile, key: str) -> np.ndarray:
    """One array, after its header has promised no more than the member holds."""
    info = archive.getinfo(f"{key}.npy")
    with archive.open(info) as stream:
        shape, dtype = _header(stream)
    if dtype.hasobject:
        raise ValueError(f"'{key}' holds objects")
    if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize > info.file_size:
        raise ValueError(f"'{key}' is shorter than its header says")
    with archive.open(info) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False, max_header_size=_HEADER_BYTES)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"version {version} of .npy")
    shape, _, dtype = read(stream, max_header_size=_HEADER_BYTES)
    return shape, dtype


def _inside(folder: Path, file_name: str, where: str) -> Path:
    path = folder / file_name
    is_name = len(file_name) <= MAX_NAME_CHARS and file_name.isprintable()
    if not is_name or path.resolve().parent != folder.resolve():
        raise InputError("outside-folder", f"'{file_name:.80}' is not a file in the graph's folder", where=where)
    if not path.is_file():
        raise InputError("missing-file", f"the traces file '{file_name}' is missing", where=where)
    return path


def _check_members(archive: zipfile.ZipFile, names: list[str], path: Path) -> None:
    """Refuses, before anything is unpacked, arrays that are missing, packed in an odd way or too large together."""
    members = {info.filename: info for info in archive.infolist()}
    total_bytes = 0
    for key in (f"{name}/{part}" for name in names for part in ("tick", "op")):
        info = members.get(f"{key}.npy")
        if info is None:
            raise InputError("missing-trace", f"no array '{key:.80}'", where=str(path))
        if info.compress_type not in _METHODS or info.flag_bits & 1:
            raise InputError("bad-traces", f"array '{key:.80}' is not stored, deflated and open", where=str(path))
        total_bytes += info.file_size
    bound_bytes = max_accesses() * _ACCESS_BYTES + 2 * len(names) * _HEADER_BYTES
    if total_bytes > bound_bytes:
        raise InputError(
            "trace-too-large",
            "its traces are too large",
            where=str(path),
            demand=total_bytes,
            bound=bound_bytes,
            unit="bytes",
            hints=[f"set {MAX_ACCESSES_VARIABLE} higher"],
        )


def write_traces(path: Path, traces: Mapping[str, Trace]) -> None:
    """Writes the arrays of all traces to one compressed .npz."""
    arrays: dict[str, np.ndarray] = {}
    for name, trace in traces.items():
        arrays[f"{name}/tick"] = trace.tick
        arrays[f"{name}/op"] = trace.op
    np.savez_compressed(path, allow_pickle=False, **arrays)


SCHEMA = "sttest.timed-graph/1"


class _Entry(BaseModel, ABC):
    """What every process has in a file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    start: int = 0
    origin: str = ""
    category: str = ""

    @abstractmethod
    def process(self, traces: Mapping[str, Trace]) -> Process:
        """The process; of those in ``traces`` it takes the one that it names."""

    def values(self) -> dict[str, Any]:
        """The fields by name, without the kind."""
        return {name: value for name, value in self.__dict__.items() if name != "kind"}


class _PipelineEntry(_Entry):
    kind: Literal["pipeline"]
    loops: tuple[Loop, ...] = ()
    repeat: int = 1
    end: int | None = None
    trace: str = ""

    def process(self, traces: Mapping[str, Trace]) -> Process:
        values = self.values()
        values["trace"] = traces.get(self.trace)
        return Pipeline(**values)


class _ActorEntry(_Entry):
    kind: Literal["actor"]
    phases: tuple[ActorPhase, ...]
    firings: int | None = None
    initial_phases: tuple[ActorPhase, ...] = ()

    def process(self, traces: Mapping[str, Trace]) -> Process:
        return Actor(**self.values())


class _MemoryEntry(_Entry):
    kind: Literal["memory"]
    op: str
    fifo: str
    tokens: int
    token_bytes: int
    channels: tuple[str, ...]
    burst_bytes: int = 4096
    outstanding: int = 16
    pattern: str = "sequential"
    ids: str = "one"
    gap: int = 0
    early: bool = False

    def process(self, traces: Mapping[str, Trace]) -> Process:
        return MemoryPort(**self.values())


class _GraphFile(BaseModel):
    """What stands in a file: the fields of a graph, with traces by name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    schema_: Literal["sttest.timed-graph/1"] = ModelField(alias="schema")
    name: str
    clock_mhz: float
    fifos: tuple[Fifo, ...]
    processes: tuple[Annotated[_PipelineEntry | _ActorEntry | _MemoryEntry, ModelField(discriminator="kind")], ...]
    channels: tuple[Channel, ...] = ()
    traces: str = ""


SMALLER = ("move accesses into traces", "write loops instead of many events")
"""Ways out where a file is too large."""
_DESCRIBED = ("see docs/reference/timed-graph.md for what a timed graph holds",)


def read_timed_graph(path: Path) -> TimedGraph:
    """The graph of a JSON file; its traces are read from the .npz beside it.

    Raises:
        InputError: not readable, not of the schema, or not a possible graph.
    """
    return parse_timed_graph(read_bytes(path, hints=SMALLER), path)


def parse_timed_graph(data: bytes, path: Path) -> TimedGraph:
    """The same of what a file holds; of standard input, traces have no place to be read from.

    Raises:
        InputError: as :func:`read_timed_graph`.
    """
    found = parse_model(_GraphFile, data, place_of(path), SCHEMA, hints=_DESCRIBED)
    wanted = [
        each.trace for each in found.processes if isinstance(each, _PipelineEntry) and "trace" in each.model_fields_set
    ]
    if wanted and path == STANDARD_INPUT:
        what = f"the graph's traces are in '{found.traces:.80}', a file beside it, which standard input does not have"
        raise InputError("missing-file", what, where=place_of(path), hints=["name the graph's file instead"])
    traces = read_traces(path, found.traces, wanted)
    processes = tuple(each.process(traces) for each in found.processes)
    return TimedGraph(found.name, found.clock_mhz, found.fifos, processes, found.channels)


# --- Writes a graph as ``sttest.timed-graph/1``, so that reading it gives an equal graph


_KINDS: dict[type, str] = {Pipeline: "pipeline", Actor: "actor", MemoryPort: "memory"}


def write_timed_graph(graph: TimedGraph, path: str | Path) -> None:
    """Writes ``path`` and, where there are traces, the .npz of the same stem beside it."""
    path = Path(path)
    traces = {p.name: p.trace for p in graph.processes if isinstance(p, Pipeline) and p.trace is not None}
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "name": graph.name,
        "clock_mhz": graph.clock_mhz,
        "fifos": [_plain_json(fifo) for fifo in graph.fifos],
        "processes": [_process_json(process) for process in graph.processes],
    }
    if graph.channels:
        data["channels"] = [_plain_json(channel) for channel in graph.channels]
    if traces:
        traces_path = path.with_suffix(".npz")
        write_traces(traces_path, traces)
        data["traces"] = traces_path.name
    write_text(path, _line_by_line(data))


def _line_by_line(data: Mapping[str, Any]) -> str:
    """A FIFO, process or channel a line, so that two versions of a graph can be compared, and are soon written."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {_part(value)}" for name, value in data.items()) + "\n}\n"


def _part(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, default=int)
    items = (json.dumps(each, default=int) for each in cast("list[Any]", value))
    return "[\n" + ",\n".join(f"  {item}" for item in items) + "\n ]"


def _plain_json(item: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, by name."""
    return {field.name: _value(getattr(item, field.name)) for field in fields(item) if not _is_default(item, field)}


def _is_default(item: Any, field: Field[Any]) -> bool:
    value = getattr(item, field.name)
    if field.default is not MISSING:
        return value == field.default
    return field.default_factory is not MISSING and value == field.default_factory()


def _value(value: Any) -> Any:
    if isinstance(value, (Event, Loop, ActorPhase)):
        return _plain_json(value)
    if isinstance(value, tuple):
        return list(map(_value, cast("tuple[object, ...]", value)))
    return dict(value) if hasattr(value, "items") else value


def _process_json(process: Process) -> dict[str, Any]:
    data = {"name": process.name, "kind": _KINDS[type(process)], **_plain_json(process)}
    if isinstance(process, Pipeline) and process.trace is not None:
        data["trace"] = process.name
    if isinstance(process, Actor):
        data["firings"] = process.firings
    return data
