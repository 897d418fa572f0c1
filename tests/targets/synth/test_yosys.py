"""Runs of yosys: shared, kept, resumed, and survived."""

import json

import pytest

from sttest.core.errors import SttestError
from sttest.targets.synth import yosys
from sttest.targets.synth.yosys import SynthesisJob, Synthesized, synthesize

pytest.importorskip("pyosys", reason="needs pyosys, pip install 'sttest[rtl]'")

COUNTER = """
module counter #(parameter int WIDTH = 4) (input logic clk, reset, output logic [WIDTH-1:0] count);
  always_ff @(posedge clk) if (reset) count <= '0; else count <= count + 1'b1;
endmodule
"""
BROKEN = "module broken (input logic clk); this is no SystemVerilog; endmodule\n"


def counter(width):
    return SynthesisJob("counter", (("counter.sv", COUNTER),), {"WIDTH": width})


def test_one_bad_module_does_not_cost_the_others(tmp_path):
    broken, told = SynthesisJob("broken", (("broken.sv", BROKEN),)), []
    jobs = [counter(4), broken, counter(9), counter(4)]
    found = synthesize(jobs, tmp_path, 1, told.append)
    assert len(found) == 3
    assert told == ["3 of 3 modules"]
    widths = {job.parameters["WIDTH"]: found[job.key] for job in jobs if job is not broken}
    assert {width: each.resources.ff for width, each in widths.items()} == {4: 4, 9: 9}
    assert all(each.levels > 0 for each in widths.values())
    assert isinstance(found[broken.key], SttestError)
    assert "log.txt" in str(found[broken.key])


def test_what_was_done_is_not_done_again_but_what_is_damaged_is(tmp_path, monkeypatch):
    runs = []

    def run(group, folder, limit_s):
        runs.append([job.key for job in group])
        for job in group:
            figures = {"cells": {"LUT1": 1}, "levels": 1, "seconds": 0.5}
            (folder / job.key / "cells.json").write_text(json.dumps(figures))

    monkeypatch.setattr(yosys, "_run", run)
    jobs = [counter(width) for width in (3, 5)]
    first = synthesize(jobs, tmp_path, 2, lambda line: None)
    assert synthesize(jobs, tmp_path, 2, lambda line: None) == first
    assert len(runs) == 1
    (tmp_path / jobs[0].key / "result.json").write_text("{")
    assert synthesize(jobs, tmp_path, 2, lambda line: None) == first
    assert runs[1:] == [[jobs[0].key]]


def test_a_run_that_takes_too_long_is_stopped(tmp_path):
    found = synthesize([counter(6)], tmp_path, 1, lambda line: None, limit_s=0.05)
    (error,) = found.values()
    assert isinstance(error, SttestError)
    assert "--timeout" in str(error)


def test_large_modules_have_runs_of_their_own():
    jobs = [SynthesisJob("counter", (), {"WIDTH": width}, size=size) for width, size in enumerate((9000, 10, 20, 5990))]
    assert [sorted(job.size for job in group) for group in yosys._groups(jobs)] == [[9000], [5990], [10, 20]]


def test_cells_count_as_the_luts_that_they_take():
    found = Synthesized({"LUT6": 2, "SRLC32E": 3, "RAM64M8": 1, "INV": 7, "RAMB36E2": 1, "CARRY4": 5}, 1, 0.0)
    assert (found.resources.lut, found.resources.bram18, found.shift_registers) == (2 + 3 + 8, 2, 3)
