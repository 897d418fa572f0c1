"""Reports of C synthesis in every shape that they have had since 2018, and what is not such a report."""

from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.hls.csynth_report import CsynthReport, LoopReport, read_report

REPORTS = Path(__file__).parents[2] / "data" / "csynth"
PART = "xcu55c-fsvh2892-2L-e"


def report(name: str, top: str, part: str = PART) -> CsynthReport:
    return read_report(REPORTS / f"{name}.xml", top=top, part=part)


def test_vivado_hls_has_loops_below_the_root_and_another_name_for_dsps():
    found = report("vivado-2019.2", "scores")
    assert found.resources == {"dsp": 24, "lut": 2207, "ff": 3011, "bram18": 2, "uram": 0}
    assert (found.target_ns, found.estimated_ns) == (4.0, 3.411)
    (heads,) = found.modules["scores"].loops
    assert (heads.trips, heads.cycles, heads.depth, heads.interval) == (16, 1280, 80, None)
    assert heads.inner == (LoopReport("keys", 32, 71, 9, 2), LoopReport("Loop1.2", 4, 5, 2, 1))


def test_loops_one_after_the_other():
    found = report("vitis-2020.2", "norm", "xcu280-fsvh2892-2L-e").modules["norm"]
    assert found.loops == (LoopReport("sums_lanes", 12, 57, 14, 4), LoopReport("writes", 12, 30, 19, 1))
    assert (found.cycles, found.interval) == (93, 94)


def test_loops_that_became_functions_belong_to_the_function_around_them():
    found = report("vitis-2022.1", "softmax")
    assert found.modules["softmax"].loops == (
        LoopReport("maxima", 32, 38, 7, 1),
        LoopReport("powers_lanes", 32, 124, 31, 3),
    )


def test_of_a_range_the_most_counts_and_an_instance_is_in_the_loop_that_names_it():
    (layers,) = report("vitis-2022.2", "cache").modules["cache"].loops
    assert (layers.trips, layers.cycles, layers.depth, layers.interval) == (24, 1488, 62, None)
    assert layers.inner == (LoopReport("words", 51, 57, 8, 1),)


def test_a_dataflow_top_has_its_processes_as_modules():
    found = report("vitis-2023.2", "order_q").modules
    assert found["order_q_fill"].loops == (LoopReport("tokens_0", 16, 16, 2, 1),)
    assert found["order_q_drain"].loops == (LoopReport("tokens_0_tokens_1", 16, 18, 4, 1),)
    assert found["order_q"].interval == 22


def test_what_the_tool_does_not_know_is_nothing():
    found = report("vitis-2024.1", "stream")
    assert found.modules["stream"].loops == (LoopReport("tokens", None, None, 15, 1),)
    assert found.modules["stream"].cycles is None


def test_a_clock_that_is_missed_is_seen():
    found = report("vitis-2025.2", "act")
    assert (found.version, found.estimated_ns) == ("2025.2", 4.21)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<profile>", "<report>", "not well-formed XML"),
        ("2024.1", "2031.1", "a report of release '2031.1', known are 2018 to 2025"),
        ("<Version>2024.1</Version>", "", "no ReportVersion/Version"),
        (">stream<", ">other<", "TopModelName is 'other', not 'stream'"),
        ("xcu55c", "xcvu9p", "Part is 'xcvu9p-fsvh2892-2L-e', not 'xcu55c-fsvh2892-2L-e'"),
        ("<LUT>1346</LUT>", "<LUT>many</LUT>", "no count of LUT among its resources"),
        ("<DSP>3</DSP>", "", "no count of DSP among its resources"),
        ("<EstimatedClockPeriod>2.920<", "<EstimatedClockPeriod>soon<", "is 'soon', not a time in ns"),
        ("<profile>", "<!DOCTYPE profile [<!ENTITY a 'b'>]><profile>", "has a DOCTYPE, which is never read"),
        ("<SummaryOfOverallLatency>", "<A>" * 50 + "</A>" * 50 + "<SummaryOfOverallLatency>", "more than 40 deep"),
    ],
)
def test_what_is_no_report_of_the_job_is_refused_in_one_line(old, new, says, tmp_path):
    path = tmp_path / "csynth.xml"
    text = (REPORTS / "vitis-2024.1.xml").read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_report(path, top="stream", part=PART)
    assert says in str(caught.value)
    assert str(caught.value).isprintable()


def test_another_document_is_refused(tmp_path):
    path = tmp_path / "csynth.xml"
    path.write_text("<html/>")
    with pytest.raises(InputError, match="its root is <html>, not <profile>"):
        read_report(path, top="stream", part=PART)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_report_that_is_cut_is_refused(share, tmp_path):
    path = tmp_path / "csynth.xml"
    data = (REPORTS / "vitis-2023.2.xml").read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match="not well-formed XML"):
        read_report(path, top="order_q", part=PART)


def test_a_huge_report_is_not_read(tmp_path):
    path = tmp_path / "csynth.xml"
    with path.open("wb") as file:
        file.truncate(20 * 1024 * 1024)
    with pytest.raises(InputError, match="too large"):
        read_report(path, top="stream", part=PART)
