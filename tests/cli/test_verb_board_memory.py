"""`sttest board --measure-like` and `--why`: public benchmarks on a memory, and what keeps a kernel slow."""

import json

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.studies.memory.benchmark import measure
from sttest.studies.memory.families import FAMILIES, Asked, measure_like

DDR = ("board", "u280", "--memory", "ddr")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("board", "memory"), [("u50", "hbm"), ("u280", "ddr")])
def test_a_table_fits_a_page_of_80_columns(sttest, family, board, memory):
    outcome = sttest("board", board, "--memory", memory, "--measure-like", family)
    assert outcome.exit_code == 0
    assert max(map(len, outcome.stdout.splitlines())) <= 80


def test_published_figures_stand_beside_the_simulated(sttest):
    lines = sttest(*DDR, "--measure-like", "axi-burst").stdout.splitlines()
    row = next(line.split() for line in lines if line.split()[:4] == ["read", "512", "1,024", "4"])
    assert row[-1] == "U200"
    assert float(row[-2]) == pytest.approx(14.08)
    assert float(row[4]) == pytest.approx(14.08, rel=0.05)


def test_json_has_conditions_ports_and_sources(sttest):
    told = json.loads(sttest("board", "u55c", "--measure-like", "outstanding-ramp", "--json").stdout)
    assert (told["schema"], told["board"], told["memory"]) == ("sttest.memory/1", "u55c", "hbm")
    first = told["rows"][0]
    assert first["conditions"]["outstanding"] == 1
    assert first["ports"][0]["latency_ns"] == pytest.approx(200, abs=5)
    assert {each["figure"]: each["value"] for each in first["published"]} == {
        "port": pytest.approx(7510 * 2**20 / 1e9, rel=1e-4),
        "latency": 200,
    }
    assert all("xbtest" in each["source"] for each in first["published"])


def test_options_set_conditions_that_no_row_has(sttest):
    asked = ("--channels", 4, "--ids", "one", "--burst", 64, "--master", "hls")
    told = json.loads(sttest("board", "u50", "--measure-like", "random-access", *asked, "--json").stdout)
    (row,) = told["rows"]
    memory = require_hbm(load_board("u50")).tier("hbm")
    (ours,) = measure_like("random-access", "u50", memory, Asked(channels=4, ids="one", burst_bytes=64, master="hls"))
    assert row["gb_per_s"] == ours.measured.gb_per_s == measure(ours.conditions, memory).gb_per_s
    assert row["published"] == []
    text = sttest("board", "u50", "--measure-like", "random-access", *asked).stdout
    assert "nobody published it for this memory and these conditions" in text


def test_why_says_what_is_in_the_way_first(sttest):
    ports = ("--width", 32, "--burst", 64, "--outstanding", 1)
    outcome = sttest("board", "u55c", "--why", *ports)
    assert outcome.exit_code == 0
    assert max(map(len, outcome.stdout.splitlines())) <= 80
    told = json.loads(sttest("board", "u55c", "--why", *ports, "--json").stdout)
    assert told["schema"] == "sttest.why/1"
    assert outcome.stdout.startswith(f"{told['gb_per_s']:.2f} of the 13.20 GB/s that its channels give: ")
    assert set(told["causes"]) >= {"width of the port", "bursts in flight"}
    for number, step in enumerate(told["steps"]):
        assert f"{'then' if number else 'first'}: {step['what']}, {step['gb_per_s']:.2f} GB/s" in outcome.stdout


def test_nothing_in_the_way_is_said(sttest):
    text = sttest("board", "u55c", "--why", "--burst", 4096).stdout
    assert "nothing about its ports is in the way" in " ".join(text.split())


def test_vitis_defaults_are_taken_where_nothing_is_said(sttest):
    told = json.loads(sttest("board", "u55c", "--why", "--width", 64, "--json").stdout)
    assert told["conditions"] | {"burst_bytes": 128, "outstanding": 16, "clock_mhz": 300} == told["conditions"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--why",), "no board is named"),
        (("u55c", "--why", "--measure-like", "axi-burst"), "both --why and --measure-like"),
        (("u55c", "--burst", "64"), "conditions of ports, and no question"),
        (("a100", "--why"), "no HBM"),
        (("u55c", "--why", "--memory", "ddr"), "has no ddr"),
        (("u55c", "--why", "--channels", "64"), "more channels than the memory has"),
        (("u55c", "--measure-like", "axi-burst", "--burst", "100"), "whole beats"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(sttest, arguments, told):
    outcome = sttest("board", *arguments)
    assert outcome.exit_code == 2
    assert told in outcome.stderr
    assert outcome.stderr.count("\n") == 1
