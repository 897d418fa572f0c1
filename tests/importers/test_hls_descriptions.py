"""What describes a Vitis HLS design beside its C++: options of files, clocks, scripts that are of no use."""

from __future__ import annotations

from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.hls import project as projects
from sttest.importers.hls.project import read_project, read_sources

TEXT = "void top() {}\n"


def component(folder: Path, *lines: str) -> Path:
    """A component of the unified IDE with one C++ file."""
    (folder / "a.cpp").write_text(TEXT)
    (folder / "hls_config.cfg").write_text("\n".join(["[hls]", "syn.file=a.cpp", *lines, ""]))
    return folder


def test_options_of_one_file_of_a_component_count_like_those_of_all(tmp_path: Path) -> None:
    lines = "syn.cflags=-DWIDTH=8", "syn.file_cflags=a.cpp,-DDEPTH=4 -Iinc", "syn.csimflags=-DSIMULATES"
    assert read_project(component(tmp_path, *lines)).flags == ["-DWIDTH=8", "-DDEPTH=4", f"-I{tmp_path / 'inc'}"]


def test_of_the_options_of_a_script_only_those_of_the_compiler_count(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(TEXT)
    (tmp_path / "run.tcl").write_text('add_files -csimflags "-DSIMULATES" a.cpp -cflags "-DDEPTH=4"\nset_top top\n')
    found = read_project(tmp_path)
    assert (found.units, found.flags) == ([tmp_path / "a.cpp"], ["-DDEPTH=4"])


@pytest.mark.parametrize(
    ("clock", "nanoseconds"),
    [("4", 4.0), ("4ns", 4.0), ("250MHz", 4.0), ("250 mhz", 4.0), ("4.0.1", 0.0), ("fast", 0.0), ("0MHz", 0.0)],
)
def test_a_clock_is_a_period_or_a_frequency_and_nothing_else(tmp_path: Path, clock: str, nanoseconds: float) -> None:
    assert read_project(component(tmp_path, f"clock={clock}")).clock_ns == nanoseconds


def test_options_in_quotes_that_do_not_end_are_left_out(tmp_path: Path) -> None:
    assert read_project(component(tmp_path, "syn.cflags=-DNAME='x", "syn.cflags=-DDEPTH=4")).flags == ["-DDEPTH=4"]


def test_more_files_than_any_project_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "MOST_SOURCES", 2)
    for name in ("b.cpp", "c.cpp"):
        (tmp_path / name).write_text(TEXT)
    folder = component(tmp_path, "syn.file=b.cpp")
    assert [path.name for path in read_project(folder).units] == ["a.cpp", "b.cpp"]
    component(tmp_path, "syn.file=b.cpp", "syn.file=c.cpp")
    with pytest.raises(InputError) as caught:
        read_project(folder)
    assert (caught.value.code, caught.value.bound) == ("too-many-files", 2)
    assert caught.value.where == str(tmp_path / "hls_config.cfg")


def test_headers_that_include_each_other_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text('#include "a.h"\n#include "b.h"\n')
    (tmp_path / "a.h").write_text('#include "b.h"\nint a;\n')
    (tmp_path / "b.h").write_text('#include "a.h"\nint b;\n')
    # A header stands behind those that it includes; of two that include each other the one that comes first is last.
    assert [path.name for path in read_sources([tmp_path / "a.cpp"])] == ["b.h", "a.h", "a.cpp"]


def test_a_script_whose_files_are_gone_says_nothing_of_the_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(TEXT)
    (tmp_path / "old.tcl").write_text("set_top other\nadd_files gone.cpp\n")
    found = read_project(tmp_path / "a.cpp")
    assert (found.units, found.top, found.description) == ([tmp_path / "a.cpp"], "", "")
    (tmp_path / "run.tcl").write_text("set_top top\nadd_files a.cpp\n")
    found = read_project(tmp_path / "a.cpp")
    assert (found.units, found.top, found.description) == ([tmp_path / "a.cpp"], "top", "run.tcl")
