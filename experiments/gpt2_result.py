"""What the GPT-2 reproduction found: everything that its tables are printed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.blocks import BlockTime
from experiments.calibration import Constant
from experiments.generation import Generation
from sttest.boards.part import Quantity


@dataclass(frozen=True)
class Reproduction:
    """Everything that the tables are printed from."""

    generations: Sequence[Generation]
    prefill: dict[int, BlockTime]
    decode: dict[int, BlockTime]
    fitted: dict[str, Constant]
    launch: Quantity
    launches: Sequence[LaunchCase]
    precisions: Sequence[PrecisionCase]
    precision: str
    engine: str


@dataclass(frozen=True)
class LaunchCase:
    """What another published launch figure would do: the host constant refitted on [32:32], and the rows again."""

    name: str
    launch: Quantity
    host_ms: float
    generations: Sequence[Generation]


@dataclass(frozen=True)
class PrecisionCase:
    """What another scheme would do: both constants fitted anew on [32:32], and the rows again."""

    name: str
    fitted: dict[str, Constant]
    generations: Sequence[Generation]
