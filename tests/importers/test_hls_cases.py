"""Small dataflow designs whose verdict is known, read by clang: tests/data/hls says where each verdict is from."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.cpp import read_hls
from sttest.importers.cpp.design import read_design
from sttest.sim import simulate
from sttest.sim.graph import MAX_DEPTH

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
CASES = Path(__file__).parents[1] / "data" / "hls"
SKIPPED = {"s": (2, 32), "x": (2, 32), "y": (2, 32), "skip": (40, 32)}
PLAIN = {"q": (2, 32)}
FINISHES = {  # case: FIFOs with depth and width, least and most cycles that are right
    "allo561": ({"fwd": (4, 32), "bwd": (4, 32)}, 6, 16),
    "arr_fifo": ({"buf": (2, 32)}, 1000, 1010),
    "reqrep": ({"req": (2, 32), "rep": (2, 32)}, 128, 5 * 64 + 8),
    "pretoken": ({"tok": (4, 32), "q": (2, 32)}, 16, 40),
    **dict.fromkeys(
        ["dep_Pragma", "dep_enum", "dep_expr", "dep_pragma_macro", "dep_templ_expr", "dep_upper"], (SKIPPED, 66, 80)
    ),
    "classic": ({**SKIPPED, "skip": (32, 32)}, 66, 80),
    **dict.fromkeys(["ct_ifconst", "ct_ifconstexpr", "ct_sassert", "ct_switch"], (PLAIN, 9, 14)),
    **dict.fromkeys(["pp_ifdef_syn", "pp_ifndef_syn"], (PLAIN, 9, 14)),
    **dict.fromkeys(["templ_tool_names", "templ_plain_names", "templ_namespace"], (PLAIN, 17, 22)),
    "df_in_loop": (PLAIN, 8 * 17, 8 * 21),
    "hls_task": ({"m": (4, 32)}, 1, 64 * 100),
    "old": (PLAIN, 33, 37),
    "ug_10": ({"ch": (10, 32), "arr.second.full": (2, 1), "arr.second.empty": (2, 1)}, 24, 40),
    "ty_axiu": ({"q": (4, 512 + 64 + 64 + 1)}, 9, 14),
    "ty_cplx": ({"q": (4, 64)}, 9, 14),
    "ty_pair": ({"q": (4, 64)}, 9, 14),
}
DEADLOCKS = {"arrfifo_missed": {"skip": 32}, "struct_stream": {"skip": 32}, "ug_8": {"ch": 10}}


def case(name: str, **options):
    folder = CASES / name
    if (folder / "p").is_dir():
        return read_hls(folder / "p" / "solution1", **options)
    return read_hls(folder / "d.cpp", reports=folder / "csynth.xml", **options)


@pytest.mark.daily
@pytest.mark.parametrize("name", FINISHES)
def test_what_finishes_has_its_streams_and_about_its_cycles(name):
    checks: list[str] = []
    graph = case(name, checks=checks)
    fifos, least, most = FINISHES[name]
    assert {fifo.name: (fifo.depth, fifo.bits) for fifo in graph.fifos} == fifos
    found = simulate(graph)
    assert found.verdict == "done"
    assert least <= found.cycles <= most
    assert checks[-1].startswith("it finishes under every schedule")


@pytest.mark.daily
@pytest.mark.parametrize("name", DEADLOCKS)
def test_what_deadlocks_is_cured_by_the_right_depth(name):
    checks: list[str] = []
    graph = case(name, checks=checks)
    found = simulate(graph)
    assert found.verdict == "deadlock"
    assert found.deadlock.fix == DEADLOCKS[name]
    assert simulate(graph.with_depths(found.deadlock.fix)).verdict == "done"
    assert checks[0] == "it deadlocks under every schedule"
    told = ", ".join(f"{fifo}={depth}" for fifo, depth in DEADLOCKS[name].items())
    assert checks[1].startswith(f"with {told} it finishes under every schedule, in ")


def test_a_round_trip_is_longer_than_an_iteration_alone_and_no_depth_matters():
    graph = case("reqrep")
    assert simulate(graph).cycles == simulate(graph.with_all_depths(16)).cycles


def test_one_token_too_few_is_no_matter_of_depths():
    checks: list[str] = []
    graph = case("merge17", checks=checks)
    assert simulate(graph.with_all_depths(MAX_DEPTH // 2)).verdict == "deadlock"
    assert checks[-1].endswith("no depths help, tokens are missing")


def test_a_token_that_the_region_writes_is_there_at_the_start():
    assert {fifo.name: fifo.initial_tokens for fifo in case("pretoken").fifos} == {"tok": 1, "q": 0}


def test_a_buffer_that_is_bypassed_slows_further_runs_down():
    graph = case("bypass")
    six = replace(graph, processes=tuple(replace(each, repeat=6) for each in graph.processes))
    assert simulate(six).cycles == 1302


@pytest.mark.parametrize("name", ["trip_lit", "trip_const"])
def test_a_count_that_only_a_run_knows_is_asked_for(name):
    with pytest.raises(InputError, match="'n' of 'top' decides what is accessed, and how often") as error:
        case(name)
    assert "its pragma says at most 64: --set n=64" in error.value.hints
    assert simulate(case(name, values={"n": "64"})).verdict == "done"


@pytest.mark.daily
def test_both_ends_of_the_schedules_keep_the_order_of_the_text():
    folder = CASES / "reqrep"
    network = read_design(folder / "d.cpp", folder / "csynth.xml", "", {}, None, None)
    for graph in (network.early, network.late):
        ask = next(each for each in graph.processes if each.name == "ask")
        req, rep = (graph.fifo_index[name] for name in ("req", "rep"))
        assert (ask.trace.tick[ask.trace.op == 2 * rep] > ask.trace.tick[ask.trace.op == 2 * req + 1]).all()
