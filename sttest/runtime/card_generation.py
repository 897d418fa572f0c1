"""A generation on a card: the prompt with one design, the decode loop with another or the same, the caches stay."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from sttest.models.tables import token_ids
from sttest.reference.graph import Array, Bytes
from sttest.reference.memory import images_of
from sttest.runtime.block_runner import Chosen
from sttest.runtime.design_memory import BlockMemory, BlockResult, ResidentCache, StepInputs
from sttest.targets.device import HeldCard, LaunchTimes

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel
    from sttest.models.quant.scheme import QuantScheme
    from sttest.reference.graph import ReferenceGraph


# --- Decoder blocks on a card: a design, the parameters of its layers in the card's memory, and one launch per layer


BEAT_BYTES = 16
"""What is written differs in whole beats of a port."""
_BRIDGED_BEATS = 64
"""Two changes that are no further apart are one transfer: each costs tens of microseconds of the driver's."""
Told = Callable[[str, int, LaunchTimes], None]


@dataclass
class CardBlocks:
    """The layers of a model on one design.

    Args:
        card: configured with the design.
        layers: memory of each layer, all of one graph.
        told: called after every launch with what it was part of, the layer and its times.
    """

    card: HeldCard
    layers: Sequence[BlockMemory]
    told: Told = lambda _doing, _layer, _times: None
    _written: dict[str, Bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        graph, files = self.layers[0].graph, self.card.files
        kinds = {argument.name: argument.kind for argument in graph.arguments}
        # Inputs and results are the same buffers in all layers; what a layer keeps is its own.
        own = {files.dma_of(load.name) for load in graph.loads if kinds[load.argument] != "input"}
        for dma in files.argument_of.keys() - own:
            self.card.allocate(dma, files.argument_of[dma])
        for number, layer in enumerate(self.layers):
            buffers = {dma: _own(number, dma) if dma in own else dma for dma in files.argument_of}
            for dma in own:
                self.card.allocate(buffers[dma], files.argument_of[dma])
            for dma, image in files.by_dma(layer.parameter_images).items():
                self.card.write(buffers[dma], image.tobytes())
            self.card.prepare(str(number), {files.argument_of[dma]: b for dma, b in buffers.items()})
        self._own = own

    def launch(self, layer: int, images: dict[str, Bytes], doing: str) -> dict[str, Bytes]:
        """Runs one layer.

        Args:
            layer: its number.
            images: of all loads but the parameters'.
            doing: what for, as in ``token 3``.

        Returns:
            Images of the stores.

        Raises:
            DeadlockError: the kernel did not end.
            SttestError: the kernel or the host program crashed.
        """
        for dma, image in self.card.files.by_dma(images).items():
            self._write(_own(layer, dma) if dma in self._own else dma, image)
        self.told(doing, layer, self.card.launch(str(layer), doing=f"{doing}, layer {layer}"))
        stores = [store.name for store in self.layers[0].graph.stores]
        return {name: np.frombuffer(self.card.read(name), np.uint8) for name in stores}

    def _write(self, buffer: str, image: Bytes) -> None:
        before = self._written.get(buffer)
        for part in [slice(0, image.size)] if before is None else changes(before, image):
            self.card.write(buffer, image[part].tobytes(), part.start)
        self._written[buffer] = image


def changes(before: Bytes, after: Bytes) -> Iterator[slice]:
    """Bytes to write so that one image becomes another: whole beats, near ones together.

    Args:
        before, after: of one length, a multiple of `BEAT_BYTES`.
    """
    beats = np.flatnonzero((before != after).reshape(-1, BEAT_BYTES).any(axis=1))
    if not beats.size:
        return
    for run in np.split(beats, np.flatnonzero(np.diff(beats) > _BRIDGED_BEATS) + 1):
        yield slice(int(run[0]) * BEAT_BYTES, (int(run[-1]) + 1) * BEAT_BYTES)


def _own(layer: int, dma: str) -> str:
    return f"{layer}/{dma}"


# --- All layers of a model on a card in one launch: parameters and caches of the layers lie one after the other


_RUN = "layers"


@dataclass
class CardLayers:
    """The layers of a model on a design that runs all of them.

    Args:
        card: configured with the design.
        layers: memory of each layer, all of one graph.
        told: called after every launch with what it was part of, 0 for the layer, and its times.
        steps: tokens that a launch generates.
    """

    card: HeldCard
    layers: Sequence[BlockMemory]
    told: Told = lambda _doing, _layer, _times: None
    steps: int = 1
    _written: dict[str, Bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arguments = self.card.files.argument_of
        for dma, argument in arguments.items():
            self.card.allocate(dma, argument)
        self._write([layer.parameter_images for layer in self.layers])
        self.card.prepare(_RUN, {argument: dma for dma, argument in arguments.items()})

    def launch(self, images: Sequence[Mapping[str, Bytes]], doing: str) -> list[list[dict[str, Bytes]]]:
        """Runs all layers, for each token of a launch.

        Args:
            images: per layer, of all loads but the parameters'. Of what a launch has one, the first layer's is taken;
                what differs from token to token comes for all tokens one after the other, each in whole words.
            doing: what for, as in ``token 3``.

        Returns:
            Images of the stores per token and layer; what leaves is the last layer's, in all of them.

        Raises:
            DeadlockError: the kernel did not end.
            SttestError: the kernel or the host program crashed.
        """
        self._write(images)
        self.told(doing, 0, self.card.launch(_RUN, doing=doing))
        stores = [store.name for store in self.layers[0].graph.stores]
        read = {name: np.frombuffer(self.card.read(name), np.uint8) for name in stores}
        return [
            [
                {name: self._of_layer(name, _part(image, step, self.steps), number) for name, image in read.items()}
                for number in range(len(self.layers))
            ]
            for step in range(self.steps)
        ]

    def _write(self, images: Sequence[Mapping[str, Bytes]]) -> None:
        rows = {load: self._row(load, [each[load] for each in images]) for load in images[0]}
        for dma, image in self.card.files.by_dma(rows).items():
            before = self._written.get(dma)
            for part in [slice(0, image.size)] if before is None else changes(before, image):
                self.card.write(dma, image[part].tobytes(), part.start)
            self._written[dma] = image

    def _row(self, load: str, images: Sequence[Bytes]) -> Bytes:
        """The images of all layers, each in whole words, token by token; the first where a launch has one."""
        files = self.card.files
        if not files.is_per_layer(load):
            return images[0]
        steps, word = files.steps_of.get(files.dma_of(load), 1), files.word_bytes
        padded = [np.pad(image, (0, -image.size % word)) for image in images]
        return np.concatenate([_part(image, step, steps) for step in range(steps) for image in padded])

    def _of_layer(self, store: str, image: Bytes, number: int) -> Bytes:
        if not self.card.files.is_per_layer(store):
            return image
        return _part(image, number, len(self.layers))


def _part(image: Bytes, number: int, parts: int) -> Bytes:
    size = image.size // parts
    return image[number * size : (number + 1) * size]


OpenCard = Callable[[], AbstractContextManager[HeldCard]]


def layer_memories(model: LanguageModel, scheme: QuantScheme, graph: ReferenceGraph) -> list[BlockMemory]:
    """The memory of every layer of a quantised model on a design."""
    from sttest.runtime.packing import export_parameters

    config = model.config
    once = _head_images(model, graph) if "token_ids" in graph.argument else {}
    return [
        BlockMemory(
            graph, config, {name: each.values for name, each in export_parameters(block, scheme).items()},
            config.layer_kind(number), once,
        )
        for number, block in enumerate(model.layers)
    ]  # fmt: skip


def _head_images(model: LanguageModel, graph: ReferenceGraph) -> dict[str, Bytes]:
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
        rows: what enters the first layer, of every token and position, for several steps
            (:func:`~sttest.runtime.design_memory.token_rows`).

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
    _card: AbstractContextManager[HeldCard] | None = None
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

    def _blocks_of(self, phase: str, card: HeldCard) -> CardBlocks | CardLayers:
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
