"""Converters whose tokens begin at any bank: values to the bit, and one access of a bank per cycle."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_kernels import Made, Port, kernel_text, made, needs_compiler, stream_type
from value_checks import assert_same_values

from sttest.boards.load import load_board
from sttest.boards.operators import operators
from sttest.compile.schedule.converter_block import BlockDim
from sttest.targets.vitis.intervals import admitted_intervals

# Tensor, order of the source, order of the sink: which side is rotated, in which dims.
ROTATED = {
    "narrower": ("224xi8", stream_type("56xi8", "4", "56", "d0"), stream_type("32xi8", "7", "32", "d0")),
    "wider": ("216xf32", stream_type("9xf32", "24", "9", "d0"), stream_type("24xf32", "9", "24", "d0")),
    "rows": ("4x60xi8", stream_type("1x12xi8", "4,5", "1,12", "d0,d1"), stream_type("4x20xi8", "3", "20", "0,d0")),
    "inner": (
        "30x6xf32",
        stream_type("5x2xf32", "3,6", "2,5", "d1,d0"),
        stream_type("2x3xf32", "15,2", "2,3", "d0,d1"),
    ),
    "both": ("12x30xi8", stream_type("4x6xi8", "5,3", "6,4", "d1,d0"), stream_type("6x10xi8", "2,3", "6,10", "d0,d1")),
    "several_blocks": (
        "3x84xi8",
        stream_type("1x12xi8", "3,7", "1,12", "d0,d1"),
        stream_type("1x28xi8", "3,3", "1,28", "d0,d1"),
    ),
    "gaps": ("72xi8", stream_type("6xi8", "2,6", "6,12", "d0 + d1"), stream_type("9xi8", "8", "9", "d0")),
}


@pytest.fixture(scope="module")
def kernel() -> Made:
    inputs, results, body = [], [], []
    for name, (tensor, source, sink) in ROTATED.items():
        inputs.append(Port(name, f"tensor<{tensor}>", source))
        results.append(Port(f"{name}_out", f"tensor<{tensor}>", sink))
        body.append(f"%{name}_out_stream = df.converter %{name}_stream : {source} -> {sink}")
    return made(kernel_text(inputs, results, "\n".join(body)))


@needs_compiler
@pytest.mark.usefixtures("quick_build")
def test_values(kernel: Made, tmp_path: Path) -> None:
    assert_same_values(kernel, tmp_path)


def test_banks_are_accessed_once_per_cycle(kernel: Made) -> None:
    """As the checker of intervals reads the text."""
    processes = admitted_intervals(kernel.emitted.text, operators(load_board("u55c")))
    loops = [loop for each in processes for loop in each.loops if each.name.endswith(("_fill", "_drain"))]
    assert len(loops) == 2 * len(ROTATED)
    assert {loop.admitted for loop in loops} == {1}
    banks = [bound for loop in loops for bound in loop.bounds if bound.rule == "bank"]
    assert len(banks) >= len(ROTATED)
    assert all(" 1 accesses" in bound.reason for bound in banks)


SIDES = st.tuples(st.integers(1, 12), st.integers(0, 12), st.integers(0, 40), st.integers(1, 5))


@given(sides=st.tuples(SIDES, SIDES), extent=st.integers(2, 300))
def test_a_bank_holds_one_element_of_a_token(sides: tuple, extent: int) -> None:
    """Wherever tokens begin, each bank is touched once; no token that is not rotated reaches beyond its row."""
    banks = max(size for size, *_ in sides)
    walks = [(size, sorted({(start + stride * n) % banks for n in range(trip)})) for size, start, stride, trip in sides]
    dim = BlockDim.of(extent, 1, walks, banks)
    assert prod(dim.shape) >= extent
    if dim.banks == extent:
        return
    for (size, begin), turned in zip(walks, dim.rotates, strict=True):
        if dim.is_rows:
            assert turned or all(place + size <= dim.banks for place in begin)
        else:
            places = [(place + element) % dim.banks for place, element in product(begin, range(size))]
            assert len(set(places)) == len(places)
