"""What a design's activity report counts, against the design itself, and the energy that follows from it."""

from __future__ import annotations

from functools import cache

import pytest

from sttest.boards.energy import CASES, COLUMNS, Activity, activity_of, energy, read_activity
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reports import activity_table, kernel_table
from sttest.compile.timing.fifo_depths import accesses
from sttest.core.errors import InputError
from sttest.core.report_table import ReportTable
from sttest.frontend.shipped import lowered_text
from sttest.package import DesignPackage
from sttest.package.compiled import write_package
from sttest.sim import Simulation, simulate

# Weights of one GPT-2 Medium block: q, k, v, o and both matrices of the MLP.
WEIGHTS = 4 * 1024 * 1024 + 2 * 1024 * 4096
CONTEXT = 64


@cache
def decode() -> tuple[CompiledDesign, Simulation, ReportTable]:
    design = compile_text(
        lowered_text("gpt2", "decode", small=False), "gpt2-decode", "u55c", CompileOptions(precision="w4a8")
    )
    return design, simulate(design.graph), activity_table(design)


def activity() -> Activity:
    design, run, report = decode()
    assert run.cycles is not None
    busy = {name: process.busy_cycles for name, process in run.breakdown.items()}
    return activity_of(report, busy, run.cycles, design.board.clock_mhz.value)


def test_macs_are_the_weights_and_the_attention_of_one_token() -> None:
    """Scores and mix over the cache, and the token's own score; its own value is scaled in floating point."""
    attention = (2 * CONTEXT + 1) * 1024
    assert sum(row["macs"] for row in decode()[2]) == WEIGHTS + attention


def test_hbm_traffic_is_weights_scales_and_cache() -> None:
    """W4 weights with an FP16 scale per 128; the INT8 cache and everything else is below 5 % of them."""
    moved = sum(row["hbm_bits"] for row in decode()[2])
    weights = WEIGHTS * (4 + 16 / 128)
    assert 1.0 <= moved / weights <= 1.05


def test_no_task_does_more_than_its_slices_could_while_it_was_not_stalled() -> None:
    _, run, report = decode()
    computing = [row for row in report if row["dsp_slices"] > 0]
    assert computing
    for task in computing:
        assert task["dsp_work_cycles"] <= task["dsp_slices"] * run.breakdown[task["element"]].busy_cycles, task


def test_every_task_is_counted() -> None:
    design, _, report = decode()
    tasks = {row["element"]: row["evaluations"] for row in report if row["kind"] == "task"}
    assert tasks == {row["kernel"]: row["work"] for row in kernel_table(design)}


@pytest.mark.parametrize("case", CASES)
def test_a_decoding_board_draws_what_such_boards_read(case: str) -> None:
    """30 to 57 W: CODO to EdgeLLM (docs/how-it-works/energy.md)."""
    assert 30 <= energy(activity(), decode()[0].board.energy_costs, case).power_w <= 57  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> DesignPackage:
    text = lowered_text("gpt2", "decode", small=True)
    design = compile_text(text, "small", "u55c", CompileOptions())
    return write_package(design, tmp_path_factory.mktemp("energy") / "package")


def test_a_package_has_the_report(package: DesignPackage) -> None:
    report = package.activity
    assert report.columns == COLUMNS
    assert sum(row["hbm_bits"] for row in report) > 0
    with pytest.raises(InputError, match="no process 'attn"):
        activity_of(report, {}, 100, 250.0)


def test_tasks_that_take_turns_have_the_slices_of_one_engine() -> None:
    rows = [("q", "engine", 4, 8), ("k", "engine", 2, 8), ("norm", "norm", 3, 3)]
    columns = ["element", "process", "dsp_slices", "dsp_work_cycles"]
    report = ReportTable.of(COLUMNS, (dict(zip(columns, row, strict=True)) for row in rows))
    done = activity_of(report, {"engine": 5, "norm": 2}, 10, 250.0)
    assert (done.dsp_enabled_cycles, done.dsp_work_cycles) == (4 * 5 + 3 * 2, 8 + 8 + 3)


def test_a_shared_design_has_the_work_of_one_that_is_not() -> None:
    text = lowered_text("gpt2", "decode", small=True)
    alone, shared = (compile_text(text, "small", "u55c", CompileOptions(share=share)) for share in ("none", "all"))
    ran = simulate(shared.graph)
    busy = {name: process.busy_cycles for name, process in ran.breakdown.items()}
    done = activity_of(activity_table(shared), busy, ran.cycles or 0, 250.0)
    assert done.dsp_work_cycles == pytest.approx(sum(row["dsp_work_cycles"] for row in activity_table(alone)))
    assert done.dsp_enabled_cycles >= done.dsp_work_cycles


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("a,b\n1,2\n", "its columns are not element"),
        (",".join(COLUMNS) + "\nx,task,x,1,1,-1,0,0,0,0,0\n", "not numbers of 0 or more"),
        (",".join(COLUMNS) + "\nx,task,x,1,1,one,0,0,0,0,0\n", "not a number"),
        (",".join(COLUMNS) + "\nx,task,x,1,1,nan,0,0,0,0,0\n", "a count that is not a number"),
    ],
)
def test_a_foreign_report_is_refused(tmp_path, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / "activity.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_activity(tmp_path / "activity.csv")


@pytest.mark.parametrize("share", ["none", "all"])
def test_a_launch_over_layers_counts_its_blocks_often_and_its_head_once(share: str) -> None:
    options = [CompileOptions(layers=layers, share=share) for layers in (1, 3)]  # type: ignore[arg-type]
    text = lowered_text("gpt2", "decode", head=True, small=True)
    one, many = (compile_text(text, "launch", "u55c", each) for each in options)
    block, launch = (activity_table(each).frame().set_index("element") for each in (one, many))
    tasks = block[block["kind"] == "task"]["evaluations"].to_dict()
    behind = {task for task in tasks if "head" in str(task)}
    assert behind
    many_times = {task: count * (1 if task in behind else 3) for task, count in tasks.items()}
    assert launch[launch["kind"] == "task"]["evaluations"].to_dict() == many_times
    written = {
        fifo: len(curve)
        for process in many.graph.processes
        for (fifo, end), curve in accesses(process, many.graph).items()
        if end == "write"
    }
    bits = launch["srl_bits"] + (launch["bram_bits"] + launch["uram_bits"]) / 2
    moved = {fifo.name: fifo.bits * written[fifo.name] for fifo in many.graph.fifos if fifo.name in launch.index}
    assert bits[launch["kind"] == "fifo"].to_dict() == moved
