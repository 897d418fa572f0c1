"""Operators of published designs that designs of this project do not have: sums that wrap at 8 bits, and other clocks.

What is predicted is the tool's own estimate, so these are what it books, not what a data sheet has.  In the
expressions of the Stream-HLS FPGA'25 reports whose rows are marked ``fit``, of 8 bits or more, 2,214 of 2,419
additions and all of 1,146 comparisons of w bits are w + 7 LUTs, all of 1,487 choices w.
"""

from __future__ import annotations

from collections.abc import Mapping

from sttest.boards.operators import OPERATORS_FILE, Area, Operator, Timing, load_operators

_STREAM_HLS = "Stream-HLS FPGA'25 artifact 5e20bcf, csynth reports"
_CODO = "CODO artifact 8b85e41, csynth reports at 5 ns"


def _operator(name: str, title: str, stages: int, bits: int, area: tuple[int, int, int], source: str) -> Operator:
    timing = Timing(stages=stages, latency_cycles=stages - 1, source=source, kind="published")
    dsp, ff, lut = area
    return Operator(
        name=name,
        title=title,
        timing=timing,
        bits=bits,
        area=Area(dsp=dsp, ff=ff, lut=lut, source=source, kind="published"),
    )


_OPERATORS = (
    # Registers between its stages are the DSP's own.
    _operator("mac8_dsp", "a product of 8 bits, added to another, in a DSP", 4, 8, (1, 0, 0), _STREAM_HLS),
    _operator("mul8_fabric", "a product of 8 bits in LUTs", 1, 8, (0, 0, 40), f"{_STREAM_HLS}: mul_8ns_8ns_15_1_1"),
    _operator("add8", "an addition that wraps at 8 bits", 1, 8, (0, 0, 15), f"{_STREAM_HLS}: w + 7"),
    _operator("compare8", "a comparison of 8 bits", 1, 1, (0, 0, 15), f"{_STREAM_HLS}: w + 7"),
    _operator("choose8", "a choice of two values of 8 bits", 1, 8, (0, 0, 8), f"{_STREAM_HLS}: w"),
    _operator("divide8", "a quotient of 8 bits", 12, 8, (0, 189, 106), f"{_STREAM_HLS}: urem_8ns_5ns_4_12_1"),
    _operator("dmul", "a product in double precision", 8, 64, (8, 388, 127), f"{_STREAM_HLS}: dmul_64ns_64ns_64_8"),
    _operator("fadd_5ns", "fp32 addition on DSPs at 5 ns", 5, 32, (2, 205, 220), f"{_CODO}: fadd_32ns_32ns_32_5_full"),
)


def report_operators() -> Mapping[str, Operator]:
    """The library with what is only in reports."""
    _, library = load_operators(OPERATORS_FILE)
    return {**library, **{operator.name: operator for operator in _OPERATORS}}
