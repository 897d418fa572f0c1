"""What the comparison of newer models found: our generations and their energy, beside those of GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.generation import Generation, Lengths
from experiments.gpu_opponents import GpuGeneration, Opponent
from sttest.boards.board import Rule
from sttest.boards.energy import CostCase, Energy

if TYPE_CHECKING:
    from experiments.emerging_asked import Asked
    from experiments.emerging_what_ifs import WhatIf


@dataclass(frozen=True)
class OurGeneration:
    """One simulated generation: its time, its modeled energy per case, its joules per rule (central case).

    ``decode`` is the energy of what comes after the first token.
    """

    time: Generation
    energy: Mapping[CostCase, Energy]
    decode: Mapping[CostCase, Energy]
    joules: Mapping[Rule, float]

    def tokens_per_joule(self, rule: Rule) -> float:
        """Output tokens over the joules of the whole generation."""
        return self.time.output_len / self.joules[rule]


@dataclass(frozen=True)
class Comparison:
    """A model: all shapes on our side and against every opponent."""

    model: str
    ours: Mapping[Lengths, OurGeneration]
    theirs: Mapping[str, Mapping[Lengths, GpuGeneration]]

    def ratio(self, opponent: str, rule: Rule, shape: Lengths) -> float | None:
        """Our tokens per joule over theirs; None where they have no reading."""
        found = self.theirs[opponent].get(shape)
        if found is None or rule not in found.joules:
            return None
        return found.joules[rule] / self.ours[shape].joules[rule]

    def best(self, opponent: str, rule: Rule) -> tuple[float, Lengths] | None:
        """The highest ratio over all shapes, and where it is."""
        ratios = [(self.ratio(opponent, rule, shape), shape) for shape in self.ours]
        known = [(ratio, shape) for ratio, shape in ratios if ratio is not None]
        return max(known, default=None)


@dataclass(frozen=True)
class Emerging:
    """All models, who they were compared with, and what would change the comparison with the first of those."""

    comparisons: Sequence[Comparison]
    opponents: Sequence[Opponent]
    what_ifs: Sequence[WhatIf]
    asked: Sequence[Asked]
    engine: str
