"""Whole runs on the CPU with tiny models: rows, errors, budget, resumption."""

import json

import pytest

from experiments.gpu_baseline import campaign as campaign_module
from experiments.gpu_baseline.__main__ import main
from experiments.gpu_baseline.points import full_plan, select
from experiments.gpu_baseline.table import COLUMNS, read_rows

pytestmark = pytest.mark.torch
pytest.importorskip("transformers", reason="needs the front-end extra")

PREFILL = "gpt2/eager-bf16/prefill-32"
DECODE = "gpt2/eager-bf16/decode-64"


@pytest.fixture
def smoke(tmp_path):
    def run(*only, budget_s=300, resume=False):
        arguments = ["--smoke", "--device", "cpu", "--out", str(tmp_path), "--budget-seconds", str(budget_s)]
        assert main([*arguments, "--only", *only, *(["--resume"] if resume else [])]) == 0
        return read_rows(tmp_path / "rows.csv")

    return run


def metrics(rows, point):
    return {row["metric"]: row for row in rows if row["point"] == point}


@pytest.mark.nightly
def test_a_trial_run_writes_rows_and_says_that_it_is_none(smoke, tmp_path):
    rows = smoke(PREFILL, DECODE, "gemma/eager-bf16/decode-64", "gpt2/eager-bf16/generation-32")
    assert tuple(rows[0]) == COLUMNS
    decode = metrics(rows, f"{DECODE}/time")
    assert float(decode["speed"]["value"]) == pytest.approx(1e3 / float(decode["time"]["value"]), rel=1e-6)
    assert decode["time"]["repeats"] == "5"
    generation = metrics(rows, "gpt2/eager-bf16/generation-32/time")
    assert set(generation) == {"ttft", "latency", "speed"}
    assert float(generation["ttft"]["value"]) < float(generation["latency"]["value"])
    environment = json.loads((tmp_path / "environment.json").read_text())
    assert environment["protocol"] is False
    assert environment["device"] == "cpu"


def test_a_mode_that_cannot_run_is_a_row(smoke):
    rows = smoke("gpt2/graph-bf16/decode-64", PREFILL)
    assert metrics(rows, f"{PREFILL}/time")["time"]["value"]
    error = metrics(rows, "gpt2/graph-bf16/decode-64/time")["error"]
    assert (error["value"], error["note"]) == ("", "ModeUnavailableError: CUDA graphs need a CUDA device")


@pytest.mark.nightly
def test_a_point_that_fails_does_not_stop_the_others(smoke, monkeypatch):
    real = campaign_module.measure

    def failing(point, *arguments):
        if point.phase == "prefill":
            raise RuntimeError("out of\n memory")
        return real(point, *arguments)

    monkeypatch.setattr(campaign_module, "measure", failing)
    rows = smoke(PREFILL, DECODE)
    assert metrics(rows, f"{PREFILL}/time")["error"]["note"] == "RuntimeError: out of memory"
    assert "speed" in metrics(rows, f"{DECODE}/time")


def test_without_time_every_point_is_dropped(smoke):
    rows = smoke("gpt2/eager-bf16", budget_s=0)
    wanted = {point.name for point in select(full_plan(), ["gpt2/eager-bf16"])}
    assert {row["point"] for row in rows if row["metric"] == "dropped"} == wanted


@pytest.mark.nightly
def test_finished_points_are_not_run_twice(smoke, tmp_path):
    first = smoke(PREFILL, "gpt2/graph-bf16/decode-64")
    with (tmp_path / "rows.csv").open("a") as file:
        file.write("gpt2/eager-bf16/cut-off,gpt2")
    second = smoke(PREFILL, DECODE, "gpt2/graph-bf16/decode-64", resume=True)
    assert metrics(second, f"{PREFILL}/time") == metrics(first, f"{PREFILL}/time")
    assert "speed" in metrics(second, f"{DECODE}/time")
    assert [row["point"] for row in second].count(f"{PREFILL}/time") == 1
    assert [row["metric"] for row in second].count("error") == 1
    assert all(row["point"] != "gpt2/eager-bf16/cut-off" for row in second)


@pytest.mark.nightly
def test_a_run_without_resume_starts_anew(smoke):
    smoke(PREFILL)
    assert metrics(smoke(DECODE), f"{PREFILL}/time") == {}
