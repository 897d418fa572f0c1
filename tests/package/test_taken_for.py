"""What a path that is no design is taken for, by its name, its content and what lies around it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.package import load_graph
from sttest.package.ways_in import WayIn, way_in

PACKAGE = '{"schema": "sttest.package/1"}'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(files: dict[str, str]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")


def taken(path: str, content: str | None = None) -> WayIn | None:
    if content is not None:
        written({path: content})
    return way_in(Path(path))


FILES: dict[str, tuple[str, str, str, str]] = {  # name, content, what it is, and a command or what to do
    "a model's configuration by its architecture": (
        "m/config.json", '{"architectures": ["X"]}', "a model's configuration",
        "compile the model with 'sttest compile m/config.json --phase decode --context 64 -o build/m'",
    ),
    "a configuration with a name of its own": (
        "mine.json", '{"model_type": "gpt2"}', "a model's configuration",
        "compile the model with 'sttest compile mine.json --phase decode --context 64 -o build/mine'",
    ),
    "a folding configuration by its layers": (
        "f.json", '{"MVAU_0": {"PE": 2}, "Other": 1}', "a folding configuration of FINN",
        "import the model that it is for with 'sttest import finn MODEL.onnx --folding f.json -o design.json'",
    ),
    "depths of FINN": (
        "f.json", '{"X": {"outFIFODepths": [2]}}', "a folding configuration of FINN",
        "import the model that it is for with 'sttest import finn MODEL.onnx --folding f.json -o design.json'",
    ),
    "a simulation": (
        "s.json", '{"schema": "sttest.simulation/1"}', "what 'sttest simulate --json' printed",
        "name the design that was simulated",
    ),
    "rates of TAPA": (
        "rates.yaml", "tasks:\n  a: {}\n", "rates of a TAPA design",
        "import the design that they are for with "
        "'sttest import tapa WORK-DIR/graph.json --rates rates.yaml -o design.json'",
    ),
    "a board": (
        "board.yml", "name: x\ndevice: y\n", "a board",
        "compile for it with 'sttest compile MODEL --board board.yml'",
    ),
    "another YAML": ("x.yaml", "  axes: in a text\n", "YAML", "name a design"),
    "traces": ("g.npz", "", "traces of a timed graph", "name the graph, such as g.json"),
    "weights alone": ("w.safetensors", "", "weights", "name the design that they are for"),
    "a header of C": (
        "a.HPP", "", "a C++ header",
        "import the C++ file that includes it with "
        "'sttest import hls FILE.cpp -o design.json'",
    ),
    "TAPA by a name": (
        "a.cpp", "void t(tapa::istream<int>& a);", "a TAPA program",
        "import what 'tapa analyze' makes of it with "
        "'sttest import tapa WORK-DIR/graph.json --rates rates.yaml -o design.json'",
    ),
    "no TAPA but a word": (
        "a.cc", "// mytapa::x, tapas.h", "C++ source",
        "import it with 'sttest import hls a.cc -o design.json'",
    ),
    "a trace of Windows": (
        "trace.txt", "ap_ctrl_chain\r\nx", "a trace of LightningSim",
        "import it with "
        "'sttest import lightningsim trace.txt --reports PROJECT/solution1/syn/report -o design.json'",
    ),
    "no trace but a word": (
        "notes", "trace_bbx\t1", "neither JSON nor XML",
        "see 'sttest import' for the formats of other tools that are read",
    ),
    "a graph of TAPA": (
        "w/graph.json", '{"top": "t", "tasks": {}}', "a graph of TAPA",
        "'sttest import tapa w/graph.json --template -o rates.yaml' asks what its tasks do; "
        "import it with 'sttest import tapa w/graph.json --rates rates.yaml -o design.json'",
    ),
    "MLIR": (
        "block.mlir", "", "MLIR text", "compile it with 'sttest compile block.mlir -o build/block'",
    ),
    "Python": (
        "m.py", "", "Python",
        "compile a function of it that makes a PyTorch module with "
        "'sttest compile m.py:FUNCTION --precision fp32 -o build/m'",
    ),
    "pickled": (
        "m.ckpt", "", "pickled PyTorch, which is never read",
        "write a function that makes the module, and compile it with "
        "'sttest compile FILE.py:FUNCTION --precision fp32 -o build/FILE'",
    ),
    "ONNX": (
        "m.onnx", "", "an ONNX model",
        "if it has dataflow layers of FINN, import it with 'sttest import finn m.onnx -o design.json'",
    ),
    "a study": ("s.yml", "axes: {}", "a what-if study", "run it with 'sttest whatif s.yml'"),
    "XML": (
        "p.html", "<html/>", "XML whose outermost element is 'html'",
        "see 'sttest import' for the formats of other tools that are read",
    ),
    "a report alone": (
        "r/csynth.rpt", " <profile/>", "a synthesis report of Vitis HLS",
        "import the C++ that was synthesized with 'sttest import hls FILE.cpp --reports r/csynth.rpt -o design.json'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_file_is_taken_for_what_its_name_and_content_say(case: str, here: Path) -> None:
    name, content, what, hint = FILES[case]
    found = taken(name, content)
    assert found is not None
    makes = " -o " in hint
    assert (found.what, found.hints[0].partition(", then name ")[0]) == (what, hint)
    assert (", then name " in found.hints[0]) == makes


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "{}"),
        ("a.json", "[1]"),
        ("a.json", "{"),
        ("a.json", '{"schema": "sttest.timed-graph/1"}'),
        ("a.json", '{"schema": 3, "x": {"PE_": 1}}'),
        ("a.xml", "<sdf3/>"),
        ("a.xml", "<a"),
        ("a.xml", "<!DOCTYPE a><profile/>"),
        ("a.cfg", "{}"),
        ("a.app", "<a"),
    ],
)
def test_of_what_may_be_a_design_or_is_damaged_nothing_is_said(name: str, content: str, here: Path) -> None:
    assert taken(name, content) is None


@pytest.mark.parametrize(
    ("name", "what", "command"),
    [
        ("gpt2", "the name of a model", "gpt2 --phase decode --context 64 -o build/gpt2"),
        ("small-qwen", "the name of a model", "small-qwen --phase decode --context 32 -o build/small-qwen"),
        ("a b.py:make", "a function that makes a module", "'a b.py:make' --precision fp32 -o 'build/a b'"),
    ],
)
def test_a_name_of_what_is_not_there_may_be_one_that_is_compiled(
    name: str, what: str, command: str, here: Path
) -> None:
    found = taken(name)
    assert found is not None
    assert (found.what, found.format) == (what, "")
    assert found.hints[0].startswith(f"compile it with 'sttest compile {command}', then name ")


@pytest.mark.parametrize("name", ["gpt3", "small", "small-", "my.py", "my.py:", "my.py:1", "my.mlir:f", ""])
def test_a_name_that_nobody_knows(name: str, here: Path) -> None:
    assert taken(name) is None


def test_nothing_is_said_of_standard_input() -> None:
    assert way_in(Path("-")) is None


def test_a_file_that_may_not_be_read_is_taken_for_what_its_name_says(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written({"a.cpp": "tapa::x", "a.yaml": "axes: {}"})

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert [found and found.what for found in map(way_in, (Path("a.cpp"), Path("a.yaml")))] == ["C++ source", "YAML"]


VITIS = "sttest import hls {} -o design.json"
FOLDERS: dict[str, tuple[dict[str, str], str, str, str]] = {  # files, the path, what it is, a part of the first hint
    "a checkpoint": (
        {"m/config.json": "", "m/w.safetensors": ""}, "m", "a checkpoint",
        "compile the model with 'sttest compile m --phase decode --context 64 -o build/m'",
    ),
    "weights of a checkpoint": (
        {"m/config.json": "", "m/w.safetensors": ""}, "m/w.safetensors", "weights of a checkpoint",
        "compile the model with 'sttest compile m --phase decode --context 64 -o build/m'",
    ),
    "a design of Stream-HLS": (
        {"d/hls/src/D.cpp": "", "d/hls/hls_D/solution1/syn/report/r.xml": ""}, "d", "a design of Stream-HLS",
        "sttest import streamhls d -o design.json",
    ),
    "a work directory of TAPA": (
        {"w/graph.json": '{"top": "t", "tasks": {}}'}, "w", "a work directory of TAPA",
        "'sttest import tapa w/graph.json --template -o rates.yaml' asks what its tasks do",
    ),
    "steps of a build of FINN": (
        {"b/intermediate_models/step_2.onnx": "", "b/intermediate_models/step_1.onnx": "", "b/a.onnx": ""}, "b",
        "a folder of ONNX models", "sttest import finn b/intermediate_models/step_2.onnx -o",
    ),
    "results": (
        {"r/fifo/manifest.json": '{"schema": "sttest.results/1"}'}, "r/fifo", "results of an experiment",
        "look at them with 'sttest report --results r'",
    ),
    "of another schema": (
        {"g/manifest.json": '{"schema": "sttest.groups/1"}'}, "g", "a folder of schema 'sttest.groups/1'",
        "name a folder that 'sttest compile' made",
    ),
    "packages": (
        {"all/a/manifest.json": "{}", "all/b/manifest.json": PACKAGE, "all/c/manifest.json": PACKAGE}, "all",
        "a folder of design packages", "name one of them, as in all/b",
    ),
    "a solution without syn": ({"p/hls.app": "", "p/s/x": ""}, "p", "a project of Vitis HLS", VITIS.format("p")),
    "a file of a project": ({"p/hls.app": ""}, "p/hls.app", "a project of Vitis HLS", VITIS.format("p")),
    "a file of a component": (
        {"c/hls_config.cfg": ""}, "c/hls_config.cfg", "a project of Vitis HLS", VITIS.format("c"),
    ),
    "a report of a solution": (
        {"p/hls.app": "", "p/s/syn/report/csynth.xml": "<profile/>"}, "p/s/syn/report/csynth.xml",
        "a synthesis report of Vitis HLS", VITIS.format("p/s"),
    ),
    "a report of nobody": (
        {"s/syn/report/r.xml": "<profile/>"}, "s/syn/report/r.xml", "a synthesis report of Vitis HLS",
        "sttest import hls FILE.cpp --reports s/syn/report/r.xml -o design.json",
    ),
    "models": ({"o/b.onnx": "", "o/a.onnx": ""}, "o", "a folder of ONNX models", "sttest import finn o/b.onnx -o"),
    "a file of a package": (
        {"p/manifest.json": PACKAGE, "p/reports/x/y.csv": ""}, "p/reports/x/y.csv", "a file of a design package",
        "name the package, p",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDERS)
def test_a_folder_is_taken_for_what_lies_in_it_and_a_file_for_what_lies_around_it(case: str, here: Path) -> None:
    files, path, what, hint = FOLDERS[case]
    written(files)
    found = taken(path)
    assert found is not None
    assert found.what == what
    assert hint in found.hints[0]


def test_a_package_elsewhere_is_named_as_a_word_of_the_shell(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written({"my package/manifest.json": PACKAGE, "my package/hls/kernel.cpp": "", "other/x": ""})
    monkeypatch.chdir(here / "other")
    for path, named in (("../my package", "../my package"), (str(here / "my package"), str(here / "my package"))):
        found = taken(f"{path}/hls/kernel.cpp")
        assert found is not None
        assert shlex.split(found.hints[0])[-1] == named


@pytest.mark.parametrize(
    "files",
    [
        {"x/notes.txt": ""},
        {"x/manifest.json": PACKAGE},
        {"x/manifest.json": "[]"},
        {"x/graph.json": "{}"},
        {"x/graph.json": '{"model_type": "gpt2"}'},
        {"x/sub/manifest.json": "{}"},
        {"x/hls/src/D.cpp": ""},
        {"x/hls/a/b/syn/report/r": ""},
    ],
)
def test_of_other_folders_nothing_is_said(files: dict[str, str], here: Path) -> None:
    written(files)
    assert taken("x") is None


def test_the_graph_of_a_package_is_a_design_and_not_only_a_file_of_one(here: Path) -> None:
    written({"p/manifest.json": PACKAGE, "p/timed_graph.json": "", "p/timed_graph_placed.json": "{}"})
    assert taken("p/timed_graph.json") is not None  # it is empty, so it holds neither JSON nor XML
    assert taken("p/timed_graph_placed.json") is None


# --- Where a graph is wanted


def test_where_a_graph_is_wanted_the_way_in_is_the_error_and_the_problem_is_behind_it(here: Path) -> None:
    written({"f.json": '{"Defaults": {}}'})
    with pytest.raises(InputError) as caught:
        load_graph("f.json")
    assert caught.value.code == "not-a-design"
    assert str(caught.value).startswith("f.json: a folding configuration of FINN, not a design; import the model")
    assert isinstance(caught.value.__cause__, InputError)
    assert caught.value.__cause__.code == "wrong-schema"


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("g.json", '{"schema": "sttest.timed-graph/1", "name": 3}', "bad-value"),
        ("g.json", "{}", "wrong-schema"),
        ("nowhere.json", None, "no-such-file"),
    ],
)
def test_an_error_that_no_way_in_explains_stays_as_it_is(path: str, content: str | None, code: str, here: Path) -> None:
    if content is not None:
        written({path: content})
    with pytest.raises(InputError) as caught:
        load_graph(path)
    assert caught.value.code == code


def test_of_several_groups_one_is_to_be_named(here: Path) -> None:
    written({"p/manifest.json": '{"schema": "sttest.groups/1", "name": "g", "groups": ["group0"], "tensors": []}'})
    with pytest.raises(InputError) as caught:
        load_graph("p")
    assert (caught.value.code, caught.value.where) == ("several-groups", "p")
    assert caught.value.hints == ("name one of them, as in p/group0",)
