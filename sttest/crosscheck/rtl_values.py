"""A package in clocked hardware with its values: what goes through every FIFO, beside the reference engine."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from xdsl.ir import SSAValue

from sttest.boards.operators import Operator, operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import only_kernel, stream_of, target_of
from sttest.compile.opt import parse
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.reference.engine import run
from sttest.reference.graph import Array, Bytes, ReferenceGraph
from sttest.reference.memory import memory_images, read_results
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
    kernel, library = kernel_of(package)
    return ValuedDesign.of(kernel, graph, library, launch_values(kernel, package, seed))


def launch_values(kernel: df.KernelOp, package: DesignPackage, seed: int) -> Values:
    """Element type and tokens of every stream in a launch over all layers, each with random tensors of its own.

    Args:
        kernel: kernel at the stream level.
        package: its package.
        seed: of the tensors.

    Raises:
        InputError: see :func:`valued_design`.
    """
    graph, tensors = package.reference_graph, random_tensors(package.reference_graph, seed)
    enter, leave = (next((op for op in kernel.body.block.ops if isinstance(op, kind)), None)
                    for kind in (df.EnterOp, df.LeaveOp))  # fmt: skip
    if not isinstance(enter, df.EnterOp) or not isinstance(leave, df.LeaveOp) or kernel.step_count > 1:
        return stream_values(graph, memory_images(graph, tensors))
    entering, around, inside = (_name(port) for port in (enter.sources[0], leave.sinks[0], enter.sinks[0]))
    made, leaving = _name(leave.sources[0]), _name(leave.sinks[1])
    if entering not in graph.stream or leaving not in graph.stream:
        raise InputError("no-rtl-values", "a launch with a head has times only", where=entering)
    argument = next(load.argument for load in graph.loads if load.sink == entering)
    result = next(each.name for each in graph.results for store in graph.stores
                  if store.name == each.store and store.source == leaving)  # fmt: skip
    own = {load.argument for load in graph.loads if package.files.is_per_layer(load.name)}
    layers: list[Values] = []
    for number in range(kernel.layer_count):
        others = random_tensors(graph, seed + number)
        images = memory_images(graph, tensors | {name: others[name] for name in own})
        found = run(graph, images, keep=graph.stream)
        layers.append({name: (graph.stream[name].dtype, tokens) for name, tokens in found.streams.items()})
        tensors[argument] = read_results(graph, found.results)[result]
    whole = {name: _joined(layers, name) for name in graph.stream}
    over = {inside: whole[entering], made: whole[leaving], around: _joined(layers[:-1], leaving)}
    return whole | over | {entering: layers[0][entering], leaving: layers[-1][leaving]}


def _joined(layers: Sequence[Values], stream: str) -> tuple[str, Array]:
    return layers[0][stream][0], np.concatenate([each[stream][1] for each in layers])


def _name(port: SSAValue) -> str:
    return stream_of(port, "RTL").sym_name.data


def built_design(package: DesignPackage, work_dir: str | Path) -> BuiltDesign:
    """The hardware of a package, built once for any memory.

    Args:
        package: compiled design.
        work_dir: folder of the build.

    Raises:
        InputError: see :func:`valued_design`.
        ToolMissingError: Verilator is not installed.
    """
    return BuiltDesign(valued_design(package, package.timed_graph, 0), work_dir)


def stream_values(graph: ReferenceGraph, images: Mapping[str, Bytes]) -> Values:
    """Element type and tokens of every stream, as the reference engine computes them.

    Args:
        graph: what the design computes.
        images: memory by the name of the load.
    """
    dtypes = {stream.name: stream.dtype for stream in graph.streams}
    found = run(graph, images, keep=dtypes)
    return {stream: (dtypes[stream], array) for stream, array in found.streams.items()}


def kernel_of(package: DesignPackage) -> tuple[df.KernelOp, Mapping[str, Operator]]:
    """The kernel of a package, and the operators at its clock.

    Raises:
        InputError: the package has no IR.
    """
    if not package.ir:
        raise InputError("no-ir", "the package keeps no IR", where=str(package.folder), hints=["compile it anew"])
    stage, text = [*package.ir.items()][-1]
    module = parse(text, stage)
    return only_kernel(module, "rtl", package.name), operators(target_of(module, "rtl"))


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
