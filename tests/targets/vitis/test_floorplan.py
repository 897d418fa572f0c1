"""Pblocks and the floorplan of a placed kernel, read by readers of the test's own."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from sttest.core.errors import InputError
from sttest.core.files import read_text
from sttest.targets.vitis.floorplan import floorplan
from sttest.targets.vitis.steps import read_link_config

TEXT = """#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
    STTEST_PROCESS(load_x, x, x_in); STTEST_PROCESS(order_a_fill, x_in, blocks);
    STTEST_PROCESS(order_a_drain, blocks, y); STTEST_PROCESS(scale_2, y, z);
"""


def words(line: str) -> list[str]:
    """A command of Tcl by its braces, brackets and spaces."""
    found, depth, word = [], 0, ""
    for letter in line:
        depth += (letter in "{[") - (letter in "}]")
        if letter == " " and depth == 0:
            found.append(word)
            word = ""
        else:
            word += letter
    assert depth == 0, line
    return [*found, word]


def slrs_of_tcl(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """First row of clock regions by pblock, and the SLR of every pattern of cells."""
    rows, cells = {}, {}
    for line in text.splitlines():
        command = words(line)
        if command[0] == "resize_pblock":
            low, high = re.findall(r"X(\d+)Y(\d+)", command[3])
            assert (low[0], high[0], int(high[1]) - int(low[1])) == ("0", "7", 3)
            rows[words(command[1][1:-1])[1]] = int(low[1])
        elif command[0] == "add_cells_to_pblock":
            pattern = words(command[2][1:-1])[-1][1:-1]
            cells[pattern] = rows[words(command[1][1:-1])[1]] // 4
    return rows, cells


def test_functions_lie_where_their_processes_do():
    found = floorplan(TEXT, {"load_x": 0, "order_a": 2, "scale": 1})
    assert found.slr_of == {"load_x": 0, "order_a_fill": 2, "order_a_drain": 2, "scale_2": 1}
    rows, cells = slrs_of_tcl(found.tcl("k_1", "title"))
    assert rows == {"sttest_slr0": 0, "sttest_slr1": 4, "sttest_slr2": 8}
    path = "pfm_top_i/dynamic_region/k_1/inst/grp_region/order_a_fill_U0"
    assert [slr for pattern, slr in cells.items() if re.fullmatch(pattern, path)] == [2]
    assert found.json()["scale_2_U0"] == "SLOT_X0Y1:SLOT_X1Y1"


@pytest.mark.parametrize(
    ("slr_of", "what"),
    [
        ({"load_x": 0, "order_a": 2}, "'scale_2' has no process"),
        ({"load_x": 0, "order_a": 2, "scale": 1, "more": 1}, "'more' has no function"),
    ],
)
def test_a_floorplan_of_another_kernel_is_refused(slr_of: dict[str, int], what: str):
    with pytest.raises(InputError, match=what):
        floorplan(TEXT, slr_of)


def test_a_placed_package_is_built_with_its_floorplan(sttest, tmp_path: Path):
    package, small = tmp_path / "package", ("small-gpt2", "--phase", "decode", "--context", "32")
    made = sttest("compile", *small, "--beat-bits", "128", "--check-resources", "-o", str(package))
    assert made.exit_code == 0, made.stderr
    told = sttest("build", str(package), "--target", "hw", "--dry-run", "--json").stdout
    tcl = (package / "hls" / "floorplan.tcl").resolve()
    assert f"run.impl_1.STEPS.OPT_DESIGN.TCL.PRE={tcl}" in told
    _, cells = slrs_of_tcl(read_text(tcl))
    regions = json.loads(read_text(package / "hls" / "floorplan.json"))
    named = {pattern.rpartition("/)?")[2]: slr for pattern, slr in cells.items()}
    functions = {name: slr for name, slr in named.items() if name.endswith("_U0")}
    relays = [name for name in functions if name.startswith("relay_")]
    assert len(functions) == len(regions)
    assert len(named) - len(functions) == len(relays) > 0
    for name, slr in functions.items():
        assert regions[name] == f"SLOT_X0Y{slr}:SLOT_X1Y{slr}"
    report = pd.read_csv(package / "reports" / "partition.csv")
    same = [(name, slr) for name, slr in zip(report["process"], report["slr"], strict=True) if f"{name}_U0" in regions]
    assert len(same) > len(report) / 2
    assert all(regions[f"{name}_U0"] == f"SLOT_X0Y{slr}:SLOT_X1Y{slr}" for name, slr in same)
    text = read_text(package / "hls" / "link.cfg")
    assert "[vivado]\nprop=run.impl_1.STEPS.OPT_DESIGN.ARGS.DIRECTIVE=Explore" in text
    assert read_link_config(package / "hls" / "link.cfg").clock_hz == 250_000_000
    assert "$(if $(filter hw,$(TARGET)),--vivado.prop" in read_text(package / "hls" / "Makefile")
    bound = sttest("build", str(package), "--target", "hw", "--slr", "0", "--dry-run")
    assert "TCL.PRE" not in bound.stdout
