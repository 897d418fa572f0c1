"""The processes of a compiled design as modules: which nodes each one is, and by which FIFOs they are joined."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import singledispatch
from math import prod

from xdsl.ir import SSAValue

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.converter import converter_module
from sttest.compile.rtl.decode import decode_module
from sttest.compile.rtl.module import ModuleText, Side, TaskTurn
from sttest.compile.rtl.movers import copying_module, gather_module, hold_module, relay_module
from sttest.compile.rtl.task import task_module
from sttest.compile.rtl.task_body import left_loops
from sttest.compile.schedule.converter_block import converter_block
from sttest.compile.schedule.storage import buffer_name
from sttest.compile.schedule.task_schedule import task_schedule, turn_schedules
from sttest.compile.sharing.layers import outside_layers
from sttest.compile.sharing.processes import HOLD, fifo_name, processes_of
from sttest.core.errors import InputError
from sttest.sim.crossings import behind_registers, register_ends
from sttest.sim.graph import Pipeline, TimedGraph


@dataclass(frozen=True)
class Fifos:
    """The FIFOs of a graph; what crosses SLRs is written to another FIFO than it is read from."""

    bits: Mapping[str, int]  # bits of a token
    first: Mapping[str, str]  # the FIFO that is written, where relays come before the one that is read
    last: Mapping[str, str]  # the FIFO that is read, by each of those before it

    @staticmethod
    def of(graph: TimedGraph) -> "Fifos":
        """Those of a timed graph."""
        last = behind_registers(graph)
        written = {ends[1] for ends in map(register_ends, graph.processes) if ends is not None}
        first = {fifo: before for before, fifo in last.items() if before not in written}
        return Fifos({fifo.name: fifo.bits for fifo in graph.fifos}, first, last)

    def read(self, stream: SSAValue) -> str:
        """The FIFO that the reader of a stream takes tokens from."""
        return fifo_name(stream_of(stream, "RTL"))

    def written(self, stream: SSAValue) -> str:
        """The FIFO that the writer of a stream puts tokens into."""
        name = self.read(stream)
        return self.first.get(name, name)

    def used(self, stream: SSAValue, *, writes: bool) -> str:
        """One of both."""
        return self.written(stream) if writes else self.read(stream)


def design_modules(
    kernel: df.KernelOp,
    graph: TimedGraph,
    library: Mapping[str, Operator],
    cells: Cells | None = None,
    refused: dict[str, InputError] | None = None,
) -> list[ModuleText]:
    """The modules of all processes but memory ports, in the order of the graph.

    Args:
        kernel: kernel at the stream level.
        graph: its timed graph.
        library: operators at the board's clock.
        cells: makes the parts of modules for synthesis; None for those that are simulated.
        refused: takes the processes that have no hardware yet, with the reasons; without it they are errors.

    Raises:
        InputError: a process that has no hardware yet.
    """
    nodes, behind = processes_of(kernel), outside_layers(kernel)
    pipelines = {each.name: each for each in graph.processes if isinstance(each, Pipeline)}
    fifos = Fifos.of(graph)
    found = []
    for name in pipelines:
        if name.endswith("_drain") and name.removesuffix("_drain") in nodes:
            continue
        try:
            found.append(_process(name, nodes, behind, pipelines, fifos, library, cells))
        except InputError as error:
            if refused is None:
                raise
            refused[name] = error
    return found


def _process(
    name: str,
    nodes: Mapping[str, Sequence[df.NodeOp]],
    behind: Set[df.NodeOp],
    pipelines: Mapping[str, Pipeline],
    fifos: Fifos,
    library: Mapping[str, Operator],
    cells: Cells | None,
) -> ModuleText:
    """The module of a process; of both halves of a converter for the one that fills."""
    pipeline, stem = pipelines[name], name.removesuffix("_fill")
    if name.endswith("_fill") and f"{stem}_drain" in pipelines and stem in nodes:
        (converter,) = nodes[stem]
        assert isinstance(converter, df.ConverterOp)
        return _converter(converter, pipeline, pipelines[f"{stem}_drain"], fifos, cells)
    if (ends := register_ends(pipeline)) is not None:
        return _relay(pipeline, ends, pipelines, fifos)
    loads = [node for node in nodes.get(name.removesuffix(HOLD), []) if isinstance(node, df.DmaReadOp)]
    if loads:
        return _hold(loads, pipeline, fifos)
    return _module(nodes.get(name, []), behind, pipeline, fifos, library, cells)


def _module(
    nodes: Sequence[df.NodeOp],
    behind: Set[df.NodeOp],
    pipeline: Pipeline,
    fifos: Fifos,
    library: Mapping[str, Operator],
    cells: Cells | None,
) -> ModuleText:
    """The module of the nodes of a process."""
    if not nodes:
        raise InputError("no-rtl", "a process without nodes has no RTL yet", where=pipeline.name)
    tasks = [node for node in nodes if isinstance(node, df.TaskOp)]
    if tasks:
        turns = _turns(tasks, behind, pipeline)
        return task_module(_task_turns(tasks, fifos, library), pipeline, turns, library, cells)
    node = nodes[0]
    # A fork of a queue has a source for each turn; all other nodes of a queue have the same FIFOs.
    sources = dict.fromkeys(fifos.used(source, writes=False) for each in nodes for source in each.sources)
    sinks = [fifos.used(sink, writes=True) for sink in node.sinks]
    sides = tuple(
        Side(fifo, f"{'out' if writes else 'in'}{n}", fifos.bits[fifo], writes)
        for writes, group in ((False, sources), (True, sinks))
        for n, fifo in enumerate(group)
    )
    return _passing(node, pipeline, sides)


@singledispatch
def _passing(node: df.NodeOp, pipeline: Pipeline, sides: tuple[Side, ...]) -> ModuleText:
    """The module of a node that passes on or puts together what it reads."""
    raise InputError("no-rtl", f"{node.name} has no RTL yet", where=pipeline.name)


@_passing.register
def _gather(node: df.GatherOp, pipeline: Pipeline, sides: tuple[Side, ...]) -> ModuleText:
    if node.code is not None:
        return decode_module(pipeline, sides, node.code.data)
    return gather_module(pipeline, sides, node.runs)


@_passing.register(df.ForkOp)
@_passing.register(df.ConcatOp)
@_passing.register(df.EnterOp)
@_passing.register(df.LeaveOp)
def _copy(node: df.NodeOp, pipeline: Pipeline, sides: tuple[Side, ...]) -> ModuleText:
    return copying_module(pipeline, type(node).__name__.removesuffix("Op").lower(), sides)


def _hold(loads: Sequence[df.DmaReadOp], pipeline: Pipeline, fifos: Fifos) -> ModuleText:
    """What stands between a memory port and its FIFO, and waits for what the port reads next to be there."""
    ahead, sink = _held_ends(pipeline)
    sides = (Side(ahead, "in0", fifos.bits[ahead]), Side(sink, "out0", fifos.bits[sink], writes=True))
    awaited = [fifos.read(source) for load in loads for source in load.sources[1:]]
    names = [f"awaited{number or ''}" for number in range(len(awaited))]
    return hold_module(
        pipeline, (*sides, *(Side(fifo, name, fifos.bits[fifo]) for fifo, name in zip(awaited, names, strict=True)))
    )


def _held_ends(pipeline: Pipeline) -> tuple[str, str]:
    """The FIFOs between which a process that waits passes tokens of a memory port on."""
    source, sink = next(loop for loop in pipeline.loops if len(loop.events) > 1).events
    return source.fifo, sink.fifo


def _relay(pipeline: Pipeline, ends: tuple[str, str], pipelines: Mapping[str, Pipeline], fifos: Fifos) -> ModuleText:
    """A register at an SLR boundary; without data on the way to a process that has the memory of what was read."""
    source, sink = ends
    last = fifos.last.get(sink, sink)
    held = any(each.category == "dma" and _held_ends(each)[0] == last for each in pipelines.values())
    bits = 0 if held else fifos.bits[sink]
    return relay_module(pipeline, Side(source, "in0", bits), Side(sink, "out0", bits, writes=True))


def _turns(tasks: Sequence[df.TaskOp], behind: Set[df.NodeOp], pipeline: Pipeline) -> list[int]:
    """The member of each loop of a process: passes of each task, in layers, then those behind them."""
    kernel = tasks[0].parent_op()
    assert isinstance(kernel, df.KernelOp)
    left = left_loops(tasks, pipeline)
    passes: tuple[list[int], list[int]] = [], []
    for number, task in enumerate(tasks):
        passes[task in behind].extend([number] * prod(task.trip_counts[:left]))
    once = [*passes[False] * kernel.layer_count, *passes[True]]
    return (once * kernel.step_count)[: len(pipeline.loops)]


def _task_turns(tasks: Sequence[df.TaskOp], fifos: Fifos, library: Mapping[str, Operator]) -> list[TaskTurn]:
    """The tasks of a process with their FIFOs: one that serves a port alone has the name of the port."""
    ports = [
        (label, n)
        for label, count in (("in", len(tasks[0].sources)), ("out", len(tasks[0].sinks)))
        for n in range(count)
    ]
    used = {
        (label, n): [fifos.written(task.sinks[n]) if label == "out" else fifos.read(task.sources[n]) for task in tasks]
        for label, n in ports
    }
    sides: dict[tuple[str, bool], Side] = {}
    for (label, n), names in used.items():
        alone = len({*names}) == 1 and sum(names[0] in others for others in used.values()) == 1
        for turn, name in enumerate(names):
            writes = label == "out"
            given = f"{label}{n}" if alone else f"{label}{n}_of{turn}"
            sides.setdefault((name, writes), Side(name, given, fifos.bits[name], writes))
    schedules = turn_schedules([task_schedule(task, library) for task in tasks])
    return [
        TaskTurn(
            task,
            schedule,
            tuple(sides[fifos.read(each), False] for each in task.sources),
            tuple(sides[fifos.written(each), True] for each in task.sinks),
        )
        for task, schedule in zip(tasks, schedules, strict=True)
    ]


def _converter(
    converter: df.ConverterOp, fill: Pipeline, drain: Pipeline, fifos: Fifos, cells: Cells | None
) -> ModuleText:
    stem = fill.name.removesuffix("_fill")
    source, sink = fifos.read(converter.sources[0]), fifos.written(converter.sinks[0])
    sides = (
        Side(source, "source", fifos.bits[source]),
        Side(f"{stem}_full", "filled", 0, writes=True),
        Side(f"{stem}_empty", "free", 0),
        Side(f"{stem}_full", "full", 0),
        Side(sink, "sink", fifos.bits[sink], writes=True),
        Side(f"{stem}_empty", "emptied", 0, writes=True),
    )
    bits = df.itensor_of(converter.sources[0]).element_bits
    kind = None if cells is None else cells.kind_of(buffer_name(converter))
    return converter_module(fill, drain, converter_block(converter, stem), bits, sides, kind)
