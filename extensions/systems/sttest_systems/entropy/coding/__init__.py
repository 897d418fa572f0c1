"""Entropy-coded weights: a code for exponents, lanes of bits in words of memory, and what a decoder makes of them."""

from sttest_systems.entropy.coding.huffman import PrefixCode, entropy_bits, prefix_code
from sttest_systems.entropy.coding.lanes import EncodedWeights, LaneFormat, decode, encode
from sttest_systems.entropy.coding.steps import LaneSteps, lane_steps

__all__ = [
    "EncodedWeights",
    "LaneFormat",
    "LaneSteps",
    "PrefixCode",
    "decode",
    "encode",
    "entropy_bits",
    "lane_steps",
    "prefix_code",
]
