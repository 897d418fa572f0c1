"""What sized FIFOs cost, and that it is kept under all that it depends on."""

from pathlib import Path

import pytest
from sim_graphs import chain, reconvergent

from sttest.sim import TimedGraph, simulate, sizing_cost, write_timed_graph
from sttest.sim.sizing_cost import kept_sizing_cost


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The graphs that were simulated."""
    found: list[str] = []

    def told(graph: TimedGraph, **options):
        found.append(graph.name)
        return simulate(graph, **options)

    monkeypatch.setattr(sizing_cost, "simulate", told)
    return found


def kept(graph: TimedGraph, folder: Path):
    file = folder / "g.json"
    write_timed_graph(graph, file)
    return kept_sizing_cost(graph, file, folder)


def test_a_short_fifo_costs_what_its_writer_waits():
    slow, free = simulate(chain(1)).cycles, simulate(chain(1), unbounded=True).cycles
    cost = sizing_cost.sizing_cost(chain(1))
    assert (cost.cycles, cost.unbounded_cycles, cost.lost_cycles) == (slow, free, slow - free)
    assert cost.lost_cycles > 0
    assert cost.waits.keys() == {"src"}
    assert cost.short == ["a"]


def test_a_deadlock_has_no_cost():
    cost = sizing_cost.sizing_cost(reconvergent(1))
    assert (cost.cycles, cost.lost_cycles, cost.waits) == (None, None, {})
    assert cost.unbounded_cycles is not None


def test_a_kept_cost_is_the_same_and_nothing_runs_again(tmp_path: Path, asked: list[str]):
    first = kept(chain(2), tmp_path)
    assert len(asked) == 2
    assert kept(chain(2), tmp_path) == first == sizing_cost.sizing_cost(chain(2))
    assert len(asked) == 4


def test_another_graph_or_another_program_runs_anew(tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch):
    kept(chain(2), tmp_path)
    assert kept(chain(1), tmp_path).lost_cycles != 0
    assert len(asked) == 4
    monkeypatch.setattr(sizing_cost, "tree_hash", lambda: "another")
    kept(chain(2), tmp_path)
    assert len(asked) == 6


@pytest.mark.parametrize("cycles", ["", "{}", "1"])
def test_a_file_that_is_not_what_was_kept_is_made_again(tmp_path: Path, asked: list[str], cycles: str):
    first = kept(chain(2), tmp_path)
    (file,) = (tmp_path / "sizing").iterdir()
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace(str(first.cycles), cycles) if cycles.isdigit() else cycles, encoding="utf-8")
    assert file.read_text(encoding="utf-8") != whole
    assert kept(chain(2), tmp_path) == first
    assert len(asked) == 4
    kept(chain(2), tmp_path)
    assert len(asked) == 4


def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path):
    (tmp_path / "sizing").write_text("a file", encoding="utf-8")
    assert kept(chain(2), tmp_path).cycles is not None
