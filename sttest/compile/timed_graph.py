"""A kernel at the stream level as the `TimedGraph` that the engines take (docs/cost-model.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import Operator, operators
from sttest.compile.cost_model import TaskCost, task_cost
from sttest.compile.dialects.df import (
    ConverterOp,
    DmaReadOp,
    DmaWriteOp,
    ForkOp,
    KernelOp,
    StreamOp,
    TaskOp,
    itensor_of,
)
from sttest.compile.memory_ports import PortDemand, assign_channels
from sttest.compile.pass_order import run_first
from sttest.compile.stream_level import only_kernel, stream_of
from sttest.sim.graph import Channel, Event, Fifo, Loop, Memory, Pipeline, Process, TimedGraph, When

_HERE = "timed graph"
# A copy costs one register between its read and its writes.
_FORK_LATENCY = 2
# Filling writes a memory in the cycle after the read; draining reads it with an output register.
_FILL_LATENCY = 2
_DRAIN_LATENCY = 3
# A ping-pong buffer: two blocks.
_HALVES = 2
# 512-bit beats, the widened DMA port.
_BEAT_BYTES = 64


def timed_graph(module: ModuleOp, board: FpgaBoard, name: str) -> TimedGraph:
    """The one kernel of a module as a timed graph.

    Raises:
        DoesNotFitError: the design has several kernels, or more DMAs than the board has channels.
        InputError: the module is not at the stream level.
    """
    return _Builder(only_kernel(module, _HERE, name), board).graph(name)


@dataclass
class _Builder:
    kernel: KernelOp
    board: FpgaBoard
    library: Mapping[str, Operator] = field(init=False)
    fifos: list[Fifo] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.library = operators(self.board)
        self.costs = {op: task_cost(op, self.library) for op in self.kernel.body.block.ops if isinstance(op, TaskOp)}
        self.channels_of = self._assign_channels()

    def graph(self, name: str) -> TimedGraph:
        for op in self.kernel.body.block.ops:
            self._add(op)
        hbm = self.board.hbm
        clock_mhz = self.board.clock_mhz.value
        rate = Fraction(self._channel_bytes_per_cycle() / _BEAT_BYTES).limit_denominator(1000)
        used = sorted({number for numbers in self.channels_of.values() for number in numbers})
        channels = tuple(
            Channel(f"hbm{number}", hbm.read_latency_cycles(clock_mhz), _BEAT_BYTES, rate.numerator, rate.denominator)
            for number in used
        )
        return TimedGraph(name, clock_mhz, tuple(self.fifos), tuple(self.processes), channels)

    def _add(self, op: Operation) -> None:
        if isinstance(op, StreamOp):
            stream = op.result.type
            # A folded DMA's tile buffer is read in place, without the output register of a RAM FIFO.
            folded = op.sized_by is not None and op.sized_by.data == "folded"
            impl = "srl" if folded else "auto"
            self.fifos.append(Fifo(op.sym_name.data, stream.depth.data, stream.itensor.token_bits, impl))
        elif isinstance(op, TaskOp):
            self.processes.append(_task_pipeline(op, self.costs[op]))
        elif isinstance(op, ConverterOp):
            self._add_converter(op)
        elif isinstance(op, ForkOp):
            self.processes.append(_fork_pipeline(op))
        elif isinstance(op, DmaReadOp | DmaWriteOp):
            self.processes.append(self._port(op))

    def _add_converter(self, op: ConverterOp) -> None:
        name = _label(op)
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
        self.processes += [
            Pipeline(f"{name}_fill", (fill,), repeat=blocks, category="converter"),
            Pipeline(f"{name}_drain", (drain,), repeat=blocks, category="converter"),
        ]

    def _port(self, op: DmaReadOp | DmaWriteOp) -> Memory:
        name = _label(op)
        writes = isinstance(op, DmaWriteOp)
        port = op.sources[0] if writes else op.sinks[0]
        token_bytes = -(-itensor_of(port).token_bits // 8)
        hbm = self.board.hbm
        origin = op.origin.data if op.origin else ""
        packed = _is_packed(op)
        return Memory(
            name,
            "write" if writes else "read",
            _fifo(port),
            itensor_of(port).tokens,
            token_bytes,
            tuple(f"hbm{number}" for number in self.channels_of[name]),
            # Only what is packed in stream order is contiguous beyond one tile.
            burst_bytes=hbm.max_burst_bytes.count if packed else min(hbm.max_burst_bytes.count, token_bytes),
            outstanding=hbm.outstanding_bursts.count,
            origin=origin,
            category="dma",
        )

    def _channel_bytes_per_cycle(self) -> float:
        return self.board.hbm_bytes_per_cycle_per_channel(sustained=True)

    def _assign_channels(self) -> dict[str, tuple[int, ...]]:
        demands = []
        for op in self.kernel.body.block.ops:
            if isinstance(op, DmaReadOp | DmaWriteOp):
                writes = isinstance(op, DmaWriteOp)
                port = op.sources[0] if writes else op.sinks[0]
                demands.append(self._demand(_label(op), writes, port, parameters=_is_packed(op)))
        return assign_channels(demands, self.board.hbm.pseudo_channels.count, self._channel_bytes_per_cycle())

    def _demand(self, name: str, writes: bool, port: SSAValue, *, parameters: bool) -> PortDemand:
        """Traffic of a DMA; a task behind it bounds the pace, anything else takes one token per cycle."""
        stream = itensor_of(port)
        tasks = [use.operation for use in port.uses if isinstance(use.operation, TaskOp)]
        busy = max((task.iterations * self.costs[task].ii for task in tasks), default=stream.tokens)
        return PortDemand(name, writes, -(-stream.tokens * stream.token_bits // 8), busy, parameters)


def _is_packed(op: DmaReadOp | DmaWriteOp) -> bool:
    """Whether a DMA reads a parameter, which lies in memory in the order of its stream."""
    return isinstance(op, DmaReadOp) and op.packed is not None


def _task_pipeline(task: TaskOp, cost: TaskCost) -> Pipeline:
    trips = task.trip_counts
    reentered = _reenters(task, cost)
    inner = trips[1:] if reentered else trips
    kinds = task.loop_kinds[1:] if reentered else task.loop_kinds
    last: tuple[When, ...] = tuple(
        trip - 1 if kind == "reduction" else None for trip, kind in zip(inner, kinds, strict=True)
    )
    events = [
        Event(_fifo(source), "read", vector)
        for source, vectors in zip(task.sources, cost.vectors_in, strict=True)
        for vector in range(vectors)
    ]
    events += [
        Event(_fifo(sink), "write", cost.latency - vectors + vector, last)
        for sink, vectors in zip(task.sinks, cost.vectors_out, strict=True)
        for vector in range(vectors)
    ]
    loop = Loop(inner or (1,), cost.ii, cost.latency, tuple(events if inner else _always(events)))
    origin = task.origin.data if task.origin else ""
    repeat = trips[0] if reentered else 1
    return Pipeline(task.sym_name.data, (loop,), repeat=repeat, origin=origin, category="compute")


def _always(events: list[Event]) -> list[Event]:
    return [Event(event.fifo, event.op, event.stage) for event in events]


def _reenters(task: TaskOp, cost: TaskCost) -> bool:
    """Whether the outermost loop is left and entered again for each new row of data.

    A stalling pipeline keeps its last results until further reads push them
    out.  So where the outermost loop brings new data of the first source the
    nest below it drains; where it only walks columns (a decode step's
    matrix-vector product), or where draining takes longer than the nest below
    (a few tokens per head), all loops are flattened.
    """
    trips = task.trip_counts
    if len(trips) < 2 or task.loop_kinds[0] == "reduction" or prod(trips[1:]) * cost.ii < cost.latency:
        return False
    return any(row[0] for row in itensor_of(task.sources[0]).coefficients)


def _fork_pipeline(fork: ForkOp) -> Pipeline:
    source = fork.sources[0]
    events = [Event(_fifo(source), "read", 0)]
    events += [Event(_fifo(sink), "write", _FORK_LATENCY - 1) for sink in fork.sinks]
    loop = Loop((itensor_of(source).tokens,), 1, _FORK_LATENCY, tuple(events))
    return Pipeline(_label(fork), (loop,), category="fork")


def _label(op: ConverterOp | ForkOp | DmaReadOp | DmaWriteOp) -> str:
    if op.label is None:
        raise run_first(_HERE, f"{op.name} has no name", "make-instances")
    return op.label.data


def _fifo(stream: SSAValue) -> str:
    return stream_of(stream, _HERE).sym_name.data
