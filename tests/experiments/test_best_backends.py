"""A layer of every best decode design within `tight` on every backend; the launch of all layers is timed alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from experiments.best.cases import Case
from experiments.best.design import command
from experiments.best.found import read_found

pytestmark = [pytest.mark.nightly, pytest.mark.torch]
RESULTS = Path(__file__).parents[2] / "results" / "best"
DESIGNS = (
    ("gpt2", "w4a8"),
    ("qwen", "w4a8"),
    ("llama", "w4a8"),
    ("gemma", "w4a8"),
    ("gpt2", "w4a8-static"),
    ("gpt2", "w3a8"),
)
"""Models, and schemes: with the lanes that were found for w4a8, those of its tasks that the others have."""


def run(*words: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.timeout(1500)
@pytest.mark.parametrize(("model", "precision"), DESIGNS)
def test_a_layer_of_a_best_design_on_every_backend(model: str, precision: str, tmp_path: Path) -> None:
    case, package = Case(model, "decode"), tmp_path / "package"
    options = read_found(case).options.with_(layers=1, precision=precision)
    words = command(case, options, RESULTS / case.name, package)
    told = run(*(word for word in words if word not in ("--head", "--check-resources")))
    cycles = told.split("cycles ")[1].split()[0]
    assert f"done after {cycles} cycles" in run("sttest", "simulate", str(package), "--engine", "simpy")
    cpp = run("sttest", "emulate", str(package), "--backend", "csim", "-o", str(tmp_path / "csim"))
    assert "torch and csim: the same results, to the bit" in cpp
    assert "the same in all" in cpp
    hardware = run("sttest", "emulate", str(package), "-o", str(tmp_path / "rtl"))
    assert f"{cycles} cycles" in hardware
    assert "the same as maxplus in all" in hardware
    assert "values are those of the reference, in every token, to the bit" in hardware
