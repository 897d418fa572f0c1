"""`sttest opt`: the IR of a package, stage by stage."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from sttest.frontend.shipped import SHIPPED_SHAPES, lowered_text
from sttest.studies.compile_request import Request, compile_package

CONTEXT = SHIPPED_SHAPES[True]["decode"][1]


@pytest.fixture(scope="module")
def stages(tmp_path_factory) -> list[Path]:
    """IR files of a package, in order of the passes."""
    folder = tmp_path_factory.mktemp("opt") / "package"
    compile_package(Request("small-gpt2", "decode", 1, CONTEXT, work_dir=folder, keep_ir="all"))
    return sorted((folder / "ir").iterdir())


def pass_of(stage: Path) -> str:
    return stage.stem.partition("_")[2]


@pytest.mark.nightly
def test_every_stage_verifies_and_prints_as_itself(stages, sttest):
    assert len(stages) > 10
    for stage in stages:
        outcome = sttest("opt", stage)
        assert (outcome.exit_code, outcome.stderr) == (0, ""), stage.name
        assert outcome.stdout == stage.read_text(), stage.name


@pytest.mark.nightly
def test_each_pass_alone_takes_one_stage_to_the_next(stages, sttest):
    for before, after in pairwise(stages):
        assert sttest("opt", before, "-p", pass_of(after)).stdout == after.read_text(), after.name


def test_passes_are_told_on_stderr_and_only_the_last_text_on_stdout(stages, sttest):
    passes = [pass_of(stage) for stage in stages[1:3]]
    outcome = sttest("opt", stages[0], "-p", ",".join(passes), "--print-after-all", "--verify-each", "--time-passes")
    assert outcome.exit_code == 0
    assert outcome.stdout == stages[2].read_text()
    assert all(stage.read_text() in outcome.stderr for stage in stages[1:3])
    assert [line.split()[2] for line in outcome.stderr.splitlines() if " ms  " in line] == passes


def test_standard_input_is_a_file_too(stages):
    script = "from sttest.cli import main; main()"
    command = [sys.executable, "-c", script, "opt", "-", "--board", "u55c", "-p", pass_of(stages[0])]
    text = lowered_text("gpt2", "decode", small=True)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, stages[0].read_text())


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("-p", "fuse-kernel"), ("fuse-kernel", "fuse-kernels")),
        (("-p", "linalg-to-kernels{tile-sise=3}"), ("'tile-sise'", "tile-size")),
        (("-p", "linalg-to-kernels{tile_size=0}"), ("tile-size",)),
        (("-p", "size-fifos"), ("no kernel", "linalg-to-kernels")),
        (("-p", "linalg-to-kernels{"), ("pipeline", "linalg-to-kernels{")),
    ],
)
def test_what_passes_refuse_is_one_line(arguments, parts, tmp_path, sttest):
    path = tmp_path / "block.mlir"
    path.write_text(lowered_text("gpt2", "decode", small=True))
    outcome = sttest("opt", path, *arguments)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert [part for part in parts if part not in outcome.stderr] == []


def test_text_that_is_no_ir_is_refused_with_its_place(tmp_path, sttest):
    path = tmp_path / "broken.mlir"
    path.write_text("func.func @main() { nonsense }")
    outcome = sttest("opt", path)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "broken.mlir:1:" in outcome.stderr
    assert "^" not in outcome.stderr
