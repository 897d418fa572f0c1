"""`values.json`: what is written is read, and what cannot be is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_values import DOUBLED, computing, joining, reordering

from sttest.core.errors import InputError
from sttest.reference import read_reference_graph, write_reference_graph


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[Callable[[Any], None]], Path]:
    """Writes the computing graph, changed by a function of its JSON."""

    def edit(change: Callable[[Any], None]) -> Path:
        path = tmp_path / "values.json"
        write_reference_graph(computing(DOUBLED), path)
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))
        return path

    return edit


@pytest.mark.parametrize("graph", [reordering(), joining(), computing(DOUBLED)], ids=lambda graph: graph.name)
def test_what_is_written_is_read(graph: Any, tmp_path: Path) -> None:
    write_reference_graph(graph, tmp_path / "values.json")
    assert read_reference_graph(tmp_path / "values.json") == graph


def setter(*keys: Any, value: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


TASK = ("nodes", 1)
HOSTILE = {
    "another schema": (setter("schema", value="sttest.values/9"), "not 'sttest.values/1'"),
    "an unknown key": (setter("stream", value=[]), "unknown key 'stream'.*streams"),
    "an unknown key of a stream": (
        setter("streams", 0, "dept", value=1),
        r"streams\[0\].dept: unknown key 'dept'; did you mean 'depth'",
    ),
    "an unknown kind": (setter(*TASK, "kind", value="tusk"), r"nodes\[1\]: unknown kind"),
    "a missing key": (lambda data: data["streams"][0].pop("trips"), "trips"),
    "a text for a number": (setter("streams", 0, "depth", value="two"), "depth"),
    "an element type": (setter("streams", 0, "dtype", value="f64"), "dtype"),
    "a stream without a name": (setter("streams", 0, "name", value=""), "name '' is not 1 to 200"),
    "no such stream": (setter(*TASK, "sources", value=["row"]), "there is no stream 'row'; did you mean 'rows'"),
    "two writers": (setter(*TASK, "sinks", value=["rows"]), "stream 'rows': is written by 2 nodes"),
    "a stream twice": (lambda data: data["streams"].append(data["streams"][0]), "the name stands 2 times"),
    "no trips": (setter("streams", 0, "trips", value=[0, 2]), "trips is 0, at least 1"),
    "ranks": (setter("streams", 0, "steps", value=[2]), "2 trips need as many steps"),
    "too many elements": (setter("streams", 0, "trips", value=[2**20, 2**20]), "number of elements is"),
    "an endless offset": (setter("streams", 0, "start", value=[2**70, 0]), "extent is"),
    "a huge step": (setter("streams", 0, "steps", value=[2**60, 3]), "steps is"),
    "another tensor": (setter("arguments", 0, "shape", value=[6, 4]), "but 'a' is"),
    "a tile of nothing": (setter("nodes", 0, "layout", "beat", value=[0, 3]), "beat is 0"),
    "a beat of 12 bits": (setter("nodes", 0, "layout", "beat_bits", value=12), "not whole bytes"),
    "a huge grid": (setter("nodes", 0, "layout", "grid", value=[2**30, 2**30]), "number of elements"),
    "an op from nowhere": (setter(*TASK, "payload", "ops", 0, "op", value="arith.adf"), "did you mean 'arith.addf'"),
    "a value of the future": (setter(*TASK, "payload", "ops", 0, "operands", value=[0, 2]), "reads value 2 of 2"),
    "a result that is none": (setter(*TASK, "payload", "results", value=[-1]), "reads value -1"),
    "other elements": (setter(*TASK, "payload", "arguments", value=["f16", "f16"]), r"arith.addf of \(f16, f16\)"),
    "a reduction from nothing": (setter(*TASK, "kinds", value=["parallel", "reduction"]), "no value to start from"),
    "a short access": (setter(*TASK, "accesses", 0, "coefficients", value=[[1], [0]]), "not over its 2 loops"),
    "a running value": (setter(*TASK, "payload", "results", value=[1]), "running value that is not initialized"),
    "an unknown store": (setter("results", 0, "store", value="stor"), "unknown store 'stor'; did you mean 'store'"),
    "another result": (setter("results", 0, "shape", value=[24]), "its views give .4, 6."),
    "a view of nothing": (setter("results", 0, "views", value=[{"shape": [4, 6], "dims": [0, 0]}]), "a view takes"),
    "a view elsewhere": (setter("results", 0, "views", value=[{"shape": [4, 6], "dims": [0, 7]}]), "a view takes"),
}


@pytest.mark.parametrize(("change", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_what_cannot_be_is_refused(change: Any, message: str, edited: Any) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_reference_graph(edited(change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": "sttest.values/1"}', '{"schema": NaN}', "[" * 100])
def test_files_that_are_no_graph(text: str, tmp_path: Path) -> None:
    (tmp_path / "values.json").write_text(text)
    with pytest.raises(InputError):
        read_reference_graph(tmp_path / "values.json")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_reference_graph(tmp_path / "values.json")
