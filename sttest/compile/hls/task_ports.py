"""A task's streams: their tokens within a tile, and the array that holds the tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from sttest.compile.dialects.df import TaskOp, itensor_of
from sttest.compile.dialects.stream_order import StreamLoop, merged
from sttest.compile.hls.arrays import LocalArray
from sttest.compile.hls.stream_loops import count, cut_inside, offsets
from sttest.compile.hls.types import Token
from sttest.errors import InputError


@dataclass(frozen=True)
class TaskPort:
    """A source or a result.

    Attributes:
        token: of the stream.
        rows: per data dim of the tensor, how far each loop of the task moves.
        parts: the loops over the tokens of a tile.
        held: the iteration of every loop that a running tile is held for.
        tile: the array that holds the tile, or all running tiles.
        scanned: whether it is a result that reductions index.
    """

    token: Token
    rows: tuple[tuple[int, ...], ...]
    parts: tuple[StreamLoop, ...]
    held: tuple[str, ...]
    tile: LocalArray
    scanned: bool = False

    def at(self, place: Sequence[str]) -> str:
        """An element of the present tile, by an index expression per data dim."""
        return self.tile.at((*self.held, *place))

    @property
    def offsets(self) -> list[tuple[int, ...]]:
        """Where each token of a tile lies in it, in stream order."""
        return list(offsets(self.parts, len(self.rows)))


def task_ports(task: TaskOp) -> tuple[list[TaskPort], list[TaskPort]]:
    """Sources and results of a task.

    Raises:
        InputError: the task does not say what it accesses, or its streams have another order than its loops.
    """
    where = task.sym_name.data
    if task.accesses is None:
        raise InputError(
            "no-accesses", "the task does not say which elements its payload works on", where=where,
            levers=["compile the design anew"],
        )  # fmt: skip
    maps = [access.data for access in task.accesses]
    every = range(len(task.trip_counts))
    outside = [loop for loop in every if task.loop_kinds[loop] == "parallel"]
    arity = len(task.sources)
    sources = [
        _port(task, source, access, f"in{number}", loops=every)
        for number, (source, access) in enumerate(zip(task.sources, maps[:arity], strict=True))
    ]
    results = []
    for number, (result, access) in enumerate(zip(task.produced, maps[arity:], strict=True)):
        name, scanned = f"out{number}", task.is_scanned(number)
        loops, held = (every, ()) if scanned else (outside, task.held_loops)
        results.append(replace(_port(task, result, access, name, loops=loops, held=held), scanned=scanned))
    return sources, results


def _port(
    task: TaskOp, value: SSAValue, access: AffineMap, name: str, *, loops: Sequence[int], held: Sequence[int] = ()
) -> TaskPort:
    where = task.sym_name.data
    stream = itensor_of(value)
    rows = _rows(access, where)
    wanted = [
        StreamLoop(task.trip_counts[loop], tuple(row[loop] * task.tile_sizes[loop] for row in rows)) for loop in loops
    ]
    outer, inner = cut_inside(stream, stream.tokens // count(wanted), where)
    if merged(outer) != merged(wanted) or any(stream.map.eval((0,) * stream.map.num_dims, ())):
        raise InputError(
            "unaligned-stream", f"{stream} is not streamed in the order of the task's loops", where=where,
            levers=["put a converter before the task"],
        )  # fmt: skip
    tiles = (task.trip_counts[loop] for loop in held)
    extents = (1 + sum(factor * (size - 1) for factor, size in zip(row, task.tile_sizes, strict=True)) for row in rows)
    token = Token.of(stream, where)
    array = LocalArray(name, token.element.c_type, (*tiles, *extents))
    return TaskPort(token, rows, tuple(inner), tuple(f"t{loop}" for loop in held), array)


def _rows(access: AffineMap, where: str) -> tuple[tuple[int, ...], ...]:
    """Coefficients of a linear map without constants."""
    zero = access.eval((0,) * access.num_dims, ())
    units = [tuple(int(dim == unit) for dim in range(access.num_dims)) for unit in range(access.num_dims)]
    columns = [access.eval(unit, ()) for unit in units]
    rows = tuple(tuple(column[dim] - zero[dim] for column in columns) for dim in range(len(zero)))
    if any(zero) or any(factor < 0 for row in rows for factor in row):
        raise InputError(
            "bad-access", f"{access} does not start at element 0 or runs backwards", where=where,
            levers=["write accesses as sums of loops with positive factors"],
        )  # fmt: skip
    return rows
