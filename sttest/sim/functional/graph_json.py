"""Reads and writes ``sttest.values/1``: the `values.json` of a design package."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sttest.boards.validation import validated
from sttest.errors import InputError
from sttest.sim.functional.graph import (
    Argument,
    Concat,
    Converter,
    Fork,
    Gather,
    Load,
    Result,
    Store,
    Stream,
    Task,
    ValueGraph,
)
from sttest.sim.json_object import read_json

SCHEMA = "sttest.values/1"


class _File(BaseModel):
    """What stands in a file: the fields of a graph, each of a known key."""

    model_config = ConfigDict(extra="forbid")

    schema_: Literal["sttest.values/1"]
    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    streams: tuple[Stream, ...]
    nodes: tuple[Annotated[Load | Store | Fork | Concat | Gather | Converter | Task, Field(discriminator="kind")], ...]


def read_value_graph(path: Path) -> ValueGraph:
    """The graph of a JSON file.

    Raises:
        InputError: not readable, not of the schema, or not a possible graph.
    """
    data: Any = read_json(path, "a value graph")
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError("wrong-schema", f"no values of schema {SCHEMA}", where=str(path))
    renamed = {"schema_" if key == "schema" else key: value for key, value in data.items()}
    found = validated(_File, renamed, str(path))
    return ValueGraph(found.name, found.arguments, found.results, found.streams, found.nodes)


def write_value_graph(graph: ValueGraph, path: Path) -> None:
    """Writes a graph so that reading it gives an equal one."""
    data = {"schema": SCHEMA, **asdict(graph)}
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
