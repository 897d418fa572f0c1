"""Reads and writes ``sttest.timed-graph/1`` (docs/timed-graph.md)."""

from __future__ import annotations

import json
import math
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, BinaryIO

import numpy as np

from sttest.core.errors import InputError, did_you_mean
from sttest.core.json_object import JsonObject, read_json
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
    When,
    max_accesses,
)

# --- Traces of pipelines in the .npz beside a timed graph: ``P/tick`` and ``P/op`` for a trace called P


MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
"""Of the list of members at the end of an .npz; each takes ten times as much in memory."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (
    OSError, ValueError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, MemoryError, OverflowError,
    SyntaxError, TokenError, RecursionError, struct.error, Warning,
)  # fmt: skip
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
        with path.open("rb") as file, zipfile.ZipFile(_ShortReads(file)) as archive, warnings.catch_warnings():
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
_GRAPH_KEYS = ("schema", "name", "clock_mhz", "fifos", "processes", "channels", "traces")
_COMMON = ("name", "kind", "start", "origin", "category")
_KIND_KEYS = {
    "pipeline": (*_COMMON, "loops", "repeat", "end", "trace"),
    "actor": (*_COMMON, "phases", "firings"),
    "memory": (*_COMMON, "op", "fifo", "tokens", "token_bytes", "channels", "burst_bytes", "outstanding"),
}


def read_timed_graph(path: Path) -> TimedGraph:
    """The graph of a JSON file; its traces are read from the .npz beside it.

    Raises:
        InputError: not readable, not of the schema, or not a possible graph.
    """
    top = JsonObject(read_json(path), str(path), _GRAPH_KEYS)
    if top.text("schema") != SCHEMA:
        raise InputError("wrong-schema", f"schema is '{top.text('schema'):.80}', not '{SCHEMA}'", where=str(path))
    processes = _places(top, "processes")
    wanted = [item["trace"] for _, item in processes if isinstance(item, dict) and isinstance(item.get("trace"), str)]
    traces = read_traces(path, top.text("traces", ""), wanted)
    return TimedGraph(
        name=top.text("name"),
        clock_mhz=top.number("clock_mhz"),
        fifos=tuple(Fifo(**_plain(Fifo, item, where)) for where, item in _places(top, "fifos")),
        processes=tuple(_process(item, where, traces) for where, item in processes),
        channels=tuple(Channel(**_plain(Channel, item, where)) for where, item in _places(top, "channels", [])),
    )


def _places(source: JsonObject, key: str, default: list[Any] | None = None) -> list[tuple[str, Any]]:
    """The items of a list, each with its place."""
    return [(f"{source.where} {key}[{i}]", item) for i, item in enumerate(source.items(key, default))]


def _plain(cls: type, data: Any, where: str) -> dict[str, Any]:
    """Values of a dataclass whose fields are all whole numbers or strings, defaults filled in."""
    names = {field.name: field for field in fields(cls)}
    source = JsonObject(data, where, names)
    values: dict[str, Any] = {}
    for name, field in names.items():
        default = None if field.default is MISSING else field.default
        values[name] = source.text(name, default) if field.type == "str" else source.whole(name, default)
    return values


def _process(data: Any, where: str, traces: Mapping[str, Trace]) -> Process:
    kind = data.get("kind") if isinstance(data, dict) else None
    if isinstance(data, dict) and (not isinstance(kind, str) or kind not in _KIND_KEYS):
        what = "key 'kind' is missing" if "kind" not in data else f"unknown kind {kind!r:.40}"
        raise InputError("unknown-kind", what, where=where, hints=[did_you_mean(f"{kind!s:.40}", _KIND_KEYS)])
    source = JsonObject(data, where, _KIND_KEYS.get(str(kind), ()))
    common = {
        "name": source.text("name"),
        "start": source.whole("start", 0),
        "origin": source.text("origin", ""),
        "category": source.text("category", ""),
    }
    if kind == "pipeline":
        return Pipeline(**common, **_pipeline(source, traces))
    if kind == "actor":
        phases = tuple(_phase(item, place) for place, item in _places(source, "phases"))
        return Actor(**common, phases=phases, firings=source.whole_or_none("firings"))
    return MemoryPort(
        **common,
        op=source.text("op"),
        fifo=source.text("fifo"),
        tokens=source.whole("tokens"),
        token_bytes=source.whole("token_bytes"),
        channels=source.texts("channels"),
        burst_bytes=source.whole("burst_bytes", 4096),
        outstanding=source.whole("outstanding", 16),
    )


def _pipeline(source: JsonObject, traces: Mapping[str, Trace]) -> dict[str, Any]:
    trace = traces[source.text("trace")] if "trace" in source else None
    loops = tuple(_loop(item, place) for place, item in _places(source, "loops", []))
    repeat, end = source.whole("repeat", 1), source.whole_or_none("end")
    return {"loops": loops, "trace": trace, "repeat": repeat, "end": end}


def _loop(data: Any, where: str) -> Loop:
    source = JsonObject(data, where, ("trips", "ii", "latency", "events", "entry_gap"))
    events = tuple(_event(item, place) for place, item in _places(source, "events", []))
    gap = source.whole("entry_gap", 2)
    return Loop(source.wholes("trips"), source.whole("ii"), source.whole("latency"), events, gap)


def _event(data: Any, where: str) -> Event:
    source = JsonObject(data, where, ("fifo", "op", "stage", "when", "tokens"))
    when = tuple(_when(item, where) for item in source.items("when", []))
    return Event(source.text("fifo"), source.text("op"), source.whole("stage"), when, source.whole("tokens", 1))


def _when(data: Any, where: str) -> When:
    if data is None or (isinstance(data, int) and not isinstance(data, bool)):
        return data
    if isinstance(data, list) and len(data) == 3 and all(type(value) is int for value in data):
        return (data[0], data[1], data[2])
    raise InputError("bad-when", f"{data!r:.40} is not null, an index or [first, last, step]", where=where)


def _phase(data: Any, where: str) -> ActorPhase:
    source = JsonObject(data, where, ("time", "reads", "writes"))
    return ActorPhase(source.whole("time"), source.counts("reads"), source.counts("writes"))


# --- Writes a graph as ``sttest.timed-graph/1``, so that reading it gives an equal graph


_KINDS: dict[type, str] = {Pipeline: "pipeline", Actor: "actor", MemoryPort: "memory"}


def write_timed_graph(graph: TimedGraph, path: Path) -> None:
    """Writes ``path`` and, where there are traces, the .npz of the same stem beside it."""
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
    path.write_text(json.dumps(data, indent=1, default=int) + "\n", encoding="utf-8")


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
        return [_value(item) for item in value]
    return dict(value) if hasattr(value, "items") else value


def _process_json(process: Process) -> dict[str, Any]:
    data = {"name": process.name, "kind": _KINDS[type(process)], **_plain_json(process)}
    if isinstance(process, Pipeline) and process.trace is not None:
        data["trace"] = process.name
    if isinstance(process, Actor):
        data["firings"] = process.firings
    return data
