"""Damaged and hostile files of Vitis HLS designs: one line, in bounded time."""

import random
import re
import shutil
import time

import pytest
from hls_designs import EXAMPLE, SOLUTION, design, example, loop

from sttest.core.errors import InputError, SttestError
from sttest.importers.cpp import read_hls, write_depths

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
TOP = """
void top() {
  #pragma HLS dataflow
  hls::stream<int> %s;
  make(s);
  take(s);
}
"""
MODULES = {"make": loop("a", 4), "take": loop("b", 4)}
TAKE = "void take(hls::stream<int> &in) { b: for (int i = 0; i < 4; i++) in.read(); }\n"
MAKE = "void make(hls::stream<int> &out) { a: for (int i = 0; i < 4; i++) { %s } }\n"
BILLION = "<!DOCTYPE b [<!ENTITY a 'aaaa'>" + "".join(f"<!ENTITY x{n} '&a;&a;&a;'>" for n in range(20)) + "]>"
DAMAGE = (
    b"0", b"-1", b"9" * 30, b'"', b"<", b">", b"{", b"}", b"(", b")", b"/*", b"\0", b"\xff", b"while(1)", b"undef",
    b"#define ROWS ROWS", b"residual(in, out);", b"1 << 60", b"% 0", b"hls::stream<",
)  # fmt: skip


def told(source, **options) -> str:
    began = time.monotonic()
    with pytest.raises(SttestError) as error:
        read_hls(source, **options)
    assert time.monotonic() - began < 120
    assert "\n" not in str(error.value)
    return str(error.value)


def damaged(data: bytes, chosen: random.Random) -> bytes:
    """Cut, with something put in, without a part, or with another number."""
    place = chosen.randrange(len(data))
    match chosen.randrange(4):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + chosen.choice(DAMAGE) + data[place:]
        case 2:
            return data[:place] + data[place + chosen.randrange(40) :]
    number = chosen.choice(list(re.finditer(rb"\d+", data)))
    return data[: number.start()] + chosen.choice((*DAMAGE[:3], b"7", b"100000000")) + data[number.end() :]


@pytest.mark.daily
@pytest.mark.parametrize("name", ["src/residual.cpp", "src/residual.h", "csynth.xml", "hls.app"])
def test_damaged_files_are_read_or_refused_in_one_line(tmp_path, name):
    solution, chosen = example(tmp_path), random.Random(name)
    path = next((tmp_path / "example").rglob(name.rpartition("/")[2]))
    whole, refused = path.read_bytes(), list[str]()
    for _ in range(6):
        path.write_bytes(damaged(whole, chosen))
        try:
            read_hls(solution)
        except SttestError as error:
            refused.append(str(error))
    assert len(refused) > 0
    assert not any("\n" in each for each in refused)


def test_entities_are_never_expanded(tmp_path):
    solution = example(tmp_path)
    report = solution / "syn" / "report" / "csynth.xml"
    report.write_text(BILLION + report.read_text(encoding="utf-8"), encoding="utf-8")
    assert "DOCTYPE" in told(solution)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("(" * 4000 + "out.write(1)" + ")" * 4000 + ";", "bracket nesting level exceeded"),
        ("out[ ].write(i);", "expected expression"),
        ("\n#pragma HLS unroll factor=" + "9" * 5000 + "\nout.write(i);", "integer literal is too large"),
    ],
)
def test_what_a_compiler_refuses_is_refused_with_its_words(tmp_path, body, complaint):
    source, reports = design(tmp_path, MAKE % body + TAKE + TOP % "s", MODULES)
    assert complaint in told(source, reports=reports)


@pytest.mark.nightly
def test_calls_without_end_are_ended(tmp_path):
    text = MAKE.replace("{ %s }", "{ make(out); }") + TAKE + TOP % "s"
    source, reports = design(tmp_path, text, MODULES)
    assert "signal" in told(source, reports=reports)


@pytest.mark.nightly
def test_too_many_accesses_are_refused_before_they_are_made(tmp_path):
    text = (MAKE % "out.write(i);" + TAKE + TOP % "s").replace("i < 4", "i < 4000000000000")
    source, reports = design(tmp_path, text, {"make": loop("a", 4 * 10**12), "take": loop("b", 4 * 10**12)})
    assert "too many accesses" in told(source, reports=reports)


def test_files_that_include_each_other_are_refused(tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\n#include "a.h"\n', encoding="utf-8")
    (tmp_path / "b.h").write_text('#include "a.h"\n#include "design.cpp"\n', encoding="utf-8")
    text = '#include "a.h"\n' + MAKE % "out.write(i);" + TAKE + TOP % "s"
    source, reports = design(tmp_path, text, MODULES)
    with pytest.raises(InputError, match=r"include nested too deeply"):
        read_hls(source, reports=reports)


def test_an_iteration_that_is_shorter_than_what_is_in_it_is_refused(tmp_path):
    solution = example(tmp_path)
    report = solution / "syn" / "report" / "csynth.xml"
    report.write_text(report.read_text().replace("<IterationLatency>23", "<IterationLatency>5"), encoding="utf-8")
    assert "an iteration takes 5 cycles, what is in it takes" in told(solution)


def test_names_reach_no_script(tmp_path):
    """Names come from C++ alone, so that nothing but an identifier gets into Tcl."""
    text = MAKE % "out.write(i);" + TAKE + TOP % "s"
    source, reports = design(tmp_path, text.replace("top()", "top$x()"), MODULES, top="top$x")
    sized = read_hls(source, reports=reports).with_depths({"s": 9})
    with pytest.raises(InputError, match="no plain name"):
        write_depths(sized, source, tmp_path / "d.tcl")
    assert not (tmp_path / "d.tcl").exists()


def test_a_source_outside_of_its_project_is_not_patched(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "p" / "example")
    solution = tmp_path / "p" / "example" / SOLUTION.relative_to(EXAMPLE)
    shutil.move(tmp_path / "p" / "example" / "src", tmp_path / "src")
    app = solution.parent / "hls.app"
    app.write_text(app.read_text().replace('"src/', '"../../src/'), encoding="utf-8")
    graph = read_hls(solution)
    with pytest.raises(InputError, match="is outside of"):
        write_depths(graph.with_depths({"skip": 9}), solution, tmp_path / "d.patch")
    write_depths(graph.with_depths({"skip": 9}), solution, tmp_path / "d.tcl")
    assert (tmp_path / "d.tcl").read_text() == 'set_directive_stream -depth 9 "residual" skip\n'


def test_reports_of_another_source_are_refused_though_nothing_reads_a_stream(tmp_path):
    text = (
        "void make(int u[4]) { a: for (int i = 0; i < 4; i++) u[i] = i; }\n"
        "void take(int u[4], int o[4]) { b: for (int i = 0; i < 4; i++) o[i] = u[i]; }\n"
        "void top(int o[4]) {\n  #pragma HLS dataflow\n  int u[4];\n  make(u);\n  take(u, o);\n}\n"
    )
    source, reports = design(tmp_path, text, MODULES)
    assert len(read_hls(source, reports=reports).processes) == 2
    source, reports = design(tmp_path, text, MODULES | {"make": loop("other", 4)})
    with pytest.raises(InputError, match="make: no report fits loop 'a', and loop 'other' of the reports is not in"):
        read_hls(source, reports=reports)
