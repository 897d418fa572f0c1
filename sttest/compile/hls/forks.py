"""A `df.fork` as a C++ function."""

from __future__ import annotations

from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import Code, CountedLoop, counted


def emit_fork(code: Code, process: Process, token: Token, tokens: int) -> None:
    """Writes the function that copies every token to all readers."""
    code.comment(f"Copies {counted(tokens, 'token')} to {counted(len(process.outputs), 'reader')}.")
    nest = [CountedLoop("tokens", "t", tokens)]
    with code.process(process.name, process.parameters), code.loops(nest, "pipeline II=1"):
        code.line(f"const {token.c_type} token = {process.inputs[0]}.read();")
        for output in process.outputs:
            code.line(f"{output}.write(token);")
