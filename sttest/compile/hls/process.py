"""A process of the dataflow region: a function and what it is called with."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from sttest.compile.hls.tree import CppArgument, CppCalls
from sttest.compile.hls.types import Token
from sttest.compile.hls.value_names import ValueNames
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine, counted


@dataclass(frozen=True)
class Process:
    """A function that is called once."""

    name: str  # name of the function
    parameters: tuple[CppArgument, ...]
    arguments: tuple[str, ...]  # arguments that the top function passes, in the same order
    # inputs, outputs: names of the parameters that are read and written, in the node's order
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    memory: str = ""  # start of the tensors that lie behind those of all layers; empty if there are none
    sizes: tuple[tuple[str, int], ...] = ()  # what the names of its inputs and outputs count with
    values: ValueNames | None = None  # names of a task's inputs and outputs

    def defined(self, code: CodeWriter, kind: str = "") -> AbstractContextManager[None]:
        """Its definition.

        Args:
            code: tree that is appended to.
            kind: name of functions that differ from it in sizes and types only; empty if there are none.
        """
        names = () if self.values is None else self.values.all
        return code.function(self.name, self.parameters, kind, self.sizes, names)

    @contextmanager
    def every_layer(self, code: CodeWriter, kind: str = "") -> Iterator[None]:
        """Its definition; what is written in it runs for every layer of every token."""
        with self.defined(code, kind), code.every_step(), code.every_layer():
            yield


@dataclass(frozen=True)
class EngineProcess:
    """The functions of an engine, which serves several tasks in turn."""

    turn: Process  # the one that works; it is called by the other
    whole: Process  # the process
    streams: tuple[tuple[str, ...], ...]  # parameters of ``whole`` that are the sources and results of each task


# --- A `df.concat` as a C++ function


def emit_concat(code: CodeWriter, process: Process, token: Token, turns: int, tokens: Sequence[int]) -> None:
    """Writes the function that reads its streams in turn.

    Args:
        code: tree that is appended to.
        process: its name and streams.
        token: type of the tokens of all streams.
        turns: number of times that each stream is read.
        tokens: tokens per stream and turn.
    """
    code.comment("Reads streams in turn, so many tokens of each.")
    nest = [CountedLoop("turns", "t", turns)] if turns > 1 else []
    nest.append(CountedLoop("tokens", "n", sum(tokens)))
    with process.every_layer(code, f"concat_{len(tokens)}"), code.loops(nest, "pipeline II=1"):
        token.declare(code, "token", code.type("TOKEN", token.c_type))
        end = 0
        for stream, count in zip(process.inputs, tokens, strict=True):
            first, end = end, end + count
            is_last = end == sum(tokens)
            conditions = [] if is_last else [f"n < {end}"]
            with code.otherwise(conditions) if first else code.scope(conditions):
                token.read(code, "token", stream)
        token.write(code, process.outputs[0], "token")


# --- A `df.fork` as a C++ function


def emit_fork(
    code: CodeWriter,
    process: Process,
    token: Token,
    turns: Sequence[tuple[str, int]],
    behind: Sequence[tuple[str, int]],
) -> None:
    """Writes the function that copies every token to all readers.

    Args:
        code: tree that is appended to.
        process: its streams.
        token: type of the tokens of all streams.
        turns: input and tokens of each turn of a layer.
        behind: those of turns that come once, after all layers.
    """
    readers = len(process.outputs)
    code.comment(f"Copies every token to {counted(readers, 'reader')}.")
    kind = f"fork_{readers}" if len(turns) + len(behind) == 1 else ""
    with process.defined(code, kind):
        for source, tokens in code.in_layers(turns, behind):
            with code.loops(_tokens(tokens), "pipeline II=1"):
                token.take(code, "token", source, code.type("TOKEN", token.c_type))
                code.add(CppCalls(tuple(token.written(output, "token") for output in process.outputs)))


# --- A register at an SLR boundary as a C++ function


def emit_relay(code: CodeWriter, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that passes tokens on.

    Args:
        code: tree that is appended to.
        process: its name and streams.
        token: type of the tokens of both streams.
        tokens: tokens in a launch.
    """
    code.comment("Passes tokens on at an SLR boundary.")
    with process.defined(code, "relay"), code.loops(_tokens(tokens), "pipeline II=1"):
        token.take(code, "token", process.inputs[0], code.type("TOKEN", token.c_type))
        token.write(code, process.outputs[0], "token")


# --- A `df.gather` as a C++ function


def emit_gather(
    code: CodeWriter,
    process: Process,
    part: Token,
    whole: Token,
    tokens: Sequence[int],
    behind: Sequence[int],
    runs: int,
) -> None:
    """Writes the function that puts slices together.

    Args:
        code: tree that is appended to.
        process: the gather's process; its inputs are the slices in order.
        part, whole: tokens of its inputs and of its output.
        tokens: tokens per slice and layer, of each pass of the pipeline.
        behind: those of passes that come once, after all layers.
        runs: equal parts of every slice, after each of which that of the next slice follows.
    """
    code.comment(f"Puts tokens of {counted(len(process.inputs), 'slice')} together.")
    with process.defined(code, f"gather_{len(process.inputs)}"):
        for count in code.in_layers(tokens, behind):
            _put_together(code, process, part, whole, count, runs)


def _put_together(code: CodeWriter, process: Process, part: Token, whole: Token, tokens: int, runs: int) -> None:
    nest = [CountedLoop("tokens", "t", tokens)]
    run = part.size // runs
    outer = [("r", runs, run * len(process.inputs), run)] if runs > 1 else []
    moved = [*outer, *([("e", run, 1, 1)] if run > 1 else [])]
    elements = [CountedLoop("runs" if name == "r" else "elements", name, count) for name, count, *_ in moved]
    with code.loops(nest, "pipeline II=1"):
        for number, source in enumerate(process.inputs):
            part.take(code, f"slice_{number}", source, code.type("PART", part.c_type))
        whole.declare(code, "token", code.type("TOKEN", whole.c_type))
        with code.unrolled(elements):
            to, of = ([(name, strides[side]) for name, _, *strides in moved] for side in (0, 1))
            for number in range(len(process.inputs)):
                target = whole.at("token", affine(to, number * run))
                code.assign(target, part.at(f"slice_{number}", affine(of, 0) if of else "e"))
        whole.write(code, process.outputs[0], "token")


# --- `df.enter` and `df.leave` as C++ functions: where activations come from, and where they go, layer by layer


def emit_enter(code: CodeWriter, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that gives the first layer what comes from memory, the others what goes round.

    Args:
        code: tree that is appended to.
        process: its sources are outside and back.
        token: type of the tokens of all streams.
        tokens: tokens per layer.
    """
    outside, back = process.inputs
    code.comment("Tokens from memory for the first layer, then what each layer made.")
    with process.every_layer(code, "enter_layer"), code.loops(_tokens(tokens), "pipeline II=1"):
        token.declare(code, "token", code.type("TOKEN", token.c_type))
        with code.scope(["layer == 0"]):
            token.read(code, "token", outside)
        with code.otherwise():
            token.read(code, "token", back)
        token.write(code, process.outputs[0], "token")


def emit_leave(code: CodeWriter, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that sends round what a layer made, and that of the last layer to memory.

    Args:
        code: tree that is appended to.
        process: its results are back and outside.
        token: type of the tokens of all streams.
        tokens: tokens per layer.
    """
    back, outside = process.outputs
    code.comment("Tokens go round after every layer but the last.")
    with process.every_layer(code, "leave_layer"), code.loops(_tokens(tokens), "pipeline II=1"):
        token.take(code, "token", process.inputs[0], code.type("TOKEN", token.c_type))
        with code.scope([f"layer < {code.layers - 1}"]):
            token.write(code, back, "token")
        with code.otherwise():
            token.write(code, outside, "token")


def _tokens(tokens: int) -> list[CountedLoop]:
    return [CountedLoop("tokens", "t", tokens)]
