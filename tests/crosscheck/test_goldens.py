"""A folder of goldens: what a reader with nothing but numpy makes of it, and that nothing wrong is written."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from math import prod
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sttest as st
from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.crosscheck import goldens
from sttest.crosscheck.case import WeightSource
from sttest.crosscheck.golden_folder import SCHEMA, write_golden
from sttest.crosscheck.goldens import make_golden
from sttest.crosscheck.text_case import drawn_case, float_arguments, make_text_case
from sttest.package import DesignPackage
from sttest.studies.compile_request import Request, compile_package
from tests.crosscheck.test_hex_words import read_by_icarus

pytestmark = pytest.mark.torch
ROOT = Path(__file__).parents[2]
TEXTS = Path(__file__).with_name("texts")
PAGE = ROOT / "docs" / "your-design" / "goldens.md"
SCRIPT = re.search(r'```python title="product.py"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
assert SCRIPT is not None
LINES = SCRIPT[1]


class Folder:
    """A folder of goldens as a reader has it who knows its page alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = json.loads((path / "manifest.json").read_text())
        self.entries = {each["name"]: each for each in self.manifest["entries"]}
        self.nodes = {each["name"]: each for each in self.manifest["nodes"]}
        self.arrays = np.load(path / "golden.npz")

    def of(self, kind: str) -> list[dict]:
        return [each for each in self.entries.values() if each["kind"] == kind]

    def array(self, name: str) -> np.ndarray:
        return self.arrays[self.entries[name]["array"]]

    def tensor(self, name: str) -> np.ndarray:
        """The tensor of an entry, put together token by token."""
        entry, array = self.entries[name], self.array(name)
        order = entry["order"]
        tokens = array.reshape(-1, *order["token"])
        found = np.zeros(entry["shape"], array.dtype)
        for token, at in zip(tokens, np.ndindex(*[each["trips"] for each in order["loops"]]), strict=True):
            start = list(order["start"])
            for number, loop in zip(at, order["loops"], strict=True):
                start = [low + number * move for low, move in zip(start, loop["moves"], strict=True)]
            found[tuple(slice(low, low + n) for low, n in zip(start, order["token"], strict=True))] = token
        return found

    def at_points(self, node: dict, port: int, tensor: np.ndarray) -> np.ndarray:
        """The element of a source's tensor at every point of a node's loops."""
        points = np.indices([each["extent"] for each in node["loops"]])
        access = node["reads_at"][port]
        return tensor[tuple(np.tensordot(row, points, 1) + low for row, low in zip(*access.values(), strict=True))]


@pytest.fixture(scope="module")
def block(design_of, tmp_path_factory) -> Folder:
    """The decode step of small-llama-3.2-1b, whose weights come in slices; its cache is padded."""
    design = design_of("small-llama-3.2-1b", "decode")
    folder = tmp_path_factory.mktemp("block") / "golden"
    write_golden(make_golden(design.package, design.case), design.package, {"seed": 3}, folder)
    return Folder(folder)


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> SimpleNamespace:
    """A text in w4a8 with weights that are known in floating point."""
    work = tmp_path_factory.mktemp("text")
    compile_package(Request(str(TEXTS / "mlp_with_names.mlir"), work_dir=work / "package"))
    package = DesignPackage.read(work / "package")
    source = WeightSource(5)
    case = make_text_case(package, source)
    write_golden(make_golden(package, case), package, {"seed": 5}, work / "golden")
    plain = float_arguments(package.reference_graph, source)
    return SimpleNamespace(folder=Folder(work / "golden"), package=package, case=case, plain=plain)


@pytest.fixture
def copy(text, tmp_path) -> Path:
    return Path(shutil.copytree(text.folder.path, tmp_path / "copy"))


def run_script(folder: Path, tmp_path: Path, *node: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "product.py"
    script.write_text(LINES, encoding="utf-8")
    command = [sys.executable, "-I", str(script), str(folder), *node]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)


# --- The thirty lines of the page


def test_the_script_is_short_and_knows_numpy_alone():
    assert len([line for line in LINES.splitlines() if line.strip()]) <= 30
    imported = {
        (each.module if isinstance(each, ast.ImportFrom) else name.name)
        for each in ast.walk(ast.parse(LINES))
        if isinstance(each, ast.Import | ast.ImportFrom)
        for name in each.names
    }
    assert imported == {"json", "sys", "pathlib", "numpy"}


@pytest.mark.parametrize(("node", "sums"), [("fc1", 16 * 64), ("fc2", 16 * 32)])
def test_the_script_recomputes_a_product_of_a_text(node, sums, text, tmp_path):
    done = run_script(text.folder.path, tmp_path, node)
    assert (done.returncode, done.stdout) == (0, f"{node} {sums} sums are right\n"), done.stderr


def test_the_script_recomputes_every_product_of_a_block(block, tmp_path):
    products = [name for name, node in block.nodes.items() if node.get("computes") == "integer product"]
    assert len(products) >= 9  # seven linear layers, scores and mix
    for name in (products[0], products[-1]):
        done = run_script(block.path, tmp_path, name)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{name} ")
    assert [product_is_right(block, block.nodes[name]) for name in products] == [True] * len(products)


def product_is_right(folder: Folder, node: dict) -> bool:
    """By sums in binary64, which are exact below 2^53, of the terms of each element."""
    factors = [folder.at_points(node, port, folder.tensor(name)) for port, name in enumerate(node["reads"])]
    golden = folder.tensor(node["writes"][0])
    points = np.indices([each["extent"] for each in node["loops"]])
    access = node["writes_at"][0]
    at = [np.tensordot(row, points, 1) + low for row, low in zip(*access.values(), strict=True)]
    element = np.ravel_multi_index(at, golden.shape).reshape(-1)
    sums = np.bincount(element, (factors[0].astype(np.float64) * factors[1]).reshape(-1), golden.size)
    return np.array_equal(sums, golden.reshape(-1))


def alter_word(path: Path, line: int) -> None:
    """The lowest bit of a token turned."""
    words = path.read_text().split()
    words[line] = f"{int(words[line], 16) ^ 1:0{len(words[line])}x}"
    path.write_text("\n".join(words) + "\n")


def alter_array(folder: Path, key: str, place: int) -> None:
    arrays = dict(np.load(folder / "golden.npz"))
    arrays[key].reshape(-1)[place] ^= 1
    np.savez(folder / "golden.npz", **arrays)


@pytest.mark.parametrize("port", [0, 1, 2], ids=["activations", "weights", "sums"])
def test_the_script_notices_one_token_that_was_altered(port, text, copy, tmp_path):
    node = text.folder.nodes["fc1"]
    name = [*node["reads"], *node["writes"]][port]
    entry = text.folder.entries[text.folder.entries[name]["carries"] or name]
    alter_word(copy / entry["files"][0]["path"], 3)
    done = run_script(copy, tmp_path, "fc1")
    assert done.returncode == 1
    assert "a token is not what it is elsewhere" in done.stderr
    alter_array(copy, entry["array"], 3 * entry["lanes"])  # the same in both
    done = run_script(copy, tmp_path, "fc1")
    assert done.returncode == 1
    assert re.search("a sum differs|a token is not what", done.stderr)


def test_sums_that_were_altered_in_both_files_are_wrong_sums(text, copy, tmp_path):
    (name,) = text.folder.nodes["fc1"]["writes"]
    entry = text.folder.entries[name]
    alter_word(copy / entry["files"][0]["path"], 7)
    alter_array(copy, entry["array"], 7 * entry["lanes"])
    done = run_script(copy, tmp_path, "fc1")
    assert (done.returncode, "a sum differs" in done.stderr) == (1, True)


# --- What the manifest says is so


def test_every_edge_is_there_and_has_both_ends(block, design_of):
    graph = design_of("small-llama-3.2-1b", "decode").package.reference_graph
    assert {each["name"] for each in block.of("stream")} == set(graph.stream)
    for each in block.of("stream"):
        assert each["name"] in block.nodes[each["producer"]]["writes"]
        assert each["name"] in block.nodes[each["consumer"]]["reads"]
    assert block.manifest["schema"] == SCHEMA
    assert [each["engine"] for each in block.manifest["checks"]] == ["torch"]


def test_tokens_lanes_and_words_are_those_of_the_files(block):
    for each in block.entries.values():
        (file,) = each["files"]
        data = (block.path / file["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        assert len(data) == file["bytes"]
        lines = data.split()
        assert len(lines) == each["tokens"] == prod(loop["trips"] for loop in each["order"]["loops"])
        assert {len(line) for line in lines} == {-(-each["word_bits"] // 4)}
        assert each["word_bits"] == each["lanes"] * each["bits"] == prod(each["order"]["token"]) * each["bits"]
    arrays = block.manifest["arrays"]
    assert hashlib.sha256((block.path / arrays["path"]).read_bytes()).hexdigest() == arrays["sha256"]
    assert set(block.arrays) == {each["array"] for each in block.entries.values()}


def test_what_carries_an_argument_makes_it_up(block):
    """Loads, forks, converters, and the gathers of slices."""
    carrying = [each for each in block.of("stream") if each["carries"]]
    assert {each["carries"] for each in carrying} >= {each["name"] for each in block.of("parameter")}
    for each in carrying:
        found, whole = block.tensor(each["name"]), block.array(each["carries"])
        assert np.array_equal(found, whole), each["name"]


@pytest.fixture(scope="module", params=["w3a8", "w2a8"])
def coded(request, tmp_path_factory) -> Folder:
    """Designs as they are chosen by rule: weights in codes, and products in four units, each with a slice of them."""
    work = tmp_path_factory.mktemp("coded")
    st.compile("small-gpt2", phase="decode", context=32, precision=request.param).save(work / "package")
    package = DesignPackage.read(work / "package")
    write_golden(make_golden(package, drawn_case(package, 1)), package, {}, work / "golden")
    return Folder(work / "golden")


def test_weights_are_carried_whole_or_in_slices(coded):
    name = "mlp.fc1.weight"
    carrying = [each for each in coded.of("stream") if each["carries"] == name]
    for each in carrying:
        assert np.array_equal(coded.tensor(each["name"]), coded.array(name))
    found, slices = np.full(coded.array(name).shape, -99), 0
    for each in coded.of("stream"):
        part = each["slice_of"]
        if part is None or part["argument"] != name:
            continue
        width, own = part["extent"] // part["slices"], np.arange(each["shape"][part["dim"]])
        assert part["dim"] == 1
        found[:, own // width * part["extent"] + part["number"] * width + own % width] = coded.tensor(each["name"])
        slices += 1
    assert slices > 1 or carrying
    assert np.array_equal(found, coded.array(name)) or not slices
    assert len(coded.entries[name]["quantization"]["scale_at"]) == 2


def test_arguments_are_those_of_the_case_and_results_those_of_pytorch(block, design_of):
    case = design_of("small-llama-3.2-1b", "decode").case
    for name in (each["name"] for each in block.of("parameter")):
        assert np.array_equal(block.array(name), case.parameters[name].reshape(block.entries[name]["shape"]))
    for name, wanted in case.golden.items():
        assert np.array_equal(block.array(name), wanted), name
    (keys, _), *_ = case.caches
    padding = block.array("k_cache").shape[1] - keys.values.shape[1]
    assert np.array_equal(block.array("k_cache")[:, padding:], keys.values)
    assert block.entries["k_cache"]["padding_elements"] == block.array("k_cache")[:, :padding].size > 0


def test_a_result_is_what_its_stream_brings(block):
    y = block.entries["y"]
    assert np.array_equal(block.tensor(y["stream"]).reshape(-1), block.array("y").reshape(-1))


def test_integers_are_what_was_rounded(block):
    """Of every stream with scales of its own: its node's other factors are within half a scale of integer * scale."""
    checked = 0
    for each in block.of("stream"):
        facts = each["quantization"] or {}
        node = block.nodes.get(facts.get("rounded_by", ""))
        if node is None or "scale_stream" not in facts or each["producer"] != node["name"]:
            continue
        port = facts["scale_port"]
        scale = block.at_points(node, port, block.tensor(facts["scale_stream"]).astype(np.float64))
        real = prod(
            block.at_points(node, other, block.tensor(name).astype(np.float64))
            for other, name in enumerate(node["reads"])
            if other != port
        )
        points = np.indices([loop["extent"] for loop in node["loops"]])
        at = [np.tensordot(row, points, 1) + low for row, low in zip(*node["writes_at"][0].values(), strict=True)]
        found = block.tensor(each["name"])[tuple(at)] * scale
        assert (np.abs(found - real) <= 0.501 * scale).all(), each["name"]
        checked += 1
    assert checked >= 7


def test_weights_are_near_what_they_were_rounded_from(text):
    folder = text.folder
    for name in ("fc1.weight", "fc2.weight"):
        entry = folder.entries[name]
        facts, integers = entry["quantization"], folder.array(name)
        scales = folder.array(facts["scale"]).astype(np.float64)
        index = np.indices(integers.shape)
        scale = scales[tuple(index[each["dim"]] // each["per"] for each in facts["scale_at"])]
        assert (np.abs(integers * scale - text.plain[name]) <= 0.51 * scale).all()


def test_icarus_reads_the_tokens_of_golden_npz(text, tmp_path):
    """Of a stream of four-bit weights, of activations, of sums and of floating point."""
    folder = text.folder
    node = folder.nodes["fc1"]
    for name in (*node["reads"], *node["writes"], "x", "fc1.weight_scale"):
        entry = folder.entries[name]
        shutil.copy(folder.path / entry["files"][0]["path"], tmp_path / "words.hex")
        words = read_by_icarus(tmp_path, "words.hex", entry["word_bits"], entry["tokens"])
        bits, tokens = entry["bits"], folder.array(name).reshape(entry["tokens"], -1)
        kind = tokens.view(f"u{tokens.itemsize}") if tokens.dtype.kind == "f" else tokens
        expected = [sum((int(v) & (1 << bits) - 1) << lane * bits for lane, v in enumerate(row)) for row in kind]
        assert words == expected, name


# --- What is refused


def test_nothing_is_given_out_that_pytorch_does_not_agree_on(design_of):
    design = design_of("small-gpt2", "decode")
    wrong = replace(design.case, golden={**design.case.golden, "y": design.case.golden["y"] + 1})
    with pytest.raises(EnginesDisagreeError, match="results differ"):
        make_golden(design.package, wrong)


@pytest.mark.usefixtures("needs_compiler")
def test_the_emitted_cpp_must_agree_in_every_stream(text, tmp_path, monkeypatch):
    found = make_golden(text.package, text.case, csim=tmp_path / "csim")
    assert [(each.engine, each.verdict) for each in found.checks] == [("csim", "same")]
    run = goldens.run_csim

    def faulty(*arguments):
        values = run(*arguments)
        name = "fc1__fc1_rescale" if "fc1__fc1_rescale" in values.streams else next(iter(values.streams))
        tokens = np.array(values.streams[name])
        tokens.reshape(-1)[5] += 1
        return replace(values, streams={**values.streams, name: tokens})

    monkeypatch.setattr(goldens, "run_csim", faulty)
    with pytest.raises(EnginesDisagreeError, match=r"1 of .* streams differ"):
        make_golden(text.package, text.case, csim=tmp_path / "csim")


def test_too_many_tokens_are_refused_before_anything_runs(text, monkeypatch):
    monkeypatch.setattr(goldens, "MAX_GOLDEN_BYTES", 1000)
    monkeypatch.setattr(goldens, "run_reference", None)
    with pytest.raises(InputError, match=r"too long to be written .*--only"):
        make_golden(text.package, text.case)


def test_streams_are_named_by_patterns(text):
    found = make_golden(text.package, text.case, only=["fc1*", "*__fc1"])
    names = {each.name for each in found.entries if each.kind == "stream"}
    assert names == {
        name for name in text.package.reference_graph.stream if name.startswith("fc1") or name.endswith("__fc1")
    }
    assert {each.kind for each in found.entries} == {"parameter", "input", "stream", "output"}
    with pytest.raises(InputError, match="no stream is called 'fc9"):
        make_golden(text.package, text.case, only=["fc9*"])


def test_one_design_gives_one_folder(text, tmp_path):
    write_golden(make_golden(text.package, text.case), text.package, {"seed": 5}, tmp_path / "again")
    files = sorted(path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*") if path.is_file())
    assert len(files) > 20
    for each in files:
        assert (tmp_path / "again" / each).read_bytes() == (text.folder.path / each).read_bytes(), each


def test_a_scalar_is_a_tensor_of_one_element(tmp_path):
    compile_package(Request(str(TEXTS / "scalar_parameter.mlir"), work_dir=tmp_path / "package"))
    package = DesignPackage.read(tmp_path / "package")
    write_golden(make_golden(package, make_text_case(package, WeightSource())), package, {}, tmp_path / "golden")
    folder = Folder(tmp_path / "golden")
    (result,) = folder.of("output")
    s, x, y = folder.array("s"), folder.array("x"), folder.array(result["name"])
    assert s.shape == (1,)
    assert folder.entries["s"]["shape"] == folder.entries["s"]["order"]["token"] == [1]
    assert np.array_equal(x * s, y)
