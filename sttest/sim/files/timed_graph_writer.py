"""Writes a graph as ``sttest.timed-graph/1``, so that reading it gives an equal graph."""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from sttest.sim.files.timed_graph_json import SCHEMA
from sttest.sim.files.traces import write_traces
from sttest.sim.graph import Actor, Event, Loop, Memory, Phase, Pipeline, Process, TimedGraph

_KINDS: dict[type, str] = {Pipeline: "pipeline", Actor: "actor", Memory: "memory"}


def write_timed_graph(graph: TimedGraph, path: Path) -> None:
    """Writes ``path`` and, where there are traces, the .npz of the same stem beside it."""
    traces = {p.name: p.trace for p in graph.processes if isinstance(p, Pipeline) and p.trace is not None}
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "name": graph.name,
        "clock_mhz": graph.clock_mhz,
        "fifos": [_plain(fifo) for fifo in graph.fifos],
        "processes": [_process(process) for process in graph.processes],
    }
    if graph.channels:
        data["channels"] = [_plain(channel) for channel in graph.channels]
    if traces:
        traces_path = path.with_suffix(".npz")
        write_traces(traces_path, traces)
        data["traces"] = traces_path.name
    path.write_text(json.dumps(data, indent=1, default=int) + "\n", encoding="utf-8")


def _plain(item: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, by name."""
    return {field.name: _value(getattr(item, field.name)) for field in fields(item) if not _is_default(item, field)}


def _is_default(item: Any, field: Field[Any]) -> bool:
    value = getattr(item, field.name)
    if field.default is not MISSING:
        return value == field.default
    return field.default_factory is not MISSING and value == field.default_factory()


def _value(value: Any) -> Any:
    if isinstance(value, (Event, Loop, Phase)):
        return _plain(value)
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    return dict(value) if hasattr(value, "items") else value


def _process(process: Process) -> dict[str, Any]:
    data = {"name": process.name, "kind": _KINDS[type(process)], **_plain(process)}
    if isinstance(process, Pipeline) and process.trace is not None:
        data["trace"] = process.name
    if isinstance(process, Actor):
        data["firings"] = process.firings
    return data
