"""A package in clocked hardware with its values: what goes through every FIFO, beside the reference engine."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from xdsl.ir import SSAValue

from sttest.boards.operators import Operator, operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, only_kernel, stream_of, target_of
from sttest.compile.ir.names import NUMBERS
from sttest.compile.opt import parse
from sttest.compile.reference_launch import value_launch
from sttest.compile.sharing.layers import rounds_of
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.reference.engine import run
from sttest.reference.graph import Array, Bytes, ReferenceGraph
from sttest.reference.launch import Launch, Rows, run_launch, turns
from sttest.reference.memory import images_of
from sttest.sim.graph import TimedGraph
from sttest.targets.rtl.design import BuiltDesign, ValuedDesign, Values
from sttest.targets.rtl.held import held_memories

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
    launch = value_launch(kernel, package.reference_graph)
    return valued_launch(kernel, graph, library, launch, random_rows(launch, seed))


def valued_launch(
    kernel: df.KernelOp, graph: TimedGraph, library: Mapping[str, Operator], launch: Launch, memory: Rows
) -> ValuedDesign:
    """The hardware of a launch, with what the reference engine computes from the content of memory.

    Args:
        kernel: kernel at the stream level.
        graph: its timed graph.
        library: operators at the board's clock.
        launch: what the kernel does in a launch.
        memory: what memory holds before it.

    Raises:
        InputError: a process has no hardware with values yet.
    """
    values = launch_values(kernel, launch, memory)
    return ValuedDesign.of(kernel, graph, library, values, held_memories(kernel, launch, memory))


def launch_values(kernel: df.KernelOp, launch: Launch, memory: Rows) -> Values:
    """Element type and tokens of every stream in a launch, those of the loops over layers and tokens among them.

    Args:
        kernel: kernel at the stream level.
        launch: what it does in a launch.
        memory: what memory holds before it.

    Raises:
        InputError: see :func:`~sttest.reference.launch.run_launch`.
    """
    found = run_launch(launch, memory, keep=launch.graph.stream).streams
    values = {name: (launch.graph.stream[name].dtype, tokens) for name, tokens in found.items()}
    values |= _round_layers(kernel, launch, values)
    values |= _round_tokens(kernel, values)
    return {name: (dtype, turns(tokens)) for name, (dtype, tokens) in values.items()}


def _round_layers(kernel: df.KernelOp, launch: Launch, values: Values) -> dict[str, tuple[str, Array]]:
    """What goes through the streams where activations enter layers and leave them, [steps, times, tokens, *element]."""
    if not launch.enters:
        return {}
    found: dict[str, tuple[str, Array]] = {}
    for (enter, leave), enters, leaves in zip(rounds_of(kernel), launch.enters, launch.leaves, strict=True):
        dtype, first = values[enters]
        made = values[leaves][1]
        again = made[:, :-1]
        tokens = {
            enter.sources[1]: again,
            enter.sinks[0]: np.concatenate([first, again], axis=1),
            leave.sources[0]: made,
            leave.sinks[1]: made[:, -1:],
        }
        found |= {_name(port): (dtype, each) for port, each in tokens.items()}
    return found


def _round_tokens(kernel: df.KernelOp, values: Values) -> dict[str, tuple[str, Array]]:
    """What DMAs wait for: copies of what is stored, as `launch_values` has it."""
    awaited = [source for load in all_of(kernel, df.DmaReadOp) for source in load.sources[1:]]
    return {_name(port): values[_name(stream_of(port, "RTL").writer.sources[0])] for port in awaited}


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


# --- Random memory


def random_rows(launch: Launch, seed: int) -> dict[str, Bytes]:
    """Memory of a launch with random tensors, of which each layer and token has its own where it has a part.

    Args:
        launch: the design, and how often it runs.
        seed: of the tensors; those of the first layer and token are :func:`random_tensors`.
    """
    graph, source = launch.graph, np.random.default_rng(seed)
    sets = [random_tensors(graph, seed + number) for number in range(launch.layers * launch.steps)]
    columns = graph.argument[NUMBERS].shape[0] if NUMBERS in graph.argument else 0
    for each in sets if columns else ():
        each[NUMBERS] = np.arange(columns, dtype=np.float32)
    found: dict[str, Bytes] = {}
    for load in graph.loads:
        parts = sets[: launch.parts(load.name)]
        if load.name == launch.table:
            shape = graph.argument[load.argument].shape
            parts = [{load.argument: row} for row in _random(source, "f32", (1 + columns, *shape))]
        found[load.name] = np.stack(
            [images_of(graph, {load.argument: each[load.argument]})[load.name] for each in parts]
        )
    return found


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
