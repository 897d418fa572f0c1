"""HIDA's example, FIFO sizing, compile time, on-chip intermediates, and all of them in a row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import experiments.all
from experiments import compile_time, fifo, hida, onchip
from experiments.blocks import BlockRun
from experiments.compile_time import CompileTime
from experiments.onchip import Intermediates
from experiments.pages import results
from sttest.core.errors import InputError
from sttest.studies.tables import ALL, programs, reproduce

RESULTS = Path(__file__).parents[2] / "results"


def test_hida_gives_the_published_table_but_for_the_two_cells_that_contradict_it(tmp_path) -> None:
    hida.reproduce(tmp_path / "hida")
    table = pd.read_csv(tmp_path / "hida" / "table.csv")
    assert len(table) == 4 * (3 + 2 + 2 + 3 + 3)
    wrong = table[table["error"] != 0]
    assert {(row["model"], row["phase"]) for _, row in wrong.iterrows()} == hida.CONTRADICTED
    assert wrong["note"].str.len().min() > 0


def test_the_least_depths_keep_the_pace_and_save_memory() -> None:
    found = {each.method: each for each in fifo.size_block("gpt2", "decode", "maxplus")}
    assert set(found) == {*fifo.STRATEGIES, fifo.MINIMAL}
    minimal = found[fifo.MINIMAL]
    assert minimal.cycles <= minimal.unbounded_cycles
    assert minimal.bits < found["normal"].bits
    assert minimal.depths.keys() == found["normal"].depths.keys()


def test_totals_of_compile_time_leave_the_simulation_out() -> None:
    found = CompileTime("qwen", {compile_time.LOWERING: 2.0, "fusion": 1.0, compile_time.SIMULATION: 5.0})
    assert found.total_s == 3
    rows = list(compile_time._rows(found))
    assert [row.reference for row in rows if row.metric == "total"] == [63.4, 39.8, 32.4, 26.8]
    assert [row.value for row in rows if row.metric == "RTL generation"] == [None]


def test_ratios_of_intermediates() -> None:
    found = Intermediates(BlockRun("qwen", "prefill", 32), 10, 1000, 500, 100, 40)
    assert found.ratios == (0.1, 0.2)
    rows = {row.metric: row for row in onchip._rows(found)}
    assert rows["fused over original, all kernels n=32"].reference == 0.148
    assert rows["fused over original, the model's operations n=32"].reference == 0.168


def test_fusion_keeps_a_small_part_on_chip() -> None:
    table = results("onchip")
    ratios = table[table["metric"].str.startswith("fused over original, all kernels n=")]["value"]
    assert len(ratios) == 12
    assert ratios.between(0, 0.168).all()


@pytest.fixture
def ran(monkeypatch) -> list[tuple[str, Path]]:
    calls: list[tuple[str, Path]] = []

    def fake(name: str) -> Callable[..., None]:
        return lambda out, engine, jobs: calls.append((name, out))

    monkeypatch.setattr("experiments.registry.experiment", fake)
    return calls


def test_all_runs_every_other_experiment_in_its_own_folder(ran, tmp_path) -> None:
    seconds = experiments.all.reproduce(tmp_path)
    names = list(programs())
    assert ran == [(name, tmp_path / name) for name in names]
    assert list(seconds) == names
    for read in ("gpt2", "emerging", "best"):
        assert names.index(read) < names.index("peers"), "peers reads what they wrote"


def test_all_refuses_before_it_starts(tmp_path) -> None:
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "mine.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(InputError):
        reproduce(ALL, tmp_path, "maxplus", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["peers"]
