"""A decode step of a small model in hardware: the memory of its launch, the FIFOs of its parameters, its results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sttest.compile.dialects import df
from sttest.compile.reference_launch import value_launch
from sttest.compile.sharing.processes import fifos_of
from sttest.core.errors import InputError
from sttest.crosscheck.case import require_torch
from sttest.crosscheck.rtl_values import kernel_of, random_rows, valued_launch
from sttest.package import DesignPackage, ModelPackage
from sttest.reference.graph import Bytes, Converter, Fork, Gather, Load, Node, ReferenceGraph
from sttest.reference.launch import TOKEN, Launch, Rows
from sttest.targets.rtl.design import ValuedDesign

PROMPT = (7, 42, 128, 3, 99, 250, 61, 18, 5, 200, 77)
"""Tokens of the prompt, shorter where a design has no room for all."""


@dataclass(frozen=True)
class FaultCase:
    """A design with its values, and what a campaign must know of it."""

    design: ValuedDesign
    launch: Launch
    kernel: df.KernelOp
    memory: Rows
    weights: tuple[str, ...]  # FIFOs of parameters
    token_fifo: str  # FIFO of the chosen token; empty where the design has no head
    wanted_token: int | None  # token that PyTorch chooses; None without a head or a model


def fault_case(package: DesignPackage, seed: int) -> FaultCase:
    """The hardware of a package with the values of one launch.

    The decode step of a model with its head has weights of the model's shape drawn by the seed, a prompt, and the token
    that follows it; any other design has random tensors.

    Args:
        package: compiled design.
        seed: of weights or tensors.

    Raises:
        InputError: a process that has no hardware with values yet.
        ToolMissingError: PyTorch, which runs the prompt, is not installed.
    """
    kernel, library = kernel_of(package)
    graph = package.reference_graph
    launch = value_launch(kernel, graph)
    token_fifo = _token_fifo(kernel, graph)
    if token_fifo and launch.steps == 1:
        memory, token = _decode_rows(ModelPackage.read(package.folder), launch, seed)
    else:
        memory, token = random_rows(launch, seed), None
    design = valued_launch(kernel, package.timed_graph, library, launch, memory)
    parameters = parameter_streams(graph)
    weights = [
        name for name, streams in fifos_of(kernel).items() if {stream.sym_name.data for stream in streams} <= parameters
    ]
    return FaultCase(design, launch, kernel, memory, tuple(weights), token_fifo, token)


def _token_fifo(kernel: df.KernelOp, graph: ReferenceGraph) -> str:
    """The FIFO of the chosen token."""
    store = next((result.store for result in graph.results if result.name == TOKEN), "")
    source = next((node.source for node in graph.stores if node.name == store), "")
    return next(
        (name for name, streams in fifos_of(kernel).items() if source in {each.sym_name.data for each in streams}), ""
    )


def parameter_streams(graph: ReferenceGraph) -> frozenset[str]:
    """Streams that carry nothing but parameters: from their loads, until a task reads them."""
    kinds = {argument.name: argument.kind for argument in graph.arguments}
    writer: Mapping[str, Node] = {name: node for node in graph.nodes for name in node.sinks}
    found: dict[str, bool] = {}

    def carries(name: str) -> bool:
        if name not in found:
            node = writer[name]
            if isinstance(node, Load):
                found[name] = kinds[node.argument] == "parameter"
            else:
                found[name] = isinstance(node, Fork | Gather | Converter) and all(map(carries, node.sources))
        return found[name]

    return frozenset(stream.name for stream in graph.streams if stream.name in writer and carries(stream.name))


def _decode_rows(package: ModelPackage, launch: Launch, seed: int) -> tuple[dict[str, Bytes], int]:
    """Memory of the launch, and the token that PyTorch chooses."""
    require_torch()
    import torch

    from sttest.models.blocks import run_prefill
    from sttest.models.checkpoint import load_model
    from sttest.models.language_model import KvCache, quantize_model
    from sttest.models.quant.contraction import DefinedOrder
    from sttest.runtime.card_generation import layer_memories
    from sttest.runtime.design_memory import CacheSide

    graph = launch.graph
    room = graph.argument["k_cache"].shape[-2]
    if len(graph.argument["k_cache"].shape) > 3:
        raise InputError(
            "no-batch", "a campaign runs one sequence", where=graph.name, hints=["compile without --batch"]
        )
    config = replace(package.config, layers=launch.layers)
    model = quantize_model(load_model(config, seed=seed), package.scheme)
    prompt, caches = [token % config.vocab for token in PROMPT[:room]], []
    with torch.no_grad(), DefinedOrder():
        x = model.embedding(prompt, 0)
        for number, block in enumerate(model.layers):
            x, keys, values, *_ = run_prefill(block, config, x, config.layer_kind(number))
            caches.append((keys, values))
        token = int(model.logits(x[-1:])[0].argmax())
        logits, _ = model.decode(token, KvCache(tuple(caches), len(prompt)))
        x = model.embedding([token], len(prompt)).numpy()
    images = [
        memory.decode(x, *(CacheSide.of(side) for side in sides))
        for memory, sides in zip(layer_memories(model, graph), caches, strict=True)
    ]
    rows = {load.name: np.stack(_of_layers(images, load.name, launch.parts(load.name))) for load in graph.loads}
    return rows, int(logits.argmax())


def _of_layers(images: Iterable[Mapping[str, Bytes]], load: str, parts: int) -> list[Bytes]:
    return [cast("Bytes", image[load]) for image in images][:parts]
