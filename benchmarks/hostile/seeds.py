"""Small valid inputs of every kind that sttest reads; all hostile files are made from them."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sttest import boards
from sttest.testing import corpus

SDF3_FOLDER = Path(__file__).parents[2] / "tests" / "data" / "sdf3"


@dataclass(frozen=True)
class Seed:
    """Files that belong together; ``entry`` is the one that is named to sttest, ``kind`` its format."""

    name: str
    kind: str
    entry: str
    files: dict[str, bytes]


@cache
def seeds() -> tuple[Seed, ...]:
    """All of them."""
    made = [_graph(name, data) for name, data in (("pipelines", _pipelines()), ("memory", _memory()))]
    made += [_graph("actors", _actors(7)), _graph("endless", _actors(None)), _traced()]
    designs = sorted((Path(corpus.__file__).parent / "designs").glob("*.json"))
    made += [Seed(path.stem, "json", "g.json", {"g.json": path.read_bytes()}) for path in designs]
    made += [
        Seed(path.stem, "xml", "g.xml", {"g.xml": path.read_bytes()}) for path in sorted(SDF3_FOLDER.glob("*.xml"))
    ]
    data = Path(boards.__file__).parent / "data"
    made += [
        Seed(name, "yaml", "b.yaml", {"b.yaml": (data / f"{name}.yaml").read_bytes()}) for name in ("u55c", "a100")
    ]
    made.append(Seed("what-if", "yaml", "b.yaml", {"b.yaml": b"extends: u55c\nname: what-if\n"}))
    return tuple(made)


def _graph(name: str, data: dict[str, Any]) -> Seed:
    return Seed(name, "json", "g.json", {"g.json": json.dumps(data).encode()})


def _top(name: str, fifos: list[str], processes: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    made = [{"name": fifo, "depth": 4, "bits": 32} for fifo in fifos]
    return {
        "schema": "sttest.timed-graph/1",
        "name": name,
        "clock_mhz": 300.0,
        "fifos": made,
        **more,
        "processes": processes,
    }


def _loop(trips: list[int], *events: tuple[str, str, int], **more: Any) -> dict[str, Any]:
    made = [{"fifo": fifo, "op": op, "stage": stage} for fifo, op, stage in events]
    return {"trips": trips, "ii": 1, "latency": 4, "events": made, **more}


def _pipelines() -> dict[str, Any]:
    """A pipeline that repeats, one that accesses a FIFO in some iterations only, and one with several loops."""
    picky = _loop([4, 6], ("a", "read", 0), entry_gap=3)
    picky["events"].append({"fifo": "b", "op": "write", "stage": 3, "when": [None, [0, 5, 5]], "tokens": 3})
    return _top(
        "pipelines",
        ["a", "b"],
        [
            {"name": "p", "kind": "pipeline", "start": 3, "repeat": 4, "loops": [_loop([6], ("a", "write", 3))]},
            {"name": "q", "kind": "pipeline", "loops": [picky], "origin": "aten.add", "category": "compute"},
            {
                "name": "r",
                "kind": "pipeline",
                "loops": [_loop([12], ("b", "read", 0)), _loop([12], ("b", "read", 1))],
                "end": 60,
            },
        ],
    )


def _memory() -> dict[str, Any]:
    """Every field of memory ports and channels stands in one of them."""
    port = {"kind": "memory", "tokens": 24, "token_bytes": 64, "burst_bytes": 256}
    rate = {"latency": 20, "beat_bytes": 32, "beats_num": 4, "beats_den": 5}
    delays = {"write_den": 6, "busy_latency": 30, "response": 7, "busy_response": 12, "id_wait": 3}
    turns = {"random_bytes": 64, "random_short": 9, "random_long": 15, "read_turns": 2, "write_turns": 3}
    wide = {"channels": ["c0", "c1"], "outstanding": 8}
    return _top(
        "memory",
        ["a", "b"],
        [
            {"name": "load", "op": "read", "fifo": "a", **port, **wide, "pattern": "random", "ids": "many"},
            {"name": "p", "kind": "pipeline", "loops": [_loop([24], ("a", "read", 0), ("b", "write", 3))]},
            {"name": "store", "op": "write", "fifo": "b", **port, "channels": ["c2", "c3"], "gap": 4, "early": True},
        ],
        channels=[{"name": f"c{i}", **rate, **(delays | turns if i % 2 else {})} for i in range(4)],
    )


def _actors(firings: int | None) -> dict[str, Any]:
    phases = [{"time": 2, "reads": {"a": 1}, "writes": {"b": 2}}, {"time": 0, "reads": {"a": 2}, "writes": {}}]
    times = 1 if firings is None else firings
    data = _top(
        "actors",
        ["a", "b"],
        [
            {"name": "x", "kind": "actor", "phases": phases, "firings": firings and 2 * times},
            {
                "name": "y",
                "kind": "actor",
                "phases": [{"time": 3, "reads": {"b": 2}, "writes": {"a": 3}}],
                "firings": firings and times,
            },
        ],
    )
    data["fifos"][0]["initial_tokens"] = 3
    return data


def _traced() -> Seed:
    data = _top(
        "traced",
        ["a"],
        [
            {"name": "src", "kind": "pipeline", "trace": "src", "end": 40, "repeat": 2},
            {"name": "dst", "kind": "pipeline", "trace": "dst"},
        ],
        traces="g.npz",
    )
    archive = io.BytesIO()
    ticks = {"src": np.arange(16, dtype=np.int64) * 2, "dst": np.arange(32, dtype=np.int64)}
    arrays = {f"{name}/tick": tick for name, tick in ticks.items()}
    arrays |= {"src/op": np.ones(16, np.int32), "dst/op": np.zeros(32, np.int32)}
    np.savez_compressed(archive, allow_pickle=False, **arrays)
    return Seed("traced", "json", "g.json", {"g.json": json.dumps(data).encode(), "g.npz": archive.getvalue()})
