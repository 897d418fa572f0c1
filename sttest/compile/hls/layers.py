"""`df.enter` and `df.leave` as C++ functions: where activations come from, and where they go, layer by layer."""

from __future__ import annotations

from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import Code, CountedLoop, counted


def emit_enter(code: Code, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that gives the first layer what comes from memory, the others what goes round.

    Args:
        code: where to.
        process: its sources are outside and back.
        token: of all streams.
        tokens: of a layer.
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
        code: where to.
        process: its results are back and outside.
        token: of all streams.
        tokens: of a layer.
    """
    back, outside = process.outputs
    code.comment(f"{counted(tokens, 'token')} go round after every layer but the last.")
    with code.process(process.name, process.parameters), code.loops(_tokens(tokens), "pipeline II=1"):
        code.line(f"const {token.c_type} token = {process.inputs[0]}.read();")
        code.line(f"if (layer < {code.layers - 1}) {back}.write(token);")
        code.line(f"else {outside}.write(token);")


def _tokens(tokens: int) -> list[CountedLoop]:
    return [CountedLoop("tokens", "t", tokens)]
