"""Both engines give what the page says, token by token, on random graphs of every kind that it describes."""

from collections import Counter

import pytest
from compare import differences, record_differences
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle_graphs import endless_graphs, law_graphs, mixed_graphs, rival_graphs, tangled_graphs, turn_graphs
from sim_graphs import actor_graphs, memory_graphs, pipeline_graphs

KINDS = {
    "rings": pipeline_graphs(),
    "loops": mixed_graphs(("loops",), most_ports=0),
    "traces": mixed_graphs(("trace",), most_ports=1),
    "actors": st.one_of(actor_graphs(), mixed_graphs(("actor",), most_ports=0)),
    "ports": memory_graphs(),
    "law": law_graphs(),
    "rivals": st.one_of(rival_graphs(), turn_graphs()),
    "ports and actors": mixed_graphs(("actor",), most_fifos=2),
    "ports and loops": mixed_graphs(("loops",), most_fifos=2),
    "everything": st.one_of(mixed_graphs(), tangled_graphs(5)),
    "for ever": endless_graphs(plain=True),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.nightly)])
def test_the_engines_do_what_the_page_says(kind, count):
    """330 graphs by day, 5,500 at night."""
    verdicts: Counter[str] = Counter()

    @settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(KINDS[kind], st.booleans())
    def compare(design, unbounded):
        verdict, found = differences(design, unbounded=unbounded and kind != "for ever")
        verdicts[verdict] += 1
        assert found == []

    compare()
    print(kind, dict(verdicts))
    assert verdicts.total() >= count
    assert verdicts["done"] > count // 8


@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.nightly)])
def test_the_engines_stop_where_a_burst_holds_its_channel_for_ever(count):
    """Ports that share channels and request early: what their data wait for may be behind them on the channel."""
    verdicts: Counter[str] = Counter()

    @settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(law_graphs(holding=True), st.booleans())
    def compare(design, unbounded):
        verdict, found = record_differences(design, unbounded=unbounded)
        verdicts[verdict] += 1
        assert found == []

    compare()
    print(dict(verdicts))
    assert verdicts["done"] > count // 4
    assert verdicts["deadlock"] > count // 60
