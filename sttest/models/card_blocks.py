"""Decoder blocks on a card: a design, the parameters of its layers in the card's memory, and one launch per layer.

Parameters are written once.  Before a launch only those bytes of an input are written that differ from what the
card has; of a cache that is one entry per head and token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from sttest.boards.backends.device import Card, LaunchTimes
from sttest.models.design_memory import BlockMemory
from sttest.sim.functional.element_types import Bytes

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

    card: Card
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
