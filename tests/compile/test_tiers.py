"""Arguments in another memory of the card than its HBM: channels, times, reports, and what is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sttest.boards.board import FpgaBoard
from sttest.boards.energy import activity_of, energy
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reports import activity_table, memory_table
from sttest.compile.resources.clock import graph_at
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate
from sttest.sim.bursts import memory_and_number
from sttest.sim.graph import MemoryPort
from sttest.studies.whatif.bounds import bounds, moved_per_memory
from sttest.studies.whatif.points import with_memory_of

FFN, ALL = ("mlp.*:ddr",), ("*.weight*:ddr", "?_cache*:ddr")


@cache
def board() -> FpgaBoard:
    return require_hbm(load_board("u280"))


@cache
def design(*tiers: str, share: str = "none") -> CompiledDesign:
    options = CompileOptions(tiers=tiers, share=share)  # type: ignore[arg-type]
    return compile_text(lowered_text("llama", "decode", small=True), "small", board(), options)


def memories(found: CompiledDesign) -> dict[str, set[str]]:
    """Memories of the ports by the tensor that they move."""
    ports = [each for each in found.graph.processes if isinstance(each, MemoryPort)]
    return {each.origin: {memory_and_number(name)[0] for name in each.channels} for each in ports}


def test_what_a_pattern_names_is_read_from_the_ddr_and_nothing_else() -> None:
    found = memories(design(*FFN))
    assert {name for name, used in found.items() if used == {"ddr"}} == {
        name for name in found if name.startswith("mlp_") and "_proj_weight" in name
    }
    assert {memory for used in memories(design()).values() for memory in used} == {"hbm"}


def test_a_channel_of_the_ddr_has_its_own_rate_and_latency() -> None:
    channels = {each.name: each for each in design(*FFN).graph.channels}
    tier = board().tier("ddr")
    assert {name for name in channels if name.startswith("ddr")} == {"ddr0", "ddr1"}
    assert channels["ddr0"].latency == tier.latency_cycles(250) == 56  # 224 ns
    assert channels["hbm0"].latency == board().hbm.read_latency_cycles(250) == 50  # 200 ns
    rate = channels["ddr0"].beats_num / channels["ddr0"].beats_den * channels["ddr0"].beat_bytes
    assert rate == min(tier.bytes_per_cycle(250), 64) == 64  # 18.07 GB/s are 72.3 bytes, a port takes 64


@pytest.mark.parametrize("tiers", [FFN, ALL, ("k_cache:ddr",)], ids=["ffn", "all", "keys"])
def test_engines_agree_to_the_cycle(tiers: tuple[str, ...]) -> None:
    graph = design(*tiers).graph
    assert simulate(graph, engine="simpy").cycles == simulate(graph, engine="maxplus").cycles


def test_weights_of_one_queue_may_all_be_there_but_not_some() -> None:
    assert "ddr0" in {each.name for each in design("*.weight*:ddr", share="weights").graph.channels}
    with pytest.raises(InputError, match="take turns at one port would read from ddr and hbm"):
        design(*FFN, share="weights")


def test_the_last_entry_holds() -> None:
    assert design("*:ddr", "*:hbm").graph == design().graph


@pytest.mark.parametrize(
    ("entry", "name", "message"),
    [
        ("mpl.*:ddr", "u280", r"no argument is called 'mpl\.\*'"),
        ("mlp.*:ddr", "u55c", "board 'u55c' has no ddr"),
        ("mlp.*:dram", "u280", "unknown memory 'dram'"),
        ("mlp.*:flash", "u280", "a kernel's ports do not reach 'flash'"),
    ],
)
def test_what_cannot_be_is_refused(entry: str, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compile_text(lowered_text("llama", "decode", small=True), "small", name, CompileOptions(tiers=(entry,)))


def test_bytes_are_reported_and_charged_by_their_memory(tmp_path: Path) -> None:
    path = tmp_path / "dimms.yaml"
    path.write_text("extends: u280\nenergy:\n" + _energy_of_u55c())
    dimms = require_hbm(load_board(str(path)))
    found = design(*FFN)
    moved = moved_per_memory(found.graph)
    report = activity_table(found)
    assert {name: sum(row[f"{name}_bits"] for row in report) for name in moved} == {
        name: 8 * count for name, count in moved.items()
    }
    run = simulate(found.graph)
    assert run.cycles is not None
    busy = {name: process.busy_cycles for name, process in run.breakdown.items()}
    used = energy(activity_of(report, busy, run.cycles, 250), dimms.energy_costs)
    assert used.ddr_j == pytest.approx(8 * moved["ddr"] * 20e-12)
    assert used.hbm_j == pytest.approx(8 * moved["hbm"] * 7e-12)
    assert "ddr_bits" not in activity_table(design()).columns
    assert {row["channels"] for row in memory_table(found) if row["tensor"] == "mlp_up_proj_weight"} <= {"ddr0", "ddr1"}


def _energy_of_u55c() -> str:
    text = (Path(__file__).parents[2] / "sttest" / "boards" / "data" / "u55c.yaml").read_text()
    part = text[text.index("energy:  #") :].partition("\n")[2]
    return part[: part.index("\nlaunch:")]


def test_another_clock_or_board_leaves_every_channel_its_memory() -> None:
    found = design(*FFN)
    assert with_memory_of(found, board()) == found.graph == graph_at(found.graph, board(), 250)
    slow = graph_at(found.graph, board(), 125)
    assert {each.name: each.latency for each in slow.channels if each.name in ("hbm0", "ddr0")} == {
        "hbm0": 25,
        "ddr0": 28,
    }  # 200 and 224 ns in cycles of 8
    memory = board().memory
    assert memory.ddr is not None
    half = memory.ddr.sustained_gb_per_s_per_channel.model_copy(update={"value": 8})
    ddr = memory.ddr.model_copy(update={"sustained_gb_per_s_per_channel": half})
    other = with_memory_of(found, board().model_copy(update={"memory": memory.model_copy(update={"ddr": ddr})}))
    channels = {each.name: each for each in other.channels}
    assert channels["hbm0"] == found.graph.channels[0]
    assert channels["ddr0"].beats_num / channels["ddr0"].beats_den == 0.5


def test_the_roofline_is_that_of_the_slower_memory() -> None:
    near, below = (bounds(each, each.graph, board()).memory_us for each in (design(), design(*FFN)))
    moved = moved_per_memory(design(*FFN).graph)
    assert below == pytest.approx(moved["ddr"] / board().tier("ddr").gb_per_s / 1e3)
    assert below > near


def test_bursts_of_a_card_are_alike(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text("extends: u280\nmemory: {ddr: {max_burst_bytes: {value: 1024}}}\n")
    with pytest.raises(InputError, match="bursts of hbm and ddr differ"):
        load_board(str(path))


def test_the_banks_of_a_card_are_one_row() -> None:
    assert [board().bank(number) for number in (0, 31, 32, 33)] == [("hbm", 0), ("hbm", 31), ("ddr", 0), ("ddr", 1)]
    assert (board().banks("hbm"), board().banks("ddr"), board().banks("flash")) == (range(32), range(32, 34), range(0))
