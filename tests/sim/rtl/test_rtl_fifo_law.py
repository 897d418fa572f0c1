"""The rates of timing.md, section 1, as the hardware has them: nothing here asks an engine."""

from rtl_graphs import assert_rates, needs, rate_graphs
from sim_graphs import chain, graph, sink, source

from sttest.sim import Fifo
from sttest.targets.rtl import emulate_all


@needs("icarus")
def test_rates(tmp_path):
    assert_rates(emulate_all(rate_graphs(), "icarus", tmp_path))


@needs("icarus")
def test_first_read_after_write_and_space_after_read(tmp_path):
    """The sink starts at 20: a full FIFO takes its next write one cycle after the first read."""
    designs = [graph([Fifo("a", 3, 8, kind)], [source("a", 6), sink("a", 6, start=20)]) for kind in ("srl", "ram")] + [
        chain(8, 3, kind) for kind in ("srl", "ram")
    ]
    full_srl, full_ram, srl, ram = emulate_all(designs, "icarus", tmp_path)
    assert full_srl.writes["a"].tolist() == full_ram.writes["a"].tolist() == [0, 1, 2, 21, 22, 23]
    assert full_srl.reads["a"].tolist() == full_ram.reads["a"].tolist() == [20, 21, 22, 23, 24, 25]
    assert srl.reads["a"].tolist() == [1, 2, 3]
    assert ram.reads["a"].tolist() == [2, 3, 4]


@needs("icarus")
def test_initial_tokens_are_there_in_cycle_0(tmp_path):
    designs = [graph([Fifo("a", 4, 8, kind, 3)], [source("a", 2, start=9), sink("a", 5)]) for kind in ("srl", "ram")]
    srl, ram = emulate_all(designs, "icarus", tmp_path)
    assert srl.reads["a"].tolist() == [0, 1, 2, 10, 11]
    assert ram.reads["a"].tolist() == [0, 1, 2, 11, 12]
