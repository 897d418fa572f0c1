"""Tables of rows: nothing is lost, nothing stands twice, and what is the same throughout is said once."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.results import Row
from sttest.studies.report import ledger as digits
from sttest.studies.report import ledger as names
from sttest.studies.report.ledger import Cell, Ledger, Name, beside_references, decimals_of, name_of, number_text
from sttest.studies.report.pivot import MOST_COLUMNS, tables_of

WORDS = st.sampled_from(["", "a", "b", "c"])
METRICS = st.sampled_from(["speed", "speed [1]", "speed [n=1, b]", "item: host [1]", "item: card [2]", "cycles n=32"])
ROWS = st.lists(
    st.builds(
        Row,
        st.just("made-up"),
        METRICS,
        st.floats(-1e9, 1e9),
        st.sampled_from(["ms", "W"]),
        st.just("measured"),
        model=WORDS,
        board=WORDS,
        phase=WORDS,
        engine=WORDS,
        source=WORDS,
    ),
    min_size=1,
    max_size=40,
)


@given(ROWS)
def test_every_row_stands_in_one_place(rows):
    ledger = Ledger()
    tables = tables_of(rows, ledger)
    shown = [cell.number for table in tables for line in table.lines for cell in line.cells if isinstance(cell, Cell)]
    assert sorted(shown) == list(range(len(rows)))
    assert sorted(map(repr, ledger.rows)) == sorted(map(repr, rows))


@pytest.mark.nightly
@given(ROWS)
def test_lines_are_as_long_as_their_table_is_wide(rows):
    for table in tables_of(rows, Ledger()):
        assert {len(line.heads) for line in table.lines} == {len(table.heads)}
        assert {len(line.cells) for line in table.lines} == {len(table.columns)}
        keys = [(*line.heads, line.unit) for line in table.lines]
        assert len(set(keys)) == len(keys), "no two lines are about the same"


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("latency item: host [32:32]", Name("latency item", "host", "32:32")),
        ("speed [64:64] with launch queued_us", Name("", "speed with launch queued_us", "64:64")),
        ("speed [gpt2, u55c]", Name("", "speed", "")),
        ("block [gpt2, context=64]", Name("", "block", "context=64")),
        ("cycles c=32, normal", Name("", "cycles", "c=32, normal")),
        ("idle_power no-context", Name("", "idle_power no-context", "")),
        ("speed [", Name("", "speed [", "")),
    ],
)
def test_names_come_apart(metric, name):
    assert name_of(Row("x", metric, 1, "ms", "measured", model="gpt2", board="u55c")) == name


def test_references_stand_beside_values_the_largest_miss_first():
    rows = [Row("x", f"t [{n}]", n, "ms", "simulated", reference=10.0, model="m", source="s") for n in (11.0, 30.0)]
    table = beside_references("t", rows, Ledger())
    assert table.facts == ["m", "reference: s"]
    assert [(line.heads, line.unit) for line in table.lines] == [(["t [30.0]"], "ms"), (["t [11.0]"], "ms")]
    assert [[getattr(cell, "text", cell) for cell in line.cells] for line in table.lines] == [
        ["10", "30", "+200.0\N{THIN SPACE}%"],
        ["10", "11", "+10.0\N{THIN SPACE}%"],
    ]


@given(ROWS)
def test_no_table_is_wider_than_a_page(rows):
    for table in tables_of(rows, Ledger()):
        assert len(table.columns) + len(table.heads) + table.has_units <= max(MOST_COLUMNS, len(table.heads) + 4)


@given(st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=9))
def test_no_number_is_rounded_away(values):
    decimals = decimals_of(values)
    for value in values:
        shown = float(number_text(value, decimals).replace(",", ""))
        assert shown == pytest.approx(value, rel=0.5)
        assert shown != 0


@pytest.mark.parametrize("module", [digits, names], ids=lambda module: module.__name__)
def test_examples(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed
