"""All layers of a model on a card in one launch: parameters and caches of the layers lie one after the other.

Written is as by `CardBlocks`: parameters once, of what else a launch reads only what differs from what the card has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sttest.boards.backends.device import Card
from sttest.models.card_blocks import Told, changes
from sttest.models.design_memory import BlockMemory
from sttest.sim.functional.element_types import Bytes

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

    card: Card
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
