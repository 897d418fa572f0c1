"""A decode step of a model with experts on devices of two processors, each part where it is faster.

A part is what one processor does at a stretch: the projections of a layer, its attention, an expert.  What it takes is
the longer of its operations and its bytes; which processor is faster follows from operations per byte.  Experts of a
layer do not depend on each other, so that those with few tokens can be with one processor while the other has the rest.
Weights and caches are spread evenly over devices, which add up their results after attention and after the experts.
A step is a timed graph: both processors and the links between devices are actors, a cycle is a nanosecond.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sttest.boards.systems import DuplexBoard, Processor
from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.sim.graph import Actor, ActorPhase, Fifo, TimedGraph

ELEMENT_BYTES = 2
NS = 1e9

Placement = Literal["xpu", "logic-pim", "by layer", "by expert"]
PLACEMENTS: tuple[Placement, ...] = ("xpu", "logic-pim", "by layer", "by expert")
"""All on one, each layer on the faster, or each layer on the faster and experts on both at once."""


@dataclass(frozen=True)
class Part:
    """Operations and bytes of one device."""

    name: str
    operations: float
    moved_bytes: float

    @property
    def ops_per_byte(self) -> float:
        """What decides where it is faster."""
        return self.operations / self.moved_bytes

    def cycles(self, processor: Processor) -> int:
        """Nanoseconds on a processor, rounded up."""
        return math.ceil(processor.seconds(self.operations, self.moved_bytes) * NS)


@dataclass(frozen=True)
class Stage:
    """Parts on both processors that may run at the same time, and what the devices then exchange."""

    xpu: tuple[Part, ...]
    logic_pim: tuple[Part, ...]
    link_cycles: int = 0


@dataclass(frozen=True)
class Step:
    """A decode step: tokens of so many requests, all with as many tokens in their caches."""

    board: DuplexBoard
    config: DecoderConfig
    devices: int
    batch: int
    context: int

    def __post_init__(self) -> None:
        if min(self.devices, self.batch, self.context) < 1 or self.config.experts < 1:
            what = f"{self.config.name}: {self.batch} requests of {self.context} tokens on {self.devices} devices"
            raise InputError("bad-value", what, where="decode step", hints=["take a model with experts"])

    @property
    def held_bytes(self) -> float:
        """Weights and caches of all devices."""
        config = self.config
        layer = self._projection_weights + config.experts * self._expert_weights
        kept = 2 * config.kv_heads * config.head_dim * self.context * self.batch
        return ELEMENT_BYTES * (config.layers * (layer + kept) + 2 * config.vocab * config.hidden)

    @property
    def fits(self) -> bool:
        """Whether the devices have room."""
        return self.held_bytes <= self.devices * self.board.memory_bytes.value

    @property
    def _projection_weights(self) -> int:
        config = self.config
        return config.hidden * config.head_dim * 2 * (config.heads + config.kv_heads)

    @property
    def _expert_weights(self) -> int:
        return 3 * self.config.hidden * self.config.ffn

    def projections(self) -> Part:
        """Queries, keys, values and the output of attention: every weight for every token."""
        return self._weights("projections", self._projection_weights, self.batch)

    def attention(self) -> Part:
        """Scores and values: each request has its own cache, shared by the heads of a group."""
        config, tokens = self.config, self.batch * self.context
        operations = 4 * config.heads * config.head_dim * tokens
        return self._part("attention", operations, 2 * config.kv_heads * config.head_dim * tokens)

    def expert(self, tokens: int) -> Part:
        """An expert that so many tokens chose."""
        return self._weights("expert", self._expert_weights, tokens)

    def head(self) -> Part:
        """The LM head."""
        return self._weights("head", self.config.vocab * self.config.hidden, self.batch)

    def exchange_cycles(self) -> int:
        """Adding up the results of all devices, around a ring of them."""
        if self.devices == 1:
            return 0
        moved = 2 * (self.devices - 1) / self.devices * self.batch * self.config.hidden * ELEMENT_BYTES
        return math.ceil(self.board.link_ns.value + moved / self.board.link_gb_per_s.value)

    def _weights(self, name: str, weights: int, tokens: int) -> Part:
        return self._part(name, 2 * weights * tokens, weights)

    def _part(self, name: str, operations: float, elements: float) -> Part:
        return Part(name, operations / self.devices, ELEMENT_BYTES * elements / self.devices)


def stages(step: Step, chosen: np.ndarray, placement: Placement) -> list[Stage]:
    """The stages of a step.

    Args:
        step: model, devices and requests.
        chosen: experts that the tokens of this step chose, ``[batch, layers, experts per token]``.
        placement: which processor has what.
    """
    found, exchange = list[Stage](), step.exchange_cycles()
    attention, projections = step.attention(), step.projections()
    for layer in range(step.config.layers):
        tokens = np.bincount(chosen[:, layer].ravel(), minlength=step.config.experts)
        experts = tuple(step.expert(int(count)) for count in tokens if count)
        found += [
            _placed(step, (projections,), placement),
            _placed(step, (attention,), placement, exchange),
            _placed(step, experts, placement, exchange),
        ]
    return [*found, _placed(step, (step.head(),), placement)]


def _placed(step: Step, parts: tuple[Part, ...], placement: Placement, link_cycles: int = 0) -> Stage:
    if placement == "by expert" and len(parts) > 1:
        return _shared(step, parts, link_cycles)
    on_xpu, on_pim = (sum(part.cycles(each) for part in parts) for each in (step.board.xpu, step.board.logic_pim))
    if placement == "xpu" or (placement != "logic-pim" and on_xpu <= on_pim):
        return Stage(parts, (), link_cycles)
    return Stage((), parts, link_cycles)


def _shared(step: Step, parts: tuple[Part, ...], link_cycles: int) -> Stage:
    """Parts with few operations per byte on the Logic-PIM, the others on the xPU, cut where both end soonest."""
    ordered = sorted(parts, key=lambda part: part.ops_per_byte)
    pim = np.cumsum([0, *(part.cycles(step.board.logic_pim) for part in ordered)])
    xpu = np.cumsum([0, *(part.cycles(step.board.xpu) for part in reversed(ordered))])[::-1]
    cut = int(np.argmin(np.maximum(pim, xpu)))
    return Stage(tuple(ordered[cut:]), tuple(ordered[:cut]), link_cycles)


def step_graph(step: Step, of: Sequence[Stage]) -> TimedGraph:
    """Stages that follow each other as actors: both processors, and what waits for both and exchanges results."""
    xpu, pim, ends = list[ActorPhase](), list[ActorPhase](), list[ActorPhase]()
    for number, stage in enumerate(of):
        for name, processor, phases, parts in (
            ("xpu", step.board.xpu, xpu, stage.xpu),
            ("pim", step.board.logic_pim, pim, stage.logic_pim),
        ):
            times = [part.cycles(processor) for part in parts] or [0]
            for place, time in enumerate(times):
                begins = {f"{name}.go": 1} if number and place == 0 else {}
                done = {f"{name}.done": 1} if place + 1 == len(times) else {}
                phases.append(_turn(name, time, begins, done))
        go = {"xpu.go": 1, "pim.go": 1} if number + 1 < len(of) else {}
        ends.append(_turn("end", stage.link_cycles, {"xpu.done": 1, "pim.done": 1}, go))
    links = tuple(Fifo(f"{name}.{way}", 1, 1, "srl") for name in ("xpu", "pim") for way in ("go", "done"))
    turns = tuple(Fifo(f"turn.{name}", 2, 1, "srl", initial_tokens=1) for name in ("xpu", "pim", "end"))
    actors = (("xpu", xpu), ("pim", pim), ("end", ends))
    return TimedGraph(
        f"{step.config.name}-step",
        1e3,
        (*links, *turns),
        tuple(Actor(name, tuple(phases), firings=len(phases)) for name, phases in actors),
    )


def _turn(name: str, time: int, reads: dict[str, int], writes: dict[str, int]) -> ActorPhase:
    turn = {f"turn.{name}": 1}
    return ActorPhase(time, {**reads, **turn}, {**writes, **turn})


def closed_form_cycles(step: Step, of: Sequence[Stage]) -> int:
    """Nanoseconds of stages without a simulation: of each, the longer processor and the exchange."""
    return sum(
        max(
            sum(part.cycles(step.board.xpu) for part in stage.xpu),
            sum(part.cycles(step.board.logic_pim) for part in stage.logic_pim),
        )
        + stage.link_cycles
        for stage in of
    )
