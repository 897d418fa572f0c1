"""No claim of "least", "exact" or "no depths help" is false: brute force over all depths of small graphs."""

from collections import Counter
from fractions import Fraction

import pytest
from claims import (
    MOST,
    NO_DEADLOCK,
    NO_LOSS,
    all_runs,
    false_of_endless_fix,
    false_of_fix,
    false_of_peaks,
    false_of_program,
    false_of_sizing,
    false_of_throughput,
    false_of_trade_off,
    is_small,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle_graphs import endless_graphs, mixed_graphs, rival_graphs, tangled_graphs, turn_graphs
from sim_graphs import memory_graphs

from sttest.core.errors import InputError
from sttest.sim import simulate, throughput

SMALL = {
    "loops": mixed_graphs(("loops",), most_ports=0, most_fifos=3),
    "trace": mixed_graphs(("trace",), most_ports=0, most_fifos=3),
    "actors": mixed_graphs(("actor",), most_ports=0, most_fifos=3),
    "mixed": st.one_of(mixed_graphs(most_fifos=2, most_ports=1), mixed_graphs(most_fifos=1, most_ports=2)),
    "ports": memory_graphs(),
    "rivals": rival_graphs(),
    "turns": turn_graphs(),
    "tangles": tangled_graphs(),
}


def tried(strategy, count: int, check) -> None:
    """Runs ``check`` on so many examples."""
    quiet = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
    settings(max_examples=count, deadline=None, suppress_health_check=quiet)(given(strategy, st.data())(check))()


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("count", [20, pytest.param(400, marks=pytest.mark.nightly)])
def test_no_claim_of_a_finite_graph_is_false(kind, count):
    """3,200 graphs in all at night."""
    made: Counter[str] = Counter()

    def check(design, data):
        target = data.draw(st.sampled_from([NO_LOSS, NO_LOSS, NO_DEADLOCK, -1, 0, 1, 4]))
        if isinstance(target, int):
            target += simulate(design, unbounded=True).cycles or 0
        known = {fifo.name: data.draw(st.integers(fifo.initial_tokens or 1, MOST)) for fifo in design.fifos}
        made["graphs"] += 1
        every = all_runs(design)
        assert false_of_fix(design, made) == []
        assert false_of_sizing(design, every, target, made, data.draw(st.sampled_from([None, known]))) == []
        assert false_of_program(design, every, made) == []
        assert false_of_peaks(design, made) == []

    tried(SMALL[kind].filter(is_small), count, check)
    print(kind, dict(made))
    assert made["graphs"] >= count
    assert made["sized"] + made["no depths help"] + made["no depths are enough"] > count // 2
    assert made["exact"] >= count // 40


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.nightly)])
def test_no_claim_of_storage_is_false(count, monkeypatch):
    """Of actors that fire for ever, with initial phases or not; what finds no period in few firings is scheduled."""
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 20_000)
    made: Counter[str] = Counter()

    def check(design, data):
        share = data.draw(st.sampled_from([Fraction(1), Fraction(2, 3), Fraction(1, 3)]))
        try:
            assert false_of_throughput(design, share, made) == []
            assert false_of_trade_off(design, made) == []
            assert false_of_endless_fix(design, made) == []
        except InputError as error:  # what neither has a period soon nor can be scheduled says nothing
            made[error.code] += 1

    tried(endless_graphs().filter(is_small), count, check)
    print(dict(made))
    assert made["exact"] > count // 20
    assert made["begins"] > count // 40
    assert made["trade-offs"] >= count // 40
    assert made["no-period"] <= count // 10
