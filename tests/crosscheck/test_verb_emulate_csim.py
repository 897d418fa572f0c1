"""`sttest emulate --backend csim`: exit codes and output."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("needs_compiler")]


@pytest.fixture
def emulate(design_of, sttest):
    """Emulates a package of small-gpt2's prefill, whose C++ is built once."""

    def run(*options: object, package: Path | None = None):
        design = design_of("small-gpt2", "prefill")
        folder = package or design.package.folder
        return sttest("emulate", folder, "--backend", "csim", "-o", design.work.parent, *options)

    return run


def test_the_same_values_are_exit_code_0(emulate):
    outcome = emulate("--seed", 4)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert "torch and csim: the same results, to the bit" in outcome.stdout
    assert "reference and csim: the same in all" in outcome.stdout
    assert "FIFOs, 0 of them ever above their depth; the tightest:" in outcome.stdout


def test_streams_are_written_where_they_are_asked_for(emulate, design_of, tmp_path):
    outcome = emulate("--streams", tmp_path / "streams", "--json")
    told = json.loads(outcome.stdout)
    graph = design_of("small-gpt2", "prefill").package.reference_graph
    assert {path.stem for path in (tmp_path / "streams").iterdir()} == set(graph.stream)
    assert {row["name"] for row in told["fifos"]} == set(graph.stream)
    assert all(row["peak"] <= row["depth"] and row["written"] == row["read"] for row in told["fifos"])
    assert (told["verdict"], told["streams"]["verdict"], told["results"]["verdict"]) == ("done", "same", "same")
    again = emulate("--streams", tmp_path / "streams")
    assert (again.exit_code, "there is something in it" in again.stderr) == (2, True)


def test_a_deadlock_is_exit_code_3_and_the_cycle_that_the_simulator_names(emulate):
    outcome = emulate("--depth", "fork_attn_residual__mlp_residual=2")
    lines = outcome.stdout.splitlines()
    assert outcome.exit_code == 3
    first = lines.index("  cycle of waits:") + 1
    assert lines[first].strip() == (
        "'fork_attn_residual' waits to write 'fork_attn_residual__mlp_residual' (depth 2) for 'mlp_residual'"
    )
    assert (
        "'order_fork_mlp_norm_drain' waits to read 'order_fork_mlp_norm_full' (depth 2) for 'order_fork_mlp_norm_fill'"
        in outcome.stdout
    )
    assert "  the simulator (maxplus) names the same cycle" in lines
    assert "reference and csim: the same in all tokens that both have, to the bit" in outcome.stdout


def test_a_deadlock_as_json(emulate):
    told = json.loads(emulate("--depth", "fork_attn_residual__mlp_residual=2", "--json").stdout)
    assert (told["verdict"], told["simulator_verdict"], told["deadlock"]["same_cycle"]) == (
        "deadlock",
        "deadlock",
        True,
    )
    cycle = told["deadlock"]["cycle"]
    assert [wait["peer"] for wait in cycle] == [wait["process"] for wait in (*cycle[1:], cycle[0])]


def test_a_depth_that_only_the_simulator_cannot_do_with_is_exit_code_6(emulate):
    """Hardware takes the tokens of a stage at once; C++ takes them one by one and so holds one more."""
    outcome = emulate("--depth", "fork_attn_residual__mlp_residual=6")
    assert outcome.exit_code == 6
    assert "the simulator (maxplus) deadlocks" in outcome.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--depth", "order_fork_mlp_norm_full=1"),
            "'order_fork_mlp_norm_full' counts the halves of a converter's buffer",
        ),
        (("--depth", "no_such=1"), "no FIFO 'no_such'"),
        (("--checkpoint", "nowhere"), "nowhere"),
    ],
)
def test_refusals_are_exit_code_2(emulate, options, message):
    outcome = emulate(*options)
    assert (outcome.exit_code, message in outcome.stderr) == (2, True)


def _changed(package: Path, folder: Path, old: str, new: str) -> Path:
    """A copy of a package whose values.json holds another text in one place."""
    shutil.copytree(package, folder)
    path = folder / "values.json"
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1))
    return folder


def test_a_fault_in_one_engine_is_exit_code_6_and_named(emulate, design_of, tmp_path):
    """Another epsilon in the first norm of the reference engine's network."""
    design = design_of("small-gpt2", "prefill")
    (epsilon,) = {
        op.value
        for task in design.package.reference_graph.tasks
        for op in task.payload.ops
        if op.value.startswith("9.99")
    }
    package = _changed(design.package.folder, tmp_path / "package", epsilon, "0.01")
    outcome = emulate(package=package)
    assert outcome.exit_code == 6
    assert "torch and csim: the same results, to the bit" in outcome.stdout
    assert "of attn_norm" in outcome.stdout


def test_a_package_of_no_model_is_held_against_the_reference_engine(emulate, design_of, tmp_path):
    design = design_of("small-gpt2", "prefill")
    folder = tmp_path / "package"
    shutil.copytree(design.package.folder, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["configuration"]["workload"] = {}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    outcome = emulate(package=folder)
    assert (outcome.exit_code, "reference and csim: the same results, to the bit" in outcome.stdout) == (0, True)
