"""A process of the dataflow region: a function and what it is called with."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import StreamLoop, merged
from sttest.compile.hls.memory_layout import count, cut_inside, element_loops, lowest, token_element
from sttest.compile.hls.types import LocalArray, Token
from sttest.compile.hls.writer import Code, CountedLoop, affine, counted
from sttest.compile.ir.module_walk import run_first
from sttest.core.errors import InputError


@dataclass(frozen=True)
class Process:
    """A function that is called once."""

    name: str  # name of the function
    parameters: tuple[str, ...]  # declarations
    arguments: tuple[str, ...]  # arguments that the top function passes, in the same order
    # inputs, outputs: names of the parameters that are read and written, in the node's order
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    memory: str = ""  # start of the tensors that lie behind those of all layers; empty if there are none


@dataclass(frozen=True)
class EngineProcess:
    """The functions of an engine, which serves several tasks in turn."""

    turn: Process  # the one that works; it is called by the other
    whole: Process  # the process
    streams: tuple[tuple[str, ...], ...]  # per task, the parameters of ``whole`` that are its sources and results


# --- A `df.concat` as a C++ function


def emit_concat(code: Code, process: Process, token: Token, turns: int, tokens: Sequence[int]) -> None:
    """Writes the function that reads its streams in turn.

    Args:
        code: text that is appended to.
        process: its name and streams.
        token: type of the tokens of all streams.
        turns: number of times that each stream is read.
        tokens: tokens per stream and turn.
    """
    shares = ", then ".join(f"{count} of {name}" for count, name in zip(tokens, process.inputs, strict=True))
    code.comment(f"In {counted(turns, 'turn')}, tokens: {shares}.")
    nest = [CountedLoop("turns", "t", turns)] if turns > 1 else []
    nest.append(CountedLoop("tokens", "n", sum(tokens)))
    with code.process(process.name, process.parameters), code.loops(nest, "pipeline II=1"):
        code.line(f"{token.c_type} token;")
        end = 0
        for stream, count in zip(process.inputs, tokens, strict=True):
            first, end = end, end + count
            is_last = end == sum(tokens)
            condition = "" if is_last else f"if (n < {end}) "
            code.line(f"{'else ' if first else ''}{condition}token = {stream}.read();")
        code.line(f"{process.outputs[0]}.write(token);")


# --- A `df.fork` as a C++ function


def emit_fork(code: Code, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that copies every token to all readers."""
    code.comment(f"Copies {counted(tokens, 'token')} to {counted(len(process.outputs), 'reader')}.")
    nest = [CountedLoop("tokens", "t", tokens)]
    with code.process(process.name, process.parameters), code.loops(nest, "pipeline II=1"):
        code.line(f"const {token.c_type} token = {process.inputs[0]}.read();")
        for output in process.outputs:
            code.line(f"{output}.write(token);")


# --- A `df.gather` as a C++ function


def emit_gather(code: Code, process: Process, part: Token, whole: Token, tokens: int, behind: int = 0) -> None:
    """Writes the function that puts slices together; a slice is a contiguous part of its token.

    Args:
        code: text that is appended to.
        process: the gather's process; its inputs are the slices in order.
        part, whole: tokens of its inputs and of its output.
        tokens: tokens per slice and layer.
        behind: those that come once, after all layers.
    """
    code.comment(f"Puts {counted(tokens, 'token')} of {counted(len(process.inputs), 'slice')} together.")
    with code.function(f"static void {process.name}", process.parameters), code.every_step():
        with code.every_layer():
            _put_together(code, process, part, whole, tokens)
        if behind:
            _put_together(code, process, part, whole, behind)


def _put_together(code: Code, process: Process, part: Token, whole: Token, tokens: int) -> None:
    nest = [CountedLoop("tokens", "t", tokens)]
    elements = [CountedLoop("elements", "e", part.size)] if part.size > 1 else []
    with code.loops(nest, "pipeline II=1"):
        for number, source in enumerate(process.inputs):
            code.line(f"const {part.c_type} slice_{number} = {source}.read();")
        code.line(f"{whole.c_type} token;")
        with code.unrolled(elements):
            place = [("e", 1)] if elements else []
            for number in range(len(process.inputs)):
                target = whole.at("token", affine(place, number * part.size))
                code.line(f"{target} = {part.at(f'slice_{number}', 'e')};")
        code.line(f"{process.outputs[0]}.write(token);")


# --- `df.enter` and `df.leave` as C++ functions: where activations come from, and where they go, layer by layer


def emit_enter(code: Code, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that gives the first layer what comes from memory, the others what goes round.

    Args:
        code: text that is appended to.
        process: its sources are outside and back.
        token: type of the tokens of all streams.
        tokens: tokens per layer.
    """
    outside, back = process.inputs
    code.comment(f"{counted(tokens, 'token')} from memory for the first layer, then what each layer made.")
    with code.process(process.name, process.parameters), code.loops(_tokens(tokens), "pipeline II=1"):
        code.line(f"{token.c_type} token;")
        code.line(f"if (layer == 0) token = {outside}.read();")
        code.line(f"else token = {back}.read();")
        code.line(f"{process.outputs[0]}.write(token);")


def emit_leave(code: Code, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that sends round what a layer made, and that of the last layer to memory.

    Args:
        code: text that is appended to.
        process: its results are back and outside.
        token: type of the tokens of all streams.
        tokens: tokens per layer.
    """
    back, outside = process.outputs
    code.comment(f"{counted(tokens, 'token')} go round after every layer but the last.")
    with code.process(process.name, process.parameters), code.loops(_tokens(tokens), "pipeline II=1"):
        code.line(f"const {token.c_type} token = {process.inputs[0]}.read();")
        code.line(f"if (layer < {code.layers - 1}) {back}.write(token);")
        code.line(f"else {outside}.write(token);")


def _tokens(tokens: int) -> list[CountedLoop]:
    return [CountedLoop("tokens", "t", tokens)]


# --- A `df.converter` as two processes that share a ping-pong buffer: one fills a half, the other drains the last


@dataclass(frozen=True)
class Side:
    """How one side walks a block."""

    token: Token  # type of the stream's tokens
    loops: tuple[StreamLoop, ...]  # over the tokens of a block
    start: tuple[int, ...]  # place of the first token in the buffer, per data dim


@dataclass(frozen=True)
class Conversion:
    """What a converter does."""

    blocks: int  # number of times that the buffer is filled
    buffer: LocalArray  # one half; an array of one element still has a dim
    # fill, drain: the two sides
    fill: Side
    drain: Side


def conversion(op: df.ConverterOp, name: str) -> Conversion:
    """The facts of a converter; ``name`` is for messages.

    Raises:
        InputError: no buffer yet, or a side that leaves it.
    """
    if op.buffer is None or op.blocks is None:
        raise run_first("hls", f"{op.name} has no buffer", "materialize-converters")
    source, sink = df.itensor_of(op.sources[0]), df.itensor_of(op.sinks[0])
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
                where=name, hints=["compile the design anew"],
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
