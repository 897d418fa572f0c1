"""Tasks: a payload over all points of a tiled loop nest, terms of reductions joined in the order that is defined.

A sink that reductions index (a scan) has what each step of the chain gives.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from sttest.core.errors import InputError
from sttest.reference.binary32 import add
from sttest.reference.graph import NUMPY, OWN_KERNEL, Access, Array, Payload, ReferenceStream, ScalarOp, Task
from sttest.reference.memory import Offsets, element_numbers, expanded, offsets
from sttest.reference.own_kernels import own_kernel
from sttest.reference.scalar_ops import FLOAT_OPS, INTEGER_OPS, Function, compare, constant, converted, integer_op

# --- A payload's scalar operations as one function over arrays


Evaluate = Callable[[Sequence[Array]], list[Array]]


def compiled(payload: Payload) -> Evaluate:
    """The payload as a function from the arrays of its arguments, which broadcast, to those of its results.

    Raises:
        InputError: a constant that its type does not hold; at the call, a value that an integer does not hold.
    """
    functions: list[tuple[Function, tuple[int, ...]]] = []
    constants: dict[int, Array] = {}
    first = len(payload.arguments)
    for number, op in enumerate(payload.ops, start=first):
        types = [payload.types[operand] for operand in op.operands]
        if op.op == "arith.constant":
            constants[number] = constant(op.value, op.dtype)
        functions.append((_function(op, types), op.operands))

    def evaluate(arguments: Sequence[Array]) -> list[Array]:
        values = list(arguments)
        for number, (function, operands) in enumerate(functions, start=first):
            known = constants.get(number)
            values.append(known if known is not None else function(*(values[operand] for operand in operands)))
        return [values[result] for result in payload.results]

    return evaluate


def _function(op: ScalarOp, types: list[str]) -> Function:
    if op.op in FLOAT_OPS:
        return FLOAT_OPS[op.op]
    if op.op in INTEGER_OPS:
        return integer_op(op.op, op.dtype)
    if op.op == OWN_KERNEL:
        return own_kernel(op.value)
    if op.op == "arith.cmpf":
        return compare(op.predicate)
    if op.op == "arith.select":
        return np.where
    return converted(op.op, types[0], op.dtype) if types else np.array


# --- Between the tokens of a stream and the points of a task's loops


def gather_points(task: Task, access: Access, stream: ReferenceStream, values: Array) -> Array:
    """The element of a source at every point, [extent or 1 of every loop].

    Raises:
        InputError: the tokens of an iteration do not hold the elements that the access names.
    """
    in_step = stream.trips[: len(task.trips)] == task.trips
    if not in_step:
        # Only loop by loop can repeated tokens stay one.
        values = expanded(stream, values).reshape((*stream.trips, *stream.element))
    trips = values.shape[: len(stream.trips)]
    lead = trips[: len(task.trips)] if in_step else task.trips
    numbers = _element_of_points(task, access, stream, offsets(stream, trips), lead, range(len(lead)))
    tiles = values.reshape((*lead, prod(values.shape) // prod(lead)))
    picked = tiles if _is_whole(numbers) else tiles[..., numbers.reshape(-1)]
    interleaved = picked.reshape((*lead, *numbers.shape))
    return _merged(interleaved, lead, numbers.shape, task)


def place_points(task: Task, access: Access, stream: ReferenceStream, points: Array, indexed: Sequence[int]) -> Array:
    """The tokens of a result, [*trips, *element], from its value at every point of the loops that index it.

    Raises:
        InputError: tokens that are not exactly the elements that the access names.
    """
    loops = len(indexed)
    trips, tile = (tuple(sizes[loop] for loop in indexed) for sizes in (task.trips, task.tile))
    where = offsets(stream, stream.trips)
    numbers = _element_of_points(task, access, stream, where, trips, indexed)
    flat = np.broadcast_to(numbers, tile).reshape(-1)
    if len(np.unique(flat)) != len(flat) or len(flat) * prod(trips) != prod(stream.trips) * prod(stream.element):
        raise _misfit(task, stream, "an iteration does not give each element of its tokens once")
    pairs = [size for pair in zip(trips, tile, strict=True) for size in pair]
    axes = [*range(0, 2 * loops, 2), *range(1, 2 * loops, 2)]
    tiles = points.reshape(pairs).transpose(axes).reshape((*trips, prod(tile)))
    tokens = tiles if _is_whole(numbers) else tiles[..., np.argsort(flat)]
    return np.asarray(tokens, order="C").reshape((*stream.trips, *stream.element))


def _is_whole(numbers: Offsets) -> bool:
    return np.array_equal(numbers.reshape(-1), np.arange(numbers.size))


def _merged(values: Array, lead: Sequence[int], tile: Sequence[int], task: Task) -> Array:
    """[trip or 1 of every loop, point or 1 of every loop] to [extent or 1 of every loop]."""
    loops = len(lead)
    # A loop that brings other tokens but always the same element of them: the element stands for all its points.
    points = [size if trip > 1 else part for trip, part, size in zip(lead, tile, task.tile, strict=True)]
    values = np.broadcast_to(values, (*lead, *points))
    axes = [axis for loop in range(loops) for axis in (loop, loops + loop)]
    return values.transpose(axes).reshape([trip * point for trip, point in zip(lead, points, strict=True)])


def _element_of_points(
    task: Task, access: Access, stream: ReferenceStream, where: Offsets, lead: Sequence[int], loops: Sequence[int]
) -> Offsets:
    """The number, among the elements of an iteration's tokens, that each point of the tile touches.

    It is the same in every iteration, which is checked.  ``lead`` counts the iterations of each of the ``loops``.
    Shape: [point or 1 of each of them].
    """
    rank = len(stream.element)
    if len(access.start) != rank or prod(where.shape[:-1]) % prod(lead):
        raise _misfit(task, stream, f"{stream.tokens} tokens of {rank} dims do not fit the loops")
    cut = prod(where.shape[:-1]) // prod(lead)
    corner = _corners(task, access, lead, loops)
    parts = where.reshape(prod(lead), cut, rank) - corner.reshape(prod(lead), 1, rank)
    if (parts != parts[0]).any():
        iteration = int(np.argmax((parts != parts[0]).any(axis=(1, 2))))
        raise _misfit(task, stream, f"iteration {iteration} reads a token of another place than its access names")
    for loop, found in zip(loops, lead, strict=True):
        if found != task.trips[loop] and any(row[loop] for row in access.coefficients):
            raise _misfit(task, stream, f"loop {loop} streams the same tokens again, the access moves on")
    table = _table(task, stream, parts[0])
    size = [task.tile[loop] if any(row[loop] for row in access.coefficients) else 1 for loop in loops]
    places = np.zeros((*size, rank), dtype=np.int64)
    for dim, row in enumerate(access.coefficients):
        for place, loop in enumerate(loops):
            step = np.arange(size[place]) * row[loop]
            places[..., dim] += step.reshape([-1 if axis == place else 1 for axis in range(len(loops))])
    if (places < 0).any() or (places >= np.array(table.shape, dtype=np.int64)).any():
        raise _misfit(task, stream, "a point touches an element that no token of its iteration holds")
    # A tensor of rank 0 has no dims that points could spread over.
    return np.broadcast_to(table[tuple(places[..., dim] for dim in range(rank))], tuple(size))


def _corners(task: Task, access: Access, lead: Sequence[int], loops: Sequence[int]) -> Offsets:
    """The element that the first point of every iteration of the loops touches, [*lead, data dim]."""
    grid = np.zeros((*lead, len(access.start)), dtype=np.int64)
    for dim, (row, low) in enumerate(zip(access.coefficients, access.start, strict=True)):
        grid[..., dim] = low
        for place, (loop, trip) in enumerate(zip(loops, lead, strict=True)):
            values = np.arange(trip, dtype=np.int64) * (task.tile[loop] * row[loop])
            grid[..., dim] += values.reshape([-1 if axis == place else 1 for axis in range(len(lead))])
    return grid


def _table(task: Task, stream: ReferenceStream, parts: Offsets) -> Offsets:
    """Number of every element of a tile, the tokens of an iteration side by side, by its place in the tile."""
    extent = (parts + np.array(stream.element, dtype=np.int64)).max(axis=0)
    elements = prod(stream.element)
    if (parts < 0).any() or prod(extent.tolist()) != len(parts) * elements:
        raise _misfit(task, stream, "the tokens of an iteration do not make a tile without gaps")
    table = np.full(prod(extent.tolist()), -1, dtype=np.int64)
    pattern = element_numbers(stream.element, extent.tolist())
    for number, part in enumerate(parts):
        first = int(np.ravel_multi_index(tuple(part), tuple(extent))) if len(part) else 0
        table[first + pattern] = number * elements + np.arange(elements)
    if (table < 0).any():
        raise _misfit(task, stream, "the tokens of an iteration overlap")
    return table.reshape(extent.tolist())


def _misfit(task: Task, stream: ReferenceStream, what: str) -> InputError:
    return InputError("bad-access", what, where=f"task '{task.name}', stream '{stream.name}'")


# Parallel points that are computed at once: their arrays stay in a core's second-level cache.
_CHUNK = 1 << 16


def run_task(task: Task, streams: Mapping[str, ReferenceStream], tokens: Sequence[Array]) -> list[Array]:
    """The tokens of a task's results from those of its sources, arrays as in :mod:`sttest.reference.memory`.

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


def _parallel(
    task: Task, streams: Mapping[str, ReferenceStream], evaluate: Evaluate, points: list[Array]
) -> list[Array]:
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
        if task.pairwise:
            # -0 is the number to which any other is added as it is.
            nothing = np.full(shape, np.float32(-0.0))
            terms = (evaluate([*_at(parts, step), nothing])[0] for step in _steps(task))
            results[0][chunk] = _pairwise(terms, prod(steps))
            continue
        running = [np.full(shape, constant(task.init or "0", dtype)) for dtype in dtypes]
        for step in _steps(task):
            running = evaluate([*_at(parts, step), *running])
            for result, value, scan in zip(results, running, scanned, strict=True):
                if scan:
                    result[(*step, *chunk)] = value
        for result, value, scan in zip(results, running, scanned, strict=True):
            if not scan:
                result[chunk] = value
    return results


def _at(parts: Sequence[Array], step: Sequence[int]) -> list[Array]:
    """Each source at one point of the reductions."""
    return [part[tuple(min(n, size - 1) for n, size in zip(step, part.shape, strict=False))] for part in parts]


def _pairwise(terms: Iterable[Array], count: int) -> Array:
    """The sum of neighbors, of neighboring sums and so on, paired from the last; a first without one goes on as it is.

    Terms are numbered so that the last one is the last below a power of two.  The sum of 2 ** n of them waits for that
    of the next as many, as bit n of a counter waits for a carry.
    """
    waiting: list[tuple[int, Array]] = []  # sums of up to 2 ** level terms, levels descending
    for number, total in enumerate(terms, start=(1 << (count - 1).bit_length()) - count):
        level = 0
        while number >> level & 1:
            if waiting and waiting[-1][0] == level:
                total = add(waiting.pop()[1], total)
            level += 1
        waiting.append((level, total))
    return waiting[0][1]


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
