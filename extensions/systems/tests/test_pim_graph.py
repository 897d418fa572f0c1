"""Products and decode steps on memory that computes: both engines against each other and against a closed form."""

import random

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest_systems.pim_gpt.decode import (
    Gpt,
    activity,
    closed_form_cycles,
    head_steps,
    joules,
    layer_steps,
    step_cycles,
)
from sttest_systems.pim_gpt.graph import Product, step_graph
from sttest_systems.pim_gpt.products import Pass, matrix_passes, pass_cycles, product_cycles, row_plan

BOARD = load_board("pim-gpt")
SMALL = Gpt("small", 2, 64, 4, 500, 128)


def board(**quantities):
    """The system with other numbers."""
    return BOARD.model_copy(
        update={name: getattr(BOARD, name).model_copy(update={"value": value}) for name, value in quantities.items()}
    )


FEW = board(channels=2, banks_per_channel=3)


def cycles(graph, engine):
    run = simulate(graph, engine)
    assert run.verdict == "done"
    return run.cycles


def test_a_row_by_hand():
    """1,024 inputs and a column of as many per bank: a send of 64, open 28, 64 accesses, close 16, one sum read."""
    passes = matrix_passes(BOARD, 1024, 128)
    assert passes == (Pass(1024, 1, 1024),)
    assert product_cycles(BOARD, passes) == 64 + 28 + 64 + 16 + 1
    assert step_cycles(BOARD, [Product("alone", passes)], "simpy") == 173


def test_rows_hold_all_accesses_and_every_column_ends_once():
    for columns, length in ((1, 16), (7, 100), (64, 64), (40, 1024), (3, 1000)):
        rows = row_plan(BOARD, Pass(length, columns, length))
        assert sum(row.accesses for row in rows) == columns * -(-length // 16)
        assert sum(row.columns for row in rows) == columns
        assert all(row.accesses == 64 for row in rows[:-1])


@pytest.mark.parametrize("seed", range(12))
def test_random_products_by_both_engines_and_in_closed_form(seed):
    draw = random.Random(seed)
    few = board(
        channels=draw.choice((1, 2)), banks_per_channel=draw.choice((1, 3)), buffer_bytes=draw.choice((64, 512))
    )
    passes = matrix_passes(few, draw.randint(1, 700), draw.randint(1, 120))
    graph = step_graph(few, [Product("one", passes)])
    assert cycles(graph, "maxplus") == cycles(graph, "simpy") == product_cycles(few, passes)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(300))
def test_many_random_products_by_both_engines_and_in_closed_form(seed):
    test_random_products_by_both_engines_and_in_closed_form(1000 + seed)


def test_token_by_token_engines_agree_on_a_layer():
    graph = step_graph(FEW, layer_steps(FEW, SMALL, 40))
    runs = [simulate(graph, engine, record=True) for engine in ("simpy", "maxplus")]
    assert runs[0].cycles == closed_form_cycles(FEW, layer_steps(FEW, SMALL, 40))
    for name, times in runs[0].write_times.items():
        assert (times == runs[1].write_times[name]).all(), name


def test_a_layer_takes_longer_with_more_tokens_and_less_with_more_banks():
    few = [step_cycles(FEW, layer_steps(FEW, SMALL, context)) for context in (1, 40, 128)]
    assert few[0] < few[1] < few[2]
    more = board(channels=4, banks_per_channel=3)
    assert step_cycles(more, layer_steps(more, SMALL, 128)) < few[2]


def test_graphs_that_are_cut_take_as_long(monkeypatch):
    whole = step_cycles(FEW, layer_steps(FEW, SMALL, 40))
    monkeypatch.setattr("sttest_systems.pim_gpt.decode._MOST_PHASES", 10)
    assert step_cycles(FEW, layer_steps(FEW, SMALL, 40)) == whole


def test_a_head_is_read_once():
    done = activity(FEW, head_steps(FEW, SMALL))
    assert done.column_bits == 16 * 64 * -(-500 // 6) * 6
    assert done.activated_bits >= done.column_bits
    moved = joules(FEW, done, 0.0)
    assert 0 < joules(FEW, done, 0.0, "low") < moved < joules(FEW, done, 0.0, "high")


def test_sums_are_read_while_the_next_row_is_open():
    """With 64 columns of one access each, the sums of all but the last row cost nothing."""
    work = Pass(16, 168, 16)
    rows = row_plan(BOARD, work)
    assert [row.columns for row in rows] == [64, 64, 40]
    assert pass_cycles(BOARD, work) == 1 + 3 * 44 + 168 + 40


def test_a_short_last_row_ends_before_the_sums_of_the_row_before_are_read():
    """64 sums take 64 cycles to read, a last row of 5 accesses 49."""
    work = Pass(16, 69, 16)
    assert [row.columns for row in row_plan(FEW, work)] == [64, 5]
    product = Product("alone", (work,))
    assert pass_cycles(FEW, work) == 1 + 2 * 44 + 69 + 5 + (64 - 49)
    assert step_cycles(FEW, [product]) == step_cycles(FEW, [product], "simpy") == pass_cycles(FEW, work)


def test_what_cannot_be():
    with pytest.raises(InputError, match="129 tokens"):
        layer_steps(FEW, SMALL, 129)
    with pytest.raises(InputError, match="matrix of 0 x 4"):
        matrix_passes(FEW, 0, 4)
    with pytest.raises(InputError, match="'pim-gpt' has no HBM"):
        require_hbm(BOARD)
