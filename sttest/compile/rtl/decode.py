"""A `df.gather` with a code as a SystemVerilog module: bytes from memory in, the tokens of which they are codes out."""

from sttest.compile.decoders import decoder_of
from sttest.compile.rtl.expressions import Signal, call, joined
from sttest.compile.rtl.module import ModuleText, Side
from sttest.compile.rtl.movers import passing_module
from sttest.compile.rtl.tree import Driven, Function, Generated, Node, Wire
from sttest.reference.graph import BITS
from sttest.reference.weight_types import codes
from sttest.sim.graph import Pipeline


def decode_module(pipeline: Pipeline, sides: tuple[Side, ...], name: str) -> ModuleText:
    """A process that makes tokens of codes, those of its first source lowest.

    Args:
        pipeline: when it does.
        sides: sources, then the sink.
        name: the code.
    """
    code = codes()[name]
    decoder, width = decoder_of(code), BITS[code.dtype]
    sources, sink = [side for side in sides if not side.writes], next(side for side in sides if side.writes)
    bits = sum(side.bits for side in sources)
    count = sink.bits // width
    given, elements, group = Signal("codes"), Signal("elements"), Signal("g")
    nodes: list[Node] = [Wire(given.name, (bits,)), Driven(given, joined(side.data for side in reversed(sources)))]
    if decoder is None:
        return passing_module(pipeline, "decode", sides, given.part(0, sink.bits), sink.bits, nodes)
    groups, width = -(-count // code.group), code.group * width
    decoded = call("decoded", given.part(code.bits * group, code.bits))
    nodes += [
        Wire(elements.name, (groups * width,)),
        Function("decoded", decoder.verilog),
        Generated("g", groups, (Driven(elements.part(width * group, width), decoded),), "group"),
    ]
    return passing_module(pipeline, "decode", sides, elements.part(0, sink.bits), sink.bits, nodes)
