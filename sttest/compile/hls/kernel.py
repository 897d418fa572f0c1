"""All of a kernel's C++: types, parts that processes share, and processes with the top function."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import singledispatchmethod

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.dialects import df
from sttest.compile.hls.converter import emit_drain, emit_fill
from sttest.compile.hls.decode import emit_decode
from sttest.compile.hls.dma_read import emit_dma_read, emit_dma_write, in_a_row
from sttest.compile.hls.dma_wait import emit_cache_read, emit_chosen_read
from sttest.compile.hls.helpers import WORDS, Helpers
from sttest.compile.hls.network import KernelScope, PortMemory
from sttest.compile.hls.process import Process, emit_concat, emit_enter, emit_fork, emit_gather, emit_leave, emit_relay
from sttest.compile.hls.shared_functions import written
from sttest.compile.hls.tasks import emit_engine, emit_task
from sttest.compile.hls.top import CALL_MACRO, COMPILERS, FIFO_MACRO, PortTiming, emit_top
from sttest.compile.hls.tree import lines_of
from sttest.compile.hls.types import F16, Token
from sttest.compile.hls.writer import CodeWriter
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.own_kernels import CPP, kept_texts
from sttest.compile.sharing.processes import comes_late, process_name
from sttest.core.cpp_text import one_text
from sttest.core.errors import InputError

TYPES, PARTS = "types.h", "parts.h"
"""What a kernel includes."""
_HEADERS = ("ap_int.h", "hls_math.h", "hls_stream.h", "hls_streamofblocks.h", "hls_vector.h")

_ALIASES = (
    "template <class T> using fifo = hls::stream<T>;",
    "template <class T> using ping_pong = hls::stream_of_blocks<T>;",
)


@dataclass(frozen=True)
class EmittedKernel:
    """A kernel in C++."""

    name: str  # name of the top function
    headers: Mapping[str, str]  # texts of what it includes, by name of the file
    top: str  # text of the file with its processes and the top function
    memories: tuple[PortMemory, ...]  # the top function's arguments, in order

    @property
    def text(self) -> str:
        """All of it as one file."""
        return one_text("", {**self.headers, "": self.top})


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
        self.network = KernelScope(kernel, timing.channels, timing.relays)
        self.timing = timing
        self.helpers = Helpers(self.network.word_bits)

    def emit(self, title: tuple[str, ...]) -> EmittedKernel:
        processes = CodeWriter(layers=self.network.kernel.layer_count, steps=self.network.kernel.step_count)
        for node in self.network.nodes:
            if self.network.processes(node):
                once = self.network.is_outside_layers(node)
                with processes.outside_layers() if once else nullcontext():
                    self._emit_node(processes, node)
                for relay in self.network.relays_behind(node):
                    emit_relay(processes, relay.process, relay.token, relay.tokens)
        templates, functions = written(processes.functions, self.network.template)
        headers = {
            TYPES: _header("Types of tokens and blocks, and functions on single values.", self._types()),
            PARTS: _header(
                "What several processes do, for any sizes and types.", [*self._own_kernels(), *templates], TYPES
            ),
        }
        top = "\n".join([*self._top(title, functions), ""])
        return EmittedKernel(self.network.name, headers, top, tuple(self.network.memories.values()))

    def _own_kernels(self) -> list[str]:
        """The user's C++, as it is."""
        texts = dict.fromkeys(kept_texts(self.network.kernel, CPP).values())  # a file may hold several functions
        return [line for text in texts for line in ("", *text.splitlines(), "")]

    def _types(self) -> list[str]:
        headers = sorted((*_HEADERS, *(("hls_half.h",) if self._uses_half() else ())))
        lines = [*(f"#include <{header}>" for header in headers), "", *COMPILERS.splitlines(), "", *_ALIASES]
        lines += sorted({stream.token.typedef for stream in self.network.streams.values()} - {""})
        lines += sorted({each.typedef for each in self.network.conversions.values()})
        for text in (*([WORDS] if self._has_wide_tokens() else []), *self.helpers.texts()):
            lines += ["", *text.splitlines()]
        return lines

    def _top(self, title: tuple[str, ...], processes: list[str]) -> list[str]:
        code = CodeWriter()
        for line in title:
            code.comment(line)
        lines = [*lines_of(code.body), f'#include "{PARTS}"', "", *CALL_MACRO.splitlines()]
        lines += [*(FIFO_MACRO.splitlines() if self._has_wide_tokens() else ()), "", *processes]
        return [*lines, *([""] if lines[-1] else []), *emit_top(self.network, self.timing)]

    def _emit_node(self, code: CodeWriter, node: df.NodeOp) -> None:
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
    def _emit(self, node: df.NodeOp, code: CodeWriter, process: Process) -> None:
        """The function of a node."""
        raise InputError("no-cpp-node", f"no C++ for {node.name}", where=self.network.name)

    @_emit.register
    def _task(self, node: df.TaskOp, code: CodeWriter, process: Process) -> None:
        emit_task(code, node, process, self.timing, self.helpers)

    @_emit.register
    def _fork(self, node: df.ForkOp, code: CodeWriter, process: Process) -> None:
        names = dict(zip(self.network.inputs(node), process.inputs, strict=True))
        behind = self.network.behind_layers(node)
        turns = [
            (names[self.network.streams[turn.sources[0]]], df.itensor_of(turn.sources[0]).tokens)
            for turn in self.network.turns(node)
        ]
        layer = len(turns) - len(behind)
        token = Token.of(df.itensor_of(node.sources[0]), process.name)
        emit_fork(code, process, token, turns[:layer], turns[layer:])

    @_emit.register
    def _concat(self, node: df.ConcatOp, code: CodeWriter, process: Process) -> None:
        token = Token.of(df.itensor_of(node.sinks[0]), process.name)
        emit_concat(code, process, token, node.turns, node.tokens_per_turn)

    @_emit.register
    def _layer(self, node: df.LayerOp, code: CodeWriter, process: Process) -> None:
        stream = df.itensor_of(node.sources[0])
        emit = emit_enter if isinstance(node, df.EnterOp) else emit_leave
        emit(code, process, Token.of(stream, process.name), stream.tokens)

    @_emit.register
    def _gather(self, node: df.GatherOp, code: CodeWriter, process: Process) -> None:
        part, whole = df.itensor_of(node.sources[0]), df.itensor_of(node.sinks[0])
        every, once = (
            [df.itensor_of(turn.sinks[0]).tokens for turn in turns]
            for turns in (self.network.turns(node), self.network.behind_layers(node))
        )
        types = Token.of(part, process.name), Token.of(whole, process.name)
        passes = every[: len(every) - len(once)], once
        if isinstance(stream_of(node.sources[0], process.name).writer, df.DmaOp):
            # What comes from memory follows at once: nothing waits for the last tokens of a turn, but before one whose
            # DMA waits itself.
            passes = self._passes(node, passes[0]), [sum(once)] if once else []
        if node.code is not None:
            emit_decode(code, process, *types, passes, node.code.data, self.helpers)
            return
        emit_gather(code, process, *types, *passes, node.runs)

    def _passes(self, node: df.GatherOp, tokens: Sequence[int]) -> list[int]:
        """Tokens of each pass of a gather, from those of its turns."""
        found: list[int] = []
        for turn, count in zip(self.network.turns(node), tokens, strict=False):
            if found and not comes_late(turn):
                found[-1] += count
            else:
                found.append(count)
        return found

    @_emit.register
    def _dma(self, node: df.DmaOp, code: CodeWriter, process: Process) -> None:
        memory = self.network.memories[process_name(node)]
        layouts, behind = ([each.layout for each in tensors] for tensors in (memory.tensors, memory.behind))
        if memory.writes:
            emit_dma_write(code, layouts[0], process, self.helpers)
        elif isinstance(node, df.DmaReadOp) and node.rows is not None:
            emit_chosen_read(code, in_a_row(layouts), process, self.helpers, node.rows.value.data)
        elif isinstance(node, df.DmaReadOp) and node.takes_entries:
            entries = cache_entries(self.network.kernel, node)
            emit_cache_read(code, in_a_row(layouts), process, self.helpers, entries)
        else:
            row = in_a_row(layouts, [each.numbers for each in memory.tensors], process.inputs[1:])
            emit_dma_read(code, row, process, self.helpers, in_a_row(behind))

    def _emit_converter(self, code: CodeWriter, node: df.ConverterOp) -> None:
        fill, drain = self.network.halves(node)
        emit_fill(code, self.network.conversions[node], fill, self.helpers)
        emit_drain(code, self.network.conversions[node], drain, self.helpers)

    def _has_wide_tokens(self) -> bool:
        return any(stream.token.words > 1 for stream in self.network.streams.values())

    def _uses_half(self) -> bool:
        return any(stream.token.element == F16 for stream in self.network.streams.values())


def _header(about: str, lines: list[str], *includes: str) -> str:
    return "\n".join([f"// {about}", "#pragma once", *(f'#include "{each}"' for each in includes), "", *lines, ""])
