"""Memory ports as jobs for synthesis, and what they are estimated to take."""

import importlib.util

import pytest

from sttest.boards.resources import Resources
from sttest.compile.options import CompileOptions
from sttest.compile.resources.synthesis import Amounts, PortRows, port_estimate, port_rows
from sttest.compile.rtl.dma import PortWords
from sttest.compile.rtl.walks import Bursts, Route, Walk
from sttest.package import DesignPackage
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.synth.ports import PortJob, port_jobs
from sttest.targets.synth.yosys import Synthesized, synthesize

ROWS = PortRows(
    source="by hand",
    kind="assumed",
    read=Amounts(lut=10, ff=20),
    write=Amounts(lut=30, ff=40),
    counter_bit=Amounts(lut=2, ff=1),
    number_bit=Amounts(lut=1, ff=1),
)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ports") / "package"
    options = CompileOptions(share="all", layers=2)
    compile_package(Request("small-gpt2", "decode", None, 32, options=options, head=True, work_dir=folder))
    return port_jobs(DesignPackage.read(folder))


def words_of(token_bits: int, per_token: int, per_word: int, words: Route, parts: Route | None = None) -> PortWords:
    return PortWords(512, token_bits, 8, per_token, per_word, words, parts, ())


def test_a_run_is_a_counter_of_its_bursts():
    run = Route((Walk(0, (640,), (1,)),))
    words = words_of(512, 1, 1, run)
    # Ten bursts: four bits, which are the address too; blocks of 36 bits for the words ahead.
    bursts = Bursts.of(run, 64, 64)
    assert port_estimate(words, bursts, 512, reads=True, rows=ROWS) == Resources(lut=18, ff=24, bram18=15)
    # Up to 64 words lie in LUTs, eight for seven bits; up to 33 with the output register, eight for 14.
    assert port_estimate(words, bursts, 64, reads=True, rows=ROWS) == Resources(lut=18 + 74 * 8, ff=24 + 512)
    assert port_estimate(words, bursts, 32, reads=True, rows=ROWS) == Resources(lut=18 + 37 * 8, ff=24 + 512)


def test_addresses_that_are_added_up_and_tokens_of_several_words():
    route = Route((Walk(0, (3, 4), (0, 1)), Walk(4, (10,), (1,))), 2, 14)
    words = words_of(1024, 2, 1, route)
    bursts = Bursts.of(route, 2, 64)
    # Counters: 1 bit of legs, 1 of repetitions, 3 of the inner loop (5 bursts), 2 of the outer; numbers to 13 in twos.
    found = port_estimate(words, bursts, 512, reads=True, rows=ROWS)
    assert (bursts.route.counter_bits, bursts.route.number_bits) == (7, 4)
    assert found == Resources(lut=10 + 14 + 4, ff=20 + 7 + 4 + 512, bram18=15)
    # One word of two is chosen to be written.
    assert port_estimate(words, bursts, 512, reads=False, rows=ROWS).lut == 30 + 14 + 4 + 512


def test_parts_of_words_are_chosen_when_read_and_collected_when_written():
    run = Route((Walk(0, (4,), (1,)),))
    words, bursts = words_of(64, 1, 8, run), Bursts.of(run, 4, 64)
    assert port_estimate(words, bursts, 512, reads=True, rows=ROWS).lut == 10 + 64 * 3
    assert port_estimate(words, bursts, 512, reads=False, rows=ROWS) == Resources(lut=30, ff=40 + 512, bram18=15)
    some = words_of(64, 1, 8, run, Route((Walk(0, (4, 3), (8, 1)),)))
    assert port_estimate(some, bursts, 512, reads=False, rows=ROWS).ff == 40 + 3 * 65 + 4 + 5


def test_every_port_of_a_launch_over_layers_with_a_head_has_a_job(jobs):
    assert len([name for name in jobs if "_slice" in name]) == 8  # of the one queue of int8 weights
    assert len(jobs) == 29
    assert all(isinstance(each, PortJob) for each in jobs.values())


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pyosys") is None, reason="needs pyosys, pip install 'sttest[rtl]'")
def test_ports_are_lean_and_as_estimated(jobs, tmp_path):
    names = ("load_attn_q_proj_engine_weight_slice0", "load_k_cache", "store_mlp_residual")
    found = synthesize([jobs[name].job for name in names], tmp_path, 1, print)
    for name in names:
        port, made = jobs[name].port, found[jobs[name].job.key]
        assert isinstance(made, Synthesized), made
        wanted = port_estimate(port.words, port.bursts, port.room, reads=port.reads, rows=port_rows())
        assert made.resources.lut == pytest.approx(wanted.lut, rel=0.25)
        assert made.resources.ff == pytest.approx(wanted.ff, rel=0.25)
        assert made.levels < 20
