"""Own kernels: a payload of the user's changes nothing but what it says, and is refused where it cannot stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sttest as st
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.own_kernels import define_values
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.reference import memory_images, read_results, run

SUM_CPP = "static float own_sum(float product, float bias) { return product + bias; }\n"
SUM_PYTHON = "def own_sum(product, bias):\n    return product + bias\n"
TASK = "attn_q_proj_2"
"""Adds a bias."""


def write(folder: Path, program: str = SUM_PYTHON, **changes: object) -> Path:
    entry = {
        "task": TASK,
        "function": "own_sum",
        "cpp": "own.h",
        "python": "own.py:own_sum",
        "latency": 5,
        "source": "made up",
        "kind": "assumed",
        **changes,
    }
    lines = [f"    {key}: {value}" for key, value in entry.items() if value is not None]
    (folder / "own.h").write_text(SUM_CPP)
    (folder / "own.py").write_text(program)
    path = folder / "kernels.yaml"
    path.write_text("kernels:\n  -" + "\n".join(lines)[3:] + "\n")
    return path


def design(kernels: Path | None = None):
    options = CompileOptions(kernels=None if kernels is None else str(kernels))
    return compile_text(lowered_text("gpt2", "decode", small=True), "own", "u55c", options)


def results(of) -> dict[str, np.ndarray]:
    graph, random = value_graph(of.module, of.name), np.random.default_rng(3)
    arguments = {}
    for each in graph.arguments:
        values = random.standard_normal(each.shape)
        scaled = np.clip(np.rint(4 * values), -7, 7) if each.dtype.startswith("i") else np.abs(values) / 64
        arguments[each.name] = scaled.astype({"f32": "f4", "f16": "f2"}.get(each.dtype, "i1"))
    return read_results(graph, run(graph, memory_images(graph, arguments)).results)


def test_the_same_arithmetic_has_the_same_values(tmp_path):
    path = write(tmp_path)
    define_values(path)
    stock, own = results(design()), results(design(path))
    assert stock.keys() == own.keys()
    for name, values in stock.items():
        np.testing.assert_array_equal(own[name], values, err_msg=name)


def test_another_value_comes_out(tmp_path):
    path = write(tmp_path, "def own_sum(product, bias):\n    return product - bias\n")
    define_values(path)
    found = results(design(path))
    assert any((found[name] != values).any() for name, values in results(design()).items())


def compiled(path: Path | None = None) -> st.Design:
    kernels = {} if path is None else {"kernels": str(path)}
    return st.compile("small-gpt2", phase="decode", context=32, **kernels)


def test_times_are_those_of_the_file(tmp_path):
    stock, fast = compiled().kernels.loc[TASK], compiled(write(tmp_path)).kernels.loc[TASK]
    slow = compiled(write(tmp_path, latency=40, interval=3))
    assert fast.ii_cycles == stock.ii_cycles
    assert slow.kernels.loc[TASK].ii_cycles == 3 * stock.ii_cycles
    steps = stock.ii_cycles  # of a tile, at an interval of 1
    assert slow.kernels.loc[TASK].latency_cycles - fast.latency_cycles == 40 - 5 + 2 * steps
    assert slow.simulate().cycles == slow.simulate("simpy").cycles > compiled().simulate().cycles


def test_area_is_that_of_the_file_in_every_lane(tmp_path):
    free, own = (compiled(write(tmp_path, **area)) for area in ({}, {"lut": 1000, "ff": 70, "dsp": 2}))
    lanes = own.kernels.loc[TASK].lanes
    before, after = free.resources.loc[TASK], own.resources.loc[TASK]
    assert lanes > 1
    assert [after[kind] - before[kind] for kind in ("lut", "ff", "dsp")] == [1000 * lanes, 70 * lanes, 2 * lanes]


REFUSALS = {
    "no task": ({"task": "attn_q_proj_9"}, "no task is called 'attn_q_proj_9'"),
    "a sum": ({"task": "attn_norm"}, "reduces"),
    "integers": ({"task": "attn_q_proj_quantize"}, "elements of"),
    "no file": ({"cpp": "other.h"}, "other.h: cannot be read"),
    "no function": ({"function": "own_product"}, "defines no function 'own_product'"),
    "other arguments": ({"task": "attn_norm_reciprocal"}, "takes 2, and the task"),
    "a bad name": ({"function": "system(0)"}, "function"),
    "no figure": ({"latency": None}, "latency"),
    "a negative area": ({"lut": -1}, "lut"),
    "another key": ({"rtl": "x.v"}, "rtl"),
    "no hardware": ({"systemverilog": "own.h"}, "no function automatic 'own_sum'"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_cannot_stand_is_refused(case, tmp_path, sttest):
    changes, told = REFUSALS[case]
    path = write(tmp_path, **changes)
    shape = ("small-gpt2", "--phase", "decode", "--context", 32)
    outcome = sttest("compile", *shape, "--kernels", path, "-o", tmp_path / "package")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1), outcome.stderr
    assert told in outcome.stderr
    assert not (tmp_path / "package").exists()


@pytest.mark.parametrize(
    ("python", "told"),
    [
        ("def own_sum(a, b):\n    return (a + b).astype('f8')\n", "gives float64"),
        ("def own_sum(a, b):\n    return a.sum()\n", "not float32"),
        ("def own_sum(a, b):\n    return 1 / 0\n", "ZeroDivisionError"),
        ("def other(a, b):\n    return a\n", "no function 'own_sum'"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
    ],
)
def test_values_that_are_none_are_refused(python, told, tmp_path):
    path = write(tmp_path, python)

    def evaluated() -> None:
        define_values(path)
        results(design(path))

    with pytest.raises(InputError, match=told):
        evaluated()


def test_a_package_alone_runs_no_python(tmp_path, sttest, monkeypatch):
    monkeypatch.setattr("sttest.reference.own_kernels._FUNCTIONS", {})
    path = write(tmp_path)
    shape = ("small-gpt2", "--phase", "decode", "--context", 32)
    assert sttest("compile", *shape, "--kernels", path, "-o", tmp_path / "package").exit_code == 0
    path.unlink()
    again = st.load_design(tmp_path / "package")
    assert "own_sum(" in again.save(tmp_path / "copy").joinpath("hls/kernel.cpp").read_text()
    with pytest.raises(InputError, match="give --kernels FILE"):
        results(again.compiled)
