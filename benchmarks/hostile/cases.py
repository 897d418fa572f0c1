"""The n-th hostile input of a campaign: the same for the same seed number, whatever ran before it."""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.hostile import archives, json_trees, raw_bytes, xml_texts, yaml_texts
from benchmarks.hostile.seeds import Seed, seeds

_TREES = {"json": json_trees.change, "xml": xml_texts.change, "yaml": yaml_texts.change}
_KINDS = ("json", "json", "json", "json", "npz", "xml", "xml", "yaml")


@dataclass(frozen=True)
class Case:
    """Files to be written to a folder, and how they came about."""

    number: int
    kind: str
    how: str
    entry: str
    files: dict[str, bytes]


def make_case(seed: int, number: int) -> Case:
    """The hostile input of that number."""
    dice = random.Random(f"{seed}/{number}")
    kind = dice.choice(_KINDS)
    if kind == "npz":
        start = next(each for each in seeds() if each.name == "traced")
        how, data = _archive(start, dice)
        return Case(number, kind, f"{start.name}: {how}", start.entry, start.files | {"g.npz": data})
    start = dice.choice([each for each in seeds() if each.kind == kind])
    by_bytes = dice.random() < 0.25
    how, data = raw_bytes.damage(start.files[start.entry], dice) if by_bytes else _tree(start, dice)
    return Case(number, kind, f"{start.name}: {how}", start.entry, start.files | {start.entry: data})


def _archive(start: Seed, dice: random.Random) -> tuple[str, bytes]:
    if dice.random() < 0.3:
        how, data = raw_bytes.damage(start.files["g.npz"], dice)
        return f"npz {how}", data
    how, data = archives.archive(dice)
    return f"npz {how}", data


def _tree(start: Seed, dice: random.Random) -> tuple[str, bytes]:
    return _TREES[start.kind](start.files[start.entry], dice)
