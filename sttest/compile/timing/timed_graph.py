"""A kernel at the stream level as the `TimedGraph` that the engines take (docs/how-it-works/cost-model.md)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatchmethod
from math import ceil
from sys import maxsize

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import Operator, operators
from sttest.boards.resources import SRL_DEPTH
from sttest.boards.tiers import Tier
from sttest.compile.assumptions import MOST_ENGINE_LOOPS
from sttest.compile.channels.bursts_ahead import BurstsAhead, contiguous_elements
from sttest.compile.channels.memory_ports import bank_channels, bank_name, bytes_per_cycle, port_bytes
from sttest.compile.dialects import df
from sttest.compile.dialects.hardware_op import HardwareOp, Ports
from sttest.compile.ir.module_walk import only_kernel, run_first, stream_of
from sttest.compile.schedule.memory_words import scattered_words
from sttest.compile.schedule.task_schedule import task_schedule
from sttest.compile.sharing.functional_units import engines_of
from sttest.compile.sharing.layers import outside_layers
from sttest.compile.sharing.processes import (
    comes_late,
    fifos_by_stream,
    going_on,
    node_label,
    on_shared_fifos,
    process_name,
    processes_of,
    shared_fifos,
)
from sttest.compile.timing.links import Links
from sttest.compile.timing.node_pipelines import NodePipelines
from sttest.compile.timing.waiting_dmas import bytes_per_token, held_port, run_bytes, waits
from sttest.core.errors import DoesNotFitError, InputError
from sttest.sim.graph import (
    DRAIN_CYCLES,
    FILL_CYCLES,
    PING_PONG,
    Channel,
    Event,
    Fifo,
    Loop,
    MemoryPort,
    Pipeline,
    Process,
    TimedGraph,
)

_HERE = "timed graph"


# --- The pipeline of an engine: those of its tasks, one after the other


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
    origins = dict.fromkeys(each.origin for each in pipelines if each.origin)
    return replace(pipelines[0], name=engine, loops=loops, repeat=1, origin=", ".join(origins))


# --- The nodes of a process as one program: its turns in order, those of a layer for all layers, then those behind


def in_order(kernel: df.KernelOp, turns: Iterable[tuple[df.NodeOp, Process]]) -> list[Process]:
    """One process for each name, where the first of its nodes stands.

    Args:
        kernel: kernel at the stream level.
        turns: nodes with what they do, in program order; nodes of one process have one name.

    Raises:
        DoesNotFitError: see :func:`~sttest.compile.timing.timed_graph.in_turn`.
    """
    outside = outside_layers(kernel)
    groups: dict[str, tuple[list[Process], list[Process]]] = {}
    late: list[Process] = []
    for node, process in turns:
        if comes_late(node):
            late.append(process)
        # Where activations enter and leave, the process counts layers itself.
        once = node in outside or isinstance(node, df.LayerOp)
        groups.setdefault(process.name, ([], []))[once].append(process)
    counts = kernel.layer_count, kernel.step_count
    return [_times(_run(layer, behind, counts[0], late), counts[1]) for layer, behind in groups.values()]


def _run(layer: Sequence[Process], behind: Sequence[Process], layers: int, late: Sequence[Process]) -> Process:
    if not layer:
        return _together(behind, late)
    repeated = _times(_together(layer, late), layers)
    if not behind:
        return repeated
    once = _together(behind, late)
    if isinstance(repeated, Pipeline) and isinstance(once, Pipeline):
        return in_turn(repeated.name, [repeated, once])
    return going_on([repeated, once])


def _together(turns: Sequence[Process], late: Sequence[Process]) -> Process:
    """Turns without anything between them: an engine drains before the next, what moves data of memory goes on."""
    if len(turns) == 1:
        return turns[0]
    pipelines = [each for each in turns if isinstance(each, Pipeline) and each.category in ("compute", "join", "fork")]
    return in_turn(turns[0].name, pipelines) if pipelines else going_on(turns, late)


def _times(process: Process, layers: int) -> Process:
    if isinstance(process, Pipeline):
        return replace(process, repeat=process.repeat * layers)
    return replace(process, tokens=process.tokens * layers) if isinstance(process, MemoryPort) else process


def timed_graph(module: ModuleOp, board: FpgaBoard, name: str, *, apart: bool = False) -> TimedGraph:
    """The one kernel of a module as a timed graph.

    Args:
        module: module at the stream level.
        board: the board that it runs on.
        name: name of the graph.
        apart: one layer, in which tasks that share an engine and loads of a queue have a process each, as if each
            had its own hardware.

    Raises:
        DoesNotFitError: the design has several kernels.
        InputError: the module is not at the stream level, or its DMAs have no channels.
    """
    return TimedGraphs(only_kernel(module, _HERE, name), board).graph(name, apart=apart)


def memory_channels(kernel: df.KernelOp, board: FpgaBoard) -> tuple[Channel, ...]:
    """The memory channels that a kernel's DMAs use, with their rate and latency on a board.

    Raises:
        InputError: a DMA has no channel.
    """
    used = sorted({_channel(op) for op in kernel.body.block.ops if isinstance(op, df.DmaOp)})
    return bank_channels(board, port_bytes(kernel), used)


@dataclass
class TimedGraphs:
    """The timed graphs of a kernel, see :func:`timed_graph`: apart and not, they have most processes in common."""

    kernel: df.KernelOp  # kernel at the stream level; between two graphs only its depths may change (:meth:`resize`)
    board: FpgaBoard  # the board that it runs on
    library: Mapping[str, Operator] = field(init=False)
    fifos: list[Fifo] = field(default_factory=list)
    turns: list[tuple[df.NodeOp, Process]] = field(default_factory=list)
    known: dict[bool, TimedGraph] = field(default_factory=dict)  # the graphs that were asked for, by ``apart``

    def __post_init__(self) -> None:
        self.library = operators(self.board)
        tasks = [op for op in self.kernel.body.block.ops if isinstance(op, df.TaskOp)]
        self.costs = {task: task_schedule(task, self.library) for task in tasks}
        self.pipelines = NodePipelines(self.costs)
        self.engines = engines_of(self.kernel)
        self.ahead = BurstsAhead(self.kernel)
        for op in self.kernel.body.block.ops:
            self._add(op)

    def graph(self, name: str, *, apart: bool = False) -> TimedGraph:
        """One of them."""
        fifos = self.fifos if apart else shared_fifos(self.fifos, self._fifo_of)
        links = None if self.kernel.links is None else Links(self.kernel, self.board, shared=not apart)
        if links is not None:
            fifos = [*fifos, *links.fifos()]
        # The same processes for every graph: they are checked once, and the engines know programs again by them.
        if (known := self.known.get(apart)) is not None:
            return known.with_fifos(fifos, name)
        processes = tuple(process for _, process in self.turns) if apart else self._in_turns()
        if links is not None:
            processes = links.processes(processes, 1 if apart else self.kernel.layer_count * self.kernel.step_count)
        channels = memory_channels(self.kernel, self.board)
        found = self.known[apart] = TimedGraph(name, self.board.clock_mhz.value, tuple(fifos), processes, channels)
        return found

    @property
    def passes(self) -> dict[str, int]:
        """How often the pipeline of each task is entered in a layer; in turns, as its engine is."""
        turns = ((node, self._in_turn(node, process)) for node, process in self.turns if isinstance(node, df.TaskOp))
        return {node.sym_name.data: turn.repeat for node, turn in turns if isinstance(turn, Pipeline)}

    def resize(self) -> None:
        """Takes over what became of the depths of the streams, which may change between two graphs."""
        streams = {op.sym_name.data: _fifo_at(op) for op in self.kernel.body.block.ops if isinstance(op, df.StreamOp)}
        self.fifos = [streams.get(fifo.name, fifo) for fifo in self.fifos]
        if self.kernel.credits is not None:
            self.known = {}  # a link has them as tokens that are there from the start

    @cached_property
    def _port_bytes(self) -> int:
        return port_bytes(self.kernel)

    @cached_property
    def _fifo_of(self) -> dict[str, str]:
        return fifos_by_stream(self.kernel)

    def _in_turns(self) -> tuple[Process, ...]:
        """The processes, those that share hardware in turn."""
        turns = [(node, self._in_turn(node, process)) for node, process in self.turns]
        shared = [(node, on_shared_fifos(node, turn, self._fifo_of)) for node, turn in turns]
        return tuple(in_order(self.kernel, shared))

    def _add(self, op: Operation) -> None:
        if isinstance(op, df.StreamOp):
            self.fifos.append(_fifo_at(op))
        elif isinstance(op, df.NodeOp):
            self.turns += [(op, process) for process in self._processes(op)]

    @singledispatchmethod
    def _processes(self, op: df.NodeOp) -> list[Process]:
        """What a node does in one layer, by itself and apart."""
        raise InputError("no-timing", f"{op.name} has no timing", where=_HERE)

    @_processes.register
    def _task(self, op: df.TaskOp) -> list[Process]:
        return [self.pipelines.task(op)]

    @_processes.register
    def _fork(self, op: df.ForkOp) -> list[Process]:
        return [self.pipelines.fork(op, node_label(op))]

    @_processes.register
    def _hardware(self, op: HardwareOp) -> list[Process]:
        assert isinstance(op, df.NodeOp)
        return [op.pipeline(Ports(node_label(op), tuple(map(_fifo, op.sources)), tuple(map(_fifo, op.sinks))))]

    def _in_turn(self, node: df.NodeOp, apart: Process) -> Process:
        """Its process; that of a task of an engine by the name of the engine."""
        if not isinstance(node, df.TaskOp) or node.engine is None:
            return apart
        turn = self.pipelines.turn(node, self.engines[node.engine.data])
        return replace(turn, name=node.engine.data)

    @_processes.register
    def _converter(self, op: df.ConverterOp) -> list[Process]:
        name = node_label(op)
        if op.blocks is None:
            raise run_first(_HERE, f"{op.name} has no buffer", "materialize-converters")
        blocks = op.blocks.value.data
        self.fifos += [
            Fifo(f"{name}_full", PING_PONG, 1),
            Fifo(f"{name}_empty", PING_PONG, 1, initial_tokens=PING_PONG),
        ]
        source, sink = op.sources[0], op.sinks[0]
        tokens_in, tokens_out = df.itensor_of(source).tokens // blocks, df.itensor_of(sink).tokens // blocks
        fill = Loop(
            (tokens_in,),
            1,
            FILL_CYCLES,
            (
                Event(f"{name}_empty", "read", 0, (0,)),
                Event(_fifo(source), "read", 0),
                Event(f"{name}_full", "write", FILL_CYCLES - 1, (tokens_in - 1,)),
            ),
        )
        drain = Loop(
            (tokens_out,),
            1,
            DRAIN_CYCLES,
            (
                Event(f"{name}_full", "read", 0, (0,)),
                Event(_fifo(sink), "write", DRAIN_CYCLES - 1),
                Event(f"{name}_empty", "write", DRAIN_CYCLES - 1, (tokens_out - 1,)),
            ),
        )
        return [
            Pipeline(f"{name}_fill", (fill,), repeat=blocks, category="converter"),
            Pipeline(f"{name}_drain", (drain,), repeat=blocks, category="converter"),
        ]

    @_processes.register
    def _port(self, op: df.DmaOp) -> list[Process]:
        port, turns = self._memory(op), self._members[process_name(op)]
        if not isinstance(op, df.DmaReadOp) or not waits(op, turns):
            return [port]
        latency = self._tier(op).latency_cycles(self.board.clock_mhz.value)
        held, port, hold = held_port(self.kernel, op, port, latency, self._refetch(op, port, turns))
        self.fifos.append(held)
        return [port, hold]

    def _refetch(self, op: df.DmaReadOp, port: MemoryPort, turns: Sequence[df.NodeOp]) -> int:
        """Cycles in which a port brings what it can have in flight; of a queue's DMAs for the first that waits."""
        first = next(each for each in turns if isinstance(each, df.DmaReadOp) and len(each.sources) > 1)
        if op is not first:
            return 0
        in_flight = min(port.outstanding * port.burst_bytes, port.tokens * port.token_bytes)
        tier = self._tier(op)
        return ceil(in_flight / bytes_per_cycle(tier, self.board.clock_mhz.value, self._port_bytes))

    @cached_property
    def _members(self) -> dict[str, list[df.NodeOp]]:
        return processes_of(self.kernel)

    def _memory(self, op: df.DmaOp) -> MemoryPort:
        stream, tier = df.itensor_of(op.port), self._tier(op)
        # Words that are read for every token anew make a burst.
        scattered, run = scattered_words(op) * self._port_bytes, run_bytes(op, self._port_bytes)
        return MemoryPort(
            node_label(op),
            "write" if op.writes else "read",
            _fifo(op.port),
            stream.tokens,
            scattered or bytes_per_token(op, stream, run),
            (bank_name(self.board, _channel(op)),),
            burst_bytes=min(tier.burst_bytes, scattered or run or _stretch_bytes(op, stream), _page_bytes(op)),
            outstanding=self.ahead.of(op, tier.outstanding) if op.ahead is None else op.ahead.value.data,
            origin=op.origin_name,
            category="dma",
            gap=tier.timing.write_gap_cycles if op.writes else 0,
        )

    def _tier(self, op: df.DmaOp) -> Tier:
        return self.board.tier(self.board.bank(_channel(op))[0])


def _fifo_at(op: df.StreamOp) -> Fifo:
    stream = op.result.type
    # A folded DMA's tile buffer is read in place, without the output register of a RAM FIFO.
    folded = op.sized_by is not None and op.sized_by.data == "folded"
    impl = "srl" if folded or stream.depth.data <= SRL_DEPTH else "auto"
    return Fifo(op.sym_name.data, stream.depth.data, stream.itensor.token_bits, impl)


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


def _channel(op: df.DmaOp) -> int:
    if op.channel is None:
        raise run_first(_HERE, f"{op.name} has no channel", "assign-channels")
    return op.channel.value.data


def _fifo(stream: SSAValue) -> str:
    return stream_of(stream, _HERE).sym_name.data
