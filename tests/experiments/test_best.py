"""The best designs: their files, and the committed table against the fastest of them made again."""

from __future__ import annotations

import csv
import json
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pandas as pd
import pytest
from typer.testing import CliRunner

from experiments.best.cases import Case, all_cases, bases
from experiments.best.design import Fullest, Made, command
from experiments.best.efficiency import multiplications, rivals
from experiments.best.find import Search, find
from experiments.best.found import IN_RESULTS, Found, path_of, read_found, write_found
from experiments.best.front import FRONT, front_line
from experiments.best.rows import of_budget
from experiments.best.table import write_design
from sttest.boards.energy import Activity
from sttest.boards.load import load_board
from sttest.boards.resources import Resources
from sttest.cli.app import app
from sttest.compile.compiler import StagedCompiler
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions, renamed
from sttest.compile.resources.clock import TimeAtClock
from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.core.results import table_rows
from sttest.explore.lane_judge import LaneJudge
from sttest.explore.recipes import Block, Recipe, attention_tiles
from sttest.explore.start_lanes import start_lanes
from sttest.package.design_package import read_lanes
from sttest.sim import simulate

RESULTS = Path(__file__).parents[2] / "results" / "best"
FOUND = [case for case in all_cases() if path_of(case).is_file()]


def committed(case: Case, metric: str) -> float:
    own = [row for row in table_rows(RESULTS / "table.csv") if (row["model"], row["phase"]) == (case.model, case.phase)]
    return next(float(row["value"]) for row in own if row["metric"] == of_budget(metric, case.budget))


@pytest.mark.slow
@pytest.mark.nightly
def test_the_printed_command_gives_the_committed_cycles(tmp_path: Path) -> None:
    case = Case("gpt2", "decode", "tight")
    package = tmp_path / "package"
    words = command(case, read_found(case).options, RESULTS / case.name, package)
    assert words[:2] == ["sttest", "compile"]
    run = CliRunner().invoke(app, [*words[1:], "--json"])
    assert run.exit_code == 0, run.output
    summary = json.loads(run.stdout)
    assert summary["sizing"]["cycles"] == committed(case, "cycles per launch, before placement")
    assert summary["partition"]["cycles_with_crossing_registers"] == committed(case, "cycles per launch")
    assert summary["resources"]["share_of_budget"]["lut"] == pytest.approx(
        committed(case, "lut share of budget"), abs=1e-4
    )


@pytest.mark.slow
def test_a_design_made_again_has_the_committed_rows(tmp_path: Path) -> None:
    case = Case("gpt2", "decode", "tight")
    for row in write_design(case, tmp_path / "design"):
        assert row.value == pytest.approx(committed(case, row.metric.removesuffix(f" [{case.budget}]")), rel=1e-6), row


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.name)
def test_every_design_found_is_in_the_results(case: Case, tmp_path: Path) -> None:
    found, folder = read_found(case), RESULTS / case.name
    # The results may be of an earlier version, which had other names for some options.
    (tmp_path / path_of(case).name).write_bytes((folder / IN_RESULTS).read_bytes())
    assert read_found(case, tmp_path) == found
    assert set(read_lanes(folder)) == set(found.options.lanes)
    with (folder / "items.csv").open(newline="", encoding="utf-8") as file:
        assert sum(int(row["cycles"]) for row in csv.DictReader(file)) == committed(case, "critical path")
    words = shlex.split((folder / "commands.sh").read_text(encoding="utf-8").splitlines()[0])
    # A launch of many accesses says so first.
    words = [renamed().get(word, word) for word in words[words[0].startswith("STTEST_MAX_ACCESSES=") :]]
    wanted = command(case, found.options, Path(words[-4]), Path(words[-1]))
    assert words == wanted


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.name)
def test_no_design_asks_for_more_than_its_budget(case: Case) -> None:
    assert committed(case, "fullest share") <= 1
    assert 0 < committed(case, "fraction of roofline, peak bandwidth") < 1


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.name)
def test_every_design_is_counted_as_rtl_under_the_budget_of_its_case(case: Case) -> None:
    options = read_found(case).options
    assert (options.flow, options.budget) == ("rtl", case.budget)


def test_a_design_survives_its_file(tmp_path: Path) -> None:
    options = CompileOptions(
        tiles=("a:1x64",), orders=("*_b:1,0",), lanes=("a:4", "b:16"), share="all", layers=24, fabric=("c",)
    )
    found = Found(Case("gpt2", "decode"), options, "made up", "0" * 64, 1234, 7)
    write_found(found, tmp_path)
    assert read_found(found.case, tmp_path) == found


def test_a_file_of_another_case_is_refused(tmp_path: Path) -> None:
    case, other = Case("gpt2", "decode"), Case("qwen", "decode")
    write_found(Found(case, CompileOptions(lanes=("a:4",)), "made up", "0" * 64, 1, 1), tmp_path)
    path_of(case, tmp_path).rename(path_of(other, tmp_path))
    with pytest.raises(InputError, match="does not say how"):
        read_found(other, tmp_path)


def test_options_for_another_budget_are_refused(tmp_path: Path) -> None:
    case = Case("gpt2", "decode", "all")
    write_found(Found(case, CompileOptions(lanes=("a:4",), budget="tight"), "made up", "0" * 64, 1, 1), tmp_path)
    with pytest.raises(InputError, match="for the budget 'tight'"):
        read_found(case, tmp_path)


@pytest.mark.nightly
@pytest.mark.torch
def test_another_text_is_refused() -> None:
    found = replace(read_found(Case("gpt2", "decode")), text_sha256="0" * 64)
    with pytest.raises(InputError, match="another text"):
        found.block()


def test_a_design_that_no_longer_fits_is_said_and_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(found: Found) -> NoReturn:
        raise DoesNotFitError("board-resources", "more LUTs than the budget", where=found.case.name)

    monkeypatch.setattr("experiments.best.table.make", refuse)
    case = Case("gpt2", "decode", "tight")
    (row,) = write_design(case, tmp_path / case.name)
    assert row.value is None
    assert "more LUTs" in row.note
    assert not (tmp_path / case.name).exists()
    line = dict(zip(FRONT, front_line(case, [row]), strict=True))
    assert (line["model"], line["cycles"]) == ("gpt2", "")
    assert "more LUTs" in line["critical path"]


def test_options_that_are_not_defaults_are_in_the_command() -> None:
    options = CompileOptions(
        tile_size=32,
        tiles=("attn_*:1x64x64",),
        orders=("mlp_fc?:1,0,2",),
        prefetch_kib=64,
        fabric=("attn_scores", "attn_mix"),
    )
    words = command(Case("gpt2", "prefill"), options, Path("lanes"), Path("out"))
    assert words[words.index("--tile-size") :][:2] == ["--tile-size", "32"]
    assert "attn_*=1x64x64" in words
    assert words[words.index("--fabric") :][:4] == ["--fabric", "attn_scores", "--fabric", "attn_mix"]
    assert "mlp_fc?=1,0,2" in words
    assert "--vector-bits" not in words
    assert "--head" not in words


def test_a_decode_is_one_launch_with_the_head_and_a_prefill_one_or_a_launch_per_layer() -> None:
    decode, prefill = Case("gemma", "decode"), Case("gemma", "prefill")
    assert (decode.head, prefill.head) == (True, False)
    assert {base.options.layers for base in bases(decode).values()} == {26}
    assert {base.layers for base in bases(prefill).values()} == {2}
    per_layer = Found(prefill, CompileOptions(layers=1), "one", "", 1, 1)
    assert (per_layer.launches, replace(per_layer, options=CompileOptions(layers=26)).launches) == (26, 1)


def made_up(phase: Any, **options: Any) -> Made:
    """GPT-2 on a U55C: a launch of 100,000 cycles, 0.4 ms, with 1 Gbit from memory."""
    found = Found(Case("gpt2", phase), CompileOptions(**options), "made up", "", 0, 0)
    parts: dict[str, Any] = {
        "design": SimpleNamespace(board=load_board("u55c")),
        "placed": SimpleNamespace(cycles=(1, 100_000)),
        "itemized": None,
        "band": None,
        "times": (),
    }
    return Made(found, counts=pd.DataFrame(), done=Activity(4e-4, hbm_bits=1e9), itemized_layers=1, **parts)


def test_the_host_stands_between_two_launches_that_make_tokens() -> None:
    """251 us, board's file; 4.57 us for a launch that waits in a queue."""
    each = made_up("decode", layers=24)
    assert (each.card_ms, each.ms) == pytest.approx((0.4 + 0.00457, 0.4 + 0.251))
    assert (each.activity.seconds, each.activity.hbm_bits) == pytest.approx((0.651e-3, 1e9))
    of_layers = made_up("decode", layers=12)
    assert (of_layers.card_ms, of_layers.ms) == pytest.approx((0.8 + 0.00914, 0.8 + 0.00457 + 0.251))
    several = made_up("decode", layers=24, generate=10)
    assert (several.card_ms, several.ms) == pytest.approx((0.04 + 0.000457, 0.04 + 0.0251))
    assert (several.activity.seconds, several.activity.hbm_bits) == pytest.approx((0.0651e-3, 1e8))
    prompt = made_up("prefill", layers=24)
    assert prompt.card_ms == prompt.ms == pytest.approx(0.4 + 0.00457)


def test_a_clock_changes_the_card_and_not_the_queue() -> None:
    made = made_up("decode", layers=12)
    assert made.card_ms_at(TimeAtClock("low", 200, 90_000)) == pytest.approx(2 * (0.45 + 0.00457))
    with pytest.raises(DeadlockError, match="200 MHz"):
        made.card_ms_at(TimeAtClock("low", 200, None))


def test_the_fullest_is_a_resource_of_an_slr_or_the_lines_of_a_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_up("decode", layers=24)
    shares = (Resources(lut=0.5, dsp=0.75), Resources(lut=0.875), Resources())
    monkeypatch.setattr("experiments.best.design.die_under", lambda *_: SimpleNamespace(sll_per_boundary=1000))
    made.placed.taken, made.placed.partition = None, SimpleNamespace(shares=shares, wires=(500, 250))  # type: ignore[misc]
    assert made.fullest == Fullest(0.875, "lut", "SLR1")
    made.placed.partition.wires = (950, 250)  # type: ignore[misc]
    assert made.fullest == Fullest(0.95, "super long lines", "SLR0 to SLR1")


def test_tiles_of_attention_have_the_lanes_asked_for() -> None:
    """A power of two of lanes, so that Qwen's seven query heads are beside them."""
    asked = {
        ("gpt2", 512): "1x8x64",
        ("llama", 1024): "1x8x2x64",
        ("qwen", 256): "1x7x4x64",
        ("gemma", 2048): "4x2x256",
    }
    for (model, lanes), tile in asked.items():
        case = Case(model, "decode", "tight")
        block = Block(case.config, "decode", case.shape.tokens, case.shape.context)
        assert attention_tiles(block, lanes)[0] == f"attn_scores:{tile}"


def test_lanes_at_the_start_are_bounded_or_keep_pace() -> None:
    options = CompileOptions(overall_unroll=1024)
    compiler = StagedCompiler(Small("gpt2", "prefill").text(), "two", "u55c")
    judge = LaneJudge(compiler, options)
    assert max(judge.start.values()) > 16
    bounded = start_lanes(compiler, judge, Recipe(options, others=8))
    assert set(bounded) == set(judge.start)
    assert max(lanes for engine, lanes in bounded.items() if "quantize" not in engine) == 8
    assert max(bounded.values()) == 16
    paced = start_lanes(compiler, judge, Recipe(options, paced=32))
    assert max(paced.values()) == 32
    # Half the lanes of any of them, and it would be the slowest.
    slowest = max(_busy(compiler, judge, paced).values())
    for engine, lanes in paced.items():
        if lanes > 1:
            assert _busy(compiler, judge, {**paced, engine: lanes // 2})[engine] > slowest


def _busy(compiler: StagedCompiler, judge: LaneJudge, lanes: dict[str, int]) -> dict[str, int]:
    """Steps by task."""
    tasks = all_of(compiler.tiled(judge.base).module, df.TaskOp)
    return {name: task.iterations * task.tile_points // lanes[name] for task in tasks for name in (task.sym_name.data,)}


def test_multiplications_of_gpt2_by_hand() -> None:
    weights, hidden = 24 * 12 * 1024 * 1024, 1024
    decode = weights + 24 * (2 * 256 + 1) * hidden + hidden * 50257
    prompt = 256 * weights + 24 * 2 * (256 * 257 // 2) * hidden
    assert [multiplications(Case("gpt2", phase)) for phase in ("decode", "prefill")] == [decode, prompt]


def test_quotients_over_others_are_of_time_and_of_time_times_dsps() -> None:
    allo, dfx = rivals(256)
    made = made_up("prefill", layers=24)
    made.placed.taken = SimpleNamespace(total=SimpleNamespace(dsp=890))  # type: ignore[misc]
    assert (allo.system, dfx.system) == ("allo", "dfx")
    assert allo.speed_up(made) == pytest.approx(651.96 / 0.40457)
    assert allo.dsp_efficiency(made) == pytest.approx(651.96 * 1780 / (0.40457 * 890))
    assert dfx.speed_up(made_up("decode", layers=24)) == pytest.approx(1e3 / 0.651 / 185.19)


class Small(Case):
    """A block that is searched in seconds."""

    def text(self) -> str:
        from tests.explore.tiny_searches import two_products

        return two_products()


@pytest.mark.nightly
def test_a_search_is_repeated_from_its_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "experiments.best.find.bases", lambda case: {"one": Recipe(CompileOptions(overall_unroll=1024))}
    )
    search, told = Search(Small("gpt2", "prefill"), tries=1, most_designs=6), []
    first = find(search, told.append, store=tmp_path / "store", folder=tmp_path)
    runs: list[object] = []
    monkeypatch.setattr("sttest.explore.lane_judge.simulate", lambda *given, **named: runs.append(given))
    again = find(search, told.append, store=tmp_path / "store", folder=tmp_path)
    assert again == first
    assert not runs


def test_a_found_design_is_what_its_options_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sttest.compile.compiler import compile_text

    monkeypatch.setattr(
        "experiments.best.find.bases", lambda case: {"one": Recipe(CompileOptions(overall_unroll=1024))}
    )
    search = Search(Small("gpt2", "prefill"), tries=1, most_designs=6)
    found = find(search, lambda _told: None, store=tmp_path / "store", folder=tmp_path)
    assert simulate(compile_text(search.case.text(), "two", "u55c", found.options).graph).cycles == found.cycles


def test_where_nothing_fits_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.best.find.bases", lambda case: {"none": Recipe(CompileOptions(overall_unroll=1))})
    with pytest.raises(DoesNotFitError, match="no design that fits"):
        find(Search(Small("gpt2", "prefill")), lambda _told: None, store=tmp_path / "store", folder=tmp_path)


def test_an_unknown_base_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no base"):
        find(Search(Small("gpt2", "prefill"), ("nine",)), lambda _told: None, store=tmp_path, folder=tmp_path)
