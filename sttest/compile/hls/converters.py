"""A `df.converter` as two processes that share a ping-pong buffer: one fills a half, the other drains the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sttest.compile.dialects.df import ConverterOp, itensor_of
from sttest.compile.dialects.stream_order import StreamLoop, merged
from sttest.compile.hls.arrays import LocalArray
from sttest.compile.hls.process import Process
from sttest.compile.hls.stream_loops import count, cut_inside, lowest
from sttest.compile.hls.token_text import element_loops, token_element
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import Code, CountedLoop, affine, counted
from sttest.compile.ir.pass_order import run_first
from sttest.errors import InputError


@dataclass(frozen=True)
class Side:
    """How one side walks a block.

    Attributes:
        token: of the stream.
        loops: over the tokens of a block.
        start: where in the buffer the first token lies, per data dim.
    """

    token: Token
    loops: tuple[StreamLoop, ...]
    start: tuple[int, ...]


@dataclass(frozen=True)
class Conversion:
    """What a converter does.

    Attributes:
        blocks: how often the buffer is filled.
        buffer: one half; an array of one element still has a dim.
        fill, drain: the two sides.
    """

    blocks: int
    buffer: LocalArray
    fill: Side
    drain: Side


def conversion(op: ConverterOp, name: str) -> Conversion:
    """The facts of a converter; ``name`` is for messages.

    Raises:
        InputError: no buffer yet, or a side that leaves it.
    """
    if op.buffer is None or op.blocks is None:
        raise run_first("hls", f"{op.name} has no buffer", "materialize-converters")
    source, sink = itensor_of(op.sources[0]), itensor_of(op.sinks[0])
    blocks, shape = op.blocks.value.data, op.buffer.values
    rank = len(shape)
    _, filling = cut_inside(source, source.tokens // blocks, name)
    _, draining = cut_inside(sink, sink.tokens // blocks, name)
    corner = lowest(filling, rank)
    base = [stream.map.eval((0,) * stream.map.num_dims, ()) for stream in (source, sink)]
    starts = [tuple(at - first - low for at, first, low in zip(start, base[0], corner, strict=True)) for start in base]
    sides = [
        Side(Token.of(stream, name), tuple(merged(loops)), start)
        for stream, loops, start in ((source, filling, starts[0]), (sink, draining, starts[1]))
    ]
    for side in sides:
        _check_inside(side, shape, name)
    return Conversion(blocks, LocalArray("block", sides[0].token.element.c_type, shape), *sides)


def _check_inside(side: Side, shape: Sequence[int], name: str) -> None:
    for dim, extent in enumerate(shape):
        low = side.start[dim] + lowest(side.loops, len(shape))[dim]
        high = side.start[dim] + side.token.shape[dim]
        high += sum((loop.trip - 1) * max(0, loop.strides[dim]) for loop in side.loops)
        if low < 0 or high > extent:
            raise InputError(
                "outside-buffer", f"a token reaches elements {low} to {high - 1} of dim {dim}, the buffer has {extent}",
                where=name, levers=["compile the design anew"],
            )  # fmt: skip


def block_typedef(facts: Conversion, block_type: str) -> str:
    """The declaration of the buffer's type."""
    return f"typedef {facts.buffer.c_type} {block_type}{facts.buffer.extents or '[1]'};"


def emit_fill(code: Code, facts: Conversion, process: Process, block_type: str) -> None:
    """Writes the process that takes the source's tokens."""
    token = facts.fill.token
    _describe(code, facts, "Fills", facts.fill)
    with _block(code, facts, process, f"hls::write_lock<{block_type}> block({process.outputs[0]});", facts.fill):
        code.line(f"const {token.c_type} token = {process.inputs[0]}.read();")
        with code.unrolled(element_loops(token)):
            code.line(f"{_buffer_element(facts, facts.fill)} = {token_element(token)};")


def emit_drain(code: Code, facts: Conversion, process: Process, block_type: str) -> None:
    """Writes the process that gives the sink's tokens."""
    token = facts.drain.token
    _describe(code, facts, "Drains", facts.drain)
    with _block(code, facts, process, f"hls::read_lock<{block_type}> block({process.inputs[0]});", facts.drain):
        code.line(f"{token.c_type} token;")
        with code.unrolled(element_loops(token)):
            code.line(f"{token_element(token)} = {_buffer_element(facts, facts.drain)};")
        code.line(f"{process.outputs[0]}.write(token);")


@contextmanager
def _block(code: Code, facts: Conversion, process: Process, lock: str, side: Side) -> Iterator[None]:
    """The loops over blocks and tokens; a lock lives for one block."""
    blocks = [CountedLoop("blocks", "b", facts.blocks)] if facts.blocks > 1 else []
    tokens = [CountedLoop(f"tokens_{n}", f"t{n}", loop.trip) for n, loop in enumerate(side.loops)]
    with code.process(process.name, process.parameters), code.loops(blocks):
        code.line(lock)
        with code.loops(tokens, "pipeline II=1"):
            yield


def _describe(code: Code, facts: Conversion, verb: str, side: Side) -> None:
    blocks, tokens = counted(facts.blocks, "block"), counted(count(side.loops), "token")
    extents = "x".join(map(str, facts.buffer.shape))
    code.comment(f"{verb} {blocks} of {extents} elements, {tokens} each.")


def _buffer_element(facts: Conversion, side: Side) -> str:
    index = []
    for dim, size in enumerate(side.token.shape):
        terms = [(f"t{position}", loop.strides[dim]) for position, loop in enumerate(side.loops)]
        terms += [(f"e{dim}", 1)] if size > 1 else []
        index.append(affine(terms, side.start[dim]))
    return facts.buffer.at(index) + ("" if facts.buffer.dims else "[0]")
