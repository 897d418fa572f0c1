"""A generation on a card: prefill on one design, decode steps on another or the same, caches kept in its memory."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType

import numpy as np

from sttest.models.head import head_parameters
from sttest.models.language_model import LanguageModel
from sttest.models.tables import token_ids
from sttest.reference.graph import Array, Bytes, ReferenceGraph
from sttest.reference.memory import images_of
from sttest.runtime.block_runner import NextToken
from sttest.runtime.design_memory import BlockMemory, BlockResult, ResidentCache, StepInputs, export_parameters
from sttest.targets.device import HeldCard, LaunchTimes

BEAT_BYTES = 16
"""Changed data is written in whole beats of a port."""
_BRIDGED_BEATS = 64
"""Changes no further apart than this are one transfer, as each costs the driver tens of microseconds."""
OnLaunch = Callable[[str, int, LaunchTimes], None]


def changes(before: Bytes, after: Bytes) -> Iterator[slice]:
    """Byte ranges to write so that one image becomes another: whole beats, near ones together.

    Args:
        before, after: images of one length, a multiple of `BEAT_BYTES`.
    """
    beats = np.flatnonzero((before != after).reshape(-1, BEAT_BYTES).any(axis=1))
    if not beats.size:
        return
    for run in np.split(beats, np.flatnonzero(np.diff(beats) > _BRIDGED_BEATS) + 1):
        yield slice(int(run[0]) * BEAT_BYTES, (int(run[-1]) + 1) * BEAT_BYTES)


@dataclass
class _CardBuffers:
    """A card configured with a design, and the last image written to each buffer."""

    card: HeldCard
    layers: Sequence[BlockMemory]
    on_launch: OnLaunch = lambda _doing, _layer, _times: None
    _written: dict[str, Bytes] = field(default_factory=dict, init=False)

    def _write(self, buffer: str, image: Bytes) -> None:
        before = self._written.get(buffer)
        for part in [slice(0, image.size)] if before is None else changes(before, image):
            self.card.write(buffer, image[part].tobytes(), part.start)
        self._written[buffer] = image

    def _stores(self) -> dict[str, Bytes]:
        return {s.name: np.frombuffer(self.card.read(s.name), np.uint8) for s in self.layers[0].graph.stores}


@dataclass
class LayersOnCard(_CardBuffers):
    """The layers of a model on a design that runs one layer per launch.

    Args:
        card: card, configured with the design.
        layers: memory of each layer, all on one graph.
        on_launch: called after every launch with what it computed, the layer and its times.
    """

    def __post_init__(self) -> None:
        graph, files = self.layers[0].graph, self.card.files
        kinds = {argument.name: argument.kind for argument in graph.arguments}
        # All layers share the buffers of inputs and results; parameters and caches have one per layer.
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
        """Run one layer.

        Args:
            layer: layer number.
            images: images of all loads but the parameters'.
            doing: description for messages, such as ``token 3``.

        Returns:
            Images of the stores.

        Raises:
            DeadlockError: the kernel did not end.
            SttestError: the kernel or the host program crashed.
        """
        for dma, image in self.card.files.by_dma(images).items():
            self._write(_own(layer, dma) if dma in self._own else dma, image)
        self.on_launch(doing, layer, self.card.launch(str(layer), doing=f"{doing}, layer {layer}"))
        return self._stores()


def _own(layer: int, dma: str) -> str:
    return f"{layer}/{dma}"


_RUN = "layers"


@dataclass
class CardLayers(_CardBuffers):
    """The layers of a model on a design that runs all of them in one launch.

    Parameters and caches of the layers lie one after the other in each buffer.

    Args:
        card: card, configured with the design.
        layers: memory of each layer, all on one graph.
        on_launch: called after every launch with what it computed, layer 0 and its times.
        steps: tokens per launch.
    """

    steps: int = 1

    def __post_init__(self) -> None:
        arguments = self.card.files.argument_of
        for dma, argument in arguments.items():
            self.card.allocate(dma, argument)
        self._write_layers([layer.parameter_images for layer in self.layers])
        self.card.prepare(_RUN, {argument: dma for dma, argument in arguments.items()})

    def launch(self, images: Sequence[Mapping[str, Bytes]], doing: str) -> list[list[dict[str, Bytes]]]:
        """Run all layers, for each token of a launch.

        Args:
            images: images per layer of all loads but the parameters'.  Those that a launch has once are the first
                layer's; those that differ per token hold all tokens one after the other, each in whole words.
            doing: description for messages, such as ``token 3``.

        Returns:
            Images of the stores per token and layer; every layer has the block outputs of the last one.

        Raises:
            DeadlockError: the kernel did not end.
            SttestError: the kernel or the host program crashed.
        """
        self._write_layers(images)
        self.on_launch(doing, 0, self.card.launch(_RUN, doing=doing))
        stores = self._stores()
        return [
            [
                {name: self._of_layer(name, _part(image, step, self.steps), number) for name, image in stores.items()}
                for number in range(len(self.layers))
            ]
            for step in range(self.steps)
        ]

    def _write_layers(self, images: Sequence[Mapping[str, Bytes]]) -> None:
        files = self.card.files
        for dma, image in files.by_dma(files.of_layers(images)).items():
            self._write(dma, image)

    def _of_layer(self, store: str, image: Bytes, number: int) -> Bytes:
        return _part(image, number, len(self.layers)) if self.card.files.is_per_layer(store) else image


def _part(image: Bytes, number: int, parts: int) -> Bytes:
    size = image.size // parts
    return image[number * size : (number + 1) * size]


OpenCard = Callable[[], AbstractContextManager[HeldCard]]


def layer_memories(model: LanguageModel, graph: ReferenceGraph) -> list[BlockMemory]:
    """The memory of every layer of a quantized model on a design."""
    once: dict[str, Bytes] = {}
    if "token_ids" in graph.argument:
        once = images_of(graph, {**head_parameters(model), "token_ids": token_ids(model.config)})
    return [
        BlockMemory(graph, model.config, export_parameters(block), model.config.layer_kind(number), once)
        for number, block in enumerate(model.layers)
    ]


@dataclass
class CardGeneration:
    """A `BlockRunner` on a card, and a context manager that releases it.

    The card holds one design at a time.  The first decode step replaces the prefill's design, which on hardware
    takes seconds, once per generation.

    Args:
        cards: openers of a card with the design of a phase; without the prefill's, only `decode` may be called.
        layers: memory of every layer, per phase.
        on_launch: called after every launch with what it computed, the layer and its times.
        at_once: phases whose design runs all layers in a launch.
        steps: tokens per launch of the decode's design; those ahead of the request are handed out later.
        rows: embeddings of every token and position, which launches of several tokens need
            (:func:`~sttest.runtime.design_memory.token_rows`).
    """

    cards: Mapping[str, OpenCard]
    layers: Mapping[str, Sequence[BlockMemory]]
    on_launch: OnLaunch
    at_once: Collection[str] = ()
    steps: int = 1
    rows: tuple[Array, Array | None] | None = None
    caches: list[ResidentCache] = field(init=False)  # cache of every layer
    # result of the head in the last launch, if the design has one
    chosen: NextToken | None = field(init=False, default=None)
    _ahead: list[list[BlockResult]] = field(default_factory=list)
    _inputs: StepInputs | None = None
    _phase: str = ""
    _card: AbstractContextManager[HeldCard] | None = None
    _blocks: LayersOnCard | CardLayers | None = None

    def __post_init__(self) -> None:
        self.caches = [ResidentCache(layer) for layer in self.layers["decode"]]

    def __enter__(self) -> "CardGeneration":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release(kind, error, trace)

    def prefill(self, layer: int, x: Array) -> Array:
        """Run the prompt through a layer."""
        if "prefill" in self.at_once:
            inputs = [] if layer else [self._prompt(each, x) for each in self.layers["prefill"]]
            return x if layer else self._all("prefill", inputs, len(x))
        memory = self.layers["prefill"][layer]
        return self._step("prefill", layer, self._prompt(memory, x), memory, len(x))

    def decode(self, layer: int, x: Array) -> Array:
        """Run the next token through a layer."""
        if "decode" in self.at_once:
            return x if layer else self._next(x)
        return self._step("decode", layer, self.caches[layer].images(x), self.layers["decode"][layer], 1)

    @staticmethod
    def _prompt(memory: BlockMemory, x: Array) -> dict[str, Bytes]:
        return {name: image for name, image in memory.prefill(x).items() if name not in memory.parameter_images}

    def _next(self, x: Array) -> Array:
        """All layers of the next token, which an earlier launch may have computed already."""
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
        """All layers, when the first is asked for; the others then pass their input on."""
        return self._taken(phase, self._launch(phase, inputs, count)[0])

    def _launch(self, phase: str, inputs: Sequence[dict[str, Bytes]], count: int) -> list[list[BlockResult]]:
        """Results per token of the launch and layer."""
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
        assert isinstance(blocks, LayersOnCard)
        result: BlockResult = memory.results(blocks.launch(layer, inputs, self._doing(phase, layer)), count)
        self.caches[layer].append(result.k_new, result.v_new)
        self.chosen = _chosen(result, memory)
        return result.y

    def _configured(self, phase: str) -> LayersOnCard | CardLayers:
        """The card with the design of a phase."""
        if self._blocks is None or self._phase != phase:
            self._release()
            opened = self.cards[phase]()
            card = opened.__enter__()
            self._card, self._phase = opened, phase
            self._blocks = self._blocks_of(phase, card)
        return self._blocks

    def _blocks_of(self, phase: str, card: HeldCard) -> LayersOnCard | CardLayers:
        if phase not in self.at_once:
            return LayersOnCard(card, self.layers[phase], self.on_launch)
        return CardLayers(card, self.layers[phase], self.on_launch, steps=self.steps if phase == "decode" else 1)

    def _release(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        card, self._card, self._blocks = self._card, None, None
        if card is not None:
            card.__exit__(kind, error, trace)


def _chosen(result: BlockResult, memory: BlockMemory) -> NextToken | None:
    if result.logits is None or result.token is None:
        return None
    return NextToken(result.logits[0, : memory.config.vocab], int(result.token[0]))
