"""Tables: in a pipe whole, on a terminal in columns that fit, as CSV with what is meant."""

from __future__ import annotations

import dataclasses

import pytest

from sttest.core import terminal
from sttest.core.tables import markdown_table, print_table
from sttest.core.terminal import CsvSink, Style

NAMES = ("FIFO", "bits", "LP", "simulation", "lower bound", "note")
ROWS = [
    ("fork_attn_residual__mlp_residual", 105_724, 3, 2, 1.5, "deeper ones gain nothing, and shallower ones deadlock"),
    ("x", 1_000_000, None, 2, 1.0, ""),
]


@pytest.fixture
def style(monkeypatch):
    return lambda **given: monkeypatch.setattr(terminal, "style", dataclasses.replace(Style(), **given))


def test_a_pipe_has_all_columns_in_a_line_per_row(capsys, style):
    style()
    print_table(NAMES, ROWS)
    head, rule, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["FIFO", "bits", "LP", "simulation", "lower", "bound", "note"]
    assert set(rule) == {" ", "─"}
    assert first.split()[:5] == ["fork_attn_residual__mlp_residual", "105,724", "3", "2", "1.5"]
    assert first.endswith("shallower ones deadlock")
    assert second.split() == ["x", "1,000,000", "2", "1"]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_terminal_has_five_columns_that_fit_and_whole_numbers(capsys, style, columns):
    style(columns=columns)
    print_table(NAMES, ROWS)
    out = capsys.readouterr().out
    *lines, note = out.splitlines()
    assert max(map(len, lines)) <= columns
    assert ("105,724" in out, "1,000,000" in out) == (True, True)
    assert note.startswith("  … ")
    assert "note" in note
    assert note.endswith("--wide")


def test_a_verb_says_which_columns_a_terminal_has(capsys, style):
    style(columns=80)
    print_table(NAMES, ROWS, shown=("FIFO", "note"))
    head = capsys.readouterr().out.splitlines()[0]
    assert head.split() == ["FIFO", "note"]
    style(columns=80, wide=True)
    print_table(NAMES, ROWS, shown=("FIFO", "note"))
    assert capsys.readouterr().out.splitlines()[0].split() == [*NAMES[:4], "lower", "bound", "note"]


def test_long_tables_are_cut_at_a_row_and_say_so(capsys, style):
    style(columns=80)
    print_table(("name", "value"), [(f"row {number}", number) for number in range(1000)])
    lines = capsys.readouterr().out.splitlines()
    shown = len(lines) - 3
    assert lines[-2].split() == ["row", str(shown - 1), str(shown - 1)]
    assert lines[-1] == f"  … {1000 - shown} more rows: --wide"
    assert len(lines) < terminal.MOST_LINES


def test_long_texts_may_be_begun_only(capsys, style):
    style(columns=60)
    print_table(("name", "what"), [("a", "word " * 30)], one_line=True)
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 4
    assert out[2].endswith("word…")
    assert out[3] == "  … texts in full: --wide"


def test_words_too_long_are_broken_at_a_sign_and_numbers_never(capsys, style):
    style(columns=46)
    print_table(("name", "value"), [("fork_load_v_cache_scale__attn_softmax_quantize", "12345678901234567890.5")])
    lines = capsys.readouterr().out.splitlines()
    assert "12345678901234567890.5" in lines[2]
    parts = [line.split()[0] for line in lines[2:]]
    assert "".join(parts) == "fork_load_v_cache_scale__attn_softmax_quantize"
    assert all(part.endswith("_") for part in parts[:-1])


def test_numbers_as_text_stand_to_the_right(capsys, style):
    style()
    print_table(("error",), [("+3.1%",), ("-10.25%",), ("",)])
    assert capsys.readouterr().out.splitlines()[2:] == ["    +3.1%", "  -10.25%", ""]


def test_csv_is_of_all_columns_with_numbers_as_they_are(style, tmp_path):
    with (tmp_path / "out.csv").open("w+") as file:
        style(columns=80, csv=CsvSink(file))
        print_table(NAMES, ROWS, title="not in CSV")
        print_table(("a",), [(0.1,)])
        file.seek(0)
        head, first, second, empty, *other = file.read().splitlines()
    assert head == ",".join(NAMES)
    assert first.startswith("fork_attn_residual__mlp_residual,105724,3,2,1.5,")
    assert (second, empty, other) == ("x,1000000,,2,1.0,", "", ["a", "0.1"])


def test_csv_is_of_the_tidy_table_where_there_is_one(capsys, style, tmp_path):
    with (tmp_path / "out.csv").open("w+") as file:
        for csv in (CsvSink(file), None):
            style(csv=csv)
            print_table(("name", "in all"), [("a", "1 of 2")], tidy=(("name", "done", "all"), [("a", 1, 2)]))
        file.seek(0)
        assert file.read() == "name,done,all\na,1,2\n"
    assert capsys.readouterr().out.splitlines()[2].split() == ["a", "1", "of", "2"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "yes"),
        (False, "no"),
        (None, ""),
        (1234, "1,234"),
        (1234.0, "1,234"),
        (1234.5678, "1,234.57"),
        (1e-7, "1e-07"),
        ("two\nlines", "two lines"),
        ("  ", ""),
    ],
)
def test_a_cell_is_as_people_write_it(value, shown, capsys, style):
    style()
    print_table(("a", "end"), [(value, "|")])
    assert capsys.readouterr().out.splitlines()[2].removesuffix("|").strip() == shown


def test_columns_give_way_until_one_is_left_that_is_as_wide_as_the_terminal(capsys, style):
    style(columns=40)
    number = 12345678901234567890
    print_table(("first", "second", "third"), [(number, number, "x")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == [f"{number:,}"]
    assert lines[-1] == "  … 2 more columns (second, third): --wide"
    print_table(("only",), [("y" * 100,)])
    assert "".join(line.strip() for line in capsys.readouterr().out.splitlines()[2:]) == "y" * 100


def test_no_rows(capsys, style):
    for columns in (None, 80):
        style(columns=columns)
        print_table(("a", "value"), [])
        assert capsys.readouterr().out.splitlines() == ["  a   value", " ───────────"]


def test_markdown():
    assert markdown_table(("a", "b"), [("x|y", 1)], is_right=lambda at: at == 1) == (
        "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"
    )
