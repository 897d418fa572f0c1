"""A module beside the design that is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.frontend.module_source import ModuleSource
from sttest.reference import memory_images, read_results, run


def sqnr_db(true: np.ndarray, found: np.ndarray) -> float:
    noise = np.sum((true - found).astype(np.float64) ** 2)
    return np.inf if noise == 0 else 10 * np.log10(np.sum(true.astype(np.float64) ** 2) / noise)


def worst_db(source: ModuleSource) -> float:
    """What the design computes in fp32, beside PyTorch's values: decibels of the worst result."""
    design = compile_text(source.text(), "own", "u55c", CompileOptions(precision="fp32"))
    graph = value_graph(design.module, "own")
    tensors = source.parameters() | source.inputs()
    found = read_results(graph, run(graph, memory_images(graph, {k: tensors[k] for k in graph.argument})).results)
    expected = source.run(source.inputs())
    assert found.keys() == expected.keys()
    assert all(np.isfinite(each).all() for each in found.values())
    return min(sqnr_db(true, found[key]) for key, true in expected.items())


class Function(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.compute = compute

    def forward(self, *tensors: Tensor) -> Any:
        return self.compute(*tensors)


def db_of(compute: Callable[..., Any], *shapes: tuple[int, ...]) -> float:
    """:func:`worst_db` of a function of drawn tensors."""
    torch.manual_seed(0)
    return worst_db(ModuleSource.of(Function(compute), tuple(torch.randn(*shape) for shape in shapes)))
