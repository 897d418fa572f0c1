"""`sttest compile --check-resources`: SLRs and crossings in the package, or exit code 4 and no package."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

import sttest.boards

BOARDS = Path(sttest.boards.__file__).parent / "data"
SMALL = ("small-gpt2", "--phase", "decode", "--context", "32", "-o", "here")
BLOCK = ("gpt2", "--phase", "decode", "--context", "64", "-o", "here")


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_design_that_fits_has_its_slrs_in_the_package(sttest):
    outcome = sttest("compile", *SMALL, "--beat-bits", "128", "--overall-unroll", "1200", "--check-resources", "--json")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert told["resources"]["over_budget"] == []
    assert told["resources"]["budget"] == "tight"
    assert max(told["partition"]["wires_per_boundary"]) <= 23040 / 2
    assert max(told["partition"]["fullest_share_per_slr"]) <= 1
    rows = pd.read_csv("here/reports/partition.csv")
    assert set(rows["slr"]) <= {0, 1, 2}
    assert len(pd.read_csv("here/reports/crossings.csv")) > 0
    simulated = json.loads(sttest("simulate", "here/timed_graph_placed.json", "--json").stdout)
    assert simulated["cycles"] == told["partition"]["cycles_with_crossing_registers"]


def test_a_die_of_one_slr_has_nothing_that_crosses(sttest):
    outcome = sttest("compile", *SMALL, "--board", "vck5000", "--check-resources")
    (line,) = (line for line in outcome.stdout.splitlines() if line.startswith("SLRs "))
    assert "; no wires across; " in line


def test_a_design_that_does_not_is_refused_before_anything_is_written(sttest, workplace):
    lanes = ("--precision", "w4a8", "--tile-size", "64", "--overall-unroll", "16384")
    outcome = sttest("compile", *SMALL, *lanes, "--check-resources")
    assert outcome.exit_code == 4
    assert "more LUTs than the budget" in outcome.stderr
    assert "lower --overall-unroll" in outcome.stderr
    assert list(workplace.iterdir()) == []


def test_without_the_check_the_report_says_so(sttest):
    outcome = sttest("compile", *SMALL, "--tile-size", "64", "--overall-unroll", "16384")
    assert outcome.exit_code == 0
    assert "dsp, lut, ff beyond the board's budget" in outcome.stdout
    assert not Path("here/reports/partition.csv").exists()
    report = pd.read_csv("here/reports/resources.csv")
    total = report[report["kind"] == "total"].iloc[0]
    budget = report[(report["kind"] == "budget") & (report["process"] == "all")].iloc[0]
    assert total["lut"] > budget["lut"]
    assert len(pd.read_csv("here/reports/memory_kinds.csv")) > len(report) / 2


def test_what_crosses_slrs_passes_the_tokens_of_all_layers(sttest):
    options = ("--overall-unroll", "1200", "--share", "all", "--layers", "3", "--check-resources", "--json")
    told = json.loads(sttest("compile", *SMALL, *options).stdout)
    assert sum(told["partition"]["wires_per_boundary"]) > 0
    simulated = json.loads(sttest("simulate", "here/timed_graph_placed.json", "--json").stdout)
    assert (simulated["verdict"], simulated["cycles"]) == ("done", told["partition"]["cycles_with_crossing_registers"])
    assert simulated["cycles"] > told["partition"]["cycles"]


def test_the_budget_decides_what_is_refused(sttest):
    # Of LUTs there are enough in all, but not in SLRs with half of the super long lines between them.
    lanes = ("--precision", "w4a8", "--overall-unroll", "1000", "--check-resources")
    assert sttest("compile", *SMALL, *lanes, "--budget", "published").exit_code == 0
    refused = sttest("compile", *SMALL, *lanes)
    assert refused.exit_code == 4
    assert "11,520 super long lines" in refused.stderr


def test_memory_beyond_the_board_is_explained(sttest, workplace):
    """Fusion counts converters and tiles; the rest comes on top, as the package says."""
    slrs = yaml.safe_load((BOARDS / "u55c.yaml").read_text(encoding="utf-8"))["fabric"]["slrs"]
    for slr in slrs:
        slr["uram"]["value"], slr["bram18"]["value"] = 8, 40
    board = {"extends": "u55c", "fabric": {"slrs": slrs}}
    Path("small.yaml").write_text(yaml.safe_dump(board), encoding="utf-8")
    outcome = sttest("compile", *BLOCK, "--board", "small.yaml")
    assert outcome.exit_code == 0, outcome.stderr
    (line,) = (line for line in outcome.stdout.splitlines() if line.startswith("memories "))
    rows = pd.read_csv("here/reports/memory_kinds.csv")
    held, cells, counted, fifos = (int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d", line))
    assert (held, cells) == (rows["used_bits"].sum() // 8, rows["capacity_bits"].sum() // 8)
    table = pd.read_csv("here/reports/fifos.csv")
    assert fifos == table[table["sized_by"] != "folded"]["fifo_bits"].sum() // 8
    assert counted + fifos <= cells
    assert not [line for line in sttest("compile", *BLOCK).stdout.splitlines() if line.startswith("memories ")]
