"""Tasks: a payload over all points of a tiled loop nest, running sums as chains in stream order.

A sink that reductions index (a scan) has what each step of the chain gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import NUMPY, Array
from sttest.sim.functional.graph import Stream, Task
from sttest.sim.functional.payload import Evaluate, compiled
from sttest.sim.functional.points import gather_points, place_points
from sttest.sim.functional.scalar_ops import constant

# Parallel points that are computed at once: their arrays stay in a core's second-level cache.
_CHUNK = 1 << 16


def run_task(task: Task, streams: Mapping[str, Stream], tokens: Sequence[Array]) -> list[Array]:
    """The tokens of a task's results from those of its sources, arrays as in :mod:`sttest.sim.functional.tokens`.

    Raises:
        InputError: tokens that do not hold what the accesses name, or a value that an integer does not hold.
    """
    accesses = task.accesses[: len(task.sources)]
    points = [
        gather_points(task, access, streams[name], values)
        for access, name, values in zip(accesses, task.sources, tokens, strict=True)
    ]
    try:
        results = _parallel(task, streams, compiled(task.payload), points)
    except InputError as error:
        error.where = f"task '{task.name}'"
        raise
    accesses = task.accesses[len(task.sources) :]
    return [
        place_points(task, access, streams[name], *_in_order(task, number, values))
        for number, (access, name, values) in enumerate(zip(accesses, task.sinks, results, strict=True))
    ]


def _in_order(task: Task, number: int, values: Array) -> tuple[Array, Sequence[int]]:
    """A sink's values over the loops that index it, outermost first, and these loops."""
    if not task.is_scanned(number):
        return values, task.parallel
    every = (*task.reductions, *task.parallel)
    return values.transpose([every.index(loop) for loop in range(len(every))]), range(len(every))


def _parallel(task: Task, streams: Mapping[str, Stream], evaluate: Evaluate, points: list[Array]) -> list[Array]:
    """The results at all parallel points, chunk by chunk: [extent of every parallel loop] each.

    Scanned ones have the reductions' points before: [extent of every reduction, extent of every parallel loop].
    """
    extents = tuple(task.trips[loop] * task.tile[loop] for loop in task.parallel)
    steps = tuple(task.trips[loop] * task.tile[loop] for loop in task.reductions)
    count = len(extents)
    dtypes = [streams[name].dtype for name in task.sinks]
    scanned = [task.is_scanned(number) for number in range(len(dtypes))]
    results = [
        np.empty((*steps, *extents) if scan else extents, dtype=NUMPY[dtype])
        for dtype, scan in zip(dtypes, scanned, strict=True)
    ]
    # Reductions first, so that one step of the chain is one piece of memory.
    sources = [np.asarray(values.transpose((*task.reductions, *task.parallel)), order="C") for values in points]
    axis = max(range(count), key=lambda loop: extents[loop], default=0)
    for chunk in _chunks(extents, axis):
        shape = np.empty(extents, dtype=np.bool_)[chunk].shape
        parts = [_cut(values, chunk, len(task.trips) - count, axis) for values in sources]
        running = [np.full(shape, constant(task.init or "0", dtype)) for dtype in dtypes]
        for step in _steps(task):
            here = [part[tuple(min(n, size - 1) for n, size in zip(step, part.shape, strict=False))] for part in parts]
            running = evaluate([*here, *running])
            for result, value, scan in zip(results, running, scanned, strict=True):
                if scan:
                    result[(*step, *chunk)] = value
        for result, value, scan in zip(results, running, scanned, strict=True):
            if not scan:
                result[chunk] = value
    return results


def _chunks(extents: Sequence[int], axis: int) -> list[tuple[slice, ...]]:
    if not extents:
        return [()]
    length = max(1, _CHUNK * extents[axis] // prod(extents))
    whole = [slice(None)] * len(extents)
    return [
        (*whole[:axis], slice(first, first + length), *whole[axis + 1 :]) for first in range(0, extents[axis], length)
    ]


def _cut(values: Array, chunk: tuple[slice, ...], steps: int, axis: int) -> Array:
    """A chunk of a source; one that does not depend on the loop that is cut is whole in every chunk."""
    if not chunk or values.shape[steps + axis] == 1:
        return values
    return values[(*[slice(None)] * steps, *chunk)]


def _steps(task: Task) -> Iterator[tuple[int, ...]]:
    """The point of every reduction loop, in stream order: iterations first, then points of a tile."""
    trips, tile = ([sizes[loop] for loop in task.reductions] for sizes in (task.trips, task.tile))
    for iteration in product(*map(range, trips)):
        for point in product(*map(range, tile)):
            yield tuple(i * size + p for i, size, p in zip(iteration, tile, point, strict=True))
