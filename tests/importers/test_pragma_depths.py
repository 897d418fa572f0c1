"""Depths go back into pragmas of arrays and of streams in structs, which no tree of a region has."""

import pytest

from sttest.core.errors import InputError
from sttest.importers.cpp.depths_back import write_stream_depths
from sttest.importers.hls.project import read_sources
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph
from sttest.studies.check.patching import patched_files

TEXT = """void top(const int *in, int *m) {
  #pragma HLS dataflow
  hls::stream<int> x, y;
  hls::stream<int> lanes[2];
  hls::stream<int, 4> deep;
  int skip[32];
  #pragma HLS STREAM variable=skip depth=2
  Img z;
  #pragma HLS stream variable=z.data depth=2 type=fifo
}"""


def graph(depths: dict[str, int]) -> TimedGraph:
    fifos = tuple(Fifo(name, depth, 32) for name, depth in depths.items())
    loops = [Loop((1,), 1, 1, tuple(Event(fifo.name, op, 0) for fifo in fifos)) for op in ("write", "read")]
    return TimedGraph("top", 300.0, fifos, (Pipeline("p", (loops[0],)), Pipeline("c", (loops[1],))))


def patched(tmp_path, found: TimedGraph) -> str:
    path = tmp_path / "d.cpp"
    path.write_text(TEXT, encoding="utf-8")
    write_stream_depths(tmp_path, read_sources([path]), found, {}, tmp_path / "p")
    text = (tmp_path / "p").read_text(encoding="utf-8")
    return patched_files(text, path)[path.absolute()] if text else TEXT


def test_pragmas_of_arrays_and_members_change_and_missing_ones_are_put_behind_declarations(tmp_path):
    named = {"x": 2, "y": 2, "lanes[0]": 3, "lanes[1]": 9, "skip": 32, "z": 16}
    assert patched(tmp_path, graph(named)) == TEXT.replace("skip depth=2", "skip depth=32").replace(
        "data depth=2", "data depth=16"
    ).replace("lanes[2];\n", "lanes[2];\n  #pragma HLS stream variable=lanes depth=9\n")


def test_what_is_in_no_pragma_and_no_declaration_is_refused(tmp_path):
    assert patched(tmp_path, graph({"x": 2})) == TEXT
    assert patched(tmp_path, graph({"deep": 5})) == TEXT.replace("int, 4>", "int, 5>")
    with pytest.raises(InputError, match="is about 'gone'"):
        patched(tmp_path, graph({"x": 2, "gone": 3}))
    with pytest.raises(InputError, match="no stream of the graph is declared"):
        patched(tmp_path, graph({"gone": 3}))
