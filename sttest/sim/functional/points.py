"""Between the tokens of a stream and the points of a task's loops.

What belongs to the points of a nest is an array [extent of every loop], with
extent 1 for loops that do not matter: then arrays broadcast as the nest does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Access, Stream, Task
from sttest.sim.functional.tokens import Offsets, element_numbers, expanded, offsets


def gather_points(task: Task, access: Access, stream: Stream, values: Array) -> Array:
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


def place_points(task: Task, access: Access, stream: Stream, points: Array, indexed: Sequence[int]) -> Array:
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
    task: Task, access: Access, stream: Stream, where: Offsets, lead: Sequence[int], loops: Sequence[int]
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
    return table[tuple(places[..., dim] for dim in range(rank))]


def _corners(task: Task, access: Access, lead: Sequence[int], loops: Sequence[int]) -> Offsets:
    """The element that the first point of every iteration of the loops touches, [*lead, data dim]."""
    grid = np.zeros((*lead, len(access.start)), dtype=np.int64)
    for dim, (row, low) in enumerate(zip(access.coefficients, access.start, strict=True)):
        grid[..., dim] = low
        for place, (loop, trip) in enumerate(zip(loops, lead, strict=True)):
            values = np.arange(trip, dtype=np.int64) * (task.tile[loop] * row[loop])
            grid[..., dim] += values.reshape([-1 if axis == place else 1 for axis in range(len(lead))])
    return grid


def _table(task: Task, stream: Stream, parts: Offsets) -> Offsets:
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


def _misfit(task: Task, stream: Stream, what: str) -> InputError:
    return InputError("bad-access", what, where=f"task '{task.name}', stream '{stream.name}'")
