"""A `df.gather` with a code as a C++ function: bytes from memory in, the tokens that they are the code of out."""

from collections.abc import Sequence

from sttest.compile.decoders import decoder_of
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import CodeWriter, CountedLoop, counted
from sttest.reference.weight_types import codes

_LEAST_BITS = 72
"""Bits of a word of which ranges are written one by one: the shipped types of integers have none that is narrower."""


def emit_decode(
    code: CodeWriter,
    process: Process,
    part: Token,
    whole: Token,
    passes: tuple[Sequence[int], Sequence[int]],
    name: str,
    helpers: Helpers,
) -> None:
    """Writes the function.

    Args:
        code: tree that is appended to.
        process: the gather's process; its inputs are the slices in order.
        part, whole: tokens of its inputs and of its output.
        passes: tokens per slice of each pass of the pipeline, in every layer and behind all layers.
        name: the code.
        helpers: functions that the kernel has.
    """
    code.comment(f"Makes tokens of codes in {counted(len(process.inputs), 'slice')}.")
    with process.defined(code, f"decode_{len(process.inputs)}"):
        for count in code.in_layers(*passes):
            _decoded(code, process, part, whole, count, name, helpers)


def _decoded(
    code: CodeWriter, process: Process, part: Token, whole: Token, tokens: int, name: str, helpers: Helpers
) -> None:
    size = part.size * len(process.inputs)
    with code.loops([CountedLoop("tokens", "t", tokens)], "pipeline II=1"):
        code.variable(f"ap_uint<{max(8 * size, _LEAST_BITS)}>", "bytes")
        for number, source in enumerate(process.inputs):
            part.take(code, f"slice_{number}", source, code.type("PART", part.c_type))
        whole.declare(code, "token", code.type("TOKEN", whole.c_type))
        for number in range(len(process.inputs)):
            first = number * part.size
            with code.unrolled([CountedLoop("bytes", "b", part.size)] if part.size > 1 else []):
                place = "b" if part.size > 1 else "0"
                at = f"8 * ({place} + {first})" if first else f"8 * {place}"
                code.assign(f"bytes.range({at} + 7, {at})", f"ap_uint<8>({part.at(f'slice_{number}', place)})")
        with code.unrolled([CountedLoop("elements", "e", whole.size)] if whole.size > 1 else []):
            element = "e" if whole.size > 1 else "0"
            code.assign(whole.at("token", element), _element(name, element, whole, helpers))
        whole.write(code, process.outputs[0], "token")


def _element(name: str, element: str, whole: Token, helpers: Helpers) -> str:
    found = codes()[name]
    decoder = decoder_of(found)
    if decoder is None:
        first = f"{found.bits} * {element}"
        return f"{whole.element.c_type}(bytes.range({first} + {found.bits - 1}, {first}))"
    first = f"{found.bits} * ({element} / {found.group})"
    group = f"ap_uint<{found.bits}>(bytes.range({first} + {found.bits - 1}, {first})).to_uint()"
    return f"{helpers.call_decoder(decoder)}({group}, {element} % {found.group})"
