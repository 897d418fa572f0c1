"""The files of a Vitis HLS design: which are its own, which report is of what, and what is refused where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hls_designs import loop, performance, report

from sttest.core.errors import InputError
from sttest.importers.cpp.design import find_source
from sttest.importers.hls import project as projects
from sttest.importers.hls.csynth_report import read_report
from sttest.importers.hls.project import read_project, read_sources
from sttest.importers.hls.reports import read_reports

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
    assert [path.name for path in read_sources(found.units)] == ["a.h", "a.cpp"]
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
    assert [path.name for path in found.units] == ["a.cpp"]
    assert (found.name, found.top, found.reports) == (tmp_path.name, "", tmp_path / "w" / "hls" / "syn" / "report")


def test_more_files_than_any_design_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "MOST_SOURCES", 3)
    for number in range(4):
        (tmp_path / f"h{number}.h").write_text(f'#include "h{number + 1}.h"\n')
    assert len(read_sources([tmp_path / "h1.h"])) == 3
    error = refused(read_sources, [tmp_path / "h0.h"])
    assert (error.code, error.bound) == ("too-many-files", 3)


@pytest.mark.parametrize(
    ("make", "code", "told"),
    [
        (lambda folder: folder, "no-design", "neither hls.app nor hls_config.cfg, and no Tcl script with add_files"),
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
    assert read_project(project).reports is None


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


# --- C++ files with a description around them

SCRIPT = """
set folder src
open_project -reset p
set_top top
add_files {$folder/a.cpp $folder/b.cpp} -cflags "-Iinclude -DN=4"
add_files -tb src/tb.cpp
create_clock -period 5 -name default
"""


def test_a_file_is_read_with_what_a_script_around_it_says(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a.cpp", "b.cpp", "tb.cpp", "other.cpp"):
        (tmp_path / "src" / name).write_text(TEXT)
    (tmp_path / "run_hls.tcl").write_text(SCRIPT)
    found = read_project(tmp_path / "src" / "b.cpp")
    assert [path.name for path in found.units] == ["a.cpp", "b.cpp"]
    assert (found.top, found.clock_ns, found.description) == ("top", 5.0, "run_hls.tcl")
    assert found.flags == [f"-I{tmp_path / 'include'}", "-DN=4"]
    assert read_project(tmp_path).units == found.units
    alone = read_project(tmp_path / "src" / "other.cpp")
    assert (alone.units, alone.description) == ([tmp_path / "src" / "other.cpp"], "")


def test_variables_of_a_script_that_double_each_other_are_refused(tmp_path: Path) -> None:
    """Forty lines would be 2 TB."""
    doubled = "".join(f"set v{each + 1} $v{each}$v{each}\n" for each in range(40))
    (tmp_path / "run_hls.tcl").write_text(f"set v0 ab\n{doubled}add_files $v40\n")
    with pytest.raises(InputError, match=r"a command of the Tcl script with its variables \(demand 16388 characters"):
        read_project(tmp_path)


def test_a_component_says_its_flags_and_its_clock(tmp_path: Path) -> None:
    (tmp_path / "hls_config.cfg").write_text("[hls]\nclock=300MHz\nsyn.file=a.cpp\nsyn.cflags=-I inc -DX\nsyn.top=f\n")
    (tmp_path / "a.cpp").write_text(TEXT)
    found = read_project(tmp_path / "a.cpp")
    assert (found.flags, found.top, round(found.clock_ns, 2)) == ([f"-I{tmp_path / 'inc'}", "-DX"], "f", 3.33)


def test_directives_that_were_written_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(TEXT)
    (tmp_path / "depths.tcl").write_text('set_directive_stream -depth 9 "top" skip\n')
    assert find_source(tmp_path / "a.cpp", None).depths == {"skip": (9, "")}
