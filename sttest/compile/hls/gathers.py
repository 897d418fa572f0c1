"""A `df.gather` as a C++ function."""

from __future__ import annotations

from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import Code, CountedLoop, affine, counted


def emit_gather(code: Code, process: Process, part: Token, whole: Token, tokens: int, behind: int = 0) -> None:
    """Writes the function that puts slices together; a slice is a contiguous part of its token.

    Args:
        code: where to.
        process: whose inputs are the slices in order.
        part, whole: tokens of its inputs and of its output.
        tokens: of each in a layer.
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
