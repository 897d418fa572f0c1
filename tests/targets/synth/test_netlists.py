"""Netlists of FIFOs against their SystemVerilog: the same in every one of 100,000 clock cycles."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from fifo_bench import BenchFifo, needs_verilator, run_bench

import sttest.compile.rtl as rtl
from sttest.compile.resources.synthesis import relay_fifo_estimate
from sttest.targets.synth.yosys import SynthesisJob, Synthesized, synthesize

pytest.importorskip("pyosys", reason="needs pyosys, pip install 'sttest[rtl]'")

CYCLES = 100_000
CELLS = Path(__file__).with_name("cells.sv")
SHAPES = {
    "register": (2, 24),
    "srl": (40, 16),
    "short srl": (5, 24),
    "lutram": (60, 21),
    "bram": (100, 30),
    "uram": (70, 80),
}
# Initial contents, which are unknown and which no FIFO reads.
_CONTENTS = re.compile(r"^ *\.INITP?_[0-9A-F]{2}\(.*\n", re.MULTILINE)


def fifo(name):
    depth, bits = SHAPES[name]
    return rtl.fifo(name.split()[-1], depth, bits)


def instance(made):
    given = ((name, f'"{value}"' if isinstance(value, str) else value) for name, value in made.parameters.items())
    return f"{made.module} #({', '.join(f'.{name}({value})' for name, value in given)})"


@pytest.fixture(scope="module")
def synthesized(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    jobs = {name: SynthesisJob(made.module, made.sources, made.parameters) for name in SHAPES for made in [fifo(name)]}
    found = synthesize(jobs.values(), folder, 1, lambda line: None)
    return {name: (folder / job.key / "netlist.v", f"job_{job.key}", found[job.key]) for name, job in jobs.items()}


@pytest.mark.slow
@needs_verilator
@pytest.mark.nightly
def test_netlists_do_what_the_modules_do(synthesized, tmp_path):
    netlists, fifos = [], []
    for name, (path, module, found) in synthesized.items():
        assert isinstance(found, Synthesized), found
        netlists.append(tmp_path / f"{module}.v")
        netlists[-1].write_text(_CONTENTS.sub("", path.read_text()))
        fifos.append(BenchFifo(module, SHAPES[name][1], model=instance(fifo(name))))
    depth, bits = SHAPES["srl"]
    fifos.append(BenchFifo(synthesized["srl"][1], bits, model=instance(rtl.fifo("srl", depth - 1, bits))))
    hdl = [files(rtl) / "hdl" / f"{name}.sv" for name in ("primitives", "fifo_srl", "fifo_ram", "fifo_relay")]
    trace = run_bench(fifos, [CELLS, *hdl, *netlists], tmp_path, CYCLES)
    assert trace.wrong[:, :-1].sum() == 0
    assert trace.wrong[:, -1].any()  # held against a FIFO of another depth
    assert (trace.take.mean(axis=0) > 0.2).all()
    assert not trace.space.all(axis=0).any()


def test_cells_are_those_that_the_kind_of_memory_asks_for(synthesized):
    cells = {name: found.cells for name, (*_, found) in synthesized.items()}
    assert cells["srl"]["SRLC32E"] == 2 * 16
    assert cells["short srl"]["SRL16E"] == 24
    assert cells["lutram"]["RAM64M8"] == 3
    assert cells["bram"]["RAMB18E2"] == 1
    assert cells["uram"]["URAM288"] == 2


def test_a_relay_takes_what_is_counted_for_it(synthesized):
    found = synthesized["register"][-1]
    assert found.resources == relay_fifo_estimate(SHAPES["register"][1])
    assert found.levels == 1
    assert not any("SRL" in cell for cell in found.cells)


def test_control_follows_the_rule_of_the_page(synthesized):
    for name in ("srl", "short srl", "lutram", "bram", "uram"):
        (depth, bits), found = SHAPES[name], synthesized[name][-1]
        count, place, lines = (depth).bit_length(), (depth - 2).bit_length(), -(-depth // 32)
        if "srl" in name:
            luts, flip_flops = bits * lines + bits * -(-(lines - 1) // 3) + count + 3, count + 2
        else:
            # The register of LUT memory is flip-flops, and seven bits of 64 words are eight LUTs.
            words, word = (-(-bits // 7) * 8, bits) if name == "lutram" else (0, 0)
            luts, flip_flops = 2 * count + 3 + words, count + 2 * place + 3 + word
        assert found.resources.ff == flip_flops, name
        assert abs(found.resources.lut - luts) <= 3, name
