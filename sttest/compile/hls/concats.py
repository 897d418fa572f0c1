"""A `df.concat` as a C++ function."""

from __future__ import annotations

from collections.abc import Sequence

from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import Code, CountedLoop, counted


def emit_concat(code: Code, process: Process, token: Token, turns: int, tokens: Sequence[int]) -> None:
    """Writes the function that reads its streams in turn.

    Args:
        code: where to.
        process: its name and streams.
        token: of all streams.
        turns: how often each stream is read.
        tokens: of each stream in a turn.
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
