"""`sttest size`: the contract of its JSON, its table, and the linear program beside the simulation."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sttest.package import load_graph
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, simulate, write_timed_graph

CONTRACT = {
    "schema",
    "depths",
    "total_tokens",
    "total_bits",
    "cycles",
    "throughput",
    "method",
    "lower_bounds",
    "lower_total",
    "lower_bits",
    "is_exact",
    "is_local_minimum",
    "tried",
    "notes",
    "lp",
    "why_no_lp",
}
SAMPLERATE = Path(__file__).parents[1] / "data" / "sdf3" / "samplerate.xml"
TOKENS = 8


def reconvergent() -> TimedGraph:
    """The short way `ac` holds all tokens while `b` reads all before it writes."""

    def loop(*events: Event) -> Loop:
        return Loop((TOKENS,), 1, 1, events)

    a = Pipeline("a", (loop(Event("ab", "write", 0), Event("ac", "write", 0)),))
    b = Pipeline("b", (loop(Event("ab", "read", 0)), loop(Event("bc", "write", 0))))
    c = Pipeline("c", (loop(Event("bc", "read", 0), Event("ac", "read", 0)),))
    fifos = tuple(Fifo(name, 2, 32) for name in ("ab", "bc", "ac"))
    return TimedGraph("reconvergent", 100.0, fifos, (a, b, c))


@pytest.fixture
def design(tmp_path):
    write_timed_graph(reconvergent(), tmp_path / "graph.json")
    return tmp_path / "graph.json"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A small block, compiled."""
    from typer.testing import CliRunner

    from sttest.cli.app import app

    folder = tmp_path_factory.mktemp("compiled") / "small"
    small = ["compile", "small-gpt2", "--phase", "decode", "--context", "32", "--design", "default"]
    arguments = [*small, "-o", str(folder)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return folder


@pytest.mark.parametrize(
    "options", [(), ("--method", "sim"), ("--method", "lp"), ("--method", "lp", "--strategy", "conservative")]
)
def test_json_is_the_contract_and_nothing_else(options, design, sttest):
    outcome = sttest("size", design, *options, "--json")
    told = json.loads(outcome.stdout)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert told.keys() == CONTRACT
    assert (told["schema"], told["throughput"]) == ("sttest.sizing/1", None)
    assert told["method"] == ("lp" if "lp" in options else "sim")
    assert told["total_tokens"] == sum(told["depths"].values())
    assert told["total_bits"] == 32 * told["total_tokens"]
    assert simulate(reconvergent(), depths=told["depths"]).cycles == told["cycles"]


def test_the_depths_of_an_sdf3_graph(sttest):
    full = json.loads(sttest("size", SAMPLERATE, "--json").stdout)
    assert (full["throughput"], full["total_tokens"], full["cycles"]) == ([1, 960], 46, None)
    less = json.loads(sttest("size", SAMPLERATE, "--throughput", "1/1029", "--json").stdout)
    assert (less["throughput"], less["total_tokens"]) == ([1, 1029], 45)
    text = sttest("size", SAMPLERATE).stdout
    assert "lower bound  46 tokens: no sizing has fewer" in text
    assert "1/960 iterations per time unit" in text


def test_text_stands_both_sizings_side_by_side(design, sttest):
    text = sttest("size", design).stdout
    (row,) = [line.split() for line in text.splitlines() if line.split()[:1] == ["ac"]]
    assert row[:2] == ["ac", "32"]
    assert int(row[3]) == int(row[4]) == TOKENS
    assert all(f"{name:<12} " in text for name in ("LP", "simulation", "lower bound"))


def test_simulation_takes_no_more_than_the_program_in_a_compiled_block(sttest, tmp_path):
    """The program is free of loss here, so the search, which starts from another side, must not be worse."""
    package = tmp_path / "package"
    sttest("compile", "small-gpt2", "--phase", "decode", "--precision", "w4a8", "-o", package)
    program = json.loads(sttest("size", package, "--method", "lp", "--json").stdout)
    assert program["depths"] == {fifo.name: fifo.depth for fifo in load_graph(package).fifos}
    found = json.loads(sttest("size", package, "--json").stdout)
    assert found["total_bits"] <= program["total_bits"]
    assert found["cycles"] <= program["cycles"]
    assert simulate(load_graph(package), "simpy", found["depths"]).cycles == found["cycles"]


def test_invocations_overlap(package, sttest):
    once, thrice = (json.loads(sttest("size", package, "--invocations", count, "--json").stdout) for count in (1, 3))
    assert once["cycles"] < thrice["cycles"] < 3 * once["cycles"]
    assert "cycles for 3 invocations" in sttest("size", package, "--method", "lp", "--invocations", 3).stdout


def test_a_program_that_deadlocks_is_told_with_3(package, sttest, tmp_path):
    """A package keeps the depths that it has, here 2 everywhere."""
    folder = shutil.copytree(package, tmp_path / "package")
    for name, depth, one in (
        ("timed_graph.json", r'"depth": \d+', '"depth": 2'),
        ("reports/fifos.csv", r"(?m)^(\w+,\d+),\d+", r"\1,2"),
    ):
        path = folder / name
        path.write_text(re.sub(depth, one, path.read_text()))
    outcome = sttest("size", folder, "--method", "lp", "--json")
    assert outcome.exit_code == 3
    told = json.loads(outcome.stdout)
    assert (told["cycles"], told["is_exact"]) == (None, False)
    assert (
        ": every sizing with less deadlocks, and so do the LP's depths\n"
        in sttest("size", folder, "--method", "lp").stdout
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("GRAPH", "--throughput", "1/2"), "--throughput says nothing about a graph that comes to an end"),
        ((SAMPLERATE, "--method", "lp"), "--method lp says nothing about a graph that never ends"),
        ((SAMPLERATE, "--invocations", 2), "--invocations says nothing"),
        ((SAMPLERATE, "--target", "no-loss"), "--target says nothing"),
        (("GRAPH", "--strategy", "normal"), "--strategy says nothing about method sim; add --method lp"),
        (("GRAPH", "--method", "lp", "--target", "9"), "--target says nothing about method lp; add --method sim"),
        ((SAMPLERATE, "--throughput", "fast"), "'fast' is not N/M; write it as in --throughput 1/960"),
        ((SAMPLERATE, "--throughput", "1/0"), "'1/0' is not N/M"),
        (("GRAPH", "--target", "none"), "no target 'none'"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments, said, design, sttest):
    outcome = sttest("size", *(design if argument == "GRAPH" else argument for argument in arguments))
    assert outcome.exit_code == 2
    assert said in outcome.stderr


def test_what_cannot_be_had_leaves_with_4(design, sttest):
    assert sttest("size", SAMPLERATE, "--throughput", "1/2").exit_code == 4
    outcome = sttest("size", design, "--target", 3)
    assert outcome.exit_code == 4
    assert "no depths are enough" in outcome.stderr


@pytest.mark.parametrize(
    ("text", "total"), [("1/633253", 1195), ("1/633252", 1196), ("1.57915e-06", 1195), ("3.0052e-06", 1227)]
)
def test_a_published_decimal_is_taken_as_rounded(text, total):
    """1.57915e-06 is 1/633253 to six digits, but a little more than it."""
    from typer.testing import CliRunner

    from sttest.cli.app import app

    graph = SAMPLERATE.with_name("h263decoder.xml")
    result = CliRunner().invoke(app, ["size", str(graph), "--throughput", text, "--json"])
    assert json.loads(result.stdout)["total_tokens"] == total


def test_the_fewest_bits_are_searched_beside_the_program_at_its_own_pace(sttest, package):
    told = json.loads(sttest("size", package, "--json").stdout)
    program, slow = told["lp"], told["lp"]["simulation_as_slow"]
    assert told["cycles"] < program["cycles"] == slow["cycles"]
    assert slow["total_bits"] < min(program["total_bits"], told["total_bits"])
    assert told["lower_bits"] <= told["total_bits"]
    text = sttest("size", package).stdout
    assert f"{slow['total_bits']:,} bits, {slow['cycles']:,} cycles, sized to be no slower than the LP" in text


# --- Block memories in place of tokens


BLOCK_FIELDS = {"blocks", "blocks_before", "least_blocks", "stopped", "front", "front_stopped"}


def test_block_memories_and_what_fewer_of_them_cost(sttest, tmp_path):
    graph = reconvergent()
    wide = replace(graph, fifos=tuple(replace(fifo, bits=400) for fifo in graph.fifos))
    write_timed_graph(wide, tmp_path / "wide.json")
    asked = ("size", str(tmp_path / "wide.json"), "--objective", "bram", "--front")
    found = json.loads(sttest(*asked, "--json").stdout)
    assert found.keys() == CONTRACT | BLOCK_FIELDS
    assert 0 < found["blocks"] <= found["blocks_before"]
    assert [found["front"][0][name] for name in ("blocks", "cycles")] == [found["blocks"], found["cycles"]]
    text = sttest(*asked).stdout
    assert f"block memory {found['blocks']} of 18 Kib" in text
    assert "What fewer block memories cost" in text


@pytest.mark.parametrize(
    ("options", "told"),
    [(("--front",), "add --objective bram"), (("--objective", "bram", "--method", "lp"), "counts tokens")],
)
def test_what_says_nothing_about_block_memories_is_refused(sttest, design, options, told):
    outcome = sttest("size", str(design), *options)
    assert outcome.exit_code == 2
    assert told in outcome.stderr


def test_actors_that_fire_for_ever_have_no_cycles_to_hold_block_memories_against(sttest):
    outcome = sttest("size", SAMPLERATE, "--objective", "bram")
    assert (outcome.exit_code, "leave --objective out" in outcome.stderr) == (2, True)
