"""The wheel holds what the tree holds, by every way to make one, and its verbs work outside of a checkout."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
from bare import ROOT, BareEnvironment, copy_sources

from sttest.core.closure import Closures, FolderTree, program_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
FOR_DEVELOPERS = {"dev", "docs"}


def tree(*git):
    listed = subprocess.run(["git", *git, "sttest"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {*listed.stdout.split("\n")} - {""}


def contents(wheel):
    return {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sttest/")}


# --- What it holds


@pytest.mark.daily
@pytest.mark.slow
def test_it_holds_nothing_beside_sttest(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"sttest"}


def test_every_file_of_the_tree_is_package_data():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["sttest"]
    package = ROOT / "sttest"
    listed = {str(path.relative_to(ROOT)) for pattern in patterns for path in package.glob(pattern)}
    there = {name for name in tree("ls-files", "--cached", "--others", "--exclude-standard") if (ROOT / name).exists()}
    assert {name for name in there if not name.endswith(".py")} - listed == set()


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for path in (ROOT / "sttest").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_extras_that_are_named_exist_and_are_described():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^\| `(\w+)` \|", page, re.M)} == EXTRAS.keys() - FOR_DEVELOPERS
    for path in (*(ROOT / "sttest").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"):
        for found in re.findall(r"sttest\[([\w,]+)\]", path.read_text(encoding="utf-8")):
            assert {*found.split(",")} <= EXTRAS.keys(), path


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_all_ways_make_the_same_wheel(wheel, installed, tmp_path):
    assert contents(wheel) == {name for name in tree("ls-files", "-co", "--exclude-standard") if (ROOT / name).exists()}

    # By `python -m build`: an archive of the sources, then the wheel from that.
    source = copy_sources(tmp_path / "source")
    done = installed.run(f"pip install -q build && python -m build --outdir {tmp_path}/built {source}", tmp_path)
    assert done.exit_code == 0, done.stdout + done.stderr
    (built,) = (tmp_path / "built").glob("*.whl")
    assert contents(built) == contents(wheel)

    # From git: what is committed.
    done = installed.run(f"pip wheel -q --no-deps -w {tmp_path}/git git+file://{ROOT}", tmp_path)
    assert done.exit_code == 0, done.stdout + done.stderr
    (cloned,) = (tmp_path / "git").glob("*.whl")
    assert contents(cloned) == tree("ls-tree", "-r", "--name-only", "HEAD")


MAKERS = (
    "sttest.studies.whatif.report",
    "sttest.studies.ablation.report",
    "sttest.studies.serving.step_times",
    "sttest.explore.search",
    "sttest.explore.report",
    "sttest.sim.sizing_cost",
    "sttest.runtime.card_run",
    "sttest.targets.device.packed",
)


@pytest.mark.slow
def test_programs_hash_as_in_the_checkout(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    installed = Closures(FolderTree(tmp_path))
    assert {maker: installed.of([maker]) for maker in MAKERS} == {maker: program_files(maker) for maker in MAKERS}


# --- What works without anything else


@pytest.fixture(scope="module")
def folder(installed, tmp_path_factory):
    """A folder of a user's with one small design package in it."""
    folder = tmp_path_factory.mktemp("user")
    done = installed.run("sttest compile small-gpt2 --phase decode --context 32 -o small", folder)
    assert done.exit_code == 0, done.stderr
    return folder


# A line, and what it prints.
OUTSIDE = {
    "sttest --help": "Usage: sttest",
    "sttest --version": "sttest ",
    "sttest models": "GPT-2 Medium",
    "sttest board": "u55c",
    "sttest board u55c": "bandwidth check",
    "sttest doctor": "pip install 'sttest.frontend.'",
    "sttest compile gpt2 --phase decode --context 64 -o gpt2": "cycles ",
    "sttest simulate small": "1,189 cycles",
    "sttest simulate small --engine simpy": "1,189 cycles",
    "sttest size small": "137,340 bits",
    "sttest dot small": "digraph",
    "sttest report small -o small.html": "written: small.html",
    "sttest diff small small": "",
    "sttest import": "vitis",
    "sttest opt small/ir/00_quantize.mlir -p linalg-to-kernels": "df.kernel",
    "sttest corpus": "stage_skew",
    "sttest corpus stage_skew": "deadlock",
    "sttest emulate small --backend csim": "csim",
    "sttest calibrate small --dry-run": "jobs",
    "sttest whatif": "hbm-bandwidth",
    "sttest whatif hbm-bandwidth --dry-run": "points",
    "sttest studies": "sttest ",
    "sttest reproduce": "gpt2",
}


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("line", OUTSIDE)
def test_verbs_work_without_a_checkout(line, installed, folder):
    if "csim" in line and not installed.there("g++"):
        pytest.skip("g++ is not installed")
    done = installed.run(line, folder)
    assert done.exit_code == 0, done.stderr
    assert re.search(OUTSIDE[line], done.stdout), done.stdout


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_what_needs_a_clone_says_so_in_one_line(installed, folder):
    done = installed.run("sttest reproduce gpt2", folder)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "a clone of the repository" in done.stderr


VITIS = ROOT / "examples" / "hls-residual" / "hls_residual" / "solution1"
FINN = ROOT / "examples" / "finn-residual" / "residual.onnx"
# A line, and the extra that it misses.
MISSING = {
    "sttest compile qwen --phase decode --context 100 -o qwen": "frontend",
    "sttest crosscheck small-gpt2 --phase decode": "frontend",
    "sttest serve small --rate 2 --requests 5": "frontend",
    "sttest pack small": "frontend",
    "sttest run small --backend emulator --prompt-by-decode": "frontend",
    "sttest evaluate gpt2 --weights . --text README": "frontend",
    "sttest explore small-gpt2 --phase decode --context 32 --trials 1": "search",
    "sttest whatif hbm-bandwidth --scheduler tcp://127.0.0.1:1": "cluster",
    "sttest synth small": "rtl",
    "sttest build small --flow rtl": "rtl",
    "sttest build small --target hw --dry-run": "build",
    f"sttest import hls {VITIS} -o vitis.json": "import",
    f"sttest import finn {FINN} -o finn.json": "finn",
}


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("line", MISSING)
def test_a_missing_extra_is_one_line_that_names_the_command(line, installed, folder):
    done = installed.run(line, folder)
    assert (done.exit_code, done.stderr.count("\n")) == (5, 1), done.stderr
    assert f"pip install 'sttest[{MISSING[line]}]'" in done.stderr


# --- What the extras add, but for PyTorch's


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_extras_add_what_they_say(tmp_path, wheel, folder):
    environment = BareEnvironment.beside(tmp_path)
    wanted = f"'sttest[search,cluster,rtl,build,import,finn] @ file://{wheel}'"
    for line in (f"{sys.executable} -m venv venv", f"pip install -q {wanted}"):
        done = environment.run(line, tmp_path)
        assert done.exit_code == 0, done.stderr
    shutil.copytree(folder / "small", tmp_path / "small")
    for name, content in {"add.mlir": ADD, "tiny.yaml": TINY_STUDY, "cluster.py": CLUSTER}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    for line, told in WITH_EXTRAS.items():
        done = environment.run(line, tmp_path)
        assert done.exit_code == 0, f"{line}\n{done.stdout}{done.stderr}"
        assert re.search(told, done.stdout), f"{line}\n{done.stdout}"


ADD = """
#all = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %empty = tensor.empty() : tensor<8x8xf32>
    %sum = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<8x8xf32>
    return %sum : tensor<8x8xf32>
  }
}
"""
TINY_STUDY = """
title: Speed by memory bandwidth
base: {model: small-gpt2, phase: decode, context: 32, board: u55c}
axes: {board.hbm.bandwidth: [115, 460]}
"""
CLUSTER = """
import subprocess
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        line = ["sttest", "whatif", "tiny.yaml", "--scheduler", cluster.scheduler_address, "-o", "tiny"]
        subprocess.run(line, check=True)
"""
WITH_EXTRAS = {
    "sttest explore small-gpt2 --phase decode --context 32 --trials 2 -j 1": "written",
    "sttest compile add.mlir --precision fp32 --tile-size 2 -o add && sttest synth add": "5 of 5 modules",
    "python cluster.py": "written: tiny",
    f"sttest import hls {VITIS} -o vitis.json": "3 processes",
    f"sttest import finn {FINN} -o finn.json": "processes",
    "sttest build small --flow rtl": "kernel.xml",
    "sttest build small --target hw --dry-run": "C.. rules  none broken",
}
