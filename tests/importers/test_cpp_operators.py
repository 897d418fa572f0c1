"""What operators take in estimates, what is said of those that the table does not have, and who waits for loads."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from quick_cpp import TAKE, analyze_here, pair, six, written

from sttest.importers.cpp.design import read_design
from sttest.importers.cpp.network import NetworkRuns
from sttest.sim import Pipeline, TimedGraph

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
# Stages: a load 1, to float and back 6 each, a sum 7, a product 4, a root 12, a rounding 6, the greater of two 1, to
# double 2, from it 3. An iteration begins in stage 1. Of each body the stage of its first write at the earliest, and
# the interval.
MAKERS = {
    # Around x goes the sum; the product is before it.
    "sum": ("float x = 1; ", "x += p[i] * 2.5f; out.write(x);", 1 + 1 + 6 + 4 + 7 + 6, 7),
    "sum_apart": ("float x = 1; ", "float t = p[i] * 2.5f; x += t; out.write(x);", 1 + 1 + 6 + 4 + 7 + 6, 7),
    "fused": ("float x = 1; ", "x = __builtin_fmaf(p[i], 2.5f, x); out.write(x);", 1 + 1 + 6 + 4 + 7 + 6, 7),
    "fused_around": ("float x = 1; ", "x = __builtin_fmaf(x, 2.5f, p[i]); out.write(x);", 1 + 1 + 6 + 7 + 6, 11),
    "loaded": ("", "out.write(p[i]);", 1 + 1, 1),
    "scaled": ("", "out.write(p[i] * 1.5f);", 1 + 1 + 6 + 4 + 6, 1),
    "constant": ("float x = 3; ", "out.write(x * i);", 1 + 6 + 4 + 6, 1),
    "root": ("", "out.write(__builtin_sqrtf(p[i]));", 1 + 1 + 6 + 12 + 6, 1),
    "floor": ("", "out.write(__builtin_floorf(p[i] * 0.5f));", 1 + 1 + 6 + 4 + 6 + 6, 1),
    "greater": ("", "out.write(__builtin_fmaxf(p[i], 0.5f));", 1 + 1 + 6 + 1 + 6, 1),
    "sign": ("", "out.write(__builtin_fabsf(p[i]));", 1 + 1 + 6 + 6, 1),
    "wide": ("", "out.write((float)((double)(float)p[i] * 0.3));", 1 + 1 + 6 + 2 + 4 + 3 + 6, 1),
}
UNKNOWN = {
    "out.write(p[i] / (i + 3));": "division of integers",
    "out.write(p[i] % 3);": "remainder of integers",
    "out.write(__builtin_powf(p[i], 1.5f));": "pow",
    "out.write(__builtin_logf(p[i]) + __builtin_fmodf(p[i], 3));": "fmod and log",
}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    analyze_here(monkeypatch)


def read(folder: Path, text: str, notes: list[str] | None = None) -> NetworkRuns:
    return read_design(written(folder, text), None, "", {}, notes, None)


def stages(graph: TimedGraph, process: str) -> list[int]:
    """Of the accesses of a task."""
    found = next(each for each in graph.processes if each.name == process)
    assert isinstance(found, Pipeline)
    assert found.trace is not None
    return found.trace.tick.tolist()


def test_operators_take_the_stages_of_the_table_under_every_schedule(tmp_path):
    text = "".join(
        f"void {name}(const int *p, hls::stream<int> &out) {{ {before}{six(body)} }}\n"
        for name, (before, body, _, _) in MAKERS.items()
    )
    calls = "".join(f"{name}(p, s[{number}]); take(s[{number}], m);\n" for number, name in enumerate(MAKERS))
    top = f"void top(const int *p, int *m) {{\n#pragma HLS dataflow\nhls::stream<int> s[{len(MAKERS)}];\n{calls}}}\n"
    text += TAKE + top
    notes: list[str] = []
    network = read(tmp_path, text, notes)
    for schedule in ("late", "first"):
        found = {name: stages(network.schedules[schedule], name) for name in MAKERS}
        assert found == {
            name: [first + interval * i for i in range(6)] for name, (_, _, first, interval) in MAKERS.items()
        }
    assert notes[1:] == ["the table of operators has single precision: double precision counts as that"]


@pytest.mark.parametrize("body", UNKNOWN)
def test_what_the_table_does_not_have_is_named(tmp_path, body):
    notes: list[str] = []
    read(tmp_path, pair(six(body)), notes)
    assert notes[1:] == [
        f"the table of operators does not have {UNKNOWN[body]}: what is not in it counts as no time"
    ]  # fmt: skip


def test_bits_that_a_division_takes_apart_take_no_time(tmp_path):
    notes: list[str] = []
    read(tmp_path, pair(six("out.write((unsigned)p[i] / 8 + p[i] % 4 + p[i] / 2);")), notes)
    assert len(notes) == 1


def test_functions_of_the_librarys_header_take_time(tmp_path):
    text = "#include <hls_stream.h>\n#include <hls_math.h>\n" + pair(
        six("out.write(hls::rsqrt((float)p[i]) + hls::recip((float)p[i]) + hls::sqrt((float)p[i]));")
    )
    path = tmp_path / "design.cpp"
    path.write_text(text, encoding="utf-8")
    notes: list[str] = []
    network = read_design(path, None, "", {}, notes, None)
    # The slowest of the three is there 14 stages after the conversion; two sums follow.
    assert stages(network.first, "make")[0] == 1 + 1 + 6 + 14 + 7 + 7 + 6
    assert [each for each in notes if re.search("table of operators (?:has|does)", each)] == []
