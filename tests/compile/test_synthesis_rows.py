"""The structure of a process, and what its parts are estimated to take."""

import pytest

from sttest.boards.resources import Resources
from sttest.compile.resources.structure import lanes_of, structure_of
from sttest.compile.resources.synthesis import fifo_estimate, part_estimate, synthesized_rows
from sttest.compile.rtl.cells import CellModule, products_part
from sttest.compile.rtl.expressions import Signal
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.tree import Generated, Register, Wire

ADVANCE, LANE = Signal("advance"), CellModule("lane_1", (("i0", 32),), (("o0", 32),), "", operations=(("addf", 1),))
REGISTERS = [
    Register("stage", (4,), initial=0, role="state"),
    Register("c0_x0", (5,), initial=0, role="counter"),
    Register("c0_on", initial=0, role="iterator"),
    Register("in0", (2, 8)),
    Register("term_late", (2, 32), 5, role="delay", row=5),
    Register("skew_late", (2, 8), 17, role="skew", row=17),
    Register("short_late", (2, 8), 2, role="delay", row=2),
    Register("bank0", (32,), 16, role="memory"),
    Register("bank0_read", (32,), role="bank"),
    Register("kept0", (2, 32), same_as="out0"),
    Register("kept1", (1, 32), same_as="out0"),
    Register("out0", (2, 32)),
    Register("first", kind="int", initial=0),
]


def test_the_structure_of_a_module():
    lanes = Generated("r", 2, (Generated("n", 3, (LANE.instance("lane", [ADVANCE, ADVANCE]),), "a_n"),), "a_r")
    nodes = (*REGISTERS, Wire("in0_lane", (2, 8)), lanes)
    module = ModuleText("task", (), nodes, ("p",), (LANE,), {"sum": 12})
    assert structure_of(module) == {
        "processes": 1,
        "sides": 0,
        "sum": 12,
        "state bits": 4,
        "counters": 1,
        "counter bits": 6,
        "banks": 1,
        "register bits": 16 + 2 * 16 + 32 + 64,
        "shift bits": 64,
        "skew bits": 2 * 16,
    }
    assert lanes_of(module) == {LANE: 6}


def test_lanes_are_those_that_were_synthesized_or_sums_of_operators():
    rows = synthesized_rows()
    known = rows.lanes[0]
    part = CellModule(
        "a",
        (("i0", known.bits_in),),
        (("o0", known.bits_out),),
        "",
        cycles=known.cycles,
        operations=tuple(known.operations.items()),
    )
    assert part_estimate(part, rows) == known.amounts.resources
    other = CellModule("b", (("i0", 7),), (("o0", 32),), "", cycles=9, operations=(("addf", 1), ("mulf", 2)))
    luts = (rows.operators["addf"].lut + 2 * rows.operators["mulf"].lut) * rows.composed.lut
    assert part_estimate(other, rows).lut == pytest.approx(luts)


def test_sums_of_products_are_a_dsp_per_lane_and_adders_between_pairs():
    assert part_estimate(products_part(16, 8, 4, 2, 7), synthesized_rows()) == Resources(dsp=16, lut=204, ff=204)


def test_a_chain_has_no_adder_but_those_between_chains():
    assert part_estimate(products_part(16, 8, 4, 2, 18, 16), synthesized_rows()) == Resources(dsp=16)
    # Two sums of 15 bits become one of 16.
    assert part_estimate(products_part(16, 8, 4, 2, 11, 8), synthesized_rows()) == Resources(dsp=16, lut=32, ff=32)


def test_a_fifo_follows_the_rule_of_the_page():
    assert fifo_estimate("srl", 2, 512, Resources()) == Resources(lut=516, ff=4)
    assert fifo_estimate("uram", 64, 512, Resources(uram=8)) == Resources(lut=17, ff=22, uram=8)
