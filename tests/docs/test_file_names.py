"""Files that docstrings and comments name are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.(?:py|yaml|sv|mlir))\b")
# What a reader writes.
EXAMPLES = re.compile(r"PASS|\bmine\.yaml|\bmy\.py|\bNAME\.yaml|BUDGET\.yaml|\bFILE\.py|test_x\.py")
TEXTS = sorted(ROOT.glob("sttest/**/*.py"))


@pytest.fixture(scope="module")
def files() -> set[str]:
    places = ("sttest", "tests", "experiments", "benchmarks", "examples", "docs", "results")
    found = (path for place in places for path in (ROOT / place).rglob("*.*"))
    return {f"/{path.relative_to(ROOT)}" for path in [*found, *ROOT.iterdir()]}


def test_named_files_are_there(files: set[str]) -> None:
    missing = [
        f"{text.relative_to(ROOT)}: {name}"
        for text in TEXTS
        for quoted in re.findall(r"`+([^`\n]+)`+", text.read_text(encoding="utf-8"))
        for name in NAME.findall(quoted)
        if not EXAMPLES.search(name) and not any(each.endswith(f"/{name}") for each in files)
    ]
    assert "\n".join(missing) == ""
