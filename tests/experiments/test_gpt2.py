"""The committed GPT-2 results, the constants behind them, and the shapes that they rest on."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from experiments import readme
from experiments.blocks import Shape, lanes_for
from experiments.calibration import CALIBRATION_FILE, constants, launch_choice
from experiments.gpt2 import CONTEXTS, LAUNCH_FIELDS, ROWS
from sttest.compile.compiler import Design, compile_text
from sttest.compile.pipeline import Knobs
from sttest.sim import simulate

RESULTS = readme.ROOT / "results" / "gpt2" / "table.csv"
PREDICTED = [(n, m) for n, m in ROWS if n != 32]


def results() -> pd.DataFrame:
    rows = pd.read_csv(RESULTS)
    return rows[(rows["phase"] == "generation") & (rows["kind"] == "simulated")].set_index("metric")


@pytest.mark.parametrize("metric", ["latency", "ttft", "speed"])
@pytest.mark.parametrize("shape", PREDICTED)
def test_predicted_cells_are_within_six_percent_but_for_two_explained(metric: str, shape: tuple[int, int]) -> None:
    """Errors decompose into the blocks' cycles (rows `block cycles`), launch and host; see docs/gpt2.md."""
    row = results().loc[f"{metric} [{shape[0]}:{shape[1]}]"]
    # The mix of long prompts adds integers here, and in floating point by all appearance there (docs/gpt2.md).
    missed = {("ttft", (128, 128)): (-0.18, -0.17), ("ttft", (256, 256)): (-0.27, -0.26)}
    least, most = missed.get((metric, shape), (-0.06, 0.06))
    assert least <= row["error"] <= most


def test_at_most_three_constants_and_all_from_the_first_row() -> None:
    fitted = constants()
    assert len(fitted) + 1 <= 3, "two fitted, and the launch, which is chosen"
    assert all("[32:32]" in constant.row for constant in fitted.values())
    assert launch_choice().field in LAUNCH_FIELDS
    assert CALIBRATION_FILE.name == "calibration.yaml"


def test_the_readme_shows_the_committed_results() -> None:
    text = (readme.ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.updated(text, RESULTS) == text


def test_every_row_has_unit_and_kind() -> None:
    rows = pd.read_csv(RESULTS)
    assert rows["unit"].notna().all()
    assert rows["kind"].notna().all()


def design(phase: str, size: int, strategy: str) -> Design:
    pytest.importorskip("torch_mlir", reason="the shapes of the table are lowered from PyTorch")
    prefill = phase == "prefill"
    largest = Shape("gpt2", "prefill", 256) if prefill else Shape("gpt2", "decode", 1, 512)
    shape = Shape("gpt2", "prefill", size) if prefill else Shape("gpt2", "decode", 1, size)
    unroll = int(constants()["overall_unroll"].value)
    knobs = lanes_for(largest, Knobs(overall_unroll=unroll, strategy=strategy))
    return compile_text(shape.text(), str(shape), "u55c", knobs)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.timeout(600)
@pytest.mark.parametrize("strategy", ["normal", "conservative"])
@pytest.mark.parametrize(
    ("phase", "size"), [*(("prefill", n) for n, _ in ROWS), *(("decode", context) for context in CONTEXTS)]
)
def test_every_shape_runs_to_the_end_in_the_oracle(phase: str, size: int, strategy: str) -> None:
    """LP depths, SimPy engine: done, no FIFO above its depth, and at most 2.5 % behind unbounded FIFOs."""
    found = design(phase, size, strategy)
    run = simulate(found.graph, engine="des")
    assert run.verdict == "done"
    assert all(run.max_occupancy[fifo.name] <= fifo.depth for fifo in found.graph.fifos)
    free = simulate(found.graph, unbounded=True)
    assert run.cycles is not None
    assert free.cycles is not None
    assert run.cycles <= 1.025 * free.cycles
    assert simulate(found.graph, engine="maxplus").cycles == run.cycles


@pytest.mark.torch
def test_a_short_residual_fifo_is_named_with_a_way_out() -> None:
    """The residual path of depth 2 closes a cycle; the fix finishes."""
    found = design("decode", 64, "normal")
    residual = "fork_attn_residual__mlp_residual"
    run = simulate(found.graph, depths={residual: 2})
    assert run.verdict == "deadlock"
    assert run.deadlock is not None
    assert residual in {wait.fifo for wait in run.deadlock.cycle}
    assert residual in run.deadlock.fix
    assert simulate(found.graph, depths={residual: 2} | run.deadlock.fix).verdict == "done"


@pytest.mark.torch
def test_the_whole_block_fuses_into_one_group() -> None:
    found = design("prefill", 32, "normal")
    assert len(found.fusion.fusion.costs) == 1
    assert found.fusion.total_original_bytes > 0
    assert Path(RESULTS).is_file()
