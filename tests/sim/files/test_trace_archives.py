"""An .npz beside a graph is read only as far as it is what it says."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.sim import graph_json, load
from sttest.sim.graph import MAX_ACCESSES_VARIABLE

GRAPH = {
    "schema": "sttest.timed-graph/1",
    "name": "two",
    "clock_mhz": 300.0,
    "fifos": [{"name": "a", "depth": 4, "bits": 32}],
    "processes": [
        {"name": "src", "kind": "pipeline", "trace": "src"},
        {
            "name": "dst",
            "kind": "pipeline",
            "loops": [{"trips": [4], "ii": 1, "latency": 1, "events": [{"fifo": "a", "op": "read", "stage": 0}]}],
        },
    ],
    "traces": "two.npz",
}
OP = np.ones(4, np.int32)


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


@pytest.fixture
def read(tmp_path):
    """Reads a graph with what an archive holds as ``src/tick``."""

    def of(tick, compression=zipfile.ZIP_STORED):
        with zipfile.ZipFile(tmp_path / "two.npz", "w", compression) as archive:
            archive.writestr("src/tick.npy", tick)
            archive.writestr("src/op.npy", npy(OP))
        (tmp_path / "two.json").write_text(json.dumps(GRAPH))
        return load(tmp_path / "two.json")

    return of


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_numpy_writes_is_read(read, version, compression):
    graph = read(npy(np.arange(4), version), compression)
    assert graph.processes[0].trace.tick.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("tick", "compression", "message"),
    [
        (npy(np.arange(4), (3, 0)), zipfile.ZIP_STORED, r"version \(3, 0\) of .npy"),
        (npy(np.array([None])), zipfile.ZIP_STORED, "'src/tick' holds objects"),
        (npy(np.arange(40))[:-200], zipfile.ZIP_STORED, "'src/tick' is shorter than its header says"),
        (npy(np.arange(4))[:-8], zipfile.ZIP_STORED, "expected 32 bytes got 24"),
        (npy(np.zeros(4, "V0")), zipfile.ZIP_STORED, "'src/tick' is shorter than its header says"),
        (npy(np.arange(4)), zipfile.ZIP_BZIP2, "array 'src/tick' is not stored, deflated and open"),
    ],
)
def test_odd_arrays_are_refused(read, tick, compression, message):
    with pytest.raises(InputError, match=message) as caught:
        read(tick, compression)
    assert caught.value.code == "bad-traces"


def test_more_than_all_accesses_take_is_refused_before_it_is_unpacked(read, monkeypatch):
    """One access takes 12 bytes, and each of two arrays a header of 16 KiB."""
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, "8")
    most = 8 * 12 + 2 * 16 * 1024
    size = most - len(npy(OP))
    with pytest.raises(InputError, match=f"its traces are too large .demand {most + 1} bytes, bound {most} bytes"):
        read(bytes(size + 1))
    with pytest.raises(InputError, match="not a readable"):
        read(bytes(size))


def test_a_directory_longer_than_any_is_not_read(read, tmp_path, monkeypatch):
    read(npy(np.arange(4)))
    monkeypatch.setattr(graph_json, "MAX_DIRECTORY_BYTES", 64)
    with pytest.raises(InputError, match=r"a directory of \d+ bytes, at most 64 are possible"):
        load(tmp_path / "two.json")
