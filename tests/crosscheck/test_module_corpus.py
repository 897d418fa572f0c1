"""The corpus of stock layers through every engine: its values from torch, C++ and hardware, its cycles."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch_mlir")

FRONTEND = Path(__file__).parents[1] / "frontend"
sys.path.insert(0, str(FRONTEND))
from stock_modules import MODULES

pytestmark = [
    pytest.mark.torch,
    pytest.mark.nightly,
    pytest.mark.usefixtures("needs_compiler"),
    pytest.mark.filterwarnings("ignore"),
]
LEAST_DB = {"fp32": 100, "w8a8": 20}
IN_CLOCKED_HARDWARE = ("mlp", "attention", "convolution", "recurrence", "edited")


@pytest.fixture
def told(sttest, tmp_path, monkeypatch):
    """What a verb says of a module of the corpus."""

    def run(name, *arguments):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "own.py").write_text(
            f"import sys\nsys.path.insert(0, {str(FRONTEND)!r})\nimport torch\nfrom stock_modules import MODULES\n\n"
            f"def make():\n    torch.manual_seed(0)\n    return MODULES[{name!r}]()\n"
        )
        outcome = sttest(*arguments, "--json")
        assert outcome.exit_code == 0, outcome.stderr + outcome.stdout[-500:]
        return json.loads(outcome.stdout)

    return run


@pytest.mark.parametrize("precision", LEAST_DB)
@pytest.mark.parametrize("name", MODULES)
def test_engines_agree_on_stock_layers(name, precision, told):
    engines = ("--engines", "torch,reference,simpy,maxplus,csim")
    found = told(name, "crosscheck", "own.py:make", "--precision", precision, *engines)
    cycles = {row["engine"]: row["cycles"] for row in found["engines"]}
    assert cycles["simpy"] == cycles["maxplus"] > 0
    assert found["streams"]["verdict"] == "same"  # of the C++ to the reference engine
    assert found["sqnr_db"] is None or found["sqnr_db"] >= LEAST_DB[precision]  # None: not a bit differs


@pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator not found; apt-get install verilator")
@pytest.mark.parametrize("name", IN_CLOCKED_HARDWARE)
def test_hardware_agrees_on_stock_layers(name, told):
    told(name, "compile", "own.py:make", "--precision", "w8a8", "-o", "package")
    found = told(name, "emulate", "package")
    assert (found["verdict"], found["comparison"]["exact"]) == ("done", True)
    assert (found["values"]["compared"], found["values"]["wrong"]) == (True, [])
