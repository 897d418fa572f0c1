"""Launches with a head and of several tokens in the reference engine: the tokens and logits of the quantized model."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_launch import value_launch
from sttest.frontend.shipped import lowered_text
from sttest.models.blocks import run_prefill
from sttest.models.checkpoint import load_model
from sttest.models.language_model import generate, quantize_model
from sttest.models.quant.contraction import DefinedOrder
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config
from sttest.package import KernelFiles
from sttest.package.compiled import write_package
from sttest.reference.launch import Launch, run_launch
from sttest.reference.memory import image_bytes
from sttest.runtime.block_runner import generate_with
from sttest.runtime.card_generation import CardGeneration, layer_memories
from sttest.runtime.design_memory import CacheSide, token_rows
from sttest.targets.device import LaunchTimes

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PROMPT = [7, 42, 128, 3, 99, 250, 61, 18, 5, 200, 77]
LAYERS, NEW = 2, 7


class ReferenceCard:
    """Plays a card: the host writes memory and reads it, the reference engine launches."""

    def __init__(self, files: KernelFiles, launch: Launch) -> None:
        self.files, self._launch, self._memory, self.launches = files, launch, {}, 0

    def __enter__(self) -> ReferenceCard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def allocate(self, _buffer: str, _argument: str) -> None:
        pass

    def prepare(self, _run: str, _buffers: Any) -> None:
        pass

    def write(self, buffer: str, data: bytes, offset: int) -> None:
        held = self._memory.setdefault(buffer, np.zeros(len(data), np.uint8))
        held[offset : offset + len(data)] = np.frombuffer(data, np.uint8)

    def launch(self, _run: str, **_of: Any) -> LaunchTimes:
        launch, rows = self._launch, {}
        for load in launch.graph.loads:
            size = image_bytes(load.layout, launch.graph.stream[load.sink].dtype)
            word = self.files.word_bytes
            parts = launch.parts(load.name)
            if load.name == launch.table:
                parts = self._memory[load.name].size // (-(-size // word) * word)
            rows[load.name] = self._memory[load.name].reshape(parts, -1)[:, :size]
        found = run_launch(launch, rows).results
        for store in launch.graph.stores:
            images = [layer[store.name] for layers in found for layer in layers if store.name in layer]
            self._memory[store.name] = np.concatenate(images)
        self.launches += 1
        return LaunchTimes(0, None, None)

    def read(self, store: str) -> bytes:
        return self._memory[store].tobytes()


class Runner:
    """The prompt in PyTorch, every further token on a card."""

    def __init__(self, model, generation: CardGeneration) -> None:
        self._model, self._card = model, generation
        self.decode, self._is_prompt = generation.decode, True

    @property
    def chosen(self):
        return self._card.chosen

    def prefill(self, layer: int, x: np.ndarray) -> np.ndarray:
        config, block = self._model.config, self._model.layers[layer]
        y, keys, values = run_prefill(block, config, torch.from_numpy(x), config.layer_kind(layer))
        self._card.caches[layer].append(CacheSide.of(keys), CacheSide.of(values))
        return y.numpy()


KINDS = {
    "gpt2": ("gpt2", {}, 11),
    "qwen": ("qwen", {}, 11),
    "llama": ("llama", {}, 11),
    "gemma": ("gemma", {"global_every": 2}, 11),
    "gemma in another order": ("gemma", {"layer_kinds": ("global", *["local"] * (LAYERS - 1))}, 2),
}
"""Names of models, the kinds of their layers, and seeds of weights that give more tokens than one."""


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[] if each == "gpt2" else pytest.mark.nightly) for each in KINDS]
)
def test_launches_have_the_tokens_and_logits_of_the_quantized_model(name, steps, tmp_path):
    name, kinds, seed = KINDS[name]
    config = replace(model_config(f"small-{name}"), layers=LAYERS, **kinds)
    model = quantize_model(load_model(config, seed=seed), load_scheme("w4a8"))
    options = CompileOptions(layers=LAYERS, generate=steps, positions=steps > 1 and config.rope_theta is None)
    design = compile_text(lowered_text(name, "decode", head=True, small=True), "launch", "u55c", options)
    package = write_package(design, tmp_path / "package")
    graph = package.reference_graph
    card = ReferenceCard(package.files, value_launch(only_kernel(design.module, "test", "launch"), graph))
    generation = CardGeneration(
        {"decode": lambda: cast("Any", card)},
        {"decode": layer_memories(model, graph)},
        lambda *_: None,
        {"decode"},
        steps,
        token_rows(model) if steps > 1 else None,
    )
    with torch.no_grad(), DefinedOrder(), generation:
        found = generate_with(model, Runner(model, generation), PROMPT, NEW)
        wanted = generate(model, PROMPT, NEW)
    assert found.tokens == wanted.tokens
    assert torch.equal(found.logits, wanted.logits)
    assert len(set(found.tokens)) > 1
    assert card.launches == (NEW - 1) // steps
