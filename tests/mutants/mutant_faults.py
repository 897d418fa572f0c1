"""Faults that can be made in a source, one at a time, and a sample of them by a seed."""

from __future__ import annotations

import ast
import difflib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parents[2]
# Annotations are `A | B` too, decorators say what is compiled, and `is` for `==` is the same for small numbers:
# changing these is no fault of the program.
_LEFT_OUT = ("ReplaceBinaryOperator_BitOr", "RemoveDecorator", "ExceptionReplacer", "Variable")
_LEFT_OUT_ENDS = ("_Is", "_IsNot")


@dataclass(frozen=True)
class Mutant:
    """The n-th place of a file where an operator of cosmic-ray can change something."""

    file: str
    operator: str
    number: int

    def text(self) -> str | None:
        """The changed source; None where it is the old one."""
        source = (ROOT / self.file).read_text(encoding="utf-8")
        changed = mutate_code(source, get_operator(self.operator)(), self.number)
        return None if changed == source else changed

    def change(self) -> tuple[str, str, str]:
        """The function, and the changed lines before and after without indents: the same when lines have moved."""
        lines = difference(self, self.text() or "").splitlines()
        sides = (" ".join(line.strip()[1:].strip() for line in lines if line.strip()[0] == sign) for sign in "-+")
        before, after = sides
        return self.function(), before, after

    def function(self) -> str:
        """The innermost function, or class, around the change."""
        line, name = line_of(self), ""
        for node in ast.walk(ast.parse((ROOT / self.file).read_text(encoding="utf-8"))):
            is_named = isinstance(node, (ast.FunctionDef, ast.ClassDef))
            if is_named and node.lineno <= line <= (node.end_lineno or 0):
                name = node.name  # outer ones come first
        return name


Place = tuple[str, object, str]
"""File, position and kind of change."""


def mutants(files: Sequence[str]) -> Iterator[Mutant]:
    """All of some files."""
    for file in files:
        for each in _at_places(file).values():
            yield from each


def sample(files: Sequence[str], seed: int, each: int | None = None) -> Iterator[Mutant]:
    """One fault at each of some places, of one file after the other in turns; an operator with many ways counts once.

    Args:
        files: files of which to draw.
        seed: the same seed draws the same places, whatever the other files say.
        each: most faults per file, all if not given.
    """
    drawn = [islice(_drawn(file, seed), each) for file in files]
    return (mutant for turn in zip_longest(*drawn) for mutant in turn if mutant is not None)


def _drawn(file: str, seed: int) -> Iterator[Mutant]:
    chance = random.Random(f"{seed} {file}")
    places = list(_at_places(file).values())
    chance.shuffle(places)
    found = [chance.choice(ways) for ways in places]
    return (mutant for mutant in found if mutant.text() is not None)


def _at_places(file: str) -> dict[Place, list[Mutant]]:
    names = [name for name in operator_names() if not any(part in name for part in _LEFT_OUT)]
    nodes = list(ast_nodes(get_ast((ROOT / file).read_text(encoding="utf-8"))))
    found: dict[Place, list[Mutant]] = {}
    for name in names:
        if name.endswith(_LEFT_OUT_ENDS):
            continue
        operator = get_operator(name)()
        positions = [position for node in nodes for position in operator.mutation_positions(node)]
        for number, position in enumerate(positions):
            place = (file, tuple(position), name.split("_")[0])
            found.setdefault(place, []).append(Mutant(file, name, number))
    return found


def difference(mutant: Mutant, text: str) -> str:
    """The changed lines."""
    source = (ROOT / mutant.file).read_text(encoding="utf-8").splitlines()
    lines = list(difflib.unified_diff(source, text.splitlines(), n=0, lineterm=""))[2:]
    return "\n".join(f"    {line}" for line in lines if not line.startswith("@@"))


def line_of(mutant: Mutant) -> int:
    """The number of the first changed line."""
    source, text = (ROOT / mutant.file).read_text(encoding="utf-8"), mutant.text() or ""
    pairs = zip(source.splitlines(), text.splitlines(), strict=False)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 0)
