"""Refuses streams, layouts, accesses and nodes that cannot be, each by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING

from sttest.errors import InputError
from sttest.sim.checks import check_choice, check_name, check_whole
from sttest.sim.functional.element_types import BITS
from sttest.sim.functional.op_types import check_op

if TYPE_CHECKING:
    from sttest.sim.functional.graph import Access, Concat, Converter, MemoryLayout, Payload, Slice, Stream, Task

MAX_ELEMENTS = 1 << 33
"""Elements that a stream carries, repetitions included, and points of a task's tile."""
MAX_EXTENT = 1 << 40
"""Along a data dim: keeps offsets far from the end of 64 bits."""
MAX_RANK = 12
MAX_LOOPS = 24
MAX_OPS = 10_000
"""Operations of one payload."""
MAX_BEAT_BITS = 1 << 16
_LEVERS = ("write the package anew",)


def refuse(what: str, where: str) -> InputError:
    """The error of a value graph that contradicts itself."""
    return InputError("bad-value-graph", what, where=where, levers=_LEVERS)


def check_stream(stream: Stream) -> None:
    """Ranks agree, numbers are in range."""
    check_name(stream.name, "stream")
    where = f"stream '{stream.name}'"
    check_choice(stream.dtype, "element type", where, BITS)
    check_extents(stream.element, "token shape", where, most=MAX_RANK)
    check_extents(stream.trips, "trips", where, most=MAX_LOOPS)
    check_extents(stream.steps, "steps", where, most=MAX_LOOPS)
    check_whole(stream.depth, "depth", where, 1, MAX_EXTENT)
    loops, rank = len(stream.trips), len(stream.element)
    if len(stream.steps) != loops or any(len(row) != loops for row in stream.coefficients):
        raise refuse(f"{loops} trips need as many steps, and coefficients per data dim", where)
    if len(stream.coefficients) != rank or len(stream.start) != rank:
        raise refuse(f"tokens of {rank} dims need coefficients and a start of as many", where)
    check_whole(prod(stream.trips) * prod(stream.element), "number of elements", where, 1, MAX_ELEMENTS)
    for row, low, size in zip(stream.coefficients, stream.start, stream.element, strict=True):
        reach = _reach(row, [(trip - 1) * step for trip, step in zip(stream.trips, stream.steps, strict=True)])
        check_whole(abs(low) + reach + size, "extent", where, 1, MAX_EXTENT)


def check_layout(layout: MemoryLayout) -> None:
    """The three parts have one number per data dim."""
    where = "memory layout"
    for what, part in (("grid", layout.grid), ("beats", layout.beats), ("beat", layout.beat)):
        check_extents(part, what, where, most=MAX_RANK)
    if not len(layout.grid) == len(layout.beats) == len(layout.beat):
        raise refuse("tiles, beats and elements of a beat have different ranks", where)
    check_whole(
        prod(layout.grid) * prod(layout.beats) * prod(layout.beat), "number of elements", where, 1, MAX_ELEMENTS
    )
    check_whole(layout.beat_bits, "beat", where, 8, MAX_BEAT_BITS)
    if layout.beat_bits % 8:
        raise refuse(f"a beat of {layout.beat_bits} bits is not whole bytes", where)


def check_slice(part: Slice) -> None:
    """One of equal slices."""
    where = "slice"
    check_whole(part.dim, "dim", where, 0, MAX_RANK)
    check_whole(part.slices, "number of slices", where, 1, MAX_EXTENT)
    check_whole(part.extent, "extent", where, 1, MAX_EXTENT)
    check_whole(part.number, "number", where, 0, part.slices - 1)
    if part.extent % part.slices:
        raise refuse(f"tokens of {part.extent} are not {part.slices} equal slices", where)


def check_access(access: Access) -> None:
    """One constant per data dim."""
    if len(access.start) != len(access.coefficients):
        raise refuse(f"{len(access.coefficients)} data dims, but {len(access.start)} constants", "access")


def check_payload(payload: Payload) -> None:
    """Operands stand before what reads them, and operations take their types."""
    where = "payload"
    check_whole(len(payload.ops), "number of operations", where, 0, MAX_OPS)
    for number, op in enumerate(payload.ops, start=len(payload.arguments)):
        _check_numbers(op.operands, number, f"{op.op:.80}")
        check_choice(op.dtype, "element type", where, BITS)
        check_op(op.op, [payload.types[operand] for operand in op.operands], op.dtype, op.predicate)
    _check_numbers(payload.results, len(payload.types), "the end")


def check_concat(concat: Concat) -> None:
    """At least one source and one turn."""
    where = f"concatenation '{concat.name:.80}'"
    check_whole(concat.turns, "number of turns", where, 1, MAX_ELEMENTS)
    if not concat.sources:
        raise refuse("has no sources", where)


def check_converter(converter: Converter) -> None:
    """A buffer and at least one block."""
    where = f"converter '{converter.name:.80}'"
    check_extents(converter.buffer, "buffer", where, most=MAX_RANK)
    check_whole(converter.blocks, "number of blocks", where, 1, MAX_ELEMENTS)
    check_whole(converter.blocks * prod(converter.buffer), "number of buffered elements", where, 1, MAX_ELEMENTS)


def check_task(task: Task) -> None:
    """Loops, ports and payload agree in number."""
    where = f"task '{task.name:.80}'"
    loops, ports = len(task.trips), len(task.sources) + len(task.sinks)
    check_extents(task.trips, "trips", where, most=MAX_LOOPS)
    check_extents(task.tile, "tile", where, most=MAX_LOOPS)
    if not loops == len(task.tile) == len(task.kinds):
        raise refuse("trips, tile and kinds name different loops", where)
    if len(task.accesses) != ports or len(task.payload.arguments) != ports:
        raise refuse(f"{ports} streams need as many accesses and arguments of the payload", where)
    if not task.sinks or len(task.payload.results) != len(task.sinks):
        raise refuse(f"the payload gives {len(task.payload.results)} values to {len(task.sinks)} streams", where)
    if "reduction" in task.kinds and not task.init:
        raise refuse("a reduction has no value to start from", where)
    extents = [trip * size for trip, size in zip(task.trips, task.tile, strict=True)]
    check_whole(prod(extents), "number of points", where, 1, MAX_EXTENT)
    for access in task.accesses:
        if any(len(row) != loops for row in access.coefficients):
            raise refuse(f"an access that is not over its {loops} loops", where)
        for row, low in zip(access.coefficients, access.start, strict=True):
            check_whole(abs(low) + _reach(row, extents), "extent of an access", where, 0, MAX_EXTENT)


def check_extents(values: Sequence[int], what: str, where: str, most: int) -> None:
    """At most ``most`` numbers of at least 1."""
    if len(values) > most:
        raise refuse(f"{what} of {len(values)} dims, at most {most} are possible", where)
    for value in values:
        check_whole(value, what, where, 1, MAX_EXTENT)


def _reach(row: Iterable[int], spans: Iterable[int]) -> int:
    return sum(abs(factor) * span for factor, span in zip(row, spans, strict=True))


def _check_numbers(numbers: Iterable[int], end: int, what: str) -> None:
    for number in numbers:
        if not 0 <= number < end:
            raise refuse(f"{what} reads value {number:.0f} of {end}", "payload")
