"""A kernel's schedule as the `TimedGraph` that the engines take (docs/how-it-works/cost-model.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp

from sttest.boards.board import FpgaBoard
from sttest.boards.resources import SRL_DEPTH
from sttest.compile.assumptions import MOST_ENGINE_LOOPS
from sttest.compile.channels.memory_ports import bank_channels, bank_name, port_bytes
from sttest.compile.dialects import df, sched
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.schedule.kernel_schedule import NodeSchedules, channel_of
from sttest.compile.schedule.process_schedule import AddedFifo, MemoryWalk, Nest, NodeTurn, ProcessSchedule
from sttest.compile.sharing.processes import fifos_by_stream, node_label, shared_fifos
from sttest.compile.timing.links import Links
from sttest.core.errors import DoesNotFitError
from sttest.sim.graph import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Process, TimedGraph

_HERE = "timed graph"


def timed_graph(module: ModuleOp, board: FpgaBoard, name: str, *, apart: bool = False) -> TimedGraph:
    """The one kernel of a module as a timed graph, by its schedule where it has one.

    Args:
        module: module at the stream level.
        board: the board that it runs on.
        name: name of the graph.
        apart: one layer, in which tasks that share an engine and loads of a queue have a process each, as if each
            had its own hardware.

    Raises:
        DoesNotFitError: the design has several kernels.
        InputError: the module is not at the stream level, its DMAs have no channels, or its schedule is that of
            another kernel.
    """
    kernel = only_kernel(module, _HERE, name)
    known = None if apart else sched.schedule_of(module, kernel)
    return TimedGraphs(kernel, board, known).graph(name, apart=apart)


def _check_fifos(kernel: df.KernelOp, processes: Iterable[ProcessSchedule], fifo_of: Mapping[str, str]) -> None:
    """Refuses a schedule whose processes use other FIFOs than the kernel has."""
    used = {fifo for process in processes for fifo, _ in process.sides}
    added = {fifo.name for process in processes for turn in process.turns for fifo in turn.fifos}
    own = {fifo_of[op.sym_name.data] for op in kernel.body.block.ops if isinstance(op, df.StreamOp)}
    if other := sorted(used ^ (own | added)):
        raise sched.old_schedule(kernel, f"streams: {', '.join(other):.80}")


def memory_channels(kernel: df.KernelOp, board: FpgaBoard) -> tuple[Channel, ...]:
    """The memory channels that a kernel's DMAs use, with their rate and latency on a board.

    Raises:
        InputError: a DMA has no channel.
    """
    used = sorted({channel_of(op) for op in kernel.body.block.ops if isinstance(op, df.DmaOp)})
    return bank_channels(board, port_bytes(kernel), used)


@dataclass
class TimedGraphs:
    """The timed graphs of a kernel, see :func:`timed_graph`: apart and not, they have most of a schedule in common."""

    kernel: df.KernelOp  # kernel at the stream level; between two graphs only its depths may change (:meth:`resize`)
    board: FpgaBoard  # the board that it runs on
    scheduled: tuple[ProcessSchedule, ...] | None = None  # its processes in turns, where they are known
    _known: dict[bool, TimedGraph] = field(default_factory=dict)  # the graphs that were asked for, by ``apart``

    def graph(self, name: str, *, apart: bool = False) -> TimedGraph:
        """One of them."""
        links = None if self.kernel.links is None else Links(self.kernel, self.board, shared=not apart)
        fifos = self._fifos(apart=apart)
        if links is not None:
            fifos = [*fifos, *links.fifos()]
        # The same processes for every graph: they are checked once, and the engines know programs again by them.
        if (known := self._known.get(apart)) is not None:
            return known.with_fifos(fifos, name)
        layers, steps = (1, 1) if apart else (self.kernel.layer_count, self.kernel.step_count)
        channel = lambda number: bank_name(self.board, number)  # noqa: E731
        processes = tuple(process_of(each, layers, steps, channel) for each in self._processes(apart=apart))
        if links is not None:
            processes = links.processes(processes, layers * steps)
        channels = memory_channels(self.kernel, self.board)
        found = TimedGraph(name, self.board.clock_mhz.value, tuple(fifos), processes, channels)
        self._known[apart] = found
        return found

    @cached_property
    def nodes(self) -> NodeSchedules:
        """The schedules of the kernel's nodes."""
        return NodeSchedules(self.kernel, self.board)

    @property
    def passes(self) -> dict[str, int]:
        """How often the pipeline of each task is entered in a layer; in turns, as its engine is."""
        return self.nodes.passes

    @property
    def fifos_apart(self) -> list[Fifo]:
        """The FIFOs of streams and nodes apart from each other, without those of links."""
        return self._fifos(apart=True)

    def resize(self) -> None:
        """Takes over what became of the depths of the streams, which may change between two graphs."""
        if self.kernel.credits is not None:
            self._known = {}  # a link has them as tokens that are there from the start

    def _processes(self, *, apart: bool) -> tuple[ProcessSchedule, ...]:
        if apart:
            return self.nodes.apart
        if self.scheduled is None:
            return self.nodes.in_turns
        _check_fifos(self.kernel, self.scheduled, self._fifo_of)
        return self.scheduled

    def _fifos(self, *, apart: bool) -> list[Fifo]:
        """Those of streams and those that come with nodes, in the order of the kernel."""
        added: dict[str, list[AddedFifo]] = {}
        for process in self._processes(apart=apart):
            for turn in process.turns:
                added.setdefault(turn.node, []).extend(turn.fifos)
        found: list[Fifo] = []
        for op in self.kernel.body.block.ops:
            if isinstance(op, df.StreamOp):
                found.append(_fifo_at(op))
            elif isinstance(op, df.NodeOp):
                found += [_added(fifo) for fifo in added.get(node_label(op), ())]
        return found if apart else shared_fifos(found, self._fifo_of)

    @cached_property
    def _fifo_of(self) -> dict[str, str]:
        return fifos_by_stream(self.kernel)


def _fifo_at(op: df.StreamOp) -> Fifo:
    stream = op.result.type
    # A folded DMA's tile buffer is read in place, without the output register of a RAM FIFO.
    folded = op.sized_by is not None and op.sized_by.data == "folded"
    impl = "srl" if folded or stream.depth.data <= SRL_DEPTH else "auto"
    return Fifo(op.sym_name.data, stream.depth.data, stream.itensor.token_bits, impl)


def _added(fifo: AddedFifo) -> Fifo:
    return Fifo(fifo.name, fifo.depth, fifo.bits, fifo.impl, fifo.initial, latency=fifo.latency)


# --- A process: the turns of a layer for all layers, then those that come once, and all of that for every token


def process_of(schedule: ProcessSchedule, layers: int, steps: int, channel: Callable[[int], str]) -> Process:
    """What a process does in a launch.

    Args:
        schedule: the process.
        layers: layers of a launch.
        steps: tokens that a launch generates.
        channel: the name of a bank's channel.

    Raises:
        DoesNotFitError: its tasks drain too often to be written out.
    """
    turns = [(turn, _of_turn(schedule, turn, channel)) for turn in schedule.turns]
    layer = [each for each in turns if not each[0].once]
    behind = [each for each in turns if each[0].once]
    return _times(_run(layer, behind, layers), steps)


def _run(layer: Sequence[tuple[NodeTurn, Process]], behind: Sequence[tuple[NodeTurn, Process]], layers: int) -> Process:
    if not layer:
        return _together(behind)
    repeated = _times(_together(layer), layers)
    if not behind:
        return repeated
    once = _together(behind)
    if isinstance(repeated, Pipeline) and isinstance(once, Pipeline):
        return in_turn(repeated.name, [repeated, once])
    return _then(repeated, once, drains=False)


def _together(turns: Sequence[tuple[NodeTurn, Process]]) -> Process:
    """Turns without anything between them: an engine drains before the next, what moves data of memory goes on."""
    (_, found), *others = turns
    if not others:
        return found
    pipelines = [each for _, each in turns if isinstance(each, Pipeline) and each.category in _DRAINING]
    if pipelines:
        return in_turn(found.name, pipelines)
    for turn, process in others:
        found = _then(found, process, drains=turn.late)
    return found


_DRAINING = ("compute", "join", "fork")


def in_turn(engine: str, pipelines: Sequence[Pipeline]) -> Pipeline:
    """One process that runs the loops of several, in order, and drains in between.

    Args:
        engine: its name.
        pipelines: pipelines of the tasks in program order.

    Raises:
        DoesNotFitError: together they drain too often to be written out.
    """
    passes = sum(len(each.loops) * each.repeat for each in pipelines)
    if passes > MOST_ENGINE_LOOPS:
        raise DoesNotFitError(
            "engine-passes",
            "the tasks of an engine drain too often",
            where=engine,
            demand=passes,
            bound=MOST_ENGINE_LOOPS,
            unit="passes",
            hints=["share fewer tasks", "take larger tiles"],
        )
    loops = tuple(loop for each in pipelines for _ in range(each.repeat) for loop in each.loops)
    return replace(pipelines[0], name=engine, loops=loops, repeat=1, origin=_origins(pipelines))


def _then(first: Process, second: Process, *, drains: bool) -> Process:
    """A DMA that goes on with another tensor, or what is behind it: nothing drains in between if not told."""
    if isinstance(first, MemoryPort) and isinstance(second, MemoryPort):
        # Tokens of one kind; where runs of some fill words, all count as long as theirs.
        return replace(
            first,
            tokens=first.tokens + second.tokens,
            token_bytes=max(first.token_bytes, second.token_bytes),
            burst_bytes=min(first.burst_bytes, second.burst_bytes),
            origin=_origins((first, second)),
        )
    assert isinstance(first, Pipeline)
    assert isinstance(second, Pipeline)
    last, following, origin = first.loops[-1], second.loops[0], _origins((first, second))
    if drains or last.events != following.events:
        return replace(first, loops=(*first.loops, *second.loops), origin=origin)
    joined = replace(last, trips=(last.iterations + following.iterations,))
    return replace(first, loops=(*first.loops[:-1], joined, *second.loops[1:]), origin=origin)


def _origins(processes: Iterable[Process]) -> str:
    return ", ".join(dict.fromkeys(each.origin for each in processes if each.origin))


def _times(process: Process, count: int) -> Process:
    if isinstance(process, Pipeline):
        return replace(process, repeat=process.repeat * count)
    return replace(process, tokens=process.tokens * count) if isinstance(process, MemoryPort) else process


def _of_turn(schedule: ProcessSchedule, turn: NodeTurn, channel: Callable[[int], str]) -> Process:
    """A turn by itself."""
    if isinstance(turn.does, MemoryWalk):
        return _port(schedule.name, turn, turn.does, channel)
    passes = turn.does[0].passes
    loops = tuple(map(_loop, turn.does))
    return Pipeline(schedule.name, loops, repeat=passes, origin=turn.origin, category=schedule.category)


def _port(name: str, turn: NodeTurn, walk: MemoryWalk, channel: Callable[[int], str]) -> MemoryPort:
    return MemoryPort(
        name,
        "write" if walk.writes else "read",
        walk.fifo,
        walk.tokens,
        walk.token_bytes,
        (channel(walk.channel),),
        burst_bytes=walk.burst_bytes,
        outstanding=walk.outstanding,
        origin=turn.origin,
        category="dma",
        gap=walk.gap,
    )


def _loop(nest: Nest) -> Loop:
    events = tuple(
        Event(port.fifo, "write" if port.writes else "read", cycle, port.when, port.tokens)
        for port in nest.ports
        for cycle in port.cycles
    )
    return Loop(nest.inner or (1,), nest.interval, nest.latency, events, nest.gap)
