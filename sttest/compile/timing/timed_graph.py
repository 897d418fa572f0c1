"""A kernel at the stream level as the `TimedGraph` that the engines take (docs/cost-model.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import Operator, operators
from sttest.compile.channels.bursts_ahead import BurstsAhead
from sttest.compile.channels.memory_order import contiguous_elements
from sttest.compile.channels.port_width import bytes_per_cycle, port_bytes
from sttest.compile.dialects.df import (
    ConcatOp,
    ConverterOp,
    DmaReadOp,
    DmaWriteOp,
    EnterOp,
    ForkOp,
    GatherOp,
    ITensorType,
    KernelOp,
    LeaveOp,
    NodeOp,
    StreamOp,
    TaskOp,
    itensor_of,
)
from sttest.compile.ir.pass_order import run_first
from sttest.compile.ir.stream_level import only_kernel, stream_of
from sttest.compile.timing.cost_model import task_cost
from sttest.compile.timing.held_ports import held_port
from sttest.compile.timing.node_pipelines import NodePipelines
from sttest.compile.timing.process_turns import in_order
from sttest.compile.turns.engines import engines_of
from sttest.compile.turns.processes import node_label
from sttest.compile.turns.shared_streams import fifos_by_stream, on_shared_fifos, shared_fifos
from sttest.sim.graph import Channel, Event, Fifo, Loop, Memory, Pipeline, Process, TimedGraph
from sttest.sim.relink import channel_name

_HERE = "timed graph"
# Filling writes a memory in the cycle after the read; draining reads it with an output register.
_FILL_LATENCY = 2
_DRAIN_LATENCY = 3
# A ping-pong buffer: two blocks.
_HALVES = 2
# Shift registers of one LUT per bit, which the code asks for where a FIFO is not deeper: a memory takes twice that.
_SHIFT_REGISTER_DEPTH = 32


def timed_graph(module: ModuleOp, board: FpgaBoard, name: str, *, apart: bool = False) -> TimedGraph:
    """The one kernel of a module as a timed graph.

    Args:
        module: at the stream level.
        board: that it runs on.
        name: of the graph.
        apart: one layer, in which tasks that share an engine and loads of a queue have a process each, as if each
            had its own hardware.

    Raises:
        DoesNotFitError: the design has several kernels.
        InputError: the module is not at the stream level, or its DMAs have no channels.
    """
    return TimedGraphs(only_kernel(module, _HERE, name), board).graph(name, apart=apart)


def memory_channels(kernel: KernelOp, board: FpgaBoard) -> tuple[Channel, ...]:
    """The memory channels that a kernel's DMAs use, with their rate and latency on a board.

    Raises:
        InputError: a DMA has no channel.
    """
    beat_bytes = port_bytes(kernel)
    rate = Fraction(bytes_per_cycle(board, beat_bytes) / beat_bytes).limit_denominator(1000)
    latency = board.hbm.read_latency_cycles(board.clock_mhz.value)
    used = sorted({_channel(op) for op in kernel.body.block.ops if isinstance(op, DmaReadOp | DmaWriteOp)})
    return tuple(Channel(channel_name(each), latency, beat_bytes, rate.numerator, rate.denominator) for each in used)


@dataclass
class TimedGraphs:
    """The timed graphs of a kernel, see :func:`timed_graph`: apart and not, they have most processes in common.

    Attributes:
        kernel: at the stream level; between two graphs nothing of it may change but depths (:meth:`resize`).
        board: that it runs on.
    """

    kernel: KernelOp
    board: FpgaBoard
    library: Mapping[str, Operator] = field(init=False)
    fifos: list[Fifo] = field(default_factory=list)
    turns: list[tuple[NodeOp, Process]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.library = operators(self.board)
        self.costs = {op: task_cost(op, self.library) for op in self.kernel.body.block.ops if isinstance(op, TaskOp)}
        self.pipelines = NodePipelines(self.costs)
        self.engines = engines_of(self.kernel)
        self.ahead = BurstsAhead(self.kernel)
        for op in self.kernel.body.block.ops:
            self._add(op)

    def graph(self, name: str, *, apart: bool = False) -> TimedGraph:
        """One of them."""
        fifos, processes = self.fifos, tuple(process for _, process in self.turns)
        if not apart:
            # The same tuple for every graph: the engines know programs again by it.
            fifos, processes = shared_fifos(fifos, self._fifo_of), self._in_turns
        channels = memory_channels(self.kernel, self.board)
        return TimedGraph(name, self.board.clock_mhz.value, tuple(fifos), processes, channels)

    def resize(self) -> None:
        """Takes over what became of the depths of the streams, which may change between two graphs."""
        streams = {op.sym_name.data: _fifo_at(op) for op in self.kernel.body.block.ops if isinstance(op, StreamOp)}
        self.fifos = [streams.get(fifo.name, fifo) for fifo in self.fifos]

    @cached_property
    def _fifo_of(self) -> dict[str, str]:
        return fifos_by_stream(self.kernel)

    @cached_property
    def _in_turns(self) -> tuple[Process, ...]:
        """The processes, those that share hardware in turn."""
        turns = [(node, self._in_turn(node, process)) for node, process in self.turns]
        shared = [(node, on_shared_fifos(node, turn, self._fifo_of)) for node, turn in turns]
        return tuple(in_order(self.kernel, shared))

    def _add(self, op: Operation) -> None:
        if isinstance(op, StreamOp):
            self.fifos.append(_fifo_at(op))
        elif isinstance(op, NodeOp):
            self.turns += [(op, process) for process in self._processes(op)]

    def _processes(self, op: NodeOp) -> list[Process]:
        """What a node does in one layer, by itself and apart."""
        if isinstance(op, ConverterOp):
            return self._converter(op)
        if isinstance(op, TaskOp):
            return [self.pipelines.task(op)]
        if isinstance(op, DmaReadOp | DmaWriteOp):
            return self._port(op)
        if isinstance(op, EnterOp):
            return [self.pipelines.enter(op, node_label(op), self.kernel.layer_count)]
        if isinstance(op, LeaveOp):
            return [self.pipelines.leave(op, node_label(op), self.kernel.layer_count)]
        if isinstance(op, ForkOp):
            return [self.pipelines.fork(op, node_label(op))]
        if isinstance(op, ConcatOp):
            return [self.pipelines.concat(op, node_label(op))]
        return [self.pipelines.gather(op, node_label(op))] if isinstance(op, GatherOp) else []

    def _in_turn(self, node: NodeOp, apart: Process) -> Process:
        """Its process; that of a task of an engine by the name of the engine."""
        if not isinstance(node, TaskOp) or node.engine is None:
            return apart
        turn = self.pipelines.turn(node, self.engines[node.engine.data])
        return replace(turn, name=node.engine.data)

    def _converter(self, op: ConverterOp) -> list[Process]:
        name = node_label(op)
        if op.blocks is None:
            raise run_first(_HERE, f"{op.name} has no buffer", "materialize-converters")
        blocks = op.blocks.value.data
        self.fifos += [Fifo(f"{name}_full", _HALVES, 1), Fifo(f"{name}_empty", _HALVES, 1, initial_tokens=_HALVES)]
        source, sink = op.sources[0], op.sinks[0]
        tokens_in, tokens_out = itensor_of(source).tokens // blocks, itensor_of(sink).tokens // blocks
        fill = Loop(
            (tokens_in,), 1, _FILL_LATENCY,
            (
                Event(f"{name}_empty", "read", 0, (0,)),
                Event(_fifo(source), "read", 0),
                Event(f"{name}_full", "write", _FILL_LATENCY - 1, (tokens_in - 1,)),
            ),
        )  # fmt: skip
        drain = Loop(
            (tokens_out,), 1, _DRAIN_LATENCY,
            (
                Event(f"{name}_full", "read", 0, (0,)),
                Event(_fifo(sink), "write", _DRAIN_LATENCY - 1),
                Event(f"{name}_empty", "write", _DRAIN_LATENCY - 1, (tokens_out - 1,)),
            ),
        )  # fmt: skip
        return [
            Pipeline(f"{name}_fill", (fill,), repeat=blocks, category="converter"),
            Pipeline(f"{name}_drain", (drain,), repeat=blocks, category="converter"),
        ]

    def _port(self, op: DmaReadOp | DmaWriteOp) -> list[Process]:
        port = self._memory(op)
        if isinstance(op, DmaWriteOp) or len(op.sources) == 1:
            return [port]
        latency = self.board.hbm.read_latency_cycles(self.board.clock_mhz.value)
        held, port, hold = held_port(self.kernel, op, port, latency)
        self.fifos.append(held)
        return [port, hold]

    def _memory(self, op: DmaReadOp | DmaWriteOp) -> Memory:
        name = node_label(op)
        writes = isinstance(op, DmaWriteOp)
        port = op.sources[0] if writes else op.sinks[0]
        token_bytes = -(-itensor_of(port).token_bits // 8)
        hbm = self.board.hbm
        origin = op.origin.data if op.origin else ""
        return Memory(
            name,
            "write" if writes else "read",
            _fifo(port),
            itensor_of(port).tokens,
            token_bytes,
            (channel_name(_channel(op)),),
            burst_bytes=min(hbm.max_burst_bytes.count, _stretch_bytes(op, itensor_of(port))),
            outstanding=self.ahead.of(op, hbm.outstanding_bursts.count),
            origin=origin,
            category="dma",
        )


def _fifo_at(op: StreamOp) -> Fifo:
    stream = op.result.type
    # A folded DMA's tile buffer is read in place, without the output register of a RAM FIFO.
    folded = op.sized_by is not None and op.sized_by.data == "folded"
    impl = "srl" if folded or stream.depth.data <= _SHIFT_REGISTER_DEPTH else "auto"
    return Fifo(op.sym_name.data, stream.depth.data, stream.itensor.token_bits, impl)


def _stretch_bytes(op: DmaReadOp | DmaWriteOp, stream: ITensorType) -> int:
    """Bytes that lie one after the other in memory, in the order of the stream."""
    whole = -(-stream.tokens * stream.token_bits // 8)
    if isinstance(op, DmaReadOp) and op.packed is not None:
        return whole
    if op.layout is None:
        raise run_first(_HERE, f"{op.name} has no layout", "materialize-dma")
    return max(1, contiguous_elements(stream, op.layout.values) * stream.element_bits // 8)


def _channel(op: DmaReadOp | DmaWriteOp) -> int:
    if op.channel is None:
        raise run_first(_HERE, f"{op.name} has no channel", "assign-channels")
    return op.channel.value.data


def _fifo(stream: SSAValue) -> str:
    return stream_of(stream, _HERE).sym_name.data
