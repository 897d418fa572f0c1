"""Rules of Vitis HLS for adder trees and accumulators, as pure functions.

Both were read off the synthesis reports of the Stream-HLS FPGA'25 artifact (Vitis HLS
2023.2, fp32, 3.33 ns, unsafe math).  Taken alone the accumulator rule gives the published
initiation interval of 216 of its 230 accumulating loops, 54 of the 56 that it was not
read off from among them.  Of the others 11 take longer for another reason (most of them
many loads from one array) and 3, at distance 16 = 4 L, take one cycle more than the rule says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.errors import InputError

AddKind = Literal["float", "float_fabric", "int"]
ADDER_OF_KIND: dict[AddKind, str] = {"float": "fadd", "float_fabric": "fadd_fabric", "int": "iadd"}


def add_tree_levels(n: int) -> int:
    """Levels of a balanced tree that adds ``n`` values: 0 for one value.

    Raises:
        InputError: ``n`` is below 1.
    """
    if n < 1:
        raise InputError("bad-value", f"an adder tree of {n} values", levers=["give 1 value or more"])
    return (n - 1).bit_length()


def add_tree_latency(n: int, kind: AddKind) -> int:
    """Cycles from the ``n`` operands to the registered sum: levels times stages of one adder.

    >>> add_tree_latency(16, "float")  # 4 levels of 7 stages
    28
    """
    _, library = load_operators(OPERATORS_FILE)
    return add_tree_levels(n) * library[ADDER_OF_KIND[kind]].stages


def carried_adders(products: int) -> int:
    """Additions L on the loop-carried path when ``products`` values are summed per iteration.

    Seen: 1 for 1 and 2, 3 for 4 to 8, 4 for 9 to 32.  For 3 the next larger is taken and
    beyond 32 the last one.
    """
    if products < 1:
        raise InputError("bad-value", f"an accumulator of {products} products", levers=["give 1 product or more"])
    if products <= 2:
        return 1
    return 3 if products <= 8 else 4


@dataclass(frozen=True)
class Accumulator:
    """How HLS builds a running sum.

    Attributes:
        ii: initiation interval of the loop, in cycles.
        adder: operator on the loop-carried path.
        carried_adders: how many of them lie on it.
    """

    ii: int
    adder: Literal["fadd", "fadd_fabric", "iadd"]
    carried_adders: int


def accumulator(products: int, distance: int, *, ii: int = 1, kind: Literal["float", "int"] = "float") -> Accumulator:
    """The initiation interval that a running sum allows.

    Args:
        products: values summed into one element per iteration, R.
        distance: iterations between the write of an element and its next read.
        ii: interval asked for, in cycles.
        kind: integers add within a cycle and never hold a loop back.

    With L = `carried_adders`: seven-stage DSP adders fit if distance * II >= 6 L + 2,
    fabric adders if >= 4 L + 2; else the loop slows down to ceil(4 L / distance).
    """
    if distance < 1 or ii < 1:
        raise InputError("bad-value", f"an accumulator at distance {distance} and II {ii}", levers=["give 1 or more"])
    on_path = carried_adders(products)
    if kind == "int":
        return Accumulator(ii, "iadd", on_path)
    if distance * ii >= 6 * on_path + 2:
        return Accumulator(ii, "fadd", on_path)
    if distance * ii >= 4 * on_path + 2:
        return Accumulator(ii, "fadd_fabric", on_path)
    return Accumulator(max(ii, -(-4 * on_path // distance)), "fadd_fabric", on_path)
