"""What docs/reference/timed-graph.md shows is what it says, and what the simulator written from it does."""

import doctest
from pathlib import Path
from typing import Any

import pytest
from compare import differences

from sttest.sim import Simulation

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "timed-graph.md"


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """The page's names after all its examples in Python, which give what stands there."""
    names: dict[str, Any] = {}
    examples = doctest.DocTestParser().get_doctest(PAGE.read_text(), names, PAGE.name, str(PAGE), 0)
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, clear_globs=False)
    assert outcome.failed == 0
    return examples.globs


@pytest.mark.parametrize(
    "name",
    [
        "overtaking",
        "carry",
        "posted",
        "ranges",
        "in_turn",
        "directions",
        "gap",
        "long",
        "short",
        "early",
        "in_order",
        "turns",
    ],
)
def test_the_oracle_says_the_same_of_the_examples(name, shown):
    example = shown[name]
    assert isinstance(example, Simulation)
    assert example.graph is not None
    assert differences(example.graph) == ("done", [])
