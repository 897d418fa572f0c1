"""Reads and writes ``sttest.timed-graph/1`` (docs/timed-graph.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from sttest.errors import InputError, did_you_mean
from sttest.sim.files.traces import read_traces
from sttest.sim.graph import (
    Actor,
    Channel,
    Event,
    Fifo,
    Loop,
    Memory,
    Phase,
    Pipeline,
    Process,
    TimedGraph,
    Trace,
    When,
)
from sttest.sim.json_object import JsonObject, read_json

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
        raise InputError("unknown-kind", what, where=where, levers=[did_you_mean(f"{kind!s:.40}", _KIND_KEYS)])
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
    return Memory(
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


def _phase(data: Any, where: str) -> Phase:
    source = JsonObject(data, where, ("time", "reads", "writes"))
    return Phase(source.whole("time"), source.counts("reads"), source.counts("writes"))
