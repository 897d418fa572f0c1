"""A public class name means one thing, in whichever room it is met."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def shared(texts: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Rooms by the class names that several of them have; texts come with the room that they are of."""
    rooms = defaultdict(set)
    for room, text in texts:
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                rooms[node.name].add(room)
    return {name: found for name, found in rooms.items() if len(found) > 1}


def test_no_two_rooms_have_classes_of_one_name():
    files = (ROOT / "sttest").rglob("*.py")
    assert shared((path.relative_to(ROOT).parts[1], path.read_text(encoding="utf-8")) for path in files) == {}


def test_one_that_two_rooms_have_is_found():
    assert shared([("sim", "class Loop: ...\nclass _Own: ..."), ("importers", "class Loop: ...\nclass _Own: ...")]) == {
        "Loop": {"sim", "importers"}
    }
