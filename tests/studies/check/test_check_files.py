"""What files hold is told by their content; depths change in them and nothing else does; patches fit or are refused."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.formats import Format, formats
from sttest.importers.places import Place
from sttest.importers.sniffing import Sight, is_dataflow_cpp
from sttest.sim import load
from sttest.sim.sdf3 import parse_sdf3
from sttest.studies.check.changes import change_of
from sttest.studies.check.companions import companions, folding_of
from sttest.studies.check.designs import CheckedDesign, designs_of
from sttest.studies.check.finding import Change, FileEdit
from sttest.studies.check.own_files import graph_places, graph_with_depths, sdf3_places, sdf3_with_depths
from sttest.studies.check.patching import patched_files
from sttest.studies.check.request import Asked
from sttest.studies.check.writing import write_change
from sttest.testing.corpus import case

ROOT = Path(__file__).parents[3]
EXAMPLES, DATA = ROOT / "examples", ROOT / "tests" / "data"
VIEWER = DATA / "check" / "viewer.cpp"
SKEW = case("stage_skew").path
SDF3 = """<sdf3 type="sdf" version="1.0"><applicationGraph name="g"><sdf name="g" type="G">
<actor name="a" type="A"><port name="o" type="out" rate="2"/><port name="l" type="in" rate="1"/>
<port name="m" type="out" rate="1"/></actor>
<actor name="b" type="B"><port name="i" type="in" rate="3"/></actor>
<channel name="a2b" srcActor="a" srcPort="o" dstActor="b" dstPort="i"/>
<channel name="self" srcActor="a" srcPort="m" dstActor="a" dstPort="l" initialTokens="1"/>
</sdf><sdfProperties>
<actorProperties actor="a"><processor type="p" default="true"><executionTime time="1"/></processor></actorProperties>
<actorProperties actor="b"><processor type="p" default="true"><executionTime time="1"/></processor></actorProperties>
<channelProperties channel="self"><tokenSize sz="8"/></channelProperties>
<channelProperties channel="a2b"><bufferSize sz="3"/></channelProperties>
</sdfProperties></applicationGraph></sdf3>
"""


def form_of(path: Path) -> str:
    return next(designs_of(path, None, Asked())).form


# --- Sniffing


SNIFFED = {
    "hls": (VIEWER, EXAMPLES / "hls-residual" / "hls_residual", EXAMPLES / "hls-residual" / "src" / "residual.cpp"),
    "finn": (EXAMPLES / "finn-residual" / "residual.onnx",),
    "tapa": (EXAMPLES / "tapa-vadd", EXAMPLES / "tapa-vadd" / "nested.json"),
}


@pytest.mark.parametrize("name", SNIFFED)
def test_a_format_knows_its_own_and_no_other_does(name):
    for path in SNIFFED[name]:
        taken = [each.name for each in formats().values() if each.sniffs(Sight(path))]
        assert taken == [name]
    for other in (SKEW, DATA / "sdf3" / "modem.xml", ROOT / "README.md", ROOT / "tests", ROOT / "pyproject.toml"):
        assert [each.name for each in formats().values() if each.sniffs(Sight(other))] == []


def test_every_format_of_today_sniffs(tmp_path):
    (tmp_path / "trace").write_text("spec_channel\t0x1\tq\t2\n", encoding="utf-8")
    (tmp_path / "hls" / "src").mkdir(parents=True)
    (tmp_path / "hls" / "src" / "d.cpp").write_text("", encoding="utf-8")
    (tmp_path / "hls" / "hls_d" / "solution1" / "syn" / "report").mkdir(parents=True)
    assert formats()["lightningsim"].sniffs(Sight(tmp_path / "trace"))
    assert formats()["streamhls"].sniffs(Sight(tmp_path))


def test_content_decides_and_not_the_name(tmp_path):
    (tmp_path / "graph.xml").write_bytes(SKEW.read_bytes())
    (tmp_path / "graph.json").write_text(SDF3, encoding="utf-8")
    assert form_of(tmp_path / "graph.xml") == "a timed graph"
    assert form_of(tmp_path / "graph.json") == "an SDF3 graph"
    (tmp_path / "design.txt").write_bytes(VIEWER.read_bytes())
    (tmp_path / "csynth.xml").write_bytes((VIEWER.parent / "csynth.xml").read_bytes())
    assert form_of(tmp_path / "design.txt") == "hls"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("#pragma HLS dataflow", True),
        ("# PRAGMA hls DATAFLOW", True),
        ('_Pragma("HLS dataflow")', True),
        ("#include <hls_stream.h>", True),
        ("hls::task t(f);", True),
        ("// #pragma HLS dataflow\nint main() {}", False),
        ("/* hls::stream */ int main() {}", False),
        ('{"text": "#pragma HLS dataflow"}', False),
        ("#pragma omp parallel", False),
    ],
)
def test_cpp_of_an_hls_tool_is_told_from_other_text(tmp_path, text, is_one):
    (tmp_path / "f").write_text(text, encoding="utf-8")
    assert is_dataflow_cpp(Sight(tmp_path / "f")) is is_one


def test_a_mark_of_utf8_and_keys_in_any_order_are_no_obstacle(tmp_path):
    content = json.loads(SKEW.read_bytes())
    content["schema"] = content.pop("schema")
    (tmp_path / "late.json").write_text(json.dumps(content), encoding="utf-8")
    assert form_of(tmp_path / "late.json") == "a timed graph"
    assert Sight(Path("-"), b"\xef\xbb\xbf  <sdf3>").tag == "sdf3"


# --- What stands beside a design


def test_reports_are_found_beside_a_source_or_in_the_only_project(tmp_path):
    assert companions(VIEWER, ["reports"]) == {"reports": VIEWER.parent / "csynth.xml"}
    source = EXAMPLES / "hls-residual" / "src" / "residual.cpp"
    report = EXAMPLES / "hls-residual" / "hls_residual" / "solution1" / "syn" / "report"
    assert companions(source, ["reports", "notes"]) == {"reports": report}
    for number in (1, 2):
        folder = tmp_path / "p" / f"solution{number}" / "syn" / "report"
        folder.mkdir(parents=True)
        (folder / "top_csynth.xml").write_text("", encoding="utf-8")
    (tmp_path / "d.cpp").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="there are 2 folders of reports") as error:
        companions(tmp_path / "d.cpp", ["reports"])
    assert "--reports" in error.value.hints[0]


def test_reports_of_a_project_nearby_are_taken_only_if_the_source_has_their_top(tmp_path):
    reports = tmp_path / "other" / "solution1" / "syn" / "report"
    reports.mkdir(parents=True)
    (reports / "csynth.xml").write_text("<profile><TopModelName>residual</TopModelName></profile>")
    source = tmp_path / "mine" / "design.cpp"
    source.parent.mkdir()
    source.write_text("void residual_of_mine() {}\n")
    assert companions(source, ["reports"]) == {}
    source.write_text("void residual() {}\n")
    assert companions(source, ["reports"]) == {"reports": reports}


def test_rates_are_the_only_yaml_that_has_them(tmp_path):
    graph = tmp_path / "graph.json"
    graph.write_bytes((EXAMPLES / "tapa-vadd" / "graph.json").read_bytes())
    (tmp_path / "board.yaml").write_text("extends: u55c\n", encoding="utf-8")
    assert companions(graph, ["rates"]) == {}
    (tmp_path / "rates.yml").write_text("clock_mhz: 300\ntasks: {}\n", encoding="utf-8")
    assert companions(graph, ["rates"]) == companions(tmp_path, ["rates"]) == {"rates": tmp_path / "rates.yml"}


# --- Own files with other depths


ODD = """{"schema": "sttest.timed-graph/1", "name": "fifos", "clock_mhz": 300,
  "fifos": [ {"bits": 8,
    "depth" : 2, "name": "p"},
    {"name": "depth\\": 7 }{", "bits": 8, "depth": 5} ],
  "processes": [{"name": "p", "kind": "pipeline", "loops": [{"trips": [4], "ii": 1, "latency": 1, "events": [
     {"fifo": "p", "op": "write", "stage": 0}, {"fifo": "depth\\": 7 }{", "op": "write", "stage": 0}]}]},
    {"name": "q", "kind": "pipeline", "loops": [{"trips": [4], "ii": 1, "latency": 1, "events": [
     {"fifo": "p", "op": "read", "stage": 0}, {"fifo": "depth\\": 7 }{", "op": "read", "stage": 0}]}]}]}
"""


def test_only_numbers_of_depths_change_in_a_timed_graph():
    found = graph_with_depths(ODD, {'depth": 7 }{': 9, "p": 4}, "odd")
    assert found == ODD.replace('"depth" : 2', '"depth" : 4').replace('"depth": 5', '"depth": 9')
    places = graph_places(Path("odd"), ODD)
    assert {name: place.line for name, place in places.fifos.items()} == {"p": 2, 'depth": 7 }{': 4}
    assert {name: place.line for name, place in places.processes.items()} == {"p": 5, "q": 7}


def test_sizes_of_buffers_change_in_sdf3_and_none_is_put_in_another_channel():
    graph = parse_sdf3(SDF3.encode(), "g")
    assert sdf3_with_depths(SDF3, {"a2b": 12}, graph, "g") == SDF3.replace('sz="3"', 'sz="12"')
    with pytest.raises(InputError, match="spelled in a way"):
        sdf3_with_depths(SDF3, {"self": 2}, graph, "g")
    places = sdf3_places(Path("g"), SDF3)
    assert (places.fifos["self"], places.processes["b"]) == (Place(Path("g"), 6), Place(Path("g"), 4))


def test_lines_of_elements_that_never_end_are_found_in_time_that_grows_with_the_text():
    began = time.process_time()
    assert sdf3_places(Path("g"), "<channel " * 8_000).fifos == {}
    assert time.process_time() - began < 2  # trying each against all that follows took 17 s


# --- Changes


def test_a_changed_file_is_not_overwritten(tmp_path):
    path = tmp_path / "f"
    path.write_text("old", encoding="utf-8")
    edit = FileEdit(path=str(path), text="new", before=hashlib.sha256(b"old").hexdigest())
    change = Change(writes="", depths={}, text="", edits=(edit,))
    assert write_change(change) == [str(path)]
    assert path.read_text(encoding="utf-8") == "new"
    with pytest.raises(InputError, match="changed since it was read"):
        write_change(change)
    with pytest.raises(InputError, match="because"):
        write_change(Change(writes="", depths={}, text="", why_not="because"))


def test_a_folding_configuration_keeps_what_it_says_of_nodes(tmp_path):
    pytest.importorskip("onnx")
    model = tmp_path / "residual.onnx"
    model.write_bytes((EXAMPLES / "finn-residual" / "residual.onnx").read_bytes())
    folding_of(model).write_text('{"Defaults": {}, "convolution": {"PE": 2, "SIMD": 8}}', encoding="utf-8")
    design = next(designs_of(model, None, Asked()))
    assert design.beside == (f"folding {folding_of(model)}",)
    (edit,) = change_of(design, {"fork__join": 19}).edits
    written = json.loads(edit.text)
    assert written["convolution"]["PE"] == 2
    assert written["fork"]["outFIFODepths"] == [2, 19]


def test_a_package_says_why_its_depths_stay():
    change = change_of(CheckedDesign(load(SKEW), "a design package", Path("p")), {"skip": 8})
    assert change.edits == ()
    assert "its compiler's" in change.why_not
    assert json.loads(change.text)["fifos"][1]["depth"] == 8


# --- Patches


PATCH = """--- a/src/one.cpp
+++ b/src/one.cpp
@@ -1,2 +1,3 @@
 first
+between\r
 second\r
--- a/two.h
+++ b/two.h
@@ -2,2 +2,2 @@
 b
-c
\\ No newline at end of file
+d
\\ No newline at end of file
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.cpp").write_bytes(b"first\nsecond\r\nthird\n")
    (tmp_path / "two.h").write_bytes(b"a\nb\nc")
    return tmp_path


def test_a_patch_fits_in_the_nearest_folder_that_has_its_files(project):
    found = patched_files(PATCH, project / "src" / "one.cpp")
    assert found == {project / "src" / "one.cpp": "first\nbetween\r\nsecond\r\nthird\n", project / "two.h": "a\nb\nd"}


def test_a_patch_of_another_text_is_refused(project):
    (project / "two.h").write_bytes(b"a\nb\nx")
    with pytest.raises(InputError, match=r"two\.h line 2: the change does not fit"):
        patched_files(PATCH, project)
    (project / "two.h").unlink()
    with pytest.raises(InputError, match="in no folder above"):
        patched_files(PATCH, project)


# --- What is refused


def test_what_is_refused_says_what_it_is_and_what_is_checked(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "words").write_bytes(b"hello\n")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(8 << 30)
    (tmp_path / "cut.json").write_bytes(SKEW.read_bytes()[:200])
    (tmp_path / "bomb.json").write_bytes(b'{"a":' * 100_000)
    told = {
        "empty": "an empty file, which is none of",
        "binary": "binary data of no known form, which is none of",
        "words": "neither JSON nor XML, which is none of",
        "folder": "an empty folder, which is none of",
        "pipe": "it is a named pipe",
        "huge": "binary data",
        "cut.json": "not valid JSON",
        "bomb.json": "text of no known form",
        "nothing": "no such file or folder",
        "gpt2": "the name of a model",
    }
    for name, what in told.items():
        path = Path(name) if name == "gpt2" else tmp_path / name
        with pytest.raises(InputError) as error:
            list(designs_of(path, None, Asked()))
        assert what in str(error.value), name
        if "none of" in what:
            assert all(form in str(error.value) for form in ("a timed graph", "linalg text", *formats()))


def test_a_folder_of_designs_names_them(tmp_path):
    (tmp_path / "d.json").write_bytes(SKEW.read_bytes())
    with pytest.raises(InputError, match="a folder with no design that is known") as error:
        list(designs_of(tmp_path, None, Asked()))
    assert any(hint.endswith("d.json") for hint in error.value.hints)


def test_standard_input_is_no_design_that_has_files_beside_it():
    with pytest.raises(InputError, match=r"hls reads files beside it"):
        list(designs_of(Path("-"), VIEWER.read_bytes(), Asked()))
    with pytest.raises(InputError, match="did you mean 'hls'"):
        list(designs_of(VIEWER, None, Asked(form="hsl")))


def test_what_two_formats_take_is_read_by_the_first_that_can(tmp_path, monkeypatch):
    def takes(name, **more):
        return Format(name, "", "", sniffs=lambda sight: sight.head == b"both", **more)

    def refuses(self, source, options):
        if self.name == "second":
            return load(SKEW)
        raise InputError("x", f"not for {self.name}", hints=[f"mend {self.name}"])

    (tmp_path / "f").write_text("both", encoding="utf-8")
    monkeypatch.setattr(Format, "read", refuses)
    monkeypatch.setitem(formats(), "first", takes("first"))
    monkeypatch.setitem(formats(), "third", takes("third"))
    with pytest.raises(InputError) as error:
        list(designs_of(tmp_path / "f", None, Asked()))
    assert error.value.what == "as first: not for first; as third: not for third"
    assert error.value.hints == ("mend first", "mend third")
    monkeypatch.setitem(formats(), "second", takes("second"))
    assert form_of(tmp_path / "f") == "second"
