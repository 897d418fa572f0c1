"""Kernels small enough to read, and the way from their IR to C++ and to both engines of values."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sttest.compile.dialects import df
from sttest.compile.hls.files import signature
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.top import PortTiming
from sttest.compile.ir.module_walk import all_of, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.passes.assign_channels import AssignChannels
from sttest.compile.passes.insert_forks import InsertForks
from sttest.compile.passes.lower_to_streams import LowerToStreams
from sttest.compile.passes.materialize_converters import MaterializeConverters
from sttest.compile.passes.materialize_dma import MaterializeDma
from sttest.compile.passes.name_nodes import NameNodes
from sttest.compile.passes.vectorize import Vectorize
from sttest.compile.reference_graph import value_graph
from sttest.compile.schedule.task_schedule import TaskSchedule, scheduled
from sttest.compile.schedule.tile_walk import TileWalk, task_tokens
from sttest.core.kernel_signature import write_signature
from sttest.package import KernelFiles
from sttest.reference import ReferenceGraph

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


@dataclass(frozen=True)
class Made:
    """A kernel in C++, timed, and as the reference engine takes it."""

    emitted: EmittedKernel
    timing: PortTiming
    values: ReferenceGraph

    def files(self, folder: Path) -> KernelFiles:
        """A folder with what the C simulation needs."""
        (folder / "hls").mkdir(parents=True)
        (folder / "hls" / "kernel.cpp").write_text(self.emitted.text, encoding="utf-8")
        write_signature(signature(self.emitted, self.timing, "test", "u55c"), folder / "hls" / "signature.json")
        return KernelFiles.read(folder)


def _schedule(task: df.TaskOp) -> TaskSchedule:
    walk = TileWalk.of(task)
    tokens = [df.itensor_of(source).tokens // task.iterations for source in task.sources]
    tokens += [df.itensor_of(result).tokens // task.writes(number) for number, result in enumerate(task.sinks)]
    sources, results = task_tokens(task)
    return scheduled(walk, -(-max(1, *tokens) // walk.count), 1, tuple(sources), tuple(results))


def made(text: str, vector_bits: int = 4096, *, slices: bool = False, beat_bits: int = 512) -> Made:
    """From a kernel at the itensor level.

    Args:
        text: of the kernel.
        vector_bits: of the widest token.
        beat_bits: of the ports.
        slices: DMAs get the channels of a board, and large parameters come in slices; else each has a port of its own.
    """
    context = new_context()
    module = parse(text, "test", context)
    set_target(module, "u55c")
    passes = (
        MaterializeConverters(),
        MaterializeDma(beat_bits),
        Vectorize(vector_bits),
        InsertForks(),
        *((AssignChannels(),) if slices else ()),
        NameNodes(),
        LowerToStreams(2),
    )
    for each in passes:
        each.apply(context, module)
    module.verify()
    (kernel,) = all_of(module, df.KernelOp)
    # Operators that no board has a latency for can't be timed; their values can be had.
    timing = PortTiming(
        {task.sym_name.data: _schedule(task) for task in all_of(kernel, df.TaskOp)},
        {task.sym_name.data: 1 for task in all_of(kernel, df.TaskOp)},
        {stream.sym_name.data: "srl" for stream in all_of(kernel, df.StreamOp)},
        {dma.label.data: _channel(dma, number) for number, dma in enumerate(_dmas(kernel)) if dma.label},
    )
    return Made(emit_kernel(kernel, timing), timing, value_graph(module, "test"))


def _dmas(kernel: df.KernelOp) -> list[df.DmaOp]:
    return [node for node in kernel.body.block.ops if isinstance(node, df.DmaOp)]


def _channel(dma: df.DmaOp, otherwise: int) -> int:
    return otherwise if dma.channel is None else dma.channel.value.data


@dataclass(frozen=True)
class Port:
    """A tensor of a kernel and the order in which it is streamed."""

    name: str
    tensor: str
    stream: str
    parameter: bool = False


def stream_type(element: str, trips: str, steps: str, index: str) -> str:
    """An itensor type from the texts of its parts."""
    dims = ",".join(f"d{number}" for number in range(trips.count(",") + 1 if trips else 0))
    return f"!df.itensor<{element}, iter_space: [{trips}]*[{steps}], iter_map: ({dims})->({index})>"


def kernel_text(inputs: Sequence[Port], results: Sequence[Port], body: str) -> str:
    """A module with one kernel at the itensor level; ``body`` defines ``%<result>_stream`` from ``%<input>_stream``."""
    outside = ", ".join(f"%{port.name}: {port.tensor}" for port in inputs)
    inside = ", ".join(f"%{port.name}_stream: {port.stream}" for port in inputs)
    taken = ", ".join(f"%{port.name}" for port in inputs)
    given = ", ".join(f"%{port.name}" for port in results)
    types = [", ".join(port.tensor for port in ports) for ports in (inputs, results)]
    streams = ", ".join(f"%{port.name}_stream" for port in results)
    names = ", ".join(f'"{port.name}"' for port in inputs)
    kinds = ", ".join('"parameter"' if port.parameter else '"input"' for port in inputs)
    return (
        "builtin.module {\n"
        f"func.func @main({outside}) -> ({types[1]}) attributes "
        f"{{sttest.arg_names = [{names}], sttest.arg_kinds = [{kinds}]}} {{\n"
        f'{given} = df.kernel "group0"({taken} : {types[0]}) -> {types[1]} {{\n'
        f"^bb0({inside}):\n{body}\n"
        f"df.yield {streams} : {', '.join(port.stream for port in results)}\n}}\n"
        f"func.return {given} : {types[1]}\n}}\n}}\n"
    )


def random_tensors(values: ReferenceGraph, seed: int) -> dict[str, np.ndarray]:
    """Values of every type: whole ranges of integers, floats of both signs with a few that are special."""
    source = np.random.default_rng(seed)
    found = {}
    for argument in values.arguments:
        if argument.dtype.startswith("f"):
            tensor = (source.standard_normal(argument.shape) * 3).astype(np.float32)
            special = np.array([0.0, -0.0, 0.5, -1.5, 2.5, 1e-40, 60000.0], np.float32)
            tensor = np.where(source.random(argument.shape) < 0.2, source.choice(special, argument.shape), tensor)
            found[argument.name] = tensor.astype(np.float16 if argument.dtype == "f16" else np.float32)
        else:
            half = 1 << (int(argument.dtype[1:]) - 1)
            kind = {"i16": np.int16, "i32": np.int32}.get(argument.dtype, np.int8)
            found[argument.name] = source.integers(-half, half, argument.shape).astype(kind)
    return found
