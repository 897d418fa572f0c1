"""Die partition: against brute force where that is possible, against budgets and the greedy pass where it is not."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.boards.resources import KINDS, Resources
from sttest.compile.spaces.partition import (
    Die,
    ProcessFacts,
    WireFacts,
    any_partition,
    assess,
    fits,
    greedy_slrs,
    partition,
)
from sttest.compile.spaces.slr_moves import Assignment, within_lines
from sttest.core.errors import DoesNotFitError, InputError

DIE = Die((Resources(100, 1000, 2000, 100, 30),) * 3, 500)


def process(name, dsp, lut=0.0, pinned=None):
    return ProcessFacts(name, Resources(dsp=dsp, lut=lut), pinned)


@st.composite
def designs(draw, largest):
    """Processes of up to half an SLR in a chain with shortcuts; the first may be pinned."""
    count = draw(st.integers(2, largest))
    sizes = st.tuples(st.integers(0, 50), st.integers(0, 500))
    pins = st.sampled_from([None, 0, 1])
    processes = [process(f"p{n}", *draw(sizes), pinned=draw(pins) if n == 0 else None) for n in range(count)]
    ends = [(n, n + 1) for n in range(count - 1)]
    ends += draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=4))
    bits = draw(st.lists(st.integers(1, 300), min_size=len(ends), max_size=len(ends)))
    wires = [WireFacts(f"f{n}", f"p{a}", f"p{b}", w) for n, ((a, b), w) in enumerate(zip(ends, bits, strict=True))]
    return processes, wires


def brute_force(processes, wires, die):
    names = [each.name for each in processes]
    choices = [range(len(die.budgets)) if each.pinned is None else (each.pinned,) for each in processes]
    every = (assess(dict(zip(names, slrs, strict=True)), processes, wires, die) for slrs in product(*choices))
    return min((found.objective for found in every if fits(found, die)), default=None)


@settings(max_examples=40, deadline=None)
@given(designs(6))
def test_small_cases_are_as_good_as_brute_force(design):
    processes, wires = design
    best = brute_force(processes, wires, DIE)
    if best is None:
        for judge in (partition, any_partition):
            with pytest.raises(DoesNotFitError):
                judge(processes, wires, DIE)
        return
    any_partition(processes, wires, DIE)
    found = partition(processes, wires, DIE)
    assert fits(found, DIE)
    assert best - 1e-6 <= found.objective <= best / (1 - 0.02) + 1e-6


@settings(max_examples=15, deadline=None)
@given(designs(14))
def test_no_slr_is_over_budget_and_the_greedy_pass_is_no_better(design):
    processes, wires = design
    try:
        found = partition(processes, wires, DIE)
    except DoesNotFitError:
        return
    for slr, budget in enumerate(DIE.budgets):
        members = [each.resources for each in processes if found.slr_of[each.name] == slr]
        assert all(sum(getattr(r, k) for r in members) <= getattr(budget, k) * (1 + 1e-6) for k in KINDS)
    assert all(each.pinned in (None, found.slr_of[each.name]) for each in processes)
    assert all(count <= DIE.sll_per_boundary for count in found.wires)
    greedy = greedy_slrs(processes, wires, DIE)
    if greedy is not None:
        cost = assess(greedy, processes, wires, DIE)
        assert not fits(cost, DIE) or found.objective <= cost.objective + 1e-9


@settings(max_examples=60, deadline=None)
@given(designs(14))
def test_moved_processes_keep_within_budgets_lines_and_pins(design):
    processes, wires = design
    place = within_lines(start := start_of(processes, wires))
    if place is None:
        return
    slr_of = {each.name: int(slr) for each, slr in zip(processes, place, strict=True)}
    assert (place[~start.movable] == start.place[~start.movable]).all()
    assert all(count <= DIE.sll_per_boundary for count in assess(slr_of, processes, wires, DIE).wires)
    if (start.used() <= start.budgets).all():
        assert fits(assess(slr_of, processes, wires, DIE), DIE)


def start_of(processes, wires):
    """The processes in turn on SLR 0, 1 and 2, as nobody would lay them."""
    joined = np.zeros((len(processes), len(processes)))
    for wire in wires:
        one, other = int(wire.source[1:]), int(wire.target[1:])
        if one != other:
            joined[one, other] += wire.wires
            joined[other, one] += wire.wires
    pinned = [each.pinned for each in processes]
    return Assignment(
        np.array([n % 3 if pin is None else pin for n, pin in enumerate(pinned)]),
        joined,
        np.array([list(each.resources) for each in processes]),
        np.array([list(each) for each in DIE.budgets]),
        DIE.sll_per_boundary,
        np.array([pin is None for pin in pinned]),
    )


def test_moves_go_through_states_that_are_worse():
    """Two halves, each joined by many wires, that start mixed: no first move alone helps."""
    processes = [process(f"p{n}", 24) for n in range(8)]
    wires = [WireFacts(f"f{a}{b}", f"p{a}", f"p{b}", 298) for h in (0, 4) for a in range(h, h + 4) for b in range(h, a)]
    start = start_of(processes, wires)
    mixed = replace(start, place=np.array([0, 0, 1, 1, 0, 0, 1, 1]))
    place = within_lines(mixed)
    assert place is not None
    slr_of = {each.name: int(slr) for each, slr in zip(processes, place, strict=True)}
    assert fits(assess(slr_of, processes, wires, DIE), DIE)


def test_a_chain_is_cut_where_it_is_thin():
    chain = [process("a", 60), process("b", 30), process("c", 60), process("d", 30)]
    wires = [WireFacts("ab", "a", "b", 200), WireFacts("bc", "b", "c", 8), WireFacts("cd", "c", "d", 200)]
    found = partition(chain, wires, DIE)
    assert found.slr_of["a"] == found.slr_of["b"] != found.slr_of["c"] == found.slr_of["d"]
    assert sum(found.wires) == 10
    assert [found.crossings(wire) for wire in wires] == [0, 1, 0]


def test_balance_counts_as_much_as_its_weight():
    pair = [process("a", 30), process("b", 30)]
    wires = [WireFacts("ab", "a", "b", 148)]
    # Apart: 150 / 500 wires and 30 % of an SLR; together: none and 60 %.
    together = partition(pair, wires, Die(DIE.budgets, 500, balance_weight=0.5))
    assert together.slr_of["a"] == together.slr_of["b"]
    apart = partition(pair, wires, Die(DIE.budgets, 500, balance_weight=2.0))
    assert apart.slr_of["a"] != apart.slr_of["b"]


def test_pinned_processes_stay_and_long_lines_hold_the_rest_to_them():
    chain = [process("port", 10, pinned=0), process("a", 60), process("b", 60)]
    wires = [WireFacts("w", "port", "a", 498), WireFacts("v", "a", "b", 498)]
    found = partition(chain, wires, DIE)
    assert found.slr_of["port"] == found.slr_of["a"] == 0
    assert found.slr_of["b"] == 1
    with pytest.raises(DoesNotFitError) as refused:
        partition(chain, [wires[0], WireFacts("v", "a", "b", 499)], DIE)
    assert refused.value.code == "no-partition"


def test_too_many_wires_keep_together_what_balance_would_part():
    pair = [process("a", 40), process("b", 40)]
    wide = [WireFacts("ab", "a", "b", 600)]
    found = partition(pair, wide, Die(DIE.budgets, 500, balance_weight=10.0))
    assert found.slr_of["a"] == found.slr_of["b"]
    apart = partition(pair, wide, Die(DIE.budgets, 602, balance_weight=10.0))
    assert apart.slr_of["a"] != apart.slr_of["b"]


def test_two_slrs_and_one():
    pair = [process("a", 60), process("b", 60)]
    assert sorted(partition(pair, [], Die(DIE.budgets[:2], 500)).slr_of.values()) == [0, 1]
    alone = partition(pair[:1], [], Die(DIE.budgets[:1], 500))
    assert (alone.slr_of, alone.wires) == ({"a": 0}, ())


@pytest.mark.parametrize(
    ("processes", "code", "where", "demand", "bound", "unit"),
    [
        ([process(f"p{n}", 80) for n in range(4)], "board-resources", "all SLRs", 320, 300, "DSP slices"),
        ([process(f"p{n}", 1, 600, pinned=0) for n in range(2)], "slr-resources", "SLR0", 1200, 1000, "LUTs"),
        ([process(f"p{n}", 70) for n in range(4)], "no-partition", "partition", 70, 100, "% of an SLR"),
    ],
)
def test_what_does_not_fit_says_of_what_there_is_too_little(processes, code, where, demand, bound, unit):
    with pytest.raises(DoesNotFitError) as refused:
        partition(processes, [], DIE)
    error = refused.value
    assert (error.code, error.demand, error.bound, error.unit) == (code, demand, bound, unit)
    assert error.where.startswith(where)
    assert error.hints
    assert error.exit_code == 4


def test_a_board_without_a_resource_has_none_of_it():
    no_uram = Die((Resources(100, 1000, 2000, 100, 0),) * 3, 500)
    assert partition([process("a", 1)], [], no_uram).slr_of["a"] in range(3)
    with pytest.raises(DoesNotFitError, match="URAM"):
        partition([ProcessFacts("a", Resources(uram=1))], [], no_uram)


def test_bad_facts_are_refused():
    one = [process("a", 1)]
    with pytest.raises(InputError, match="no process 'b'"):
        partition(one, [WireFacts("f", "a", "b", 1)], DIE)
    with pytest.raises(InputError, match="one name"):
        partition(one * 2, [], DIE)
    with pytest.raises(InputError, match="no SLR3"):
        partition([process("a", 1, pinned=3)], [], DIE)


def test_the_solver_prints_nothing(capfd):
    """A verb's JSON must stay one document."""
    partition([process("a", 10), process("b", 10)], [WireFacts("f", "a", "b", 8)], DIE)
    assert capfd.readouterr() == ("", "")


def test_it_finds_what_one_pass_does_not():
    """Small ones come first and fill the SLR that a large pair must have: more wires join it than a boundary has."""
    processes = [*(process(f"s{number}", 12) for number in range(16)), process("a", 48), process("b", 48)]
    wires = [WireFacts("wide", "a", "b", 600)]
    passed = greedy_slrs(processes, wires, DIE)
    assert passed is None or not fits(assess(passed, processes, wires, DIE), DIE)
    found = partition(processes, wires, DIE)
    assert found.slr_of["a"] == found.slr_of["b"]
    any_partition(processes, wires, DIE)


def test_one_that_nearly_fills_an_slr_moves_away_from_its_neighbors():
    ports = [process(f"p{number}", 0, 80, pinned=0) for number in range(8)]
    parts = [process(f"q{number}", 0, 100) for number in range(8)]
    wires = [WireFacts(f"w{number}", f"p{number}", "engine", 55) for number in range(8)]
    wires += [WireFacts(f"v{number}", "engine", f"q{number}", 40) for number in range(8)]
    assert fits(partition([*ports, *parts, process("engine", 0, 900)], wires, DIE), DIE)


def test_nothing_to_place_is_placed():
    assert partition([], [], DIE).slr_of == {}


def test_a_process_that_is_too_large_is_named_with_its_bound():
    processes = [ProcessFacts("small", Resources(lut=20)), ProcessFacts("large", Resources(lut=26, dsp=1))]
    roomy = Die((Resources(10, 100, 100, 10, 10),) * 2, 100)
    assert fits(partition(processes, [], roomy), roomy)
    for judge in (partition, any_partition):
        with pytest.raises(DoesNotFitError, match="process 'large'") as refused:
            judge(processes, [], replace(roomy, process=Resources(10, 25, 25, 10, 10)))
        error = refused.value
        assert (error.code, error.demand, error.bound, error.unit) == ("process-resources", 26, 25, "LUTs")
