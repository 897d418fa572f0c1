"""docs/deadlocks.md says what the program prints, and lists the corpus as it is."""

from pathlib import Path

import pytest

from sttest.testing.corpus import case, cases

DOC = (Path(__file__).parents[2] / "docs" / "deadlocks.md").read_text(encoding="utf-8")


def test_the_example_is_what_is_printed(sttest):
    shown = DOC.split("```")[1].split("\n", 2)[2]
    assert sttest("simulate", case("stage_skew").path, "--check").stdout == shown


@pytest.mark.parametrize("name", cases())
def test_every_design_is_listed_with_its_fix(name):
    row = next(line for line in DOC.splitlines() if line.startswith(f"| `{name}` |"))
    for fifo, depth in case(name).fix.items():
        assert f"`{fifo}` {depth}" in row
