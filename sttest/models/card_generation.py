"""A generation on a card: the prompt with one design, the decode loop with another or the same, the caches stay."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

from sttest.boards.backends.device import Card
from sttest.models.block_runner import Chosen
from sttest.models.card_blocks import CardBlocks, Told
from sttest.models.card_layers import CardLayers
from sttest.models.design_memory import BlockMemory, BlockResult
from sttest.models.resident_cache import ResidentCache
from sttest.models.step_inputs import StepInputs
from sttest.models.tables import token_ids
from sttest.sim.functional.element_types import Array, Bytes
from sttest.sim.functional.images import images_of

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel
    from sttest.models.quant.scheme import QuantScheme
    from sttest.sim.functional.graph import ValueGraph

OpenCard = Callable[[], AbstractContextManager[Card]]


def layer_memories(model: LanguageModel, scheme: QuantScheme, graph: ValueGraph) -> list[BlockMemory]:
    """The memory of every layer of a quantised model on a design."""
    from sttest.models.quant.parameters import export_parameters

    config = model.config
    once = _head_images(model, graph) if "token_ids" in graph.argument else {}
    return [
        BlockMemory(
            graph, config, {name: each.values for name, each in export_parameters(block, scheme).items()},
            config.layer_kind(number), once,
        )
        for number, block in enumerate(model.layers)
    ]  # fmt: skip


def _head_images(model: LanguageModel, graph: ValueGraph) -> dict[str, Bytes]:
    """Of what the layers of a design with the head share."""
    from sttest.models.head import head_parameters

    return images_of(graph, {**head_parameters(model), "token_ids": token_ids(model.config)})


@dataclass
class CardGeneration:
    """A `BlockRunner` on a card, and a context that lets go of it.

    One design is on the card at a time: the first decode step lets go of the prefill's and configures the card
    anew, which on hardware takes seconds, once per generation.

    Args:
        cards: open a card with the design of a phase; without the prefill's, only `decode` may be called.
        layers: memory of every layer on each.
        told: called after every launch.
        at_once: phases whose design runs all layers in a launch.
        steps: tokens that a launch of the decode's design makes; those that it is ahead are handed out later.
        rows: what enters the first layer, of every token and position (:func:`~sttest.models.step_inputs.token_rows`);
            for several steps.

    Attributes:
        caches: of all layers.
        chosen: what the head of the last launch gave, where the design has one.
    """

    cards: Mapping[str, OpenCard]
    layers: Mapping[str, Sequence[BlockMemory]]
    told: Told
    at_once: Collection[str] = ()
    steps: int = 1
    rows: tuple[Array, Array | None] | None = None
    caches: list[ResidentCache] = field(init=False)
    chosen: Chosen | None = field(init=False, default=None)
    _ahead: list[list[BlockResult]] = field(default_factory=list)
    _inputs: StepInputs | None = None
    _phase: str = ""
    _card: AbstractContextManager[Card] | None = None
    _blocks: CardBlocks | CardLayers | None = None

    def __post_init__(self) -> None:
        self.caches = [ResidentCache(layer) for layer in self.layers["decode"]]

    def __enter__(self) -> CardGeneration:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go(kind, error, trace)

    def prefill(self, layer: int, x: Array) -> Array:
        """The prompt through a layer."""
        if "prefill" in self.at_once:
            inputs = [] if layer else [self._prompt(each, x) for each in self.layers["prefill"]]
            return x if layer else self._all("prefill", inputs, len(x))
        memory = self.layers["prefill"][layer]
        return self._step("prefill", layer, self._prompt(memory, x), memory, len(x))

    def decode(self, layer: int, x: Array) -> Array:
        """The next token through a layer."""
        if "decode" in self.at_once:
            return x if layer else self._next(x)
        return self._step("decode", layer, self.caches[layer].images(x), self.layers["decode"][layer], 1)

    @staticmethod
    def _prompt(memory: BlockMemory, x: Array) -> dict[str, Bytes]:
        return {name: image for name, image in memory.prefill(x).items() if name not in memory.parameter_images}

    def _next(self, x: Array) -> Array:
        """All layers of the next token: of one that a launch made ahead, or of the first of a launch."""
        if not self._ahead:
            self._ahead = self._launch("decode", self._of_decode(x), 1)
        return self._taken("decode", self._ahead.pop(0))

    def _of_decode(self, x: Array) -> list[dict[str, Bytes]]:
        if self.rows is None:
            return [cache.images(x) for cache in self.caches]
        if self._inputs is None:
            blocks = self._configured("decode")
            self._inputs = StepInputs(self.caches, *self.rows, self.steps, blocks.card.files.word_bytes)
        return self._inputs.images(x)

    def _all(self, phase: str, inputs: Sequence[dict[str, Bytes]], count: int) -> Array:
        """All layers in the turn of the first; those of the others only pass on what it gave."""
        return self._taken(phase, self._launch(phase, inputs, count)[0])

    def _launch(self, phase: str, inputs: Sequence[dict[str, Bytes]], count: int) -> list[list[BlockResult]]:
        """Per token that the launch made, of all layers."""
        blocks, memories = self._configured(phase), self.layers[phase]
        assert isinstance(blocks, CardLayers)
        return [
            [memory.results(images, count) for memory, images in zip(memories, layers, strict=True)]
            for layers in blocks.launch(inputs, self._doing(phase, 0))
        ]

    def _taken(self, phase: str, results: Sequence[BlockResult]) -> Array:
        memories = self.layers[phase]
        for cache, result in zip(self.caches, results, strict=True):
            cache.append(result.k_new, result.v_new)
        self.chosen = _chosen(results[-1], memories[-1])
        return results[-1].y

    def _doing(self, phase: str, layer: int) -> str:
        return phase if phase == "prefill" else f"decode of position {self.caches[layer].positions}"

    def _step(self, phase: str, layer: int, inputs: dict[str, Bytes], memory: BlockMemory, count: int) -> Array:
        blocks = self._configured(phase)
        assert isinstance(blocks, CardBlocks)
        result: BlockResult = memory.results(blocks.launch(layer, inputs, self._doing(phase, layer)), count)
        self.caches[layer].append(result.k_new, result.v_new)
        self.chosen = _chosen(result, memory)
        return result.y

    def _configured(self, phase: str) -> CardBlocks | CardLayers:
        """The design of a phase on the card."""
        if self._blocks is None or self._phase != phase:
            self._let_go()
            opened = self.cards[phase]()
            card = opened.__enter__()
            self._card, self._phase = opened, phase
            self._blocks = self._blocks_of(phase, card)
        return self._blocks

    def _blocks_of(self, phase: str, card: Card) -> CardBlocks | CardLayers:
        if phase not in self.at_once:
            return CardBlocks(card, self.layers[phase], self.told)
        return CardLayers(card, self.layers[phase], self.told, self.steps if phase == "decode" else 1)

    def _let_go(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        card, self._card, self._blocks = self._card, None, None
        if card is not None:
            card.__exit__(kind, error, trace)


def _chosen(result: BlockResult, memory: BlockMemory) -> Chosen | None:
    if result.logits is None or result.token is None:
        return None
    return Chosen(result.logits[0, : memory.config.vocab], int(result.token[0]))
