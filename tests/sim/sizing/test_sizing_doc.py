"""The table of trade-offs in docs/fix-a-deadlock/sizing-by-simulation.md is what the search finds."""

import re
from pathlib import Path

import pytest

from sttest.sim import load
from sttest.sim.sizing import trade_off

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "fix-a-deadlock" / "sizing-by-simulation.md").read_text()


@pytest.mark.parametrize("name", ["modem", "samplerate", "h263decoder"])
def test_the_table_of_trade_offs(name):
    (row,) = re.findall(rf"^\| {name} \| (\d+) \| (\d+) \| (\d+) \|$", TEXT, re.MULTILINE)
    points = list(trade_off(load(ROOT / "tests" / "data" / "sdf3" / f"{name}.xml")))
    assert [int(cell) for cell in row] == [len(points), points[0].total_tokens, points[-1].total_tokens]
