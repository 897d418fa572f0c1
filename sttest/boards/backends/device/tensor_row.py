"""The buffer of an argument that holds several tensors: those of each layer, then what is there once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sttest.errors import InputError

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class TensorRow:
    """What one DMA reads in turn.

    Attributes:
        loads: of the tensors, in order.
        sizes: bytes of each in a layer, whole words.
        layers: each of which has such a row.
        behind, behind_sizes: what comes once, after all of them.
    """

    loads: tuple[str, ...]
    sizes: tuple[int, ...]
    layers: int = 1
    behind: tuple[str, ...] = ()
    behind_sizes: tuple[int, ...] = ()

    def image(self, images: Mapping[str, Image]) -> Image:
        """The buffer, from images by load; those hold all layers, one after the other.

        Raises:
            InputError: an image is missing, or has another size.
        """
        parts = [_rows(images, load, size, self.layers) for load, size in zip(self.loads, self.sizes, strict=True)]
        once = [_rows(images, load, size, 1) for load, size in zip(self.behind, self.behind_sizes, strict=True)]
        return np.concatenate([np.concatenate(parts, axis=1).ravel(), *(each.ravel() for each in once)])


def _rows(images: Mapping[str, Image], load: str, size: int, layers: int) -> Image:
    found = images.get(load)
    if found is None or found.size != size * layers:
        have = "no image" if found is None else "an image of another size"
        raise InputError(
            "bad-arguments", f"'{load}' has {have}, and is in one buffer with others", where="memory",
            demand=size * layers, bound=0 if found is None else found.size, unit="bytes",
            levers=["give the images of all tensors of the buffer"],
        )  # fmt: skip
    return found.reshape(layers, size)
