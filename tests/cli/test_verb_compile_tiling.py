"""`sttest compile` with tiles, orders and lanes of single tasks: the package has them, bad ones are refused."""

import csv
import json
from pathlib import Path

import pytest

DECODE = ("compile", "small-gpt2", "--phase", "decode", "--context", "32", "-o", "here")


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def kernels() -> dict[str, dict[str, str]]:
    with Path("here", "reports", "kernels.csv").open(newline="") as file:
        return {row["kernel"]: row for row in csv.DictReader(file)}


def test_tiles_and_orders_reach_the_package(sttest):
    chosen = ("--task-tile", "*_proj=8x16", "--task-tile", "mlp_fc1=32x64", "--task-order", "mlp_fc1=1,0")
    assert sttest(*DECODE, *chosen).exit_code == 0
    options = json.loads(Path("here", "manifest.json").read_text())["configuration"]["options"]
    assert options["tiles"] == ["*_proj:8x16", "mlp_fc1:32x64"]
    assert options["orders"] == ["mlp_fc1:1,0"]
    # 64 columns of sums over 64 points; fc1 has 128 columns, the sum outermost.
    assert (kernels()["attn_q_proj"]["trips"], kernels()["attn_q_proj"]["tile"]) == ("8x4", "8x16")
    assert (kernels()["mlp_fc1"]["trips"], kernels()["mlp_fc1"]["tile"]) == ("1x4", "64x32")


def test_lanes_of_products_reach_the_package(sttest):
    assert sttest(*DECODE, "--gemv-lanes", "1024").exit_code == 0
    assert json.loads(Path("here", "manifest.json").read_text())["configuration"]["options"]["gemv_lanes"] == 1024
    assert {kernels()[name]["lanes"] for name in ("attn_q_proj", "mlp_fc1", "mlp_fc2")} == {"1024"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--task-tile", "mlp_fc1"), "--task-tile: 'mlp_fc1' has no value; write --task-tile NAME=..."),
        (("--task-order", "=1,0"), "--task-order: '' has no value"),
        (("--task-tile", "mlp_fc3=8x8"), "did you mean 'mlp_fc2'"),
        (("--task-tile", "mlp_fc1=5x8"), "mlp_fc1: a tile of 5 does not divide a loop of 128"),
        (("--task-order", "mlp_fc1=0,0"), "mlp_fc1: 0,0 is no permutation of the 2 loops"),
        (("--gemv-lanes", "1000"), "the lanes of a matrix-vector engine must be a power of two"),
        (("--gemv-lanes", "8192", "--overall-unroll", "256"), "the overall unroll size does not cover the first lanes"),
    ],
)
def test_bad_choices_are_one_line_and_leave_nothing(sttest, options, words):
    outcome = sttest(*DECODE, *options)
    assert outcome.exit_code in (2, 4)
    assert words in outcome.stderr
    assert len(outcome.stderr.strip().splitlines()) == 1
    assert not Path("here").exists()
