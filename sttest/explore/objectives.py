"""What is measured of a design, in which unit, and which of it a search can be told to improve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sttest.errors import InputError, did_you_mean
from sttest.explore.target import Target
from sttest.results import Kind

Figures = Mapping[str, float]
"""Numbers of a design by metric."""


@dataclass(frozen=True)
class Metric:
    """A number of a design."""

    unit: str
    kind: Kind
    note: str = ""


METRICS: dict[str, Metric] = {
    "cycles": Metric("cycles", "simulated", "one block, before registers on SLR crossings"),
    "latency": Metric("ms", "simulated", "all layers with their launches: a token in decode, the prompt in prefill"),
    "tokens_per_j": Metric("tokens/J", "derived", "central case of docs/energy.md"),
    "power": Metric("W", "derived", "central case of docs/energy.md"),
    "area": Metric("ratio", "derived", "share of the board's budget of the resource that runs out first"),
    "dsp": Metric("count", "derived"),
    "lut": Metric("count", "derived"),
    "ff": Metric("count", "derived"),
    "bram18": Metric("count", "derived"),
    "uram": Metric("count", "derived"),
    "fifo_bits": Metric("bits", "derived"),
}


@dataclass(frozen=True)
class Objective:
    """A metric that a search improves."""

    name: str
    metric: str
    maximise: bool = False

    def loss(self, figures: Figures) -> float:
        """The metric, signed so that less is better."""
        return -figures[self.metric] if self.maximise else figures[self.metric]


OBJECTIVES = {
    each.name: each
    for each in (
        Objective("latency", "latency"),
        Objective("ttft", "latency"),
        Objective("tokens-per-joule", "tokens_per_j", maximise=True),
        Objective("area", "area"),
    )
}


def objectives_of(names: Sequence[str], target: Target) -> tuple[Objective, ...]:
    """The objectives of a search.

    Raises:
        InputError: one that is not there, that the phase does not have, or that is another's double.
    """
    for name in names:
        if name not in OBJECTIVES:
            levers = [did_you_mean(name, OBJECTIVES)]
            raise InputError("unknown-objective", f"no objective '{name}'", where="--objective", levers=levers)
    if "ttft" in names and target.phase == "decode":
        raise InputError(
            "no-ttft", "a decode step comes after the first token", where="--objective ttft",
            levers=["take --phase prefill", "take --objective latency"],
        )  # fmt: skip
    chosen = tuple(OBJECTIVES[name] for name in dict.fromkeys(names))
    if len({each.metric for each in chosen}) < len(chosen):
        what = "in a prefill, ttft and latency are the same"
        raise InputError("same-objective", what, where="--objective", levers=["name one of them"])
    return chosen
