"""A whole `hls/kernel.cpp`."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import singledispatchmethod

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.dialects import df
from sttest.compile.hls.dma_read import emit_cache_read, emit_chosen_read, emit_dma_read, emit_dma_write, in_a_row
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import PortLayout
from sttest.compile.hls.network import Network, PortMemory
from sttest.compile.hls.process import (
    Conversion,
    Process,
    block_typedef,
    conversion,
    emit_concat,
    emit_drain,
    emit_enter,
    emit_fill,
    emit_fork,
    emit_gather,
    emit_leave,
)
from sttest.compile.hls.tasks import emit_engine, emit_task
from sttest.compile.hls.top import CALL_MACRO, COMPILERS, PortTiming, emit_top
from sttest.compile.hls.types import F16, Token
from sttest.compile.hls.writer import Code, counted
from sttest.compile.sharing.processes import node_label, process_name
from sttest.core.errors import InputError

_HEADERS = ("ap_int.h", "hls_math.h", "hls_stream.h", "hls_streamofblocks.h", "hls_vector.h")


@dataclass(frozen=True)
class EmittedKernel:
    """A kernel in C++."""

    name: str  # name of the top function
    text: str  # text of the file
    memories: tuple[PortMemory, ...]  # the top function's arguments, in order


def emit_kernel(kernel: df.KernelOp, timing: PortTiming, title: Iterable[str] = ()) -> EmittedKernel:
    """Writes a kernel at the stream level as Vitis HLS C++.

    Args:
        kernel: FIFOs sized.
        timing: timing of the same kernel.
        title: lines of the comment at the top.

    Raises:
        InputError: something in the kernel has no C++; see docs/reference/values.md for what has.
    """
    return _Emitter(kernel, timing).emit(tuple(title))


class _Emitter:
    def __init__(self, kernel: df.KernelOp, timing: PortTiming) -> None:
        self.network = Network(kernel, timing.channels)
        self.timing = timing
        self.helpers = Helpers(self.network.word_bits)
        self.conversions: Mapping[df.ConverterOp, Conversion] = {
            node: conversion(node, node_label(node)) for node in self.network.nodes if isinstance(node, df.ConverterOp)
        }

    def emit(self, title: tuple[str, ...]) -> EmittedKernel:
        processes = Code(layers=self.network.kernel.layer_count, steps=self.network.kernel.step_count)
        section = ""
        for node in self.network.nodes:
            if not self.network.processes(node):
                continue
            section = self._open_section(processes, node, section)
            once = self.network.is_outside_layers(node)
            with processes.outside_layers() if once else nullcontext():
                self._emit_node(processes, node)
            processes.line()
        code = Code()
        for line in title:
            code.comment(line)
        if title:
            code.line()
        for header in sorted((*_HEADERS, *(("hls_half.h",) if self._uses_half() else ()))):
            code.line(f"#include <{header}>")
        code.line()
        for text in (COMPILERS, CALL_MACRO):
            code.lines += text.splitlines()
            code.line()
        self._typedefs(code)
        for text in self.helpers.texts():
            code.lines += text.splitlines()
            code.line()
        code.lines += processes.lines
        _section(code, "The kernel")
        emit_top(code, self.network, self.conversions, self.timing)
        return EmittedKernel(self.network.name, code.text(), tuple(self.network.memories.values()))

    def _emit_node(self, code: Code, node: df.NodeOp) -> None:
        if isinstance(node, df.ConverterOp):
            self._emit_converter(code, node)
            return
        served = self.network.served_by(node)
        if served is not None:
            engine, members = served
            behind = [task for task in self.network.behind_layers(node) if isinstance(task, df.TaskOp)]
            emit_engine(code, members, self.network.engine(engine, members), self.timing, self.helpers, behind)
            return
        self._emit(node, code, self.network.process(node))

    @singledispatchmethod
    def _emit(self, node: df.NodeOp, code: Code, process: Process) -> None:
        """The function of a node."""
        raise InputError("no-cpp-node", f"no C++ for {node.name}", where=self.network.name)

    @_emit.register
    def _task(self, node: df.TaskOp, code: Code, process: Process) -> None:
        emit_task(code, node, process, self.timing, self.helpers)

    @_emit.register
    def _fork(self, node: df.ForkOp, code: Code, process: Process) -> None:
        stream = df.itensor_of(node.sources[0])
        emit_fork(code, process, Token.of(stream, process.name), stream.tokens)

    @_emit.register
    def _concat(self, node: df.ConcatOp, code: Code, process: Process) -> None:
        token = Token.of(df.itensor_of(node.sinks[0]), process.name)
        emit_concat(code, process, token, node.turns, node.tokens_per_turn)

    @_emit.register
    def _layer(self, node: df.LayerOp, code: Code, process: Process) -> None:
        stream = df.itensor_of(node.sources[0])
        emit = emit_enter if isinstance(node, df.EnterOp) else emit_leave
        emit(code, process, Token.of(stream, process.name), stream.tokens)

    @_emit.register
    def _gather(self, node: df.GatherOp, code: Code, process: Process) -> None:
        part, whole = df.itensor_of(node.sources[0]), df.itensor_of(node.sinks[0])
        tokens, behind = (
            sum(df.itensor_of(turn.sinks[0]).tokens for turn in turns)
            for turns in (self.network.turns(node), self.network.behind_layers(node))
        )
        types = Token.of(part, process.name), Token.of(whole, process.name)
        emit_gather(code, process, *types, tokens - behind, behind)

    @_emit.register
    def _dma(self, node: df.DmaOp, code: Code, process: Process) -> None:
        memory = self.network.memories[process_name(node)]
        layouts, behind = ([each.layout for each in tensors] for tensors in (memory.tensors, memory.behind))
        for line in _memory_comments(memory):
            code.comment(line)
        if memory.writes:
            emit_dma_write(code, layouts[0], process, self.helpers)
        elif isinstance(node, df.DmaReadOp) and node.rows is not None:
            emit_chosen_read(code, in_a_row(layouts), process, self.helpers, node.rows.value.data)
        elif isinstance(node, df.DmaReadOp) and node.takes_entries:
            entries = cache_entries(self.network.kernel, node)
            emit_cache_read(code, in_a_row(layouts), process, self.helpers, entries)
        else:
            emit_dma_read(code, in_a_row(layouts), process, self.helpers, in_a_row(behind))

    def _emit_converter(self, code: Code, node: df.ConverterOp) -> None:
        fill, drain = self.network.halves(node)
        _, block_type = self.network.blocks(node)
        facts = self.conversions[node]
        code.line(block_typedef(facts, block_type))
        code.line()
        emit_fill(code, facts, fill, block_type)
        code.line()
        emit_drain(code, facts, drain, block_type)

    def _open_section(self, code: Code, node: df.NodeOp, section: str) -> str:
        """A heading where another module of the model begins."""
        title = section
        if isinstance(node, df.DmaReadOp | df.GatherOp):
            title = "From memory"
        elif isinstance(node, df.DmaWriteOp):
            title = "To memory"
        elif node.shared_name is not None:
            title = "Engines"
        elif node.origin_name:
            title = node.origin_name
        if title != section:
            _section(code, title)
        return title

    def _typedefs(self, code: Code) -> None:
        typedefs = {stream.token.typedef for stream in self.network.streams.values()} - {""}
        for typedef in sorted(typedefs):
            code.line(typedef)
        if typedefs:
            code.line()

    def _uses_half(self) -> bool:
        return any(stream.token.element == F16 for stream in self.network.streams.values())


def _section(code: Code, title: str) -> None:
    code.comment(f"---- {title} {'-' * max(0, 110 - len(title))}")
    code.line()


def _memory_comments(memory: PortMemory) -> list[str]:
    if len(memory.tensors) + len(memory.behind) == 1:
        return [f"{memory.name}: {_described(memory.tensors[0].layout)}."]
    each = " of each layer" if memory.behind else ""
    behind = f", then {counted(len(memory.behind), 'tensor')}" if memory.behind else ""
    head = f"{memory.name}: {counted(len(memory.tensors), 'tensor')}{each} one after the other{behind}."
    return [head, *(f"{tensor.label}: {_described(tensor.layout)}." for tensor in (*memory.tensors, *memory.behind))]


def _described(layout: PortLayout) -> str:
    grid, tile = "x".join(map(str, layout.grid)), "x".join(map(str, layout.tile))
    words = counted(layout.words, "word")
    order = "in the order of their first use" if layout.packed else "row-major"
    return f"a grid of {grid} tiles of {tile} {layout.token.element.tag}, {order}, in {words}"
