"""Which format a file or folder is taken for: by what it holds, wherever that stands, and by no look-alike."""

import json
import os
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.formats import formats
from sttest.importers.sniffing import HEAD_BYTES, Sight, is_project_file, never

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
CPP = b"void top() {\n#pragma HLS dataflow\n}\n"
APP = b'<project xmlns="com.autoesl.autopilot.project" name="p"><files><file name="a.cpp"/></files></project>'
CONFIG = b"part=xc7z020\n[hls]\nsyn.file=a.cpp\nsyn.top=top\n"
MANY = HEAD_BYTES // 3


def takers(sight: Sight) -> list[str]:
    """The formats that take it for one of their designs."""
    return [name for name, each in formats().items() if each.sniffs(sight)]


def written(path: Path, data: bytes) -> Sight:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Sight(path)


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (CPP, ["hls"]),
        (b"\xef\xbb\xbf" + CPP, ["hls"]),
        (b"/* of a design\n" + CPP + b"*/ int main() {}", []),
        (b"/* never closed\n" + CPP, []),
        (b"module { aie.device(npu2) { } }", ["aie"]),
        (b'"aie.objectfifo"(%0, %1) : (index, index) -> ()', ["aie"]),
        (b"module { } // after aie.device was lowered", []),
        (b"module { aie.core(%0) { aie.end } }", []),
        (b"allo.stream_get(%s, [])", ["allo"]),
        (b"func.func @k(%s: !allo.stream<i32, 4>)", ["allo"]),
        (b'module { allo.customize(@k) { } } // !allo.stream<i32>', []),
        (b"\x08\x08\x12\x04FINN", ["finn"]),
        (b"\x08\x7f\x12\x04FINN", []),  # an IR version of ONNX is not so great
        (b"\x08\x08\xff", []),
        (b"trace_bb\tmain\t1\n", ["lightningsim"]),
        (b"ap_ctrl_chain\r\n", ["lightningsim"]),
        (b"trace_bb of a run\n", []),
        (b"# a trace\ntrace_bb\tmain\t1\n", []),
        (b'{"tasks": {}, "top": "t"}', ["tapa"]),
        (b'  \n{"top": "t", "tasks": {}}', ["tapa"]),
        (b'{"top": "t"}', []),
        (b'{"top": "t", "tasks": {}', []),  # not closed
        (b'["top", "tasks"]', []),
        (b'{"top": "t", "tasks": {}, "top": "u"}', []),
        (b"", []),
        (b" \n\t", []),
    ],
)  # fmt: skip
def test_what_a_file_holds_decides(tmp_path, data, names):
    assert takers(written(tmp_path / "design", data)) == names
    assert takers(Sight(Path("-"), data)) == names


@pytest.mark.parametrize(
    ("data", "is_text"),
    [
        (b"plain", True),
        (b"", False),
        (b" \n ", False),
        (b"a\0b", False),
        (b"f\xfcr", False),
        (b"x" * (HEAD_BYTES - 1) + "é".encode(), True),  # cut in the middle of a letter
        (b"x" * (HEAD_BYTES - 2) + "€".encode(), True),
        (b"x" * (HEAD_BYTES - 3) + "😀".encode(), True),
        ("€".encode() * MANY + b"ab", True),
        (b"x" * 10 + b"\xff" + b"x" * HEAD_BYTES, False),
        (b"x" * (HEAD_BYTES - 5) + b"\xffxxxx", False),
    ],
)
def test_a_letter_that_the_end_of_what_is_read_cuts_makes_no_text_binary(tmp_path, data, is_text):
    assert written(tmp_path / "f", data).is_text is is_text


def test_code_counts_only_where_it_is_read_and_only_in_text(tmp_path):
    padding = b"-" * HEAD_BYTES + b"\n"
    early, late = CPP + padding, padding + CPP
    assert takers(written(tmp_path / "early.cpp", early)) == ["hls"]
    assert takers(written(tmp_path / "late.cpp", late)) == []
    assert takers(Sight(Path("-"), late)) == []
    assert takers(written(tmp_path / "object.o", b"\0" + CPP)) == []


def test_keys_of_json_count_wherever_they_stand(tmp_path):
    late = json.dumps({"padding": " " * HEAD_BYTES, "top": "t", "tasks": {}}).encode()
    assert takers(written(tmp_path / "graph.json", late)) == ["tapa"]
    assert takers(Sight(Path("-"), late)) == ["tapa"]


@pytest.mark.parametrize(
    ("data", "schema"),
    [
        (b'{"schema": "own/1", "rest": 1}', "own/1"),
        (b'{"rest": [1, {"schema": "inner"}], "schema": "own/1"}', "own/1"),
        (b'{"schema": "own/1", "rest": ', "own/1"),  # cut off: what its beginning says
        (b'{"schema": 3, "rest": ', ""),
        (b'{"schema": 3}', ""),
        (b'{"rest": 1}', ""),
        (b'{"rest": ' + b"[" * 5000 + b', "schema": "own/1"', ""),
        (b'"schema": "own/1"', ""),
        (b"", ""),
    ],
)
def test_the_schema_of_json_that_is_not_whole_is_that_of_its_beginning(data, schema):
    assert Sight(Path("-"), data).schema == schema


@pytest.mark.parametrize(
    ("data", "tag"),
    [
        (b'<?xml version="1.0"?><s:sdf3 type="sdf">', "s:sdf3"),
        (b"<profile/>", "profile"),
        (b"<>", ""),
        (b"text <profile>", ""),
    ],
)  # fmt: skip
def test_the_outermost_element_of_xml_is_the_first_that_opens(data, tag):
    assert Sight(Path("-"), data).tag == tag


@pytest.mark.parametrize(
    ("name", "data", "is_one"),
    [
        ("hls.app", APP, True),
        ("vivado_hls.app", APP.replace(b"project", b"AutoPilot:project"), True),
        ("hls.app", b"<AutoPilot:project><files/></AutoPilot:project>", True),
        ("hls.app", b"<project><solutions/></project>", False),
        ("other.app", APP, False),
        ("hls.app", b"<solution><files/></solution>", False),
        ("hls_config.cfg", CONFIG, True),
        ("hls_config.cfg", b"[hls]\n  syn.top = top\n", True),
        ("hls_config.cfg", b"# syn.top=top\n", False),
        ("other.cfg", CONFIG, False),
        ("hls_config.cfg", CONFIG + b"\0", False),
    ],
)
def test_files_that_describe_a_project_have_a_name_and_name_sources(tmp_path, name, data, is_one):
    sight = written(tmp_path / name, data)
    assert is_project_file(sight) is is_one
    assert takers(sight) == (["hls"] if is_one else [])


@pytest.mark.parametrize(
    ("files", "folder", "names"),
    [
        (["hls_config.cfg"], ".", ["hls"]),
        (["hls.app"], ".", ["hls"]),
        (["vivado_hls.app"], ".", ["hls"]),
        (["hls.app", "solution1/script.tcl"], "solution1", ["hls"]),
        (["p/hls.app", "p/a/b/script.tcl"], "p/a/b", []),  # two folders up is another thing
        (["hls.app/readme"], ".", []),
        (["hls/src/d.cpp", "hls/d/s/syn/report/d.xml"], ".", ["streamhls"]),
        (["hls/src/d.c", "hls/d/s/syn/report/d.xml"], ".", []),
        (["hls/src/d.cpp"], ".", []),
        (["s/.autopilot/db/a.o.3.bc"], "s", ["solution"]),
        (["s/.autopilot/db/a.o.3.bc"], ".", ["solution"]),
        (["a/s/.autopilot/db/a.o.3.bc"], ".", []),
        (["hls.app", "s/.autopilot/db/a.o.3.bc"], ".", ["hls", "solution"]),
        (["graph.json"], ".", ["tapa"]),
        (["work/graph.json"], ".", []),
        (["readme"], ".", []),
    ],
)
def test_folders_are_told_by_what_lies_in_them(tmp_path, files, folder, names):
    for file in files:
        written(tmp_path / "d" / file, b'{"top": "t", "tasks": {}}' if file.endswith("json") else b"")
    assert sorted(takers(Sight(tmp_path / "d" / folder))) == names


def test_a_graph_of_something_else_makes_no_work_directory_of_tapa(tmp_path):
    written(tmp_path / "graph.json", b'{"nodes": [], "edges": []}')
    assert takers(Sight(tmp_path)) == []
    assert takers(Sight(EXAMPLES / "tapa-vadd")) == ["tapa"]


@pytest.mark.parametrize(("file", "name"), [("window.aie.mlir", "aie"), ("reply.allo.mlir", "allo")])
def test_mlir_is_told_by_its_operations(file, name):
    assert takers(Sight(DATA / "mlir" / file)) == [name]


def test_standard_input_is_never_a_folder_though_one_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "-" / "hls_config.cfg", CONFIG)
    assert takers(Sight(Path("-"))) == ["hls"]
    assert takers(Sight(Path("-"), b"")) == []
    assert Sight(Path("-")).head == b""


def test_a_folder_holds_no_bytes(tmp_path):
    assert Sight(tmp_path).head == b""
    assert (Sight(tmp_path).start, Sight(tmp_path).code, Sight(tmp_path).is_text) == (b"", b"", False)


def test_what_cannot_be_read_is_refused_with_what_the_system_says(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, told in (("none", "No such file or directory"), ("pipe", "it is a named pipe"), ("a\0b", "null byte")):
        with pytest.raises(InputError) as refused:
            _ = Sight(tmp_path / name).head
        assert refused.value.code == "unreadable-file"
        assert told in refused.value.what


def test_a_format_whose_files_nothing_tells_takes_nothing():
    assert not never(Sight(Path("-"), CPP))
