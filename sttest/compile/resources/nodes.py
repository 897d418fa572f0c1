"""What the processes of a design take: the logic of each kind of node, then its memories.

What a process is made of follows the code that is emitted for it (``sttest.compile.hls``);
what that takes is the resource model's (docs/hardware/resources.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch, singledispatchmethod
from math import ceil, prod

from xdsl.ir import SSAValue

from sttest.boards.operators import Operator
from sttest.boards.resources import PipelineLogic, Resources, load_resource_model, pipeline_resources, total
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.resources.memories import buffer_resources
from sttest.compile.schedule.converter_block import ConverterBlock, converter_block
from sttest.compile.schedule.operators import instances_of, operators_of_lanes, step_interval
from sttest.compile.schedule.ports import words_of_token
from sttest.compile.schedule.reductions import steps_of_tile
from sttest.compile.schedule.storage import buffer_name, memory_name, task_storage
from sttest.compile.schedule.task_schedule import task_schedule
from sttest.compile.sharing.functional_units import StreamEnds
from sttest.compile.sharing.processes import fifo_name, process_name, processes_of
from sttest.compile.spaces.memory import MemoryFacts
from sttest.core.errors import InputError
from sttest.reference.graph import BITS
from sttest.reference.weight_types import codes
from sttest.sim.bursts import HBM
from sttest.sim.graph import PING_PONG, MemoryPort, TimedGraph


@dataclass(frozen=True)
class NodeLogic:
    """A process without its memories."""

    name: str  # name of the process, or of both halves of a converter
    kind: str  # ``task``, ``concat``, ``converter``, ``fork``, ``gather``, ``layers`` or ``dma``
    logic: Resources  # operators, control and AXI adapter
    memory_ports: int = 0  # load and store units, one per DMA
    hbm_channels: tuple[str, ...] = ()  # pseudo-channels behind them; units on one channel share an AXI master


@dataclass(frozen=True)
class NodeModel:
    """The logic of nodes on one board."""

    library: Mapping[str, Operator]  # operators at the board's clock
    port_bits: int  # width of a DMA's port
    channels_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # pseudo-channels of every DMA
    buffer_words: Mapping[str, int] = field(default_factory=dict)  # words of each DMA's buffer for data in flight

    def of_kernel(self, kernel: df.KernelOp) -> Iterator[NodeLogic]:
        """All nodes of a kernel at the stream level, in program order; an engine where its first task stands."""
        for name, nodes in processes_of(kernel).items():
            members = [node for node in nodes if isinstance(node, df.TaskOp)]
            if len(members) > 1:
                yield NodeLogic(name, "task", engine_logic(members, self.library))
            else:
                yield self.of(*nodes)

    def of(self, op: df.NodeOp, *others: df.NodeOp) -> NodeLogic:
        """One node, or the loads of a queue.

        Raises:
            InputError: the node has no name yet.
        """
        name, is_dma = process_name(op), isinstance(op, df.DmaOp)
        channels = tuple(each for each in self.channels_of.get(name, ()) if each.startswith(HBM)) if is_dma else ()
        return NodeLogic(name, op.kind, self._logic(op, *others), memory_ports=int(is_dma), hbm_channels=channels)

    @singledispatchmethod
    def _logic(self, op: df.NodeOp, *others: df.NodeOp) -> Resources:
        """The logic of a node, or of the nodes of a queue."""
        raise InputError("no-resources", f"{op.name} has no resources", where=op.given_name or op.kind)

    @_logic.register
    def _task(self, op: df.TaskOp, *others: df.NodeOp) -> Resources:
        return task_logic(op, op.lane_count, self.library)

    @_logic.register
    def _fork(self, op: df.ForkOp, *others: df.NodeOp) -> Resources:
        tokens = sum(df.itensor_of(each.sources[0]).tokens for each in (op, *others))
        return self._copies(op.sources[0], len(op.sinks) + len(others), tokens)

    @_logic.register
    def _gather(self, op: df.GatherOp, *others: df.NodeOp) -> Resources:
        tokens = sum(df.itensor_of(each.sinks[0]).tokens for each in (op, *others))
        moved = self._copies(op.sinks[0], len(op.sources), tokens)
        return moved if op.code is None else moved + _decoders(op, op.code.data)

    @_logic.register
    def _layer(self, op: df.LayerOp, *others: df.NodeOp) -> Resources:
        return self._copies(op.sources[0], 2)

    def _pipeline(self, pipeline: PipelineLogic) -> Resources:
        return pipeline_resources(pipeline, self.library)

    @_logic.register
    def _converter(self, op: df.ConverterOp, *others: df.NodeOp) -> Resources:
        """Two loops, each with its stream and its two credit FIFOs; choices of banks and rotations of tokens."""
        ports = (op.sources[0], op.sinks[0])
        fill, drain = (self._pipeline(PipelineLogic(ports=3, trip=df.itensor_of(port).tokens)) for port in ports)
        return fill + drain + (Resources() if op.buffer is None else _moves(converter_block(op, process_name(op))))

    def _copies(self, port: SSAValue, others: int, tokens: int = 0) -> Resources:
        """Between the one port of a fork or a gather and its others: a word of registers and a loop."""
        stream = df.itensor_of(port)
        word = Resources(ff=stream.token_bits)
        return word + self._pipeline(PipelineLogic(ports=1 + others, trip=tokens or stream.tokens))

    @_logic.register
    def _concat(self, op: df.ConcatOp, *others: df.NodeOp) -> Resources:
        """A word of registers behind the choice of a source."""
        stream = df.itensor_of(op.sinks[0])
        word = _choice(stream.token_bits, len(op.sources)) + Resources(ff=stream.token_bits)
        return word + self._pipeline(PipelineLogic(ports=1 + len(op.sources), trip=stream.tokens))

    @_logic.register
    def _dma(self, op: df.DmaOp, *others: df.NodeOp) -> Resources:
        tokens = sum(df.itensor_of(each.port).tokens for each in (op, *others) if isinstance(each, df.DmaOp))
        adapter = replace(load_resource_model().adapter(self.port_bits), bram18=0)
        pipeline = self._pipeline(PipelineLogic(ports=1, trip=tokens))
        buffer = buffer_resources(self.buffer_words[process_name(op)], self.port_bits)
        return total([adapter, buffer, pipeline, *(self._waits(each) for each in (op, *others))])

    def _waits(self, op: df.NodeOp) -> Resources:
        """What a DMA takes besides that waits: a port for it; for entries a store, too, and room for one of each."""
        if not isinstance(op, df.DmaReadOp) or len(op.sources) == 1:
            return Resources()
        awaited = df.itensor_of(op.sources[1])
        port = self._pipeline(PipelineLogic(ports=1, trip=awaited.tokens))
        if not op.takes_entries:
            return port
        adapter = replace(load_resource_model().adapter(self.port_bits), bram18=0)
        held = Resources(ff=self.port_bits + awaited.tokens * awaited.token_bits)
        return total([port, adapter, buffer_resources(1, self.port_bits), held])


def task_logic(
    task: df.TaskOp, lanes: int, library: Mapping[str, Operator], payload: Mapping[str, int] | None = None
) -> Resources:
    """A task with so many lanes; at the itensor or the stream level.

    Args:
        task: task.
        lanes: lanes of a step.
        library: operators at the board's clock.
        payload: operators of one payload evaluation, where they are known.
    """
    return pipeline_resources(_pipeline_of(task, lanes, library, payload), library)


def engine_logic(members: Sequence[df.TaskOp], library: Mapping[str, Operator]) -> Resources:
    """Tasks that take turns: the most operators of one, the FIFOs of all, and the choice of those that are read."""
    pipelines = [_pipeline_of(member, member.lane_count, library) for member in members]
    read = [{_fifo(member.sources[number]) for member in members} for number in range(len(members[0].sources))]
    ports = sum(map(len, read)) + sum(len(member.produced) for member in members)
    trip = max(each.trip for each in pipelines)
    choices = (
        _choice(df.itensor_of(source).token_bits, len(fifos))
        for source, fifos in zip(members[0].sources, read, strict=True)
    )
    deepest = max(pipelines, key=lambda each: sum(each.operators.values()))  # the deepest sum has the most adders
    return total([pipeline_resources(replace(deepest, ports=ports, trip=trip), library), *choices])


def _pipeline_of(
    task: df.TaskOp, lanes: int, library: Mapping[str, Operator], payload: Mapping[str, int] | None = None
) -> PipelineLogic:
    lanes = min(lanes, task.tile_points)
    every, interval = operators_of_lanes(task, lanes, payload), step_interval(task, lanes, library)
    instances = instances_of(every, interval)
    shared = every.total() - sum(instances.values())
    ports, steps = len(task.sources) + len(task.produced), steps_of_tile(task, lanes)
    return PipelineLogic(
        instances, ports, task.iterations * steps, interval, shared_operators=shared, accesses=lanes * (ports + 1)
    )


def _fifo(source: SSAValue) -> str:
    return fifo_name(stream_of(source, "resources"))


def _decoders(op: df.GatherOp, name: str) -> Resources:
    """What takes the codes of a token apart."""
    code, known = codes()[name], load_resource_model().decoders
    groups = -(-df.itensor_of(op.sinks[0]).token_elements // code.group)
    # Of one that nobody synthesized, a table: a LUT is a bit of any function of six bits (AMD UG574).
    table = code.group * BITS[code.dtype] << max(0, code.bits - 6)
    return Resources(lut=groups * (known[name].lut if name in known else table))


def _choice(bits: int, sources: int) -> Resources:
    """A word of one of several sources: a LUT chooses one bit of four (AMD UG574)."""
    return Resources(lut=bits * -(-(sources - 1) // 3))


def _moves(block: ConverterBlock) -> Resources:
    """What lies between tokens and banks: a choice of banks for what is drained, and stages that rotate tokens."""
    luts = 0
    for number, side in enumerate((block.fill, block.drain)):
        moved = side.stream.element_bits * prod(
            dim.banks if dim.rotates[number] else size for dim, size in zip(block.dims, side.shape, strict=True)
        )
        positions = [len(side.offsets(at, dim.banks)) for at, dim in enumerate(block.dims)]
        turned = [dim.rotates[number] for dim in block.dims]
        stages = ((count - 1).bit_length() for count, turns in zip(positions, turned, strict=True) if turns)
        luts += sum(moved * ceil(each / 2) for each in stages)  # a LUT takes a bit through two stages
        if side is block.drain:
            luts += _choice(moved, prod(count for count, turns in zip(positions, turned, strict=True) if not turns)).lut
    return Resources(lut=luts)


def channels_of(graph: TimedGraph) -> dict[str, tuple[str, ...]]:
    """The pseudo-channels of every DMA of a timed graph."""
    return {port.name: port.channels for port in graph.processes if isinstance(port, MemoryPort)}


# --- Memories of a design: FIFOs, ping-pong buffers of converters, tiles of tasks and DMAs


def memories(
    kernel: df.KernelOp, fifos: Sequence[StreamEnds], graph: TimedGraph, library: Mapping[str, Operator]
) -> list[MemoryFacts]:
    """All memories of a kernel at the stream level; a FIFO belongs to its reader.

    Args:
        kernel: kernel.
        fifos: its FIFOs with their ends.
        graph: its timed graph.
        library: operators at the board's clock.
    """
    kinds = {fifo.name: fifo.kind for fifo in graph.fifos}
    found = [_stream(each, kinds[each.fifo]) for each in fifos]
    for name, nodes in processes_of(kernel).items():
        tasks = [node for node in nodes if isinstance(node, df.TaskOp)]
        found += _task_memories(tasks, library) if tasks else _of_node(nodes[0], name)
    return found


def _running_tiles(task: df.TaskOp) -> int:
    return prod(task.trip_counts[loop] for loop in task.held_loops)


def _stream(ends: StreamEnds, kind: str) -> MemoryFacts:
    """A FIFO as the code declares it, which one that a DMA and its reader share is, too."""
    depth, bits = ends.kind.depth.data, ends.kind.itensor.token_bits
    elements = prod(ends.kind.itensor.element_shape)
    words = words_of_token(elements, bits // elements)
    return MemoryFacts(ends.fifo, ends.reader, "fifo", depth, bits // words, words, shift_register=kind == "srl")


@singledispatch
def _of_node(op: df.NodeOp, name: str) -> Iterator[MemoryFacts]:
    """The memories of a node's process but for its FIFOs: none, unless the kind of node says more below."""
    yield from ()


@_of_node.register
def _dma(op: df.DmaOp, name: str) -> Iterator[MemoryFacts]:
    """The emitted code puts a token together in registers; what it reads ahead is its port's (`buffer_words`)."""
    yield MemoryFacts(f"{name}_tile", name, "tile", 1, df.itensor_of(op.port).token_bits)


@_of_node.register
def _converter(op: df.ConverterOp, name: str) -> Iterator[MemoryFacts]:
    """Both halves, in the banks that the code declares."""
    if op.buffer is None:
        return
    block = converter_block(op, name)
    bits = prod(block.word) * block.fill.stream.element_bits
    yield MemoryFacts(buffer_name(op), name, "converter", PING_PONG * block.depth, bits, banks=block.banks)
    for side in ("full", "empty"):
        yield MemoryFacts(f"{name}_{side}", name, "fifo", PING_PONG, 1, shift_register=True)


def _task_memories(members: Sequence[df.TaskOp], library: Mapping[str, Operator]) -> Iterator[MemoryFacts]:
    """The arrays of a task, or of those that take turns, as the code declares them."""
    keeper, name = max(members, key=_running_tiles), process_name(members[0])
    for array in task_storage(keeper, task_schedule(keeper, library), members).arrays:
        yield MemoryFacts(memory_name(keeper, array.name), name, "tile", array.depth, array.bits, array.banks)
