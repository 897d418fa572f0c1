"""What is measured of a design, in which unit, and which of it a search can be told to improve."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions, Flow
from sttest.core.errors import InputError, did_you_mean
from sttest.core.results import Kind
from sttest.models.program import Phase, size_of

# --- Points that no other is better than


Losses = tuple[float, ...]
"""One number per objective, less is better."""


def dominates(one: Losses, other: Losses) -> bool:
    """Whether ``one`` is at least as good in everything."""
    return all(mine <= theirs for mine, theirs in zip(one, other, strict=True))


def pareto_set(losses: Sequence[Losses]) -> list[int]:
    """Positions of the points that no other is better than, in order of their losses; of equal ones the first.

    >>> pareto_set([(2, 1), (1, 2), (2, 2), (1, 2)])
    [1, 0]
    """
    kept: list[int] = []
    for position in sorted(range(len(losses)), key=lambda number: (losses[number], number)):
        if not any(dominates(losses[each], losses[position]) for each in kept):
            kept.append(position)
    return kept


# --- What a search is about: one decoder block on one board


@dataclass(frozen=True)
class Target:
    """A block, where it runs, and what stands around it; plain data, so that processes can be handed it."""

    text: str  # linalg text of the block
    # model, phase: model and phase of the block
    model: str
    phase: Phase
    # tokens, context: its shape
    tokens: int
    context: int
    board: str  # name, or path of a YAML file
    precision: str  # scheme's name, or path of a YAML file
    layers: int  # blocks per token
    launch_us: float  # cost of one launch, microseconds; each layer takes one
    budget: BudgetName = "tight"  # how much of the board a design may fill
    flow: Flow = "hls"  # flow whose resources count
    kernels: str | None = None  # YAML file of own kernels
    batch: int = 1  # sequences

    @property
    def base(self) -> CompileOptions:
        """The compiler's options that are the same for all points."""
        return CompileOptions(precision=self.precision, budget=self.budget, flow=self.flow, kernels=self.kernels)

    @property
    def name(self) -> str:
        """The target's name, such as ``gpt2-decode-c256``, or ``gpt2-decode-c256-rtl``."""
        model = re.sub(r"[^\w.-]+", "-", self.model).strip("-.")  # it may be a path
        flow = "" if self.flow == "hls" else f"-{self.flow}"
        return f"{model}-{self.phase}-{size_of(self.phase, self.tokens, self.context, self.batch)}{flow}"

    def seconds(self, cycles: float, clock_mhz: float) -> float:
        """All layers with their launches: a token of each sequence in decode, the prompts in prefill."""
        return self.layers * (cycles / clock_mhz + self.launch_us) / 1e6


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
    "tokens_per_j": Metric("tokens/J", "derived", "central case of docs/explanation/energy.md"),
    "power": Metric("W", "derived", "central case of docs/explanation/energy.md"),
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
    maximize: bool = False

    def loss(self, figures: Figures) -> float:
        """The metric, signed so that less is better."""
        return -figures[self.metric] if self.maximize else figures[self.metric]


OBJECTIVES = {
    each.name: each
    for each in (
        Objective("latency", "latency"),
        Objective("ttft", "latency"),
        Objective("tokens-per-joule", "tokens_per_j", maximize=True),
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
            hints = [did_you_mean(name, OBJECTIVES)]
            raise InputError("unknown-objective", f"no objective '{name}'", where="--objective", hints=hints)
    if "ttft" in names and target.phase == "decode":
        raise InputError(
            "no-ttft", "a decode step comes after the first token", where="--objective ttft",
            hints=["take --phase prefill", "take --objective latency"],
        )  # fmt: skip
    chosen = tuple(OBJECTIVES[name] for name in dict.fromkeys(names))
    if len({each.metric for each in chosen}) < len(chosen):
        what = "in a prefill, ttft and latency are the same"
        raise InputError("same-objective", what, where="--objective", hints=["name one of them"])
    return chosen
