"""The schedules of all nodes of a kernel at the stream level: alone, and as processes in which they take turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatchmethod
from math import ceil
from sys import maxsize
from typing import TypeAlias

from xdsl.ir import SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import Operator, operators
from sttest.boards.tiers import Tier
from sttest.compile.channels.bursts_ahead import BurstsAhead, contiguous_elements
from sttest.compile.channels.memory_ports import bytes_per_cycle, port_bytes
from sttest.compile.dialects import df
from sttest.compile.dialects.hardware_op import HardwareOp, Ports
from sttest.compile.ir.module_walk import run_first, stream_of
from sttest.compile.schedule.drains import NodeNests
from sttest.compile.schedule.memory_words import scattered_words
from sttest.compile.schedule.process_schedule import AddedFifo, MemoryWalk, Nest, NodeTurn, Port, ProcessSchedule
from sttest.compile.schedule.task_schedule import TaskSchedule, task_schedule
from sttest.compile.schedule.waiting_dmas import bytes_per_token, held_walk, run_bytes, waits
from sttest.compile.sharing.functional_units import engines_of
from sttest.compile.sharing.layers import outside_layers
from sttest.compile.sharing.processes import (
    AHEAD,
    HOLD,
    comes_late,
    fifos_by_stream,
    node_label,
    process_name,
    processes_of,
)
from sttest.core.errors import InputError
from sttest.sim.graph import DRAIN_CYCLES, FILL_CYCLES, PING_PONG, Loop, Pipeline

_HERE = "schedule"

Part: TypeAlias = tuple[str, str, NodeTurn]
"""A process by itself: its name, its category, what it does."""


@dataclass
class NodeSchedules:
    """What each node does in one layer, by itself and apart from others."""

    kernel: df.KernelOp
    board: FpgaBoard
    library: Mapping[str, Operator] = field(init=False)
    costs: Mapping[df.TaskOp, TaskSchedule] = field(init=False)
    parts: list[tuple[df.NodeOp, Part]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.library = operators(self.board)
        nodes = [op for op in self.kernel.body.block.ops if isinstance(op, df.NodeOp)]
        self.costs = {node: task_schedule(node, self.library) for node in nodes if isinstance(node, df.TaskOp)}
        self.nests = NodeNests(self.costs)
        self.engines = engines_of(self.kernel)
        self.ahead = BurstsAhead(self.kernel)
        self.parts = [(node, part) for node in nodes for part in self._parts(node)]

    @property
    def apart(self) -> tuple[ProcessSchedule, ...]:
        """A process for every node, as if each had its own hardware; FIFOs are streams."""
        return tuple(ProcessSchedule(name, category, (turn,)) for _, (name, category, turn) in self.parts)

    @cached_property
    def in_turns(self) -> tuple[ProcessSchedule, ...]:
        """The processes, each where the first of its nodes stands.

        Raises:
            InputError: the loads of a queue are read in another order, or by several processes.
        """
        fifo_of, outside = fifos_by_stream(self.kernel), outside_layers(self.kernel)
        found: dict[str, tuple[str, list[NodeTurn]]] = {}
        for node, part in self.parts:
            name, category, turn = self._in_engine(node, part)
            # Where activations enter and leave, the process counts layers itself.
            once = node in outside or isinstance(node, df.LayerOp)
            turn = replace(turn.on_fifos(fifo_of), once=once, late=comes_late(node))
            found.setdefault(_shared_name(node, name), (category, []))[1].append(turn)
        return tuple(ProcessSchedule(name, category, tuple(turns)) for name, (category, turns) in found.items())

    @property
    def passes(self) -> dict[str, int]:
        """How often the pipeline of each task is entered in a layer; in turns, as its engine is."""
        turns = ((node, self._in_engine(node, part)) for node, part in self.parts if isinstance(node, df.TaskOp))
        return {node.sym_name.data: turn.does[0].passes for node, (_, _, turn) in turns if isinstance(turn.does, tuple)}

    def _in_engine(self, node: df.NodeOp, part: Part) -> Part:
        """What a node does; a task of an engine by the name of the engine, with the loops that it leaves."""
        if not isinstance(node, df.TaskOp) or node.engine is None:
            return part
        _, category, turn = part
        nest = self.nests.turn(node, self.engines[node.engine.data])
        return node.engine.data, category, replace(turn, does=(nest,))

    # --- What each kind of node does

    @singledispatchmethod
    def _parts(self, op: df.NodeOp) -> list[Part]:
        raise InputError("no-timing", f"{op.name} has no timing", where=_HERE)

    @_parts.register
    def _task(self, op: df.TaskOp) -> list[Part]:
        name = op.sym_name.data
        return [(name, "compute", NodeTurn(name, (self.nests.task(op),), op.origin_name))]

    @_parts.register
    def _fork(self, op: df.ForkOp) -> list[Part]:
        name = node_label(op)
        return [(name, "fork", NodeTurn(name, (self.nests.fork(op),)))]

    @_parts.register
    def _hardware(self, op: HardwareOp) -> list[Part]:
        assert isinstance(op, df.NodeOp)
        ports = Ports(node_label(op), tuple(map(_fifo, op.sources)), tuple(map(_fifo, op.sinks)))
        pipeline = op.pipeline(ports)
        return [(pipeline.name, pipeline.category, NodeTurn(ports.name, _nests(pipeline), pipeline.origin))]

    @_parts.register
    def _converter(self, op: df.ConverterOp) -> list[Part]:
        name = node_label(op)
        if op.blocks is None:
            raise run_first(_HERE, f"{op.name} has no buffer", "materialize-converters")
        blocks, full, empty = op.blocks.value.data, f"{name}_full", f"{name}_empty"
        source, sink = op.sources[0], op.sinks[0]
        tokens_in, tokens_out = df.itensor_of(source).tokens // blocks, df.itensor_of(sink).tokens // blocks
        fill = (
            Port(empty, False, (0,), (0,)),
            Port(_fifo(source), False, (0,)),
            Port(full, True, (FILL_CYCLES - 1,), (tokens_in - 1,)),
        )
        drain = (
            Port(full, False, (0,), (0,)),
            Port(_fifo(sink), True, (DRAIN_CYCLES - 1,)),
            Port(empty, True, (DRAIN_CYCLES - 1,), (tokens_out - 1,)),
        )
        halves = AddedFifo(full, PING_PONG, 1), AddedFifo(empty, PING_PONG, 1, initial=PING_PONG)
        filling, draining = (
            (Nest((blocks, tokens), 1, 1, latency, ports),)
            for tokens, latency, ports in ((tokens_in, FILL_CYCLES, fill), (tokens_out, DRAIN_CYCLES, drain))
        )
        return [
            (f"{name}_fill", "converter", NodeTurn(name, filling, fifos=halves)),
            (f"{name}_drain", "converter", NodeTurn(name, draining)),
        ]

    @_parts.register
    def _dma(self, op: df.DmaOp) -> list[Part]:
        name, walk, turns = node_label(op), self._walk(op), self._members[process_name(op)]
        port = NodeTurn(name, walk, op.origin_name)
        if not isinstance(op, df.DmaReadOp) or not waits(op, turns):
            return [(name, "dma", port)]
        latency, refetch = self._tier(op).latency_cycles(self.board.clock_mhz.value), self._refetch(op, walk, turns)
        held, walk, nests = held_walk(self.kernel, op, walk, f"{name}{AHEAD}", latency, refetch)
        return [
            (name, "dma", replace(port, does=walk, fifos=(held,))),
            (f"{name}{HOLD}", "dma", NodeTurn(name, nests, op.origin_name)),
        ]

    # --- Memory

    @cached_property
    def _port_bytes(self) -> int:
        return port_bytes(self.kernel)

    @cached_property
    def _members(self) -> dict[str, list[df.NodeOp]]:
        return processes_of(self.kernel)

    def _refetch(self, op: df.DmaReadOp, walk: MemoryWalk, turns: Sequence[df.NodeOp]) -> int:
        """Cycles in which a port brings what it can have in flight; of a queue's DMAs for the first that waits."""
        first = next(each for each in turns if isinstance(each, df.DmaReadOp) and len(each.sources) > 1)
        if op is not first:
            return 0
        in_flight = min(walk.outstanding * walk.burst_bytes, walk.tokens * walk.token_bytes)
        return ceil(in_flight / bytes_per_cycle(self._tier(op), self.board.clock_mhz.value, self._port_bytes))

    def _walk(self, op: df.DmaOp) -> MemoryWalk:
        stream, tier = df.itensor_of(op.port), self._tier(op)
        # Words that are read for every token anew make a burst.
        scattered, run = scattered_words(op) * self._port_bytes, run_bytes(op, self._port_bytes)
        return MemoryWalk(
            op.writes,
            _fifo(op.port),
            stream.tokens,
            scattered or bytes_per_token(op, stream, run),
            channel_of(op),
            min(tier.burst_bytes, scattered or run or _stretch_bytes(op, stream), _page_bytes(op)),
            self.ahead.of(op, tier.outstanding) if op.ahead is None else op.ahead.value.data,
            tier.timing.write_gap_cycles if op.writes else 0,
        )

    def _tier(self, op: df.DmaOp) -> Tier:
        return self.board.tier(self.board.bank(channel_of(op))[0])


def _shared_name(node: df.NodeOp, name: str) -> str:
    """The name of a node's process among those that share hardware."""
    if node.queue_name is None:
        return name
    held = isinstance(node, df.DmaReadOp) and name.endswith(HOLD) and name != node_label(node)
    return f"{process_name(node)}{HOLD if held else ''}"


def _nests(pipeline: Pipeline) -> tuple[Nest, ...]:
    """The loops of a pipeline that an op describes itself.

    Raises:
        InputError: a start, an end or a trace of its own; several loops that are repeated together.
    """
    if pipeline.trace is not None or pipeline.start or pipeline.end is not None or not pipeline.loops:
        raise InputError("no-schedule", "a node has loops, from cycle 0 on", where=pipeline.name)
    if pipeline.repeat > 1 and len(pipeline.loops) > 1:
        raise InputError("no-schedule", "several loops are repeated together", where=pipeline.name)
    around = (pipeline.repeat,) if pipeline.repeat > 1 else ()
    return tuple(_nest(loop, around) for loop in pipeline.loops)


def _nest(loop: Loop, around: tuple[int, ...]) -> Nest:
    ports = tuple(
        Port(event.fifo, event.op == "write", (event.stage,), event.when, event.tokens) for event in loop.events
    )
    return Nest((*around, *loop.trips), len(around), loop.ii, loop.latency, ports, loop.entry_gap)


def _stretch_bytes(op: df.DmaOp, stream: df.ITensorType) -> int:
    """Bytes that lie one after the other in memory, in the order of the stream."""
    whole = -(-stream.tokens * stream.token_bits // 8)
    if op.is_packed:
        return whole
    if op.layout is None:
        raise run_first(_HERE, f"{op.name} has no layout", "materialize-dma")
    return max(1, contiguous_elements(stream, op.layout.values) * stream.element_bits // 8)


def _page_bytes(op: df.DmaOp) -> int:
    """What a page holds together of what a DMA reads, no bound where there are no pages."""
    if op.page is None:
        return maxsize
    slices = op.slice_of[1] if isinstance(op, df.DmaReadOp) else 1
    return max(1, op.page.value.data // slices)


def channel_of(op: df.DmaOp) -> int:
    """The bank of the board that a DMA has its tensor in.

    Raises:
        InputError: none was assigned.
    """
    if op.channel is None:
        raise run_first(_HERE, f"{op.name} has no channel", "assign-channels")
    return op.channel.value.data


def _fifo(stream: SSAValue) -> str:
    return stream_of(stream, _HERE).sym_name.data
