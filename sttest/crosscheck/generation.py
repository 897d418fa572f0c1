"""Whole generations whose blocks a compiled design executes: one for the prefill, one for every decode step.

Embedding, head and choice of token stay on the host.  The prefill's design has room for the longest prompt, that of
the decode for the longest context; masks hide what is not there yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sttest.models.language_model import Generation
from sttest.reference import ReferenceGraph, run
from sttest.reference.graph import Array, Bytes
from sttest.runtime.block_runner import generate_with
from sttest.runtime.design_memory import BlockMemory, BlockResult, CacheSide
from sttest.targets.csim import Executable, run_kernel
from sttest.targets.device import DesignFiles

if TYPE_CHECKING:
    from torch import nn

    from sttest.models.language_model import LanguageModel
    from sttest.models.quant.scheme import QuantScheme

Launch = Callable[[Mapping[str, Bytes]], Mapping[str, Bytes]]
"""From the memory of a design's loads to that of its stores, by their names."""


@dataclass(frozen=True)
class RunnableDesign:
    """A compiled block and an engine that runs it."""

    graph: ReferenceGraph
    launch: Launch


def on_functional(graph: ReferenceGraph) -> RunnableDesign:
    """A design on the functional engine."""
    return RunnableDesign(graph, lambda images: run(graph, images).results)


def on_csim(graph: ReferenceGraph, kernel: Executable, files: DesignFiles) -> RunnableDesign:
    """A design on its emitted C++.

    Args:
        graph: of the package.
        kernel: built from it.
        files: of the same package.
    """

    def launch(images: Mapping[str, Bytes]) -> Mapping[str, Bytes]:
        results = run_kernel(kernel, files.by_argument(images)).results
        return {store.name: results[files.argument_of[store.name]] for store in graph.stores if results}

    return RunnableDesign(graph, launch)


def generate_on_designs(
    model: LanguageModel,
    scheme: QuantScheme,
    prefill: RunnableDesign,
    decode: RunnableDesign,
    prompt: Sequence[int],
    new_tokens: int,
) -> Generation:
    """Continues a prompt by its most likely tokens, as :func:`~sttest.models.language_model.generate` does in PyTorch.

    Args:
        model: fake-quantised; its blocks give the parameters, the rest of it runs on the host.
        scheme: that it was quantised with, and that the designs were compiled with.
        prefill, decode: designs of the model's blocks.
        prompt: token numbers, at most as many as the prefill has room for.
        new_tokens: to generate, at least 1.

    Raises:
        InputError: a request that the model refuses; designs of another block, or without room for so many tokens;
            a deadlock, which leaves no results.
    """
    import torch

    from sttest.models.quant.contraction import DefinedOrder

    with torch.no_grad(), DefinedOrder():
        layers = [_Layer(model, number, scheme, prefill, decode) for number in range(model.config.layers)]
        return generate_with(model, _Layers(layers), prompt, new_tokens)


@dataclass(frozen=True)
class _Layers:
    """The blocks of a model as :class:`~sttest.runtime.block_runner.BlockRunner` wants them."""

    layers: Sequence[_Layer]

    def prefill(self, layer: int, x: Array) -> Array:
        return self.layers[layer].prefill(x)

    def decode(self, layer: int, x: Array) -> Array:
        return self.layers[layer].decode(x)

    @property
    def chosen(self) -> None:
        """The host has the head."""


class _Layer:
    """One layer of a model: its memory in both designs, and its cache."""

    def __init__(
        self, model: LanguageModel, number: int, scheme: QuantScheme, prefill: RunnableDesign, decode: RunnableDesign
    ) -> None:
        from sttest.models.quant.block import decode_twin

        block, kind = model.layers[number], model.config.layer_kind(number)
        twin = decode_twin(model.config, block)
        self._first = BlockMemory(prefill.graph, model.config, _parameters(block, scheme), kind)
        self._then = BlockMemory(decode.graph, model.config, _parameters(twin, scheme), kind)
        self._launch_first, self._launch_then = prefill.launch, decode.launch
        self._cache: tuple[CacheSide, CacheSide] | None = None

    def prefill(self, x: Array) -> Array:
        """[tokens, hidden] to the same shape; the cache is filled."""
        found = self._first.results(self._launch_first(self._first.prefill(x)), len(x))
        self._cache = (found.k_new, found.v_new)
        return found.y

    def decode(self, x: Array) -> Array:
        """[1, hidden] to [1, hidden]; the cache grows."""
        assert self._cache is not None
        found = self._then.results(self._launch_then(self._then.decode(x, *self._cache)))
        self._cache = _grown(self._cache, found)
        return found.y


def _parameters(block: nn.Module, scheme: QuantScheme) -> dict[str, Array]:
    from sttest.runtime.packing import export_parameters

    return {name: parameter.values for name, parameter in export_parameters(block, scheme).items()}


def _grown(cache: tuple[CacheSide, CacheSide], new: BlockResult) -> tuple[CacheSide, CacheSide]:
    k, v = (_appended(side, entry) for side, entry in zip(cache, (new.k_new, new.v_new), strict=True))
    return k, v


def _appended(side: CacheSide, entry: CacheSide) -> CacheSide:
    values = np.concatenate([side.values, entry.values], axis=1)
    if side.scales is None or entry.scales is None:
        return CacheSide(values)
    return CacheSide(values, np.concatenate([side.scales, entry.scales], axis=1))
