"""FIFOs in SystemVerilog: the law of the timed graph in every cycle, and every token as it was put in."""

from importlib.resources import files

import numpy as np
import pytest
from fifo_bench import BenchFifo, needs_verilator, run_bench

import sttest.compile.rtl as rtl
from sttest.core.errors import InputError
from sttest.sim.graph import RAM_CYCLES, SRL_CYCLES

HDL = files(rtl) / "hdl"
CYCLES = 5000
KINDS = ("srl", "lutram", "bram", "uram")
DEPTHS = (1, 2, 3, 16, 17, 32, 33, 100, 512)
WIDE = 520
# Kind, depth, width, tokens at the start.
SHAPES = [
    *((kind, depth, 1 + 6 * (number % 3), 0) for kind in KINDS for number, depth in enumerate(DEPTHS)),
    *((kind, depth, 32, 0) for kind in KINDS for depth in (2, 33)),
    ("srl", 20, WIDE, 0),
    ("srl", 70, 72, 0),
    ("bram", 65, WIDE, 0),
    ("bram", 514, 8, 0),
    ("bram", 600, 8, 0),
    ("lutram", 130, 8, 0),
    ("register", 2, 1, 0),
    ("register", 2, WIDE, 0),
    *(("srl", depth, 1, initial) for depth, initial in ((2, 2), (3, 1), (40, 40))),
]


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    fifos = [bench_fifo(*shape) for shape in SHAPES]
    sources = [HDL / f"{name}.sv" for name in ("primitives", "fifo_srl", "fifo_ram", "fifo_relay")]
    return run_bench(fifos, sources, tmp_path_factory.mktemp("fifos"), CYCLES)


def bench_fifo(kind, depth, width, initial):
    made = rtl.fifo(kind, depth, width, initial)
    given = ((name, f'"{value}"' if isinstance(value, str) else value) for name, value in made.parameters.items())
    return BenchFifo(f"{made.module} #({', '.join(f'.{name}({value})' for name, value in given)})", width, initial)


def before(events, cycles):
    """How many of each column lie at least so many cycles back, in every cycle."""
    counted = np.cumsum(events, axis=0)
    return np.concatenate([np.zeros((cycles, events.shape[1]), int), counted[:-cycles]])


@pytest.mark.slow
@needs_verilator
def test_space_and_avail_are_those_of_the_law(trace):
    depth, initial = (np.array([shape[at] for shape in SHAPES]) for at in (1, 3))
    is_srl = np.array([shape[0] in ("srl", "register") for shape in SHAPES])
    taken = before(trace.take, 1)
    readable = np.where(is_srl, before(trace.put, SRL_CYCLES), before(trace.put, RAM_CYCLES))
    avail = readable + initial > taken
    space = before(trace.put, 1) + initial - taken < depth
    for number, shape in enumerate(SHAPES):
        assert (trace.avail[:, number] == avail[:, number]).all(), shape
        assert (trace.space[:, number] == space[:, number]).all(), shape


@pytest.mark.slow
@needs_verilator
def test_tokens_leave_as_they_came(trace):
    for number, shape in enumerate(SHAPES):
        assert not trace.wrong[:, number].any(), shape


@pytest.mark.slow
@needs_verilator
def test_every_fifo_was_full_and_empty_and_moved_as_many_tokens_as_the_law_lets_it(trace):
    rates = {shape: trace.take[:, number].mean() for number, shape in enumerate(SHAPES)}
    assert min(rates.values()) > 0.2
    for number, (_, depth, *_) in enumerate(SHAPES):
        assert not trace.avail[:, number].all()
        assert depth > 100 or not trace.space[:, number].all()
    assert rates["srl", 1, 1, 0] < rates["srl", 2, 7, 0]


@pytest.mark.parametrize(
    ("kind", "depth", "bits", "initial"),
    [("srl", 0, 8, 0), ("bram", 8, 0, 0), ("register", 8, 8, 0), ("uram", 8, 8, 1)],
)
def test_what_no_module_can_be_is_refused(kind, depth, bits, initial):
    with pytest.raises(InputError, match="FIFO"):
        rtl.fifo(kind, depth, bits, initial)


def test_a_memory_of_registers_is_no_module():
    with pytest.raises(InputError, match="register"):
        rtl.memory("register", 1, 8)
