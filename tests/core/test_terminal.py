"""A terminal's page: long lines broken between words, the middle of long outputs left out."""

from __future__ import annotations

import io
import sys

import pytest

from sttest.core import terminal
from sttest.core.terminal import MOST_LINES, Screen, broken, styled, wrapped


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


def test_json_and_wide_are_not_touched(monkeypatch):
    for form in ({"json": True}, {"wide": True}):
        out = Terminal()
        monkeypatch.setattr(sys, "stdout", out)
        with styled(**form):
            print("x " * 100)
        assert out.getvalue() == "x " * 100 + "\n"
