"""XRT's summary of what the counters on the card saw."""

import pytest

from sttest.targets.device.card import read_profile
from sttest.targets.device.host import energy, watts_of

# The shape in which XRT 2.16 writes it; the numbers are made up.
SUMMARY = """\
Profile Summary
Generated on: 2025-01-18 15:22:07
Flow mode: System Run

Compute Unit Utilization
Device,Compute Unit,Kernel,Global Work Size,Local Work Size,Number Of Calls,Dataflow Execution,\
Max Overlapping Executions,Dataflow Acceleration,Total Time (ms),Minimum Time (ms),Average Time (ms),\
Maximum Time (ms),Clock Frequency (MHz),
xilinx_u55c-0,other_1,other,1:1:1,1:1:1,7,Yes,1,1.000000x,14,1,2,3,250,
xilinx_u55c-0,group0_1,group0,1:1:1,1:1:1,1024,Yes,1,1.000000x,1024,0.5,1,1.5,250,


Guidance Parameters
Parameter,Element,Value,
CU_CALLS,xilinx_u55c-0|group0_1,1024,
"""


def test_the_kernels_line_is_found(tmp_path):
    (tmp_path / "summary.csv").write_text(SUMMARY)
    found = read_profile(tmp_path, "group0")
    assert found is not None
    assert (found.calls, found.least_us, found.average_us, found.most_us) == (1024, 500, 1000, 1500)
    assert found.clock_mhz == 250


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        SUMMARY.replace(",group0,", ",g,"),
        SUMMARY.replace("1024,0.5", "1024,N/A"),
        "Compute Unit Utilization\n",
    ],
    ids=["missing", "empty", "other kernel", "no number", "cut"],
)
def test_without_it_there_is_no_profile(text, tmp_path):
    if text is not None:
        (tmp_path / "summary.csv").write_text(text)
    assert read_profile(tmp_path, "group0") is None


@pytest.mark.parametrize(
    ("text", "watts"),
    [
        ('{"power_consumption_watts": "31.5"}', 31.5),
        ('{"power_consumption_watts": "N/A"}', None),
        ("{}", None),
        ("no JSON", None),
        ("[]", None),
        ('{"power_consumption_watts": null}', None),
    ],
)
def test_power_is_a_number_or_nothing(text, watts):
    assert watts_of(text) == watts


def test_energy_is_what_the_run_takes_beyond_rest():
    found = energy([14.0, 16.0], [40.0, 44.0], 2.0)
    assert found is not None
    assert found.above_idle_j == (42 - 15) * 2
    assert energy([], [40.0], 2.0) is None
    assert energy([15.0], [], 2.0) is None
