"""Logic of the processes of a design: tasks, concatenations, converters, forks, gathers and DMAs, without memories.

What a process is made of follows the code that is emitted for it (``sttest.compile.hls``);
what that takes is the resource model's (docs/explanation/resources.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import SSAValue

from sttest.boards.operators import Operator
from sttest.boards.resources import PipelineLogic, Resources, load_resource_model, pipeline_resources, total
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.resources.memories import buffer_resources
from sttest.compile.sharing.functional_units import dma_port
from sttest.compile.sharing.processes import fifo_name, process_name, processes_of
from sttest.compile.timing.cost_model import operator_instances, payload_operators, step_interval
from sttest.sim.graph import MemoryPort, TimedGraph


@dataclass(frozen=True)
class NodeLogic:
    """A process without its memories.

    Attributes:
        name: name of the process, or of both halves of a converter.
        kind: ``task``, ``concat``, ``converter``, ``fork``, ``gather``, ``layers`` or ``dma``.
        logic: operators, control and AXI adapter.
        memory_ports: load and store units, one per DMA.
        hbm_channels: pseudo-channels behind them; units on one channel share an AXI master.
    """

    name: str
    kind: str
    logic: Resources
    memory_ports: int = 0
    hbm_channels: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeModel:
    """The logic of nodes on one board.

    Attributes:
        library: operators at the board's clock.
        port_bits: width of a DMA's port.
        channels_of: pseudo-channels of every DMA.
        buffer_words: words of each DMA's buffer for data in flight.
    """

    library: Mapping[str, Operator]
    port_bits: int
    channels_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buffer_words: Mapping[str, int] = field(default_factory=dict)

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
        name = process_name(op)
        if isinstance(op, df.TaskOp):
            return NodeLogic(name, "task", task_logic(op, op.lane_count, self.library))
        if isinstance(op, df.ConverterOp):
            return NodeLogic(name, "converter", self._converter(op))
        if isinstance(op, df.ForkOp):
            return NodeLogic(name, "fork", self._copies(op.sources[0], len(op.sinks)))
        if isinstance(op, df.GatherOp):
            return NodeLogic(name, "gather", self._copies(op.sinks[0], len(op.sources), _tokens(op, *others)))
        if isinstance(op, df.EnterOp | df.LeaveOp):
            return NodeLogic(name, "layers", self._copies(op.sources[0], 2))
        if isinstance(op, df.ConcatOp):
            return NodeLogic(name, "concat", self._concat(op))
        channels = self.channels_of.get(name, ())
        logic = self._dma(name, _tokens(op, *others)) + self._waits(op)
        return NodeLogic(name, "dma", logic, memory_ports=1, hbm_channels=channels)

    def _pipeline(self, pipeline: PipelineLogic) -> Resources:
        return pipeline_resources(pipeline, self.library)

    def _converter(self, op: df.ConverterOp) -> Resources:
        """A filling and a draining loop, each with its stream and its two credit FIFOs."""
        ports = (op.sources[0], op.sinks[0])
        fill, drain = (self._pipeline(PipelineLogic(ports=3, trip=df.itensor_of(port).tokens)) for port in ports)
        return fill + drain

    def _copies(self, port: SSAValue, others: int, tokens: int = 0) -> Resources:
        """Between the one port of a fork or a gather and its others: a word of registers and a loop."""
        stream = df.itensor_of(port)
        word = Resources(ff=stream.token_bits)
        return word + self._pipeline(PipelineLogic(ports=1 + others, trip=tokens or stream.tokens))

    def _concat(self, op: df.ConcatOp) -> Resources:
        """A word of registers behind the choice of a source."""
        stream = df.itensor_of(op.sinks[0])
        word = _choice(stream.token_bits, len(op.sources)) + Resources(ff=stream.token_bits)
        return word + self._pipeline(PipelineLogic(ports=1 + len(op.sources), trip=stream.tokens))

    def _dma(self, name: str, tokens: int) -> Resources:
        adapter = replace(load_resource_model().adapter(self.port_bits), bram18=0)
        pipeline = self._pipeline(PipelineLogic(ports=1, trip=tokens))
        return total([adapter, buffer_resources(self.buffer_words[name], self.port_bits), pipeline])

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


def task_logic(task: df.TaskOp, lanes: int, library: Mapping[str, Operator]) -> Resources:
    """A task with so many lanes; at the itensor or the stream level."""
    return pipeline_resources(_pipeline_of(task, lanes, library), library)


def engine_logic(members: Sequence[df.TaskOp], library: Mapping[str, Operator]) -> Resources:
    """Tasks that take turns: the operators of one, the FIFOs of all, and the choice of those that are read."""
    pipelines = [_pipeline_of(member, member.lane_count, library) for member in members]
    read = [{_fifo(member.sources[number]) for member in members} for number in range(len(members[0].sources))]
    ports = sum(map(len, read)) + sum(len(member.produced) for member in members)
    trip = max(each.trip for each in pipelines)
    choices = (
        _choice(df.itensor_of(source).token_bits, len(fifos))
        for source, fifos in zip(members[0].sources, read, strict=True)
    )
    return total([pipeline_resources(replace(pipelines[0], ports=ports, trip=trip), library), *choices])


def _pipeline_of(task: df.TaskOp, lanes: int, library: Mapping[str, Operator]) -> PipelineLogic:
    lanes = min(lanes, task.tile_points)
    operators, interval = payload_operators(task), step_interval(task, lanes, library)
    instances = operator_instances(operators, lanes, interval)
    shared = lanes * operators.total() - sum(instances.values())
    ports, steps = len(task.sources) + len(task.produced), -(-task.tile_points // lanes)
    return PipelineLogic(
        instances, ports, task.iterations * steps, interval, shared_operators=shared, accesses=lanes * (ports + 1)
    )


def _fifo(source: SSAValue) -> str:
    return fifo_name(stream_of(source, "resources"))


def _tokens(*nodes: df.NodeOp) -> int:
    """Of all that a DMA or a gather moves."""
    return sum(df.itensor_of(dma_port(node)).tokens for node in nodes)


def _choice(bits: int, sources: int) -> Resources:
    """A word of one of several sources: a LUT chooses one bit of four (AMD UG574)."""
    return Resources(lut=bits * -(-(sources - 1) // 3))


def channels_of(graph: TimedGraph) -> dict[str, tuple[str, ...]]:
    """The pseudo-channels of every DMA of a timed graph."""
    return {port.name: port.channels for port in graph.processes if isinstance(port, MemoryPort)}
