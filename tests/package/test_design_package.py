"""What is written is read; a folder that is no whole package, or contradicts itself, is refused in one line."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sttest.compile.compiler import Design, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.resources.placement import place
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.package import DesignPackage, ModelPackage, load_graph, read_lanes
from sttest.package.compiled import write_lanes, write_package
from sttest.sim import write_timed_graph

FACTS = {"asked_tokens": 1, "asked_context": 32}


@pytest.fixture(scope="module")
def design() -> Design:
    text = lowered_text("gpt2", "decode", small=True)
    return compile_text(text, "small", "u55c", CompileOptions(budget="published"), keep_ir="all", workload=FACTS)


@pytest.fixture(scope="module")
def package(design: Design, tmp_path_factory: pytest.TempPathFactory) -> DesignPackage:
    return write_package(design, tmp_path_factory.mktemp("packages") / "small", place(design))


@pytest.fixture
def copy(package: DesignPackage, tmp_path: Path) -> Path:
    """The same package, to be changed."""
    return shutil.copytree(package.folder, tmp_path / "small")


def test_what_is_written_is_read(design: Design, package: DesignPackage) -> None:
    found = DesignPackage.read(package.folder)
    assert found.manifest == package.manifest
    assert found.timed_graph == design.graph
    assert found.placed_graph is not None
    assert found.reference_graph == value_graph(design.module, "small")
    assert list(found.ir.values()) == [stage.text for stage in design.stages]
    assert found.files.depths.items() <= {fifo.name: fifo.depth for fifo in found.emitted_graph.fifos}.items()
    assert len(found.lanes) == len(found.report("kernels"))
    assert sum(row["hbm_bits"] for row in found.activity) > 0
    assert (found.name, found.board, found.cycles) == ("small", "u55c", 1267)


def test_the_manifest_is_written_as_it_is_read(package: DesignPackage) -> None:
    assert json.loads((package.folder / "manifest.json").read_text()) == package.manifest.to_json()


def test_a_package_of_a_model_knows_it(package: DesignPackage) -> None:
    found = ModelPackage.read(package.folder)
    assert (found.config.name, found.phase, found.context, found.layers) == ("small-gpt2", "decode", 32, 1)
    assert (found.scheme.name, found.generates, found.head, found.chunk) == ("w4a8", 1, False, None)


def test_graphs_come_from_packages_and_files(design: Design, package: DesignPackage, tmp_path: Path) -> None:
    write_timed_graph(design.graph, tmp_path / "graph.json")
    assert load_graph(package.folder) == load_graph(tmp_path / "graph.json") == design.graph


def test_lanes_need_no_more_than_their_report(design: Design, package: DesignPackage, tmp_path: Path) -> None:
    write_lanes(design, tmp_path / "lanes")
    assert read_lanes(tmp_path / "lanes") == read_lanes(package.folder) == package.lanes


def manifest_with(**changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def read_all(folder: Path) -> None:
    package = DesignPackage.read(folder)
    _ = package.timed_graph, package.reference_graph, package.files, package.files.rows, package.ir, package.activity


@pytest.mark.parametrize(
    ("change", "says"),
    {
        "nothing there": (shutil.rmtree, "no such folder"),
        "no manifest": (without("manifest.json"), r"no design package, manifest\.json missing"),
        "no JSON": (lambda folder: (folder / "manifest.json").write_text("{"), r"manifest\.json: not valid JSON"),
        "a newer schema": (manifest_with(schema="sttest.package/2"), "schema is 'sttest.package/2'"),
        "a key from elsewhere": (manifest_with(colour="red"), "unknown key 'colour'"),
        "a key of another type": (manifest_with(groups="one"), "groups: input should be a valid integer"),
        "no graph": (without("timed_graph.json"), r"not a whole design package, timed_graph\.json missing"),
        "no values": (without("values.json"), r"values\.json missing"),
        "no C++": (without("hls/kernel.cpp"), r"no hls/kernel\.cpp"),
        "no signature": (without("hls/signature.json"), r"signature\.json: cannot be read"),
        "no memory": (without("hls/memory.json"), r"memory\.json: cannot be read"),
        "no report": (without("reports/fifos.csv"), r"reports/fifos\.csv missing"),
        "no activity": (without("reports/activity.csv"), r"reports/activity\.csv missing"),
    }.values(),
)  # fmt: skip
def test_what_is_no_whole_package_is_refused(change: Callable[[Path], object], says: str, copy: Path) -> None:
    change(copy)
    with pytest.raises(InputError, match=says) as raised:
        read_all(copy)
    assert "\n" not in str(raised.value)


FIFO = "load_x__fork_load_x"


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (path,) = folder.glob(name)
        text, count = re.subn(old, new, path.read_text(), count=1, flags=re.DOTALL)
        assert count == 1
        path.write_text(text)

    return change


def with_banks(folder: Path) -> None:
    (folder / "reports" / "banks.csv").write_text("argument,index,port,banks,access,buffer_bytes\nx,0,x,7,read,256\n")


@pytest.mark.parametrize(
    ("change", "says"),
    {
        "depth in a report": (
            replaced("reports/fifos.csv", f"{FIFO},4,3", f"{FIFO},4,9"),
            rf"depth of '{FIFO}' is 3 in timed_graph\.json and 9 in reports/fifos\.csv",
        ),
        "depth in the reference graph": (
            replaced("values.json", r'"depth": ?3\b', '"depth": 9'),
            rf"depth of '{FIFO}' is 9 in values\.json and 3 in timed_graph\.json",
        ),
        "depth in the C++": (
            replaced("hls/kernel.cpp", r", 3> x_in", ", 9> x_in"),
            rf"depth of '{FIFO}' is 9 in hls/kernel\.cpp and 3 in timed_graph\.json",
        ),
        "depth in the IR": (
            replaced("ir/*_size-fifos.mlir", r"depth: 3>", "depth: 9>"),
            rf"depth of '{FIFO}' is 9 in ir/\d+_size-fifos.* and 3 in timed_graph\.json",
        ),
        "lanes in the IR": (
            replaced("ir/*_size-fifos.mlir", r" lanes 16 ", " lanes 8 "),
            r"lanes of 'attn_norm' is 8 in ir/\d+_size-fifos.* and 16 in reports/kernels\.csv",
        ),
        "channel in a report": (
            replaced("reports/memory.csv", "hbm0", "hbm9"),
            r"channels of 'load_x' is hbm0 in timed_graph\.json and hbm9 in reports/memory\.csv",
        ),
        "bank in the signature": (
            replaced("hls/signature.json", r'"banks": \[\s*0\s*\]', '"banks": [9]'),
            r"channels of 'load_x' is hbm9 in hls/signature\.json and hbm0 in timed_graph\.json",
        ),
        "bank of a build": (with_banks, r"banks of 'x' is 0 in hls/signature\.json and 7 in reports/banks\.csv"),
        "port": (
            replaced("hls/memory.json", '"dma": "load_x"', '"dma": "load_z"'),
            r"port 'load_x' is not in both timed_graph\.json and hls/memory\.json",
        ),
        "argument": (
            replaced("hls/memory.json", '"name": "x"', '"name": "z"'),
            r"arguments are z, .* in memory\.json and x, .* in signature\.json",
        ),
        "clock": (manifest_with(clock_mhz=300.0), r"clock_mhz of 'small' is 300\.0 in manifest\.json and 250\.0 in"),
        "board": (
            replaced("hls/signature.json", '"board": "u55c"', '"board": "u280"'),
            r"board of 'small' is u55c in manifest\.json and u280 in hls/signature\.json",
        ),
    }.values(),
)  # fmt: skip
def test_files_that_contradict_each_other_are_refused(change: Callable[[Path], None], says: str, copy: Path) -> None:
    change(copy)
    with pytest.raises(InputError, match=says) as raised:
        read_all(copy)
    assert "\n" not in str(raised.value)
