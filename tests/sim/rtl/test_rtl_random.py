"""Random graphs: every access of every FIFO in the same cycle in hardware and in the engine."""

import pytest
from rtl_graphs import assert_rates, check, drawn, hostile_graph, live, needs, rate_graphs, traced
from sim_graphs import actor_graphs, memory_graphs, pipeline_graphs

pytestmark = pytest.mark.usefixtures("quick_build")


def mixed(count: int, number: int):
    """Pipelines, ports and actors; half of the pipelines as traces; one pipeline in five may deadlock."""
    pipelines = drawn(live(pipeline_graphs()), count * 2 // 5, number) + drawn(pipeline_graphs(), count // 10, number)
    half = len(pipelines) // 2
    ports = drawn(memory_graphs(), count // 4, number)
    actors = drawn(live(actor_graphs()), count - len(pipelines) - len(ports), number)
    return pipelines[:half] + [traced(design) for design in pipelines[half:]] + ports + actors


@pytest.mark.slow
@needs("verilator")
@pytest.mark.nightly
def test_verilator_25_graphs_at_a_time(tmp_path):
    runs = check([*mixed(25, 1), *rate_graphs()], "verilator", tmp_path)
    assert {run.verdict for run in runs} == {"done", "deadlock"}
    assert_rates(runs[25:])


@pytest.mark.daily
@needs("icarus")
@pytest.mark.parametrize(
    "strategy",
    [
        pytest.param(pipeline_graphs(), id="pipelines"),
        pytest.param(pipeline_graphs().map(traced), id="traces"),
        pytest.param(memory_graphs(), id="ports"),
        pytest.param(actor_graphs(), id="actors", marks=pytest.mark.nightly),
    ],
)
def test_icarus(strategy, tmp_path):
    check(drawn(strategy, 60, 3), "icarus", tmp_path)


@needs("icarus")
@needs("verilator")
@pytest.mark.nightly
def test_both_simulators_log_the_same(tmp_path):
    designs = [*mixed(25, 2), hostile_graph()]
    ours, theirs = check(designs, "icarus", tmp_path / "i"), check(designs, "verilator", tmp_path / "v")
    for left, right in zip(ours, theirs, strict=True):
        assert (left.verdict, left.finish) == (right.verdict, right.finish)
        assert sorted(map(str, left.blocked)) == sorted(map(str, right.blocked))
        assert all((left.writes[name] == right.writes[name]).all() for name in left.writes)
