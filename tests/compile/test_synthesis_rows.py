"""The structure of a process, and what its parts are estimated to take."""

import pytest

from sttest.boards.resources import Resources
from sttest.compile.resources.structure import lanes_of, structure_of
from sttest.compile.resources.synthesis import fifo_estimate, part_estimate, synthesized_rows
from sttest.compile.rtl.cells import CellModule, products_part
from sttest.compile.rtl.module import ModuleText

BODY = """  logic [3:0] stage = 0;
  logic [4:0] c0_x0 = 0;
  logic c0_on = 0, c0_valid, c0_last;
  logic [1:0][7:0] in0;
  logic [1:0][7:0] in0_lane;
  logic [1:0][31:0] term_late [5];
  logic [1:0][31:0] kept0;
  logic [1:0][31:0] out0;
  always_ff @(posedge clk) if (advance) begin
    stage <= stage + 1;
    c0_x0 <= c0_x0 <= 3 ? 0 : 1;
    c0_on <= 1;
    in0 <= in0_data;
    term_late[0] <= in0_lane;
    kept0 <= next;
    out0 <= out0_now;
  end
  assign in0_lane = in0;
  generate
    for (genvar r = 0; r < 2; r++) begin : a_r
    for (genvar n = 0; n < 3; n++) begin : a_n
    lane_1 lane (.clk(clk));
    end
    end
  endgenerate
"""


def test_the_structure_of_a_text():
    lane = CellModule("lane_1", (("i0", 32),), (("o0", 32),), "", operations=(("addf", 1),))
    module = ModuleText("task", (), BODY, ("p",), (lane,), {"sum": 12})
    assert structure_of(module) == {
        "processes": 1,
        "sides": 0,
        "sum": 12,
        "state bits": 4,
        "counters": 1,
        "counter bits": 6,
        "register bits": 16 + 64,
        "shift bits": 64,
    }
    assert lanes_of(module) == {lane: 6}


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
