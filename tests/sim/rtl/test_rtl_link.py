"""FIFOs whose ends are apart, in hardware: a token is on its way for so many cycles, and takes up a place."""

import pytest
from rtl_graphs import needs
from sim_graphs import graph, sink, source

from sttest.sim import Fifo, simulate
from sttest.targets.rtl import compare, emulate_all


@needs("icarus")
@pytest.mark.parametrize("initial", [0, 2])
def test_first_read_after_write(initial, tmp_path):
    designs = [
        graph([Fifo("a", 4, 8, kind, initial, latency=9)], [source("a", 6), sink("a", 6 + initial)])
        for kind in ("srl", "ram")
    ]
    for design, run in zip(designs, emulate_all(designs, "icarus", tmp_path), strict=True):
        assert compare(design, run, "simpy").is_exact
        first = run.writes["a"].tolist()[0]
        assert run.reads["a"].tolist()[initial] == first + design.fifos[0].read_after_write_cycles


@needs("icarus")
def test_nothing_moves_while_a_token_is_on_its_way(tmp_path):
    """Which is no deadlock: the twin waits longer than it takes to be sure of one."""
    (design,) = designs = [graph([Fifo("a", 2, 8, latency=200)], [source("a", 3), sink("a", 3)])]
    (run,) = emulate_all(designs, "icarus", tmp_path)
    assert run.verdict == "done"
    assert run.cycles == simulate(design).cycles
