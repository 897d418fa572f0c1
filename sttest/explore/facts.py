"""A tiled block as bounds and seeds see it: tasks with their work and their cost per lane, and who waits for whom.

Taken once per tiling; everything that follows from it is arithmetic, so that a design can be judged before it is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import operators
from sttest.boards.part import BudgetName
from sttest.boards.resources import Resources, process_bound, total
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import converter_buffer, same_order
from sttest.compile.ir.module_walk import all_of
from sttest.compile.resources.design import die_of
from sttest.compile.resources.nodes import task_logic
from sttest.compile.schedule.cascades import can_cascade
from sttest.compile.schedule.operators import payload_operators, step_interval
from sttest.compile.spaces.tiling import lane_choices


@dataclass(frozen=True)
class Dependence:
    """A tensor that a task reads from another."""

    producer: int  # number of the other
    rest: int  # iterations that are left when the task has first read what comes last, that one included


@dataclass(frozen=True)
class TaskFacts:
    """A task before it is given lanes."""

    name: str  # name of the task
    engine: str  # functional unit that it shares with others; its own name if its lanes are its own
    contraction: bool  # whether it multiplies two tensors and sums
    # iterations, tile_points: payload evaluations of one run are their product
    iterations: int
    tile_points: int
    intervals: Mapping[int, int]  # cycles between steps, by admissible lanes, ascending
    logic: Mapping[int, Resources]  # resources of the task by admissible lanes
    waits: tuple[Dependence, ...]  # dependences on other tasks
    sums_products: bool = False  # whether it sums products of integers, in DSPs or LUTs

    @property
    def work(self) -> int:
        """Payload evaluations of one run."""
        return self.iterations * self.tile_points

    @cached_property
    def choices(self) -> tuple[int, ...]:
        """Admissible lanes, ascending."""
        return tuple(self.intervals)

    def interval(self, lanes: int) -> int:
        """Cycles of one iteration that no port can shorten."""
        return -(-self.tile_points // lanes) * self.intervals[lanes]

    def cycles(self, lanes: int) -> int:
        """Cycles of one run with so many lanes, if data are always there."""
        return self.iterations * self.interval(lanes)


@dataclass(frozen=True)
class EngineFacts:
    """What has lanes: a task, or several that are alike and take turns."""

    members: tuple[int, ...]  # numbers of the tasks
    tasks: tuple[TaskFacts, ...]  # themselves

    @property
    def choices(self) -> tuple[int, ...]:
        """Admissible lanes, ascending."""
        return self.tasks[0].choices

    @property
    def work(self) -> int:
        """Payload evaluations of one run of all tasks."""
        return sum(task.work for task in self.tasks)

    def logic(self, lanes: int) -> Resources:
        """What it takes at least: as much of each resource as its task that takes most."""
        return Resources(*map(max, *(task.logic[lanes] for task in self.tasks), Resources()))

    def cycles(self, lanes: int) -> int:
        """Cycles of one run of all tasks, if data are always there."""
        return sum(task.cycles(lanes) for task in self.tasks)

    def at_most(self, lanes: float) -> int:
        """The most admissible lanes up to so many; the fewest if there are none."""
        return max((choice for choice in self.choices if choice <= lanes), default=self.choices[0])


@dataclass(frozen=True)
class BlockFacts:
    """A tiled block on a board."""

    tasks: tuple[TaskFacts, ...]  # tasks in topological order
    loaded_bytes: float  # least number of bytes loaded from memory
    bytes_per_cycle: float  # bytes per cycle of all channels together
    budget: Resources  # resources that a design may take of the board, all SLRs together
    process: Resources  # resources that one process may take

    @cached_property
    def engines(self) -> tuple[EngineFacts, ...]:
        """What lanes are given to, in the order of the first task of each."""
        members: dict[str, list[int]] = {}
        for number, task in enumerate(self.tasks):
            members.setdefault(task.engine, []).append(number)
        return tuple(
            EngineFacts(tuple(numbers), tuple(self.tasks[number] for number in numbers)) for numbers in members.values()
        )

    def logic(self, lanes: Mapping[str, int]) -> Resources:
        """What the engines take by themselves."""
        return total(engine.logic(lanes[engine.tasks[0].name]) for engine in self.engines)

    def share(self, resources: Resources) -> float:
        """The largest share of the budget: of what runs out first."""
        return resources.shares_of(self.budget).largest


def block_facts(module: ModuleOp, board: FpgaBoard, budget: BudgetName) -> BlockFacts:
    """Facts of a module that is tiled and not fused yet.

    Args:
        module: after ``linalg-to-kernels``.
        board: board that the design is compiled for.
        budget: how much of it a design may fill; the HBM's switch is left out, as channels are not known yet.
    """
    reader = _Reader(board)
    for kernel in all_of(module, df.KernelOp):
        reader.read(kernel)
    rate = board.feed.bytes_per_cycle(board.clock_mhz.value) * board.feed.channels
    most, process = total(die_of(board, budget).budgets), process_bound(board.fabric, budget)
    return BlockFacts(tuple(reader.tasks), sum(reader.loads.values()), rate, most, process)


class _Reader:
    """Walks the kernels in program order."""

    def __init__(self, board: FpgaBoard) -> None:
        self._library = operators(board)
        self.tasks: list[TaskFacts] = []
        self.loads: dict[SSAValue, float] = {}
        # The tasks whose results a tensor is made of, and the order in which one streams it.
        self._makers: dict[SSAValue, tuple[int, ...]] = {}
        self._orders: dict[SSAValue, df.ITensorType] = {}

    def read(self, kernel: df.KernelOp) -> None:
        """Takes one kernel in; one without a task only passes tensors on."""
        ports = [
            (tensor, df.itensor_of(port)) for tensor, port in zip(kernel.inputs, kernel.body.block.args, strict=True)
        ]
        for tensor, stream in ports:
            if isinstance(tensor, BlockArgument):
                once = _distinct_elements(stream) * stream.element_bits / 8
                self.loads[tensor] = max(self.loads.get(tensor, 0.0), once)
        makers = tuple(maker for tensor, _ in ports for maker in self._makers.get(tensor, ()))
        for task in all_of(kernel, df.TaskOp):
            makers = (len(self.tasks),)
            self.tasks.append(self._task(task, ports))
            self._orders.update({output: df.itensor_of(kernel.stream_of(output)) for output in kernel.outputs})
        for output in kernel.outputs:
            self._makers[output] = makers

    def _task(self, task: df.TaskOp, ports: list[tuple[SSAValue, df.ITensorType]]) -> TaskFacts:
        choices = lane_choices(task.tile_sizes)
        waits = tuple(
            Dependence(maker, _rest(stream, self._orders.get(tensor)))
            for tensor, stream in ports
            if _distinct_elements(stream) == prod(stream.full_shape)
            for maker in self._makers.get(tensor, ())
        )
        name = task.sym_name.data
        engine = name if task.engine is None else task.engine.data
        payload = payload_operators(task)
        return TaskFacts(
            name, engine, task.is_contraction, task.iterations, task.tile_points,
            {lanes: step_interval(task, lanes, self._library) for lanes in choices},
            {lanes: task_logic(task, lanes, self._library, payload) for lanes in choices}, waits, can_cascade(task),
        )  # fmt: skip


def _moves(stream: df.ITensorType) -> list[tuple[int, bool]]:
    """Per loop its trips, and whether it moves the token; what does not move it streams tokens again."""
    rows = stream.coefficients
    return [(trips, any(row[loop] for row in rows)) for loop, trips in enumerate(stream.trip_counts)]


def _distinct_elements(stream: df.ITensorType) -> int:
    """Elements that are streamed, each counted once if tokens do not overlap."""
    return prod(trips for trips, moves in _moves(stream) if moves) * prod(stream.element_shape)


def _rest(stream: df.ITensorType, source: df.ITensorType | None) -> int:
    """Tokens that can only be streamed when all of the source is there.

    Those from the last one that was not streamed before, that one included; where the order of the source is another,
    at least the last block of the buffer in between.
    """
    last = 0
    for trips, moves in _moves(stream):
        last = last * trips + (trips - 1 if moves else 0)
    if source is None or same_order(source, stream):
        return stream.tokens - last
    return max(stream.tokens - last, stream.tokens // converter_buffer(source, stream).blocks)


# --- What no design can beat, before it is made: cycles from work, bytes and dependences; resources from lanes alone


@dataclass(frozen=True)
class DesignBounds:
    """Least cycles of one block by reason, and least resources."""

    work_cycles: int  # cycles of the slowest functional unit by itself
    memory_cycles: float  # cycles that all bytes take over all channels
    chain_cycles: int  # cycles of the longest chain of dependent tasks
    logic: Resources  # logic of the functional units, without memories and data movers

    @property
    def cycles(self) -> float:
        """The longest of the three."""
        return max(self.work_cycles, self.memory_cycles, self.chain_cycles)


def bounds(facts: BlockFacts, lanes: Mapping[str, int]) -> DesignBounds:
    """The bounds of a block with these lanes.

    Args:
        facts: facts of the tiled block.
        lanes: admissible lanes by task.
    """
    done: list[int] = []
    for task in facts.tasks:
        done.append(_done(task, task.interval(lanes[task.name]), done))
    return DesignBounds(
        max((engine.cycles(lanes[engine.tasks[0].name]) for engine in facts.engines), default=0),
        facts.loaded_bytes / facts.bytes_per_cycle,
        max(done, default=0),
        facts.logic(lanes),
    )


def _done(task: TaskFacts, interval: int, done: list[int]) -> int:
    """The first cycle in which the last result of a task can be there."""
    # An iteration starts up to one interval before its operands are all read.
    after = (done[wait.producer] + (wait.rest - 1) * interval + 1 for wait in task.waits)
    return max(task.iterations * interval, *after, 0)
