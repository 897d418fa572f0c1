"""What a launch over layers finds in memory: in which order the host lays down the tensors of layers and tokens."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from sttest.package import KernelFiles
from sttest.runtime.card_generation import CardLayers

LAYERS, STEPS, WORD = 2, 3, 4


class _Files(KernelFiles):
    """Of a design with a mask per layer and token, a cache per layer, and one input for all."""

    def __init__(self) -> None:
        self.argument_of = {name: name for name in ("mask", "cache", "x")}
        self.rows, self.layers_of, self.steps_of = {}, {"mask": LAYERS, "cache": LAYERS}, {"mask": STEPS}

    @property
    def word_bytes(self) -> int:
        return WORD


class _Card:
    """Keeps what is written, and gives nothing back."""

    def __init__(self) -> None:
        self.files, self.memory = _Files(), dict[str, bytes]()

    def write(self, buffer: str, data: bytes, offset: int = 0) -> None:
        assert offset == 0
        self.memory[buffer] = data

    def __getattr__(self, name: str) -> Any:
        return lambda *_given, **_named: None


def image(*values: int, size: int = WORD) -> np.ndarray:
    return np.repeat(np.array(values, np.uint8), size)


def test_tokens_come_first_and_layers_within_them() -> None:
    card = _Card()
    memory = SimpleNamespace(parameter_images={"cache": image(0, size=2)}, graph=SimpleNamespace(stores=[]))
    blocks = CardLayers(card, [memory, memory], steps=STEPS)  # type: ignore[arg-type, list-item]
    # A tensor that ends within a word is filled up: the next one begins with a word.
    assert list(card.memory["cache"]) == [0] * LAYERS * WORD
    blocks.launch([{"mask": image(1, 2, 3), "x": image(9)}, {"mask": image(11, 12, 13), "x": image(8)}], "test")
    assert list(card.memory["mask"]) == list(image(1, 11, 2, 12, 3, 13))
    assert list(card.memory["x"]) == list(image(9))
