"""What is said of a field or a constant is a phrase of its own, and no fragment that leans on the name before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The importers are owed: their comments are still fragments.
ROOMS = [path for path in sorted((ROOT / "sttest").iterdir()) if path.is_dir() and path.name != "importers"]
ROOMS.append(ROOT / "extensions" / "systems" / "sttest_systems")
# A phrase may begin with "where" or "which" as a question, as in "which layers have it", but not with a preposition.
FRAGMENT = re.compile(
    r"(?:of|by|for|in|with|at|to|from|as|on|per|over|before|behind|after|without|until|between|within|whose|that)\b",
    re.IGNORECASE,
)
COMMENT = re.compile(r"#:? (?!fmt:|pyright:|noqa|type:|codespell:)(?P<said>\S.*)$")


def said_of_fields(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with what is said behind a field, on the line above it, or in a text below it or below a constant."""
    text = path.read_text(encoding="utf-8")
    lines, tree = text.splitlines(), ast.parse(text)
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.Module | ast.ClassDef):
            continue
        for node, below in zip(owner.body, [*owner.body[1:], None], strict=True):
            if not isinstance(node, ast.AnnAssign | ast.Assign):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                yield below.lineno, str(below.value.value)
            if isinstance(owner, ast.ClassDef):
                for line in (node.end_lineno or node.lineno, *above(lines, node.lineno)):
                    found = COMMENT.search(lines[line - 1])
                    if found:
                        yield line, found["said"]


def above(lines: list[str], line: int) -> list[int]:
    """The first line of a comment right above a line."""
    first = line
    while lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return [first] if first < line else []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_no_comment_of_a_field_is_a_fragment(room):
    found = [
        f"{path.relative_to(ROOT)}:{line}: {said}"
        for path in sorted(room.rglob("*.py"))
        for line, said in said_of_fields(path)
        if FRAGMENT.match(said)
    ]
    assert found == []


@pytest.mark.parametrize("said", ["of the task", "by port", "Per bank: bytes", "that it took"])
def test_a_fragment_is_told_from_a_phrase(tmp_path, said):
    module = tmp_path / "module.py"
    fields = f"    b: int  # {said}\n    # {said}\n    c: int\n    d: int  # bytes of a token\n"
    module.write_text(f"class A:\n{fields}E = 1\n'''{said}'''\n")
    assert sorted(line for line, each in said_of_fields(module) if FRAGMENT.match(each)) == [2, 3, 7]
