"""A terminal's page: long lines broken between words, the middle of long outputs left out."""

from __future__ import annotations

import fcntl
import io
import itertools
import os
import pty
import struct
import sys
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core import terminal
from sttest.core.tables import print_table
from sttest.core.terminal import MOST_LINES, Screen, broken, styled, terminal_width, wrapped


class Terminal(io.StringIO):
    def isatty(self):
        return True


def page(count: int) -> list[str]:
    out = Terminal()
    screen = Screen(out, 80)
    for number in range(count):
        screen.write(f"line {number}\n")
    screen.finish()
    return out.getvalue().splitlines()


@pytest.mark.parametrize("count", [0, 1, MOST_LINES - 1, MOST_LINES])
def test_a_page_is_shown_whole(count):
    assert page(count) == [f"line {number}" for number in range(count)]


@pytest.mark.parametrize("count", [MOST_LINES + 1, 100, 10_000])
def test_of_more_the_first_and_last_lines_are_shown(count):
    lines = page(count)
    assert len(lines) == MOST_LINES
    (cut,) = [number for number, line in enumerate(lines) if line.startswith("…")]
    after = lines[cut + 1 :]
    assert lines[:cut] == [f"line {number}" for number in range(cut)]
    assert after == [f"line {number}" for number in range(count - len(after), count)]
    assert lines[cut] == f"… {count - cut - len(after):,} more lines; --wide shows all, as does a pipe or a file"


def test_lines_are_broken_between_words():
    text = "resources      dsp 70 %, lut 109 %, ff 90 % of the tight budget, 33 DMAs on 32 HBM ports"
    first, second = wrapped(text, 60)
    assert second.startswith(" " * 15)
    assert f"{first} {second.strip()}" == text
    assert wrapped("    v++ --compile " + "a" * 90, 80) == ["    v++ --compile", "      " + "a" * 90]
    assert wrapped("short", 80) == ["short"]


def test_words_are_never_broken_inside_a_number():
    assert broken("1,234,567.89", 4) == ["1,234,567.89"]
    assert "".join(broken("fabric.slrs[0].lut", 8)) == "fabric.slrs[0].lut"


@given(st.text(st.sampled_from("ab12_.:,/"), max_size=30), st.integers(3, 12))
def test_a_word_that_is_broken_is_whole_again_and_no_number_is_broken(word, width):
    parts = broken(word, width)
    assert "".join(parts) == word
    for before, after in itertools.pairwise(parts):
        assert not (before[-1] in "0123456789.," and after[0] in "0123456789.,")
    assert "" not in parts or word == ""


WORDS = st.lists(st.text(st.sampled_from("abc:"), min_size=1, max_size=9), max_size=12)


@given(WORDS, st.integers(20, 60), st.sampled_from(["", "  ", "label      "]))
def test_lines_that_are_broken_fit_and_say_the_same(words, columns, start):
    line = start + " ".join(words)
    lines = wrapped(line, columns)
    assert " ".join(lines).split() == line.split()
    assert max(map(len, lines)) <= columns


class File(Terminal):
    """A terminal that has a number, which is none of a terminal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def fileno(self):
        return self._number


@pytest.mark.parametrize(
    ("asked", "columns"), [("", 80), ("100", 100), ("7", 40), ("0", 80), ("-5", 80), ("wide", 80), ("\u00b2", 80)]
)
def test_the_width_is_what_is_asked_for_or_usual_where_the_terminal_has_none(asked, columns, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", asked)
    assert terminal_width(Terminal()) == columns
    with (tmp_path / "a").open("w") as file:
        assert terminal_width(File(file.fileno())) == columns
        assert terminal_width(file) is None


def test_the_width_is_that_of_the_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = pty.openpty()
    try:
        for columns, found in ((132, 132), (10, 40), (0, 80)):
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            assert terminal_width(File(theirs)) == found
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_page_is_the_terminal_that_it_prints_on():
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    screen = Screen(out, 80)
    assert (screen.isatty(), screen.writable(), screen.encoding, screen.buffer) == (True, True, "utf-8", out.buffer)
    screen.write("shown\nkept")
    screen.flush()
    assert out.buffer.getvalue() == b"shown\n"
    with pytest.raises(AttributeError, match="no_such"):
        _ = screen.no_such
    with pytest.raises(io.UnsupportedOperation):
        screen.fileno()


def test_a_pipe_gets_every_line_as_it_is(capsys):
    with styled():
        print("word " * 100)
    assert capsys.readouterr().out == "word " * 100 + "\n"


def test_what_is_printed_before_an_error_is_shown(monkeypatch):
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "50")

    def print_and_fail() -> None:
        with styled() as style:
            assert style.columns == 50
            print("word " * 20)
            print("unfinished", end="")
            raise KeyError

    with pytest.raises(KeyError):
        print_and_fail()
    assert out.getvalue().splitlines()[-1] == "unfinished"
    assert sys.stdout is out
    assert terminal.style.columns is None


def test_with_csv_tables_alone_are_printed(monkeypatch):
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    with styled(csv=True) as style:
        print("12 of 20 points")
        print_table(("a", "b"), [(1, "x,y")])
        assert style.csv is not None
    assert out.getvalue() == 'a,b\n1,"x,y"\n'
    assert sys.stdout is out
    assert terminal.style.csv is None


def test_spaces_at_the_end_of_a_line_are_not_carried_to_the_next():
    for columns in (9, 11):
        assert wrapped("aaaa bbbb  cccc", columns) == ["aaaa bbbb", "  cccc"]


def test_json_and_wide_are_not_touched(monkeypatch):
    for form in ({"json": True}, {"wide": True}):
        out = Terminal()
        monkeypatch.setattr(sys, "stdout", out)
        with styled(**form):
            print("x " * 100)
        assert out.getvalue() == "x " * 100 + "\n"
