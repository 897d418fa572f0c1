"""A weight type: integers of -2 to 2 in 2.5 bits each, a pair in the five bits of a code, and a scheme that has it."""

import numpy as np

from sttest.compile.decoders import Decoder
from sttest.models.quant.scheme import QuantScheme
from sttest.reference.codes import Code
from sttest.reference.weight_types import WeightType

PAIRS = Code(
    "pairs",
    "i3",
    group=2,
    bits=5,
    least=-2,
    most=2,
    numbers=lambda groups: ((groups + 2) * np.array([1, 5])).sum(-1),
    elements=lambda numbers: np.stack([numbers % 5 - 2, numbers // 5 - 2], -1),
    decoder="sttest_sample.weights:DECODER",
)
DECODER = Decoder(
    "one_of_pair",
    """\
// One of two digits to the base of 5, less two.
static inline int one_of_pair(unsigned int code, int place) {
  return static_cast<int>(place == 0 ? code % 5u : code / 5u) - 2;
}
""",
    """\
  // Two digits to the base of 5, each less two.
  function automatic [5:0] decoded(input [4:0] code);
    decoded[2:0] = 3'(int'(code) % 5 - 2);
    decoded[5:3] = 3'(int'(code) / 5 - 2);
  endfunction
""",
)
QUINARY = WeightType("quinary", 3, 2, "sttest_sample.clipped:clipped", PAIRS, told=2.5)
QUINARY_A8 = QuantScheme("quinary-a8", weights="quinary")
