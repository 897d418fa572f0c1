"""Linalg texts through the passes into the functional engine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sttest.compile.ir.module_walk import set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import all_passes
from sttest.compile.reference_graph import value_graph
from sttest.reference import ReferenceGraph, memory_images, read_results, run


def graph_of(text: str, options: CompileOptions) -> ReferenceGraph:
    """The value graph of a text; FIFOs keep their first depths, which decide no value."""
    context = new_context()
    module = parse(text, "text", context)
    set_target(module, "u55c")
    for each in all_passes(options)[:-1]:
        each.apply(context, module)
    return value_graph(module, "text")


def results_of(graph: ReferenceGraph, tensors: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """The tensors that a design returns; tensors that it does not read are left out."""
    read = {name: values for name, values in tensors.items() if name in graph.argument}
    return read_results(graph, run(graph, memory_images(graph, read)).results)


def whole_tensors(graph: ReferenceGraph, seed: int) -> dict[str, NDArray]:
    """Every argument with whole numbers from -2 to 2."""
    source = np.random.default_rng(seed)
    return {argument.name: source.integers(-2, 3, argument.shape).astype(np.float32) for argument in graph.arguments}
