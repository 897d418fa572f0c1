"""Whole generations whose blocks a compiled design executes: one design for the prefill, one for every decode step.

Embedding, head and choice of token stay on the host.  The prefill's design has room for the longest prompt, the
decode's for the longest context; masks hide the unused part.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from sttest.core.errors import EnginesDisagreeError
from sttest.crosscheck.rtl_values import stream_values
from sttest.models.language_model import GeneratedTokens, LanguageModel
from sttest.models.quant.block import decode_twin
from sttest.models.quant.contraction import DefinedOrder
from sttest.package import KernelFiles
from sttest.reference import ReferenceGraph, run
from sttest.reference.engine import store
from sttest.reference.graph import BITS, Array, Bytes, ReferenceStream
from sttest.runtime.block_runner import generate_with
from sttest.runtime.design_memory import BlockMemory, CacheSide, export_parameters
from sttest.targets.csim import Executable, run_kernel
from sttest.targets.rtl.design import BuiltDesign, pack_tokens, unpack_tokens

Launch = Callable[[Mapping[str, Bytes]], Mapping[str, Bytes]]
"""A function from the images of a design's loads to those of its stores, by name."""


@dataclass(frozen=True)
class RunnableDesign:
    """A compiled block and an engine that runs it."""

    graph: ReferenceGraph
    launch: Launch


def on_reference(graph: ReferenceGraph) -> RunnableDesign:
    """A design on the reference engine."""
    return RunnableDesign(graph, lambda images: run(graph, images).results)


def on_csim(graph: ReferenceGraph, kernel: Executable, files: KernelFiles) -> RunnableDesign:
    """A design on its emitted C++; graph, kernel and files of one package."""

    def launch(images: Mapping[str, Bytes]) -> Mapping[str, Bytes]:
        results = run_kernel(kernel, files.by_argument(images)).results
        return {store.name: results[files.argument_of[store.name]] for store in graph.stores if results}

    return RunnableDesign(graph, launch)


def on_rtl(graph: ReferenceGraph, design: BuiltDesign) -> RunnableDesign:
    """A design in clocked hardware; both of one package.

    The launch ends with an error where a token of any stream is another than the reference engine's.
    """

    def launch(images: Mapping[str, Bytes]) -> Mapping[str, Bytes]:
        values = stream_values(graph, images)
        ran, kept = design.run({name: pack_tokens(tokens, BITS[dtype]) for name, (dtype, tokens) in values.items()})
        if ran.verdict != "done":
            return {}
        if ran.wrong:
            raise EnginesDisagreeError("values", str(ran.wrong[0]), where=graph.name)
        return {
            node.name: store(node, stream := graph.stream[node.source], _tokens(stream, kept[node.source]))
            for node in graph.stores
        }

    return RunnableDesign(graph, launch)


def _tokens(stream: ReferenceStream, rows: Bytes) -> Array:
    tokens = unpack_tokens(rows, stream.dtype, stream.element)
    return tokens.reshape(*stream.trips, *stream.element)


def generate_on_designs(
    model: LanguageModel, prefill: RunnableDesign, decode: RunnableDesign, prompt: Sequence[int], new_tokens: int
) -> GeneratedTokens:
    """Continue a prompt by its most likely tokens, as :func:`~sttest.models.language_model.generate` does in PyTorch.

    Args:
        model: fake-quantized model; its blocks give the parameters, the rest of it runs on the host.
        prefill, decode: designs of the model's blocks, compiled with the same scheme.
        prompt: token ids, at most as many as the prefill has room for.
        new_tokens: tokens to generate, at least 1.

    Raises:
        InputError: a request that the model refuses; designs of another block, or without room for so many tokens;
            a deadlock, which leaves no results.
    """
    with torch.no_grad(), DefinedOrder():
        return generate_with(model, _DesignRunner(model, prefill, decode), prompt, new_tokens)


class _DesignRunner:
    """A :class:`~sttest.runtime.block_runner.BlockRunner` on two designs; the host has the head."""

    chosen = None

    def __init__(self, model: LanguageModel, prefill: RunnableDesign, decode: RunnableDesign) -> None:
        config, twins = model.config, [decode_twin(model.config, block) for block in model.layers]
        self._prefill_memory, self._decode_memory = (
            [
                BlockMemory(design.graph, config, export_parameters(block), config.layer_kind(number))
                for number, block in enumerate(blocks)
            ]
            for design, blocks in ((prefill, model.layers), (decode, twins))
        )
        self._launch_prefill, self._launch_decode = prefill.launch, decode.launch
        self._caches: dict[int, tuple[CacheSide, CacheSide]] = {}

    def prefill(self, layer: int, x: Array) -> Array:
        memory = self._prefill_memory[layer]
        found = memory.results(self._launch_prefill(memory.prefill(x)), len(x))
        self._caches[layer] = (found.k_new, found.v_new)
        return found.y

    def decode(self, layer: int, x: Array) -> Array:
        memory, (keys, values) = self._decode_memory[layer], self._caches[layer]
        found = memory.results(self._launch_decode(memory.decode(x, keys, values)))
        self._caches[layer] = (keys.extended(found.k_new), values.extended(found.v_new))
        return found.y
