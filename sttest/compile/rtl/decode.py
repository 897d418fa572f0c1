"""A `df.gather` with a code as a SystemVerilog module: bytes from memory in, the tokens of which they are codes out."""

from sttest.compile.decoders import decoder_of
from sttest.compile.rtl.control import Control
from sttest.compile.rtl.module import ModuleText, Side, gated
from sttest.compile.rtl.movers import ENDED, passed
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
    control, code = Control(pipeline), codes()[name]
    decoder, width = decoder_of(code), BITS[code.dtype]
    sources, sink = [side for side in sides if not side.writes], next(side for side in sides if side.writes)
    bits = sum(side.bits for side in sources)
    elements = sink.bits // width
    together = ", ".join(f"{side.name}_data" for side in reversed(sources))
    text = gated(control, sides) + f"  wire [{bits - 1}:0] codes = {{{together}}};\n"
    if decoder is not None:
        groups, width = -(-elements // code.group), code.group * width
        text += f"  wire [{groups * width - 1}:0] elements;\n{decoder.verilog}"
        text += (
            f"  for (genvar g = 0; g < {groups}; g++) begin : group\n"
            f"    assign elements[{width} * g +: {width}] = decoded(codes[{code.bits} * g +: {code.bits}]);\n"
            "  end\n"
        )
        value = f"elements[{sink.bits - 1}:0]"
    else:
        value = f"codes[{sink.bits - 1}:0]"
    return ModuleText("decode", sides, text + passed(control, sides, value, sink.bits) + ENDED, (pipeline.name,))
