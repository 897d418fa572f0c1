"""What docs/sizing-by-simulation.md says is so."""

import re
from pathlib import Path

import pytest

from sttest.sim import load
from sttest.sim.sizing import trade_off

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "sizing-by-simulation.md").read_text()


def test_the_example_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert [point.total_tokens for point in names["points"]] == [44, 45, 46]
    assert names["sizing"].total_tokens == 1230
    assert names["cycles"][0] > 0


@pytest.mark.parametrize("name", ["modem", "samplerate", "h263decoder"])
def test_the_table_of_trade_offs(name):
    (row,) = re.findall(rf"^\| {name} \| (\d+) \| (\d+) \| (\d+) \|$", TEXT, re.MULTILINE)
    points = list(trade_off(load(ROOT / "tests" / "data" / "sdf3" / f"{name}.xml")))
    assert [int(cell) for cell in row] == [len(points), points[0].total_tokens, points[-1].total_tokens]
