"""Which clang reads C++, what its failures say, and one file of several that say the same."""

from __future__ import annotations

import shutil
import sys

import llvmlite.binding as llvm
import pytest
from quick_cpp import pair, six

from sttest.core.errors import InputError, ToolMissingError
from sttest.importers.cpp import compiler, design, read_hls, schedules
from sttest.importers.cpp.network import NetworkRuns
from sttest.importers.places import DesignPlaces
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph


def graph(interval: int) -> TimedGraph:
    """Six tokens from one task to another, one in so many cycles."""
    make, take = (Loop((6,), interval, 2, (Event("s", op, 1),)) for op in ("write", "read"))
    return TimedGraph("top", 300.0, (Fifo("s", 2, 32),), (Pipeline("make", (make,)), Pipeline("take", (take,))))


NETWORK = NetworkRuns(*(graph(interval) for interval in range(1, 6)), (), (), DesignPlaces({}, {}, {}))


# --- Which clang


def test_a_clang_of_the_system_comes_before_that_of_a_package_and_a_newer_one_before_an_older(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    package = tmp_path / "packages" / "ziglang"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(package.parent)
    found = compiler.clang.__wrapped__  # without what was found before
    assert found() == (sys.executable, "-P", "-m", "ziglang", "c++")
    for name in ("clang++-14", "clang++-18"):
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    assert found() == (str(tmp_path / "clang++-18"),)


def test_without_any_clang_both_ways_to_get_one_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiler, "find_spec", lambda _name: None)
    with pytest.raises(ToolMissingError) as caught:
        compiler.clang.__wrapped__()
    assert (caught.value.code, caught.value.hints) == ("no-clang", ("apt-get install clang", "pip install ziglang"))


# --- What failures say


@pytest.mark.parametrize(
    ("script", "told", "hints"),
    [
        (
            "kill -XCPU $$", "it takes too much processor time",
            ("give smaller scalars with --set", "or a part of the design with --top"),
        ),
        ("kill -SEGV $$", "it was ended by signal 11", ()),
        ("exit 3", "exit code 3", ()),
        ("echo first >&2; echo last words >&2; exit 1", "last words", ()),
        ("echo 'a.cpp:1: error: bad' >&2; echo 'more' >&2; exit 1", "a.cpp:1: error: bad", ()),
    ],
)  # fmt: skip
def test_how_a_program_ended_is_told(tmp_path, script, told, hints):
    with pytest.raises(InputError) as caught:
        compiler.run_limited(["sh", "-c", script], tmp_path, "the run of the design")
    error = caught.value
    assert (error.code, error.what, error.hints) == ("cpp-failed", f"the run of the design failed: {told}", hints)


def test_a_program_that_does_not_end_is_ended(tmp_path):
    with pytest.raises(InputError, match="the run of the design takes more than 0 s") as caught:
        compiler.run_limited(["sleep", "60"], tmp_path, "the run of the design", seconds=0)
    assert (caught.value.code, caught.value.where) == ("too-slow", str(tmp_path))


@pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("hls_dsp.h", "a library of AMD, whose code is not public: import solution reads a synthesized folder of it"),
        ("own.h", "put the header beside the source"),
    ],
)
def test_a_header_of_a_library_that_is_not_public_is_none_that_is_missing_beside_the_source(tmp_path, header, hint):
    (tmp_path / "design.cpp").write_text(f"#include <{header}>\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"reading the C.. failed: .*'{header}' file not found") as caught:
        read_hls(tmp_path / "design.cpp")
    assert caught.value.hints == (hint,)


def test_without_a_run_nothing_is_read(tmp_path):
    with pytest.raises(InputError) as caught:
        read_hls(tmp_path / "gone.cpp", no_run=True)
    assert (caught.value.code, caught.value.where) == ("needs-run", str(tmp_path / "gone.cpp"))
    assert "--no-run" in caught.value.hints[0]


# --- Files and readings of a design


def linked_twice() -> str:
    """What LLVM says of two files that define a function."""
    one, other = (llvm.parse_assembly("define void @top() {\n  ret void\n}") for _ in range(2))
    with pytest.raises(RuntimeError) as caught:
        one.link_in(other)
    return str(caught.value)


@pytest.mark.parametrize("is_described", [True, False])
def test_of_files_that_define_the_same_the_one_that_is_named_is_read(tmp_path, monkeypatch, is_described):
    for name in ("one.cpp", "other.cpp"):
        (tmp_path / name).write_text(pair(six("out.write(i);")), encoding="utf-8")
    if is_described:
        script = "add_files one.cpp\nadd_files other.cpp\nset_top top\n"
        (tmp_path / "run.tcl").write_text(script, encoding="utf-8")
    tried: list[list[str]] = []

    def read(found, _top, _values, _folder):
        tried.append([path.name for path in found.project.units])
        if len(tried) == 1:
            raise InputError("cpp-failed", f"analyzing the C++ failed: {linked_twice()}")
        return NETWORK

    monkeypatch.setattr(design, "_read", read)
    if is_described:
        assert read_hls(tmp_path / "other.cpp") == NETWORK.early
        assert tried == [["one.cpp", "other.cpp"], ["other.cpp"]]
    else:
        with pytest.raises(InputError, match="symbol multiply defined"):
            read_hls(tmp_path / "other.cpp")
        assert tried == [["other.cpp"]]


def test_schedules_of_a_design_that_was_read_last_are_not_read_again(tmp_path, monkeypatch):
    source = tmp_path / "design.cpp"
    source.write_text(pair(six("out.write(i);")), encoding="utf-8")
    read: list[dict[str, str]] = []

    def counted(_found, _top, values, _folder):
        read.append(dict(values))
        return NETWORK

    monkeypatch.setattr(design, "_read", counted)
    intervals = {name: each.processes[0].loops[0].ii for name, each in schedules(source).items()}
    assert intervals == {"early": 1, "late": 2, "text": 3, "apart": 4, "first": 5}
    assert schedules(source)["late"] is NETWORK.late
    assert read == [{}]
    schedules(source, values={"n": "4"})
    assert read == [{}, {"n": "4"}]


# --- Depths that a project's settings say


@pytest.mark.parametrize(
    ("script", "depths"),
    [
        ('set_directive_stream -depth 9 "top" skip', {"skip": (9, "")}),
        ("set_directive_stream -depth 9", {}),
        ("config_dataflow -default_channel fifo -fifo_depth 5", {"*": (0, "fifo")}),
        ("config_dataflow -default_channel pingpong", {}),
        ("\n" * 200_000, {}),
        ("config_dataflow " * 20_000, {}),
    ],
    ids=["depth", "no variable", "channels", "another channel", "blank lines", "many words"],
)
def test_settings_say_which_variables_are_streams(tmp_path, script, depths):
    (tmp_path / "design.cpp").write_text(pair(""), encoding="utf-8")
    (tmp_path / "run.tcl").write_text(f"add_files design.cpp\nset_top top\n{script}\n", encoding="utf-8")
    found = design.find_source(tmp_path / "design.cpp", None)
    assert found.depths == depths
    assert found.default_depth == (5 if "fifo_depth" in script else 2)
