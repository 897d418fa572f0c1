"""The files of a Vitis HLS design: which are its own, which report is of what, and what is refused where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hls_designs import SOLUTION, design, example, loop, performance, report

from sttest.core.errors import InputError
from sttest.importers.hls import project as projects
from sttest.importers.hls.csynth_report import read_report
from sttest.importers.hls.project import SourceText, read_project, read_sources
from sttest.importers.hls.reports import read_reports
from sttest.importers.vitis import read_vitis

APP = '<project top="{top}"><files>{files}</files></project>'
TEXT = "void top() {}\n"


def refused(function, *arguments) -> InputError:
    with pytest.raises(InputError) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return caught.value


def app(folder: Path, *names: str, top: str = "top", benches: tuple[str, ...] = ()) -> Path:
    """A project of the classic IDE with a solution; its files are named, but not made."""
    files = "".join(f'<file name="{name}"/>' for name in names)
    files += "".join(f'<file name="{name}" tb="1"/>' for name in benches)
    (folder / "p" / "solution1" / "syn" / "report").mkdir(parents=True)
    (folder / "p" / "hls.app").write_text(APP.format(top=top, files=files))
    return folder / "p"


# --- Sources


def test_a_project_has_its_files_and_what_they_include_but_no_test_benches(tmp_path: Path) -> None:
    project = app(tmp_path, "src/a.cpp", "src/gone.cpp", "notes.txt", benches=("src/tb.cpp",))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cpp").write_text('#include "a.h"\n#include "gone.h"\n#include "data.txt"\nint a;')
    (tmp_path / "src" / "a.h").write_text("int h;\n")
    for name in ("src/tb.cpp", "src/data.txt", "notes.txt"):
        (tmp_path / name).write_text("int no;\n")
    found = read_project(project)
    assert [path.name for path, _ in found.sources.files] == ["a.h", "a.cpp"]
    assert (found.root, found.name, found.top) == (tmp_path, "top", "top")
    assert found.reports == project / "solution1" / "syn" / "report"
    assert read_project(project / "solution1").reports == found.reports
    assert read_project(project, tmp_path / "elsewhere").reports == tmp_path / "elsewhere"


def test_a_project_that_names_no_function_has_its_folders_name(tmp_path: Path) -> None:
    project = app(tmp_path, "a.cpp", top="")
    (tmp_path / "a.cpp").write_text(TEXT)
    assert (read_project(project).name, read_project(project).top) == ("p", "")


def test_a_component_says_what_its_files_are(tmp_path: Path) -> None:
    (tmp_path / "hls_config.cfg").write_text("[hls]\nsyn.file = a.cpp\nsyn.file=b.h\nsyn.topp=x\nsyn.file\n")
    for name in ("a.cpp", "b.h"):
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "w" / "hls" / "syn" / "report").mkdir(parents=True)
    found = read_project(tmp_path)
    assert [path.name for path, _ in found.sources.files] == ["a.cpp", "b.h"]
    assert (found.name, found.top, found.reports) == (tmp_path.name, "", tmp_path / "w" / "hls" / "syn" / "report")


def test_a_line_of_all_sources_knows_its_file() -> None:
    text = SourceText(((Path("a.h"), "one\ntwo\n"), (Path("b.cpp"), "three"), (Path("c.cpp"), "four\n")))
    assert text.text.splitlines() == ["one", "two", "three", "four"]
    places = [(path.name, line) for path, line in map(text.place, range(1, 5))]
    assert places == [("a.h", 1), ("a.h", 2), ("b.cpp", 1), ("c.cpp", 1)]
    with pytest.raises(IndexError):
        text.place(5)


def test_more_files_than_any_design_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "MOST_SOURCES", 3)
    for number in range(4):
        (tmp_path / f"h{number}.h").write_text(f'#include "h{number + 1}.h"\n')
    assert len(read_sources([tmp_path / "h1.h"]).files) == 3
    error = refused(read_sources, [tmp_path / "h0.h"])
    assert (error.code, error.bound) == ("too-many-files", 3)


@pytest.mark.parametrize(
    ("make", "code", "told"),
    [
        (lambda folder: folder, "no-design", "neither hls.app nor hls_config.cfg"),
        (lambda folder: folder / "gone", "no-such-file", "no such file or folder"),
        (lambda folder: app(folder), "no-sources", "it names no C++ file"),
        (lambda folder: app(folder, "a.cpp", "b.cc", "c.txt"), "no-sources", "none of its 2 C++ files is there"),
    ],
)  # fmt: skip
def test_folders_without_a_design(make, code: str, told: str, tmp_path: Path) -> None:
    error = refused(read_project, make(tmp_path))
    assert (error.code, error.what) == (code, told)


def test_which_report_is_meant_has_to_be_said(tmp_path: Path) -> None:
    project = app(tmp_path, "a.cpp")
    (tmp_path / "a.cpp").write_text(TEXT)
    (project / "solution2" / "syn" / "report").mkdir(parents=True)
    error = refused(read_project, project)
    assert (error.code, error.what, error.where) == ("no-reports", "2 solutions", str(project))
    for name in ("solution1", "solution2"):
        (project / name / "syn" / "report").rmdir()
    assert refused(read_project, project).what == "no folder syn/report: it was not synthesized"
    error = refused(read_project, tmp_path / "a.cpp")
    assert str(error).endswith("a C++ file says nothing of intervals; add --reports PROJECT/solution1/syn/report")


# --- Reports


def test_a_folder_without_reports(tmp_path: Path) -> None:
    error = refused(read_reports, tmp_path)
    assert (error.code, error.where) == ("no-report", str(tmp_path))


def test_reports_of_several_clocks_are_of_no_design(tmp_path: Path) -> None:
    (tmp_path / "a_csynth.xml").write_text(report("a"))
    (tmp_path / "b_csynth.xml").write_text(report("b").replace("3.33", "4.00"))
    error = refused(read_reports, tmp_path)
    assert (error.code, error.what) == ("several-clocks", "its reports are for clocks of 3.33 ns, 4.0 ns")
    (tmp_path / "b_csynth.xml").write_text(report("b"))
    assert read_reports(tmp_path).clock_mhz == 300
    for name in "ab":
        (tmp_path / f"{name}_csynth.xml").write_text(report(name).replace("3.33", "0.00"))
    assert refused(read_reports, tmp_path).what == "its reports are for clocks of 0.0 ns"


def test_the_report_of_a_module_comes_before_that_of_all(tmp_path: Path) -> None:
    (tmp_path / "a_csynth.xml").write_text(report("a", loops=loop("single", 3)))
    (tmp_path / "csynth.xml").write_text(report("top", modules={"a": loop("whole", 3)}))
    assert [each.name for each in read_reports(tmp_path).innermost("a")] == ["single"]
    (tmp_path / "a_csynth.xml").unlink()
    assert [each.name for each in read_reports(tmp_path).innermost("a")] == ["whole"]


@pytest.mark.parametrize(
    ("old", "new", "code", "told"),
    [
        (r"<profile>(.*)</profile>", r"<other>\1</other>", "bad-csynth-report", "its root is <other>, not <profile>"),
        ("2023.2", "1999.1", "other-version", "a report of release '1999.1', known are"),
        ("2023.2", "now", "other-version", "a report of release 'now', known are"),
        ("<TopModelName>top</TopModelName>", "", "bad-csynth-report", "no UserAssignments/TopModelName"),
        ("3.33", "fast", "bad-csynth-report", "TargetClockPeriod is 'fast', not a time in ns"),
        ("3.33", "1e3", "bad-csynth-report", "TargetClockPeriod is '1e3', not a time in ns"),
        ("<DSP>0</DSP>", "", "bad-csynth-report", "no count of DSP"),
        ("<FF>0</FF>", "<FF>-1</FF>", "bad-csynth-report", "no count of FF among its resources"),
        ("<AreaEstimates>.*</AreaEstimates>", "", "bad-csynth-report", "no AreaEstimates/Resources"),
        ("<SummaryOfOverallLatency>.*?</SummaryOfOverallLatency>", "", "bad-csynth-report",
         "no SummaryOfOverallLatency of"),
    ],
)  # fmt: skip
def test_reports_that_are_none_are_refused(old: str, new: str, code: str, told: str, tmp_path: Path) -> None:
    text, count = re.subn(old, new, report("top", modules={"f": loop("a", 3)}), count=1)
    assert count == 1
    (tmp_path / "csynth.xml").write_text(text)
    error = refused(read_report, tmp_path / "csynth.xml")
    assert (error.code, error.where) == (code, str(tmp_path / "csynth.xml"))
    assert told in error.what


def test_a_report_of_another_job_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "csynth.xml"
    path.write_text(report("top"))
    assert read_report(path, top="TOP", part="XCU55C").top == "top"
    for top, part, what in (("f", "", "TopModelName is 'top', not 'f'"), ("", "u280", "Part is 'xcu55c', not 'u280'")):
        error = refused(lambda top=top, part=part: read_report(path, top=top, part=part))
        assert (error.code, error.what) == ("other-report", what)


def test_parts_without_uram_and_ranges_and_loops_that_became_functions(tmp_path: Path) -> None:
    """As newer releases have them: of a range the largest counts, an outlined loop stands in another module."""
    inner = loop("l", 8, 2, 5).replace("<TripCount>8</TripCount>", "<TripCount><range><max>8</max></range></TripCount>")
    outer = "<o><Name>o</Name><TripCount>4</TripCount><Latency>1 ~ 99</Latency><InstanceList><Instance>"
    outer += "grp_f_Pipeline_l_fu_30</Instance><Instance>none</Instance></InstanceList></o>"
    modules = {"f": outer, "f_Pipeline_l": inner}
    text = report("top", modules=modules).replace("<URAM>0</URAM>", "")
    hierarchy = (
        "<RTLDesignHierarchy><TopModule><ModuleName>top</ModuleName><InstancesList><Instance><ModuleName>f</ModuleName>"
        "<InstancesList><Instance><ModuleName>f_Pipeline_l</ModuleName></Instance></InstancesList></Instance>"
        "</InstancesList></TopModule></RTLDesignHierarchy>"
    )
    path = tmp_path / "csynth.xml"
    path.write_text(text.replace("<AreaEstimates>", hierarchy + "<AreaEstimates>"))
    found = read_report(path)
    assert found.resources["uram"] == 0
    (outside,) = found.modules["f"].loops
    assert (outside.name, outside.trips, outside.cycles) == ("o", 4, 99)
    assert [(each.name, each.trips, each.interval, each.depth) for each in outside.inner] == [("l", 8, 2, 5)]
    # A report that does not say of which loop it was a part: it is one of the function.
    path.write_text(path.read_text().replace("grp_f_Pipeline_l_fu_30", "none"))
    assert [each.name for each in read_report(path).modules["f"].loops] == ["l", "o"]


def test_cycles_that_depend_on_data_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "csynth.xml"
    path.write_text(report("top").replace(performance(100, ""), performance(100, "").replace("100", "undef")))
    assert read_report(path).modules["top"].cycles is None


# --- What the regions of C++ are refused for


PAIR = """
void make(hls::stream<int> &out) {{ a: for (int i = 0; i < 6; i++) {{ out.write(i); }} }}
void take(hls::stream<int> &in, int n) {{ b: for (int i = 0; i < 6; i++) {{ in.read(); }} }}
{more}
void top(int n) {{
  #pragma HLS dataflow
  {streams}
  {calls}
}}
"""
MODULES = {"make": loop("a", 6), "take": loop("b", 6)}


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ({"calls": "make(s[n]); take(s[0], 1);", "streams": "hls::stream<int> s[2];"}, "bad-cpp",
         "an index of a stream in the region is not a number"),
        ({"calls": "make(s[2]); take(s[0], 1);", "streams": "hls::stream<int> s[2];"}, "bad-cpp",
         "'s' has index 2 where there are 2"),
        ({"calls": "make(s[0][1]); take(s[0], 1);", "streams": "hls::stream<int> s[2];"}, "bad-cpp",
         "'s' has more indices than dimensions"),
        ({"calls": "other(s); take(s, 1);"}, "unknown-task", "stream 's' is used by what is no call of a function"),
        ({"calls": ""}, "no-tasks", "'top' calls no function of the file"),
        ({"calls": "make(s); late(s, n);", "more": "void late(hls::stream<int> &in, int n) "
          "{ if (n > 3) { b: for (int i = 0; i < 6; i++) in.read(); } }"}, "not-static",
         "a loop that runs only where a condition says so"),
        ({"calls": "make(s); late(s);", "more": "void late(hls::stream<int> &in) "
          "{ goto end; b: for (int i = 0; i < 6; i++) in.read(); end: ; }"}, "not-static", "decides what runs"),
        ({"calls": "make(s); late(s);", "more": "void late(hls::stream<int> &in) "
          "{ b: for (int i = 0; i < 6; i++) {\n#pragma HLS unroll factor=4\nin.read(); } }"}, "not-static",
         "a loop of 6 iterations that is unrolled by 4"),
        ({"calls": "make(s); late(s);", "more": "void late(hls::stream_of_blocks<int> &in) "
          "{ b: for (int i = 0; i < 6; i++) in.read(); }"}, "not-static", "a stream of blocks"),
        ({"calls": "make(s); late(s);", "more": "void late(hls::stream<int> in[2]) "
          "{ b: for (int i = 0; i < 6; i++) in[i % 2].read(); }"}, "not-static",
         "which stream of 'in' is not decided by unrolled loops"),
    ],
    ids=["index", "beyond", "dimensions", "foreign", "empty", "condition", "goto", "unroll", "blocks",
         "lane"],
)  # fmt: skip
def test_what_a_region_cannot_be(change: dict[str, str], code: str, told: str, tmp_path: Path) -> None:
    parts = {"streams": "hls::stream<int> s;", "calls": "make(s); take(s, 1);", "more": "", **change}
    source, reports = design(tmp_path, PAIR.format(**parts), {**MODULES, "late": loop("b", 6), "inner": ""})
    error = refused(lambda: read_vitis(source, reports=reports))
    assert error.code == code
    assert told in error.what


def test_a_region_that_is_asked_for_is_the_one(tmp_path: Path) -> None:
    parts = {"streams": "hls::stream<int> s;", "calls": "make(s); take(s, 1);"}
    more = "void inner(hls::stream<int> &in) {\n#pragma HLS dataflow\n}"
    source, reports = design(tmp_path, PAIR.format(**parts, more=more), MODULES)
    assert read_vitis(source, reports=reports, top="top").name == "top"
    error = refused(lambda: read_vitis(source, reports=reports, top="tpo"))
    assert (error.code, error.hints) == ("no-top", ("did you mean 'top'?",))
    nested = PAIR.format(**{**parts, "calls": "make(s); inner(s);"}, more=more)
    source.write_text(nested)
    error = refused(lambda: read_vitis(source, reports=reports, top="top"))
    assert (error.code, error.hints) == ("nested-region", ("take it alone with --top inner",))
    reports.write_text(report("other", modules=MODULES))
    error = refused(lambda: read_vitis(source, reports=reports))
    assert (error.code, error.what) == ("no-top", "several have a dataflow pragma: inner, top")
    source.write_text("void top() {}\n")
    assert refused(lambda: read_vitis(source, reports=reports)).what == "no function has a dataflow pragma"


def test_an_unknown_width_and_streams_of_the_outside_are_told(tmp_path: Path) -> None:
    parts = {"streams": "hls::stream<token> s;", "calls": "make(s); take(s, 1); take(given, 1);", "more": ""}
    text = PAIR.format(**parts).replace("top(int n)", "top(hls::stream<int> &given)")
    source, reports = design(tmp_path, text, {**MODULES, "take_1": loop("b", 6)})
    notes: list[str] = []
    graph = read_vitis(source, reports=reports, notes=notes)
    assert [(fifo.name, fifo.bits) for fifo in graph.fifos] == [("s", 32)]
    assert notes == ["take: 'in' is no stream of the region: never empty, never full", "tokens of 's' have 32 bits"]


def test_the_example_is_read_with_its_reports_named(tmp_path: Path) -> None:
    solution = example(tmp_path)
    assert read_vitis(solution, reports=SOLUTION / "syn" / "report") == read_vitis(SOLUTION)
