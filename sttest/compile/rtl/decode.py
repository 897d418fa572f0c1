"""A `df.gather` with a code as a SystemVerilog module: bytes from memory in, the tokens of which they are codes out."""

from sttest.compile.rtl.control import Control
from sttest.compile.rtl.module import ModuleText, Side, gated
from sttest.compile.rtl.movers import ENDED, passed
from sttest.reference.codes import CODES
from sttest.sim.graph import Pipeline

_ELEMENT_BITS = {"i2": 2, "i3": 3}


def _digits(code: int) -> int:
    """The two bits of each of five digits less one, the first lowest."""
    return sum((code // 3**place % 3 - 1 & 3) << 2 * place for place in range(5))


_FUNCTIONS = {
    # A table: quotients would be made of adders.
    "base-3": "  // The digits of a byte to the base of 3, each less one.\n"
    "  function automatic [9:0] decoded(input [7:0] code);\n    case (code)\n"
    + "".join(f"      8'd{code}: decoded = 10'd{_digits(code)};\n" for code in range(3**5))
    + "      default: decoded = 'x;\n    endcase\n  endfunction\n",
    "3:4": """\
  // The number of the zero, and above it the signs of the others.
  function automatic [7:0] decoded(input [4:0] code);
    for (int place = 0; place < 4; place++)
      decoded[2 * place +: 2] = place == int'(code[1:0]) ? 2'd0 : code[place > int'(code[1:0]) ? place + 1 : place + 2]
        ? 2'd3 : 2'd1;
  endfunction
""",
}  # fmt: skip


def decode_module(pipeline: Pipeline, sides: tuple[Side, ...], name: str) -> ModuleText:
    """A process that makes tokens of codes, those of its first source lowest.

    Args:
        pipeline: when it does.
        sides: sources, then the sink.
        name: the code.
    """
    control, code = Control(pipeline), CODES[name]
    sources, sink = [side for side in sides if not side.writes], next(side for side in sides if side.writes)
    bits = sum(side.bits for side in sources)
    elements = sink.bits // _ELEMENT_BITS[code.dtype]
    together = ", ".join(f"{side.name}_data" for side in reversed(sources))
    text = gated(control, sides) + f"  wire [{bits - 1}:0] codes = {{{together}}};\n"
    if name in _FUNCTIONS:
        groups, width = -(-elements // code.group), code.group * _ELEMENT_BITS[code.dtype]
        text += f"  wire [{groups * width - 1}:0] elements;\n{_FUNCTIONS[name]}"
        text += (
            f"  for (genvar g = 0; g < {groups}; g++) begin : group\n"
            f"    assign elements[{width} * g +: {width}] = decoded(codes[{code.bits} * g +: {code.bits}]);\n"
            "  end\n"
        )
        value = f"elements[{sink.bits - 1}:0]"
    else:
        value = f"codes[{sink.bits - 1}:0]"
    return ModuleText("decode", sides, text + passed(control, sides, value, sink.bits) + ENDED, (pipeline.name,))
