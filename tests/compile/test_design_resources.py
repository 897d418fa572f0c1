"""A compiled design taken apart: what its processes and memories take, its SLRs, and registers on what crosses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from linalg_programs import Program

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.boards.resources import KINDS, total
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.options import CompileOptions
from sttest.compile.reports import (
    activity_table,
    crossing_table,
    memory_kind_table,
    partition_facts,
    partition_table,
    relay_table,
    resource_table,
)
from sttest.compile.resources.design import design_resources, die_of
from sttest.compile.resources.memories import Crossings, with_crossings
from sttest.compile.resources.nodes import engine_logic
from sttest.compile.resources.placement import SlrPlacement, crossed_by, place, tokens_carried
from sttest.compile.sharing.functional_units import engines_of
from sttest.compile.sharing.processes import process_name
from sttest.compile.spaces.partition import assess, fits
from sttest.core.errors import DoesNotFitError, InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate
from sttest.sim.graph import Event, Fifo, Loop, Pipeline, TimedGraph

FITTING = CompileOptions(precision="w4a8", overall_unroll=1200, budget="published")


@cache
def design() -> CompiledDesign:
    return compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c", FITTING)


@cache
def placed() -> SlrPlacement:
    return place(design())


def test_slices_of_tasks_are_those_of_the_activity_report():
    logic = {node.name: node.logic.dsp for node in design_resources(design()).nodes}
    report = activity_table(design()).frame()
    tasks = report[report["kind"] == "task"]
    assert {row.element: row.dsp_slices for row in tasks.itertuples()} == {
        name: pytest.approx(logic[name]) for name in tasks["element"]
    }


def test_every_fifo_has_a_memory_of_the_kind_that_it_is_timed_as():
    kinds = {memory.facts.name: memory for memory in placed().taken.memories}
    for fifo in design().graph.fifos:
        memory = kinds[fifo.name]
        facts = memory.facts
        assert facts.depth * facts.bits * facts.banks == fifo.depth * fifo.bits
        if memory.facts.role == "fifo":
            assert (memory.kind in ("srl", "register")) == (fifo.kind == "srl")


def test_what_is_kept_lies_in_words_of_whole_tokens():
    options = FITTING.with_(buffer_rereads_kib=64, flatten_bottleneck_loops=True)
    kept = compile_text(lowered_text("gpt2", "prefill", small=True), "kept", "u55c", options)
    facts = {each.facts.name: each.facts for each in design_resources(kept).memories}
    converters = [op for op in kept.module.walk() if isinstance(op, df.ConverterOp)]
    assert {op.kept is not None for op in converters} == {True, False}
    for op in converters:
        ends = df.itensor_of(op.sources[0]), df.itensor_of(op.sinks[0])
        wide, narrow = max(end.token_bits for end in ends), min(end.token_bits for end in ends)
        word = narrow if op.kept is not None else ends[0].element_bits
        buffer = facts[f"{process_name(op)}_buffer"]
        assert (buffer.bits, buffer.banks) == (word, wide // word)


def test_rows_of_the_report_add_up_to_its_total():
    report = resource_table(placed().taken, design()).frame()
    parts = report[~report["kind"].isin(["total", "budget"])]
    whole = report[report["kind"] == "total"].iloc[0]
    assert set(parts["kind"]) == {"task", "converter", "fork", "dma", "fifo"}
    for kind in (*KINDS, "memory_ports"):
        assert parts[kind].sum() == pytest.approx(whole[kind], abs=0.005 * len(parts))
    budgets = report[report["kind"] == "budget"].set_index("process")
    assert budgets.loc["all", "dsp"] == pytest.approx(0.9 * (2664 + 2784 + 2856))
    assert total(placed().taken.by_node.values()) == placed().taken.total


def test_every_process_has_an_slr_and_the_hbm_stays_beside_the_first():
    found, die = placed().partition, die_of(design().board, "published")
    assert fits(found, die)
    assert set(found.slr_of) == {"hbm", *(node.name for node in placed().taken.nodes)}
    assert found.slr_of["hbm"] == 0
    report = partition_table(placed()).frame()
    for slr, budget in enumerate(die.budgets):
        assert report[report["slr"] == slr]["lut"].sum() <= budget.lut
    assert sum(found.wires) == sum(row["wires"] * row["boundaries"] for row in crossing_table(placed()))


@pytest.mark.parametrize(("board", "slr", "ports"), [("v80", 2, 64), ("vhk158", 1, 64), ("u55c", 0, 32)])
def test_the_hbm_of_another_board_is_beside_the_slr_that_its_file_names(board, slr, ports):
    small = compile_text(lowered_text("gpt2", "decode", small=True), "small", board, FITTING)
    found = place(small)
    assert found.partition.slr_of["hbm"] == partition_facts(found, small)["hbm_slr"] == slr
    assert ports / 2 < len(found.taken.hbm_channels) <= ports
    assert fits(found.partition, die_of(small.board, "published", len(found.taken.hbm_channels)))


@pytest.mark.parametrize("board", ["kv260", "vck5000"])
def test_a_die_of_one_slr_has_a_line_that_costs_are_counted_in(board):
    for budget in ("tight", "published", "all"):
        die = die_of(require_hbm(load_board(board)), budget)
        assert (len(die.budgets), die.sll_per_boundary) == (1, 1)


def test_registers_on_crossings_cost_cycles_and_no_deadlock():
    without, with_registers = placed().cycles
    assert without is not None
    assert with_registers is not None
    registers = sum(row["registers"] for row in crossing_table(placed()))
    assert 0 < with_registers - without <= registers
    added = Counter(process.category for process in placed().graph.processes)
    assert added["crossing"] + added["bus-crossing"] == registers
    assert added["crossing"] == len(relay_table(placed(), design()))


def test_a_dma_away_from_the_hbm_has_registers_on_both_ways_of_its_bus():
    taken, die = placed().taken, die_of(design().board, "published")
    read = next(bus for bus in taken.buses if bus.wire.target == "load_x")
    assert read.wire.wires == 512 + 3 + 72 + 2 * 2
    write = next(bus for bus in taken.buses if bus.wire.target.startswith("store"))
    assert write.wire.wires == 512 + 64 + 3 + 72 + 3 * 2
    away = {**dict.fromkeys(placed().partition.slr_of, 2), "hbm": 0}
    crossed = crossed_by(taken, assess(away, taken.processes(), taken.links(), die))
    of_buses = {bus.fifo for bus in taken.buses}
    assert not any(crossed.fifos.values())
    assert crossed.buses.keys() == of_buses
    assert {crossed.buses[fifo] for fifo in of_buses} == {2 * 2}
    graph = with_crossings(design().graph, crossed, tokens_carried(design().graph))
    slower, before = simulate(graph).cycles, placed().cycles[0]
    assert slower is not None
    assert before is not None
    assert slower > before


def test_waste_is_shown_for_every_memory():
    report = memory_kind_table(placed().taken).frame()
    assert (report["waste_ratio"] >= 0).all()
    assert (report["used_bits"] <= report["capacity_bits"]).all()
    assert set(report["role"]) == {"fifo", "converter", "tile"}


def test_too_many_lanes_do_not_fit_and_the_error_says_of_what():
    options = CompileOptions(tile_size=64, overall_unroll=16384, budget="published")
    wide = compile_text(lowered_text("gpt2", "decode", small=True), "wide", "u55c", options)
    with pytest.raises(DoesNotFitError) as refused:
        place(wide)
    error = refused.value
    assert (error.code, error.unit, error.exit_code) == ("board-resources", "DSP slices", 4)
    assert error.demand == round(design_resources(wide).total.dsp, 1)
    assert error.bound == pytest.approx(0.9 * (2664 + 2784 + 2856))
    assert "lower --overall-unroll" in error.hints


def test_more_channels_than_ports_are_refused(tmp_path):
    path = tmp_path / "few.yaml"
    path.write_text("extends: u55c\nmemory: {hbm: {axi_ports: {value: 8}}}")
    with pytest.raises(DoesNotFitError) as refused:
        place(replace(design(), board=require_hbm(load_board(path))))
    assert (refused.value.code, refused.value.bound, refused.value.unit) == ("hbm-ports", 8, "ports")


def chain(depth: int, slow: int = 1) -> TimedGraph:
    """Ten tokens from one process to another, which takes one every ``slow`` cycles."""
    return TimedGraph(
        "chain",
        250,
        (Fifo("f", depth, 32),),
        (
            Pipeline("a", (Loop((10,), 1, 1, (Event("f", "write", 0),)),)),
            Pipeline("b", (Loop((10,), slow, 1, (Event("f", "read", 0),)),)),
        ),
    )


@pytest.mark.parametrize("boundaries", [1, 2])
def test_a_crossing_delays_every_token_by_its_registers_and_keeps_the_pace(boundaries):
    plain = simulate(chain(16), record=True)
    crossed = simulate(with_crossings(chain(16), Crossings({"f": boundaries}), {"f": 10}), record=True)
    assert list(crossed.read_times["f"]) == [cycle + 2 * boundaries for cycle in plain.read_times["f"]]


def test_both_engines_agree_on_crossings():
    graph = with_crossings(chain(2, slow=3), Crossings({"f": 2}), {"f": 10})
    assert simulate(graph, "simpy").finish == simulate(graph, "maxplus").finish


def test_what_crosses_nothing_stays_as_it_is():
    assert with_crossings(chain(4), Crossings({"f": 0}), {}) == chain(4)


def test_crossings_of_nothing_and_of_traces_are_refused():
    with pytest.raises(InputError, match="no FIFO 'g'"):
        with_crossings(chain(4), Crossings({"g": 1}), {"g": 1})


def test_the_order_of_tasks_that_take_turns_changes_nothing():
    """A product with 16 terms and one with 48 share a unit: its adders are those of the longer sum."""
    program = Program()
    wide = program.matmul(program.argument(1, 16), program.argument(16, 48))
    narrow = program.matmul(program.unary(wide), program.argument(48, 16))
    options = CompileOptions(share="all", precision="fp32", tile_size=4, overall_unroll=128)
    shared = compile_text(program.text(narrow), "two", "u55c", options)
    library = operators(shared.board)
    products = next(tasks for tasks in engines_of(shared.module).values() if len(tasks[0].sources) == 2)
    assert engine_logic(products, library) == engine_logic(products[::-1], library)
