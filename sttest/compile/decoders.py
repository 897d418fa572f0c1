"""What takes elements out of the codes of narrow weights in hardware, in C++ and in SystemVerilog.

A code names its own (``decoder`` of :class:`~sttest.reference.codes.Code`); it is imported when a design is emitted.
"""

from dataclasses import dataclass

from sttest.core.extensions import Offer
from sttest.reference.codes import Code


@dataclass(frozen=True)
class Decoder:
    """The two texts of a code.

    Args:
        name: the C++ function's, which no process may have.
        cpp: its text, ``static inline int NAME(unsigned int code, int place)``: the element at a place of the group.
        verilog: a function ``decoded`` from the bits of a code to those of its elements, the first lowest.
    """

    name: str
    cpp: str
    verilog: str


def decoder_of(code: Code) -> Decoder | None:
    """The decoder of a code; None where the bits of a code are those of its element."""
    return Offer("weight_types", code.name, code.decoder).load() if code.decoder else None


def _digits(code: int) -> int:
    """The two bits of each of five digits less one, the first lowest."""
    return sum((code // 3**place % 3 - 1 & 3) << 2 * place for place in range(5))


BASE_3 = Decoder(
    "base_3_digit",
    """\
// A digit of a byte to the base of 3, less one.
static inline int base_3_digit(unsigned int code, int place) {
  const int power = place == 0 ? 1 : place == 1 ? 3 : place == 2 ? 9 : place == 3 ? 27 : 81;
  return static_cast<int>(code) / power % 3 - 1;
}
""",
    # A table: quotients would be made of adders.
    "  // The digits of a byte to the base of 3, each less one.\n"
    "  function automatic [9:0] decoded(input [7:0] code);\n    case (code)\n"
    + "".join(f"      8'd{code}: decoded = 10'd{_digits(code)};\n" for code in range(3**5))
    + "      default: decoded = 'x;\n    endcase\n  endfunction\n",
)
THREE_OF_FOUR = Decoder(
    "one_of_four",
    """\
// One of four signs, of which the low two bits say which is 0; the others follow.
static inline int one_of_four(unsigned int code, int place) {
  const int zero = static_cast<int>(code & 3u);
  return place == zero ? 0 : 1 - 2 * static_cast<int>(code >> (place > zero ? place + 1 : place + 2) & 1u);
}
""",
    """\
  // The number of the zero, and above it the signs of the others.
  function automatic [7:0] decoded(input [4:0] code);
    for (int place = 0; place < 4; place++)
      decoded[2 * place +: 2] = place == int'(code[1:0]) ? 2'd0 : code[place > int'(code[1:0]) ? place + 1 : place + 2]
        ? 2'd3 : 2'd1;
  endfunction
""",
)
