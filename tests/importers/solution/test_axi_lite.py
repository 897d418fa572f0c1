"""Designs that are started over AXI-lite: what their test bench measures, by registers as the tool's Verilog has them.

The figures are those of public co-simulations, and of those test benches simulated around a stub of known latency.
"""

import pytest
from solution_folders import write_latency
from test_import_solution import counter

from sttest.core.errors import InputError
from sttest.importers.solution import read_solution
from sttest.importers.solution.axi_lite import bench_of
from sttest.importers.solution.folder import find_solution

STARTS = """//------------------------Address Info-------------------
// 0x00 : Control signals
//        bit 0  - ap_start (Read/Write/COH)
//        bit 1  - ap_done (Read/COR)
"""
WORD = "// 0x10 : Data signal of gain\n//        bit 31~0 - gain[31:0] (Read/Write)\n"
POINTERS = "".join(
    f"// 0x{base:02x} : Data signal of {name}\n//        bit 31~0 - {name}[31:0] (Read/Write)\n"
    f"// 0x{base + 4:02x} : Data signal of {name}\n//        bit 31~0 - {name}[63:32] (Read/Write)\n"
    for base, name in ((16, "a"), (28, "b"))
)
COEFFICIENTS = "// 0x100 ~\n// 0x1ff : Memory 'coeffs' (128 * 16b)\n//         Word n : bit [15: 0] - coeffs[2n]\n"
SPECTRUM = """//        bit 4  - ap_continue (Read/Write/SC)
// 0x400 ~
// 0x7ff : Memory 'OUT_R' (256 * 32b)
// 0x800 ~
// 0xbff : Memory 'OUT_I' (256 * 32b)
    input  wire [31:0]                   OUT_R_d0,
    input  wire [31:0]                   OUT_I_d0
"""


def lite(root, registers, version):
    """A counter to seven whose start is a register."""
    folder = counter(root, 7, [(2, 0), (2, 0)])
    report = folder / "syn" / "report" / "csynth.xml"
    ports = f"<Version>{version}</Version><IOProtocol>s_axi</IOProtocol>"
    report.write_text(report.read_text().replace("</profile>", f"{ports}</profile>"))
    (folder / "syn" / "verilog").mkdir()
    (folder / "syn" / "verilog" / "top_control_s_axi.v").write_text(registers)
    return folder


@pytest.mark.parametrize(
    ("registers", "version", "latency", "measured"),
    [
        (STARTS + WORD, "2018.3", 1003, 1030),  # axi_stream_tutorial
        (STARTS + COEFFICIENTS, "2023.2", 1674, 2388),  # filter
        (STARTS + COEFFICIENTS, "2023.2", 269, 981),
        (STARTS + SPECTRUM, "2022.1", 2829, 7962),  # DFT
        (STARTS, "2022.1", 9, 22),
        (STARTS, "2022.1", 10, 28),
        (STARTS, "2022.1", 16, 34),
        (STARTS, "2022.1", 1_000_000_009, 1_000_000_024),
        (STARTS + POINTERS, "2023.2.1", 83, 126),
        (STARTS + POINTERS, "2023.2.1", 84, 134),
    ],
)
def test_it_measures_its_own_accesses_as_well(tmp_path, registers, version, latency, measured):
    bench = bench_of(find_solution(lite(tmp_path / "s", registers, version)))
    assert bench is not None
    assert bench.measured(latency) == measured


RESULT = """// 0x10 : Data signal of sum
//        bit 31~0 - sum[31:0] (Read)
// 0x14 : Control signal of sum
//        bit 0  - sum_ap_vld (Read/COR)
//        others - reserved
"""
FLAG = "// 0x18 : Data signal of flag\n//        bit 0  - flag[0] (Read/Write)\n//        others - reserved\n"


@pytest.mark.parametrize(
    ("registers", "measured"),
    [
        # The first status read is in cycles 1 to 5.  The start is written from 6 on, so the design ends in 6 + 3 + 16.
        # Rounds take 7 cycles from 13 on: the status read that finds it done begins in 27 and takes 5, the turn of the
        # start 1, and the result with its flag 2 + 5 * 2: up to 44, counted from cycle 2 on.
        (RESULT, 43),
        # The flag takes 6 cycles from 6 on, and 2 more until the start may be written, whose turn in 12 is too early.
        # In the second round it is in 13 + 5 + 1, so the design ends in 19 + 3 + 16.  Rounds take 7 cycles from 25 on:
        # the status read from 39 to 43 finds it done, which is counted from 1 on.
        (FLAG, 43),
        (RESULT + FLAG, 60),
    ],
)
def test_what_is_one_bit_wide_takes_its_turn(tmp_path, registers, measured):
    bench = bench_of(find_solution(lite(tmp_path / "s", STARTS + registers, "2022.1")))
    assert bench is not None
    assert bench.measured(16) == measured


@pytest.mark.parametrize(("registers", "version"), [(STARTS, "2024.2"), (STARTS, "2016.4"), (WORD, "2022.1")])
def test_one_that_nobody_knows_is_not_guessed(tmp_path, registers, version):
    folder = lite(tmp_path / "s", registers, version)
    assert bench_of(find_solution(folder)) is None
    write_latency(folder, 400)
    with pytest.raises(InputError, match="its test bench starts it over AXI-lite and polls it for its end"):
        read_solution(folder)


def test_a_folder_is_held_against_what_its_test_bench_measures(tmp_path):
    folder = lite(tmp_path / "s", STARTS, "2022.1")
    checks: list[str] = []
    read_solution(folder, checks=checks)
    assert checks[0] == "no co-simulation, this graph 16, 34 with its test bench's accesses over AXI-lite"
    write_latency(folder, 34)
    checks.clear()
    read_solution(folder, checks=checks)
    assert checks[0] == "co-simulation 34, this graph 16, 34 with its test bench's accesses over AXI-lite"
    (folder / "sim" / "report" / "verilog" / "lat.rpt").write_text('$MAX_LATENCY = "40"\n')
    with pytest.raises(InputError, match="co-simulation 40, this graph 16, 34 with its test bench's accesses over AXI"):
        read_solution(folder)
