"""A package in clocked hardware with its values: what goes through every FIFO, beside the reference engine."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sttest.boards.operators import operators
from sttest.compile.ir.module_walk import only_kernel, target_of
from sttest.compile.opt import parse
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.reference.engine import run
from sttest.reference.graph import Array, Bytes, ReferenceGraph
from sttest.reference.memory import memory_images
from sttest.sim.graph import TimedGraph
from sttest.targets.rtl.design import BuiltDesign, ValuedDesign, Values

_SCALES = 0.05
"""Standard deviation of random binary16 numbers, which are scales of quantized weights: positive and small."""


def valued_design(package: DesignPackage, graph: TimedGraph, seed: int) -> ValuedDesign:
    """The hardware of a package, with the tokens that the reference engine computes from random tensors.

    Args:
        package: compiled design.
        graph: its timed graph, with the depths of the run.
        seed: of the tensors.

    Raises:
        InputError: the package has no values, or a process has no hardware with values yet.
    """
    values = package.reference_graph
    images = memory_images(values, random_tensors(values, seed))
    return _design(package, graph, stream_values(values, images))


def built_design(package: DesignPackage, work_dir: str | Path) -> BuiltDesign:
    """The hardware of a package, built once for any memory.

    Args:
        package: compiled design.
        work_dir: folder of the build.

    Raises:
        InputError: see :func:`valued_design`.
        ToolMissingError: Verilator is not installed.
    """
    values = package.reference_graph
    images = memory_images(values, random_tensors(values, 0))
    return BuiltDesign(_design(package, package.timed_graph, stream_values(values, images)), work_dir)


def stream_values(graph: ReferenceGraph, images: Mapping[str, Bytes]) -> Values:
    """Element type and tokens of every stream, as the reference engine computes them.

    Args:
        graph: what the design computes.
        images: memory by the name of the load.
    """
    dtypes = {stream.name: stream.dtype for stream in graph.streams}
    found = run(graph, images, keep=dtypes)
    return {stream: (dtypes[stream], array) for stream, array in found.streams.items()}


def _design(package: DesignPackage, graph: TimedGraph, values: Values) -> ValuedDesign:
    if not package.ir:
        raise InputError("no-ir", "the package keeps no IR", where=str(package.folder), hints=["compile it anew"])
    stage, text = [*package.ir.items()][-1]
    module = parse(text, stage)
    return ValuedDesign.of(only_kernel(module, "rtl", package.name), graph, operators(target_of(module, "rtl")), values)


def random_tensors(graph: ReferenceGraph, seed: int) -> dict[str, Array]:
    """A value for every element of every argument, whole range for integers, around 0 for others."""
    source = np.random.default_rng(seed)
    return {argument.name: _random(source, argument.dtype, argument.shape) for argument in graph.arguments}


def _random(source: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    if dtype == "f32":
        return source.standard_normal(shape).astype(np.float32)
    if dtype == "f16":
        return np.abs(source.standard_normal(shape) * _SCALES).astype(np.float16)
    bits = int(dtype[1:])
    if bits == 1:
        return source.integers(0, 2, shape).astype(np.bool_)
    most = 1 << min(bits - 1, 15)
    return source.integers(1 - most, most, shape).astype(np.int32 if bits > 16 else np.int16 if bits > 8 else np.int8)
