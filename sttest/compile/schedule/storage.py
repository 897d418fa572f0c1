"""What a task keeps: tiles, tokens that wait, running values; how many banks each array has.

An array has a bank for every element that one step touches, so that the bank of an access is constant.  What has one
word per bank is registers; else each bank is a memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, prod

from sttest.compile.dialects import df
from sttest.compile.schedule.reductions import reduction_of, steps_of_tile, sum_distance, waits_in_line
from sttest.compile.schedule.task_schedule import PortMotion, TaskSchedule
from sttest.compile.schedule.tile_walk import PortTokens, Step, TileWalk, task_tokens
from sttest.compile.sharing.processes import process_name
from sttest.core.errors import InputError

_REGISTERS = 8
"""Running values per lane up to which levels are registers, not memories (assumed)."""


@dataclass(frozen=True)
class StoredArray:
    """An array of a task."""

    # name of the port, ``in0`` or ``out0``; of running values ``kept0`` or ``level0``; of tokens ``tokens_in0``
    name: str
    bits: int  # bits of an element
    shape: tuple[int, ...]  # elements per dim
    at_once: tuple[int, ...]  # neighbors per dim that are touched in one cycle

    @property
    def banks(self) -> int:
        """Memories that are addressed by themselves."""
        return prod(min(pair) for pair in zip(self.shape, self.at_once, strict=True))

    @property
    def depth(self) -> int:
        """Words of a bank."""
        return prod(ceil(size / min(size, touched)) for size, touched in zip(self.shape, self.at_once, strict=True))


@dataclass(frozen=True)
class TaskStorage:
    """The arrays of a task, or of tasks that take turns."""

    tiles: Mapping[str, StoredArray] = field(default_factory=dict)  # tiles of every port that keeps one, by its name
    # arrays of running values, by number of the result
    running: Mapping[int, StoredArray] = field(default_factory=dict)
    waiting: tuple[StoredArray, ...] = ()  # arrays of tokens that wait

    @property
    def arrays(self) -> tuple[StoredArray, ...]:
        """All of them."""
        return (*self.tiles.values(), *self.running.values(), *self.waiting)


def task_storage(task: df.TaskOp, schedule: TaskSchedule, members: Sequence[df.TaskOp] = ()) -> TaskStorage:
    """The arrays of a task with its lanes.

    Args:
        task: task; of several that take turns, the one whose arrays hold those of all.
        schedule: its schedule.
        members: tasks that take turns, none for the task alone.
    """
    try:
        sources, results = task_tokens(task)
    except InputError:
        return TaskStorage({f"in{n}": _whole(task, f"in{n}", port) for n, port in enumerate(task.sources)})
    ports = [
        *((f"in{n}", *each) for n, each in enumerate(zip(sources, schedule.sources, task.sources, strict=True))),
        *((f"out{n}", *each) for n, each in enumerate(zip(results, schedule.results, task.produced, strict=True))),
    ]
    tiles, waiting = {}, []
    for name, tokens, motion, value in ports:
        bits, size = df.itensor_of(value).element_bits, prod(tokens.shape)
        if motion.turns is not None:
            tiles[name] = StoredArray(name, bits, (size,), (size,))
        elif keeps_tile(schedule.walk, tokens, motion, name.startswith("out")):
            extents, banks = tile_extents(task, tokens), tile_banks(task, schedule.walk, tokens, motion)
            tiles[name] = StoredArray(name, bits, extents, banks)
        if motion.spread is not None:
            count = motion.spread.registers
            waiting.append(StoredArray(f"tokens_{name}", bits * size, (count,), (count,)))
    running = {}
    for number, (tokens, value) in enumerate(zip(results, task.produced, strict=True)):
        bits = df.itensor_of(value).element_bits
        if (array := running_array(task, schedule.walk, tokens, number, bits, members)) is not None:
            running[number] = array
    return TaskStorage(tiles, running, tuple(waiting))


def memory_name(task: df.TaskOp, array: str) -> str:
    """The name of a task's array, such as ``in0``, among a design's memories."""
    return f"{process_name(task)}_{array}"


def buffer_name(converter: df.ConverterOp) -> str:
    """The name of a converter's ping-pong buffer among a design's memories."""
    return f"{process_name(converter)}_buffer"


def _whole(task: df.TaskOp, name: str, port: object) -> StoredArray:
    """A tile of a task that does not say what it accesses: as many words as it takes steps."""
    stream = df.itensor_of(port)  # pyright: ignore[reportArgumentType]
    bits = max(stream.tokens // task.iterations, 1) * stream.token_bits
    words = min(steps_of_tile(task, min(task.lane_count, task.tile_points)), bits)
    return StoredArray(name, ceil(bits / words), (words,), (1,))


# --- Tiles


def keeps_tile(walk: TileWalk, tokens: PortTokens, motion: PortMotion, is_result: bool) -> bool:
    """Whether a port has an array for its tile.

    A source has none where steps read the tokens where they wait, a result where all of it is made in one step, in
    which it leaves or is put where its tokens wait.
    """
    if is_result:
        return prod(walk.steps[loop] for loop in (walk.order if tokens.scanned else walk.parallel)) > 1
    return motion.spread is None or not motion.spread.in_place


def tile_extents(task: df.TaskOp, tokens: PortTokens) -> tuple[int, ...]:
    """Elements of a tile per data dim."""
    return tuple(
        1 + sum(factor * (size - 1) for factor, size in zip(row, task.tile_sizes, strict=True)) for row in tokens.rows
    )


def lanes_at_once(task: df.TaskOp, walk: TileWalk, tokens: PortTokens) -> tuple[int, ...]:
    """Neighbors per data dim that the lanes of a step touch, rounded up to a divisor of the tile's extent."""
    touched = [1 + sum(f * (n - 1) for f, n in zip(row, walk.lanes, strict=True)) for row in tokens.rows]
    return tuple(
        next(each for each in range(span, extent + 1) if extent % each == 0)
        for span, extent in zip(touched, tile_extents(task, tokens), strict=True)
    )


def tile_banks(task: df.TaskOp, walk: TileWalk, tokens: PortTokens, motion: PortMotion) -> tuple[int, ...]:
    """Banks per data dim: enough for the lanes of a step and for all tokens that it moves.

    They are a multiple of the lanes and of a token's extent, so that the bank of every access is constant.
    """
    steps, moved = walk.in_order(), dict[Step, list[tuple[int, ...]]]()
    for number, offset in zip(motion.steps, tokens.offsets, strict=True):
        moved.setdefault(steps[number], []).append(offset)
    banks = []
    lanes, extents = lanes_at_once(task, walk, tokens), tile_extents(task, tokens)
    for dim, (touched, size, extent) in enumerate(zip(lanes, tokens.shape, extents, strict=True)):
        places = [[offset[dim] for offset in each] for each in moved.values()]
        span = max(touched, *(max(each) - min(each) + size for each in places))
        fitting = (each for each in range(span, extent) if not (extent % each or each % touched or each % size))
        banks.append(next(fitting, extent))
    return tuple(banks)


# --- Running values: in a line of registers, in levels, or in a memory of their own


def running_array(
    task: df.TaskOp, walk: TileWalk, tokens: PortTokens, number: int, bits: int, members: Sequence[df.TaskOp] = ()
) -> StoredArray | None:
    """Where the running values of a result wait, None if they do not.

    Args:
        task: see :func:`task_storage`.
        walk: its walk.
        tokens: those of the result.
        number: number of the result.
        bits: bits of an element.
        members: see :func:`task_storage`.
    """
    together, reduction = members or (task,), reduction_of(task)
    if reduction is None or tokens.scanned or not takes_several_steps(walk, together):
        return None
    held = tuple(task.trip_counts[loop] for loop in task.held_loops)
    shape, lanes = (*held, *tile_extents(task, tokens)), lanes_at_once(task, walk, tokens)
    banks = (*(1 for _ in held), *(lanes if walk.reduces_outside else tile_extents(task, tokens)))
    if reduction.order == "pairwise":
        count = sum_levels(walk, together)
        few = not walk.reduces_outside or prod(shape) <= _REGISTERS * prod(banks)
        return StoredArray(f"level{number}", bits, (count, *shape), (count, *(shape if few else banks)))
    if line := line_places(walk, together):
        places = (line, *(size for loop, size in enumerate(walk.lanes) if loop not in walk.reduced))
        return StoredArray(f"kept{number}", bits, places, places)
    return StoredArray(f"kept{number}", bits, shape, banks)


def takes_several_steps(walk: TileWalk, members: Sequence[df.TaskOp]) -> bool:
    """Whether a result of any of them takes more than one step."""
    return any(member.trip_counts[loop] > 1 for member in members for loop in walk.reduced) or any(
        walk.steps[loop] > 1 for loop in walk.reduced
    )


def sum_levels(walk: TileWalk, members: Sequence[df.TaskOp]) -> int:
    """Levels in which the sums of steps wait for their neighbors."""
    shared = prod(walk.lanes[loop] for loop in walk.reduced)
    return (max(member.reduction_points for member in members) // shared - 1).bit_length()


def line_places(walk: TileWalk, members: Sequence[df.TaskOp]) -> int:
    """Places of the line of registers in which running values go round, 0 if they do not."""
    if not walk.reduces_outside:
        return 0
    # The lanes of the walk, which may lie along other loops than the task's own.
    distances = {sum_distance(member, walk.lanes) for member in members}
    if len(distances) > 1 or not all(waits_in_line(member, walk.lanes) for member in members):
        return 0
    return distances.pop()


def largest(members: Sequence[df.TaskOp]) -> df.TaskOp:
    """The task whose arrays hold those of all others: running tiles are kept per iteration of some loops.

    Raises:
        InputError: there is none.
    """
    first = max(members, key=lambda task: [task.trip_counts[loop] for loop in task.held_loops])
    for member in members:
        sizes = zip(member.held_loops, first.held_loops, strict=False)
        same = len(member.held_loops) <= len(first.held_loops)
        if not same or any(m != f or member.trip_counts[m] > first.trip_counts[f] for m, f in sizes):
            raise InputError(
                "engine-arrays",
                "its tasks keep running tiles of different loops",
                where=_engine(member),
                hints=["share fewer tasks"],
            )
    return first


def _engine(task: df.TaskOp) -> str:
    return (task.engine or task.sym_name).data
