"""Errors say what they know, also after they came out of another process."""

import pickle

import pytest

from sttest.core import errors
from sttest.core.errors import (
    MAX_SHOWN_CHARS,
    DoesNotFitError,
    InputError,
    SttestError,
    did_you_mean,
    todays_engine,
    todays_keys,
)


def test_an_error_of_a_worker_is_the_same_here() -> None:
    error = DoesNotFitError("too-wide", "a token is too wide", where="load", demand=8192, bound=4096, unit="bits")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is DoesNotFitError
    assert isinstance(again, SttestError)
    assert (str(again), again.to_dict()) == (str(error), error.to_dict())


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, "too wide"),
        ({"where": "load"}, "load: too wide"),
        ({"demand": 8, "bound": 4, "unit": "bits"}, "too wide (demand 8 bits, bound 4 bits)"),
        ({"bound": 0}, "too wide (bound 0)"),
        ({"demand": 0.5}, "too wide (demand 0.5)"),
        ({"hints": ["narrow it"]}, "too wide; narrow it"),
        (
            {"where": "a", "demand": 1, "hints": ["narrow it", "split it"]},
            "a: too wide (demand 1); narrow it or split it",
        ),
    ],
)
def test_an_error_is_one_line_of_what_is_known(facts: dict[str, object], text: str) -> None:
    assert str(SttestError("too-wide", "too wide", **facts)) == text  # pyright: ignore[reportArgumentType]


def test_what_comes_from_a_file_steers_no_terminal_and_fills_no_screen() -> None:
    error = InputError("c", "a\x1b[31m\udcff", where="x" * 10_000, hints=["\u202eb\n\tc"])
    assert error.what == "a\\x1b[31m\\udcff"
    assert error.where == "x" * MAX_SHOWN_CHARS + "…"
    assert error.hints == ("\\u202eb\n\tc",)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("dpeth", ["depth", "bits"], "did you mean 'depth'?"),
        (
            "hbm",
            ["hbm-rate", "bits", "hbm-channels", "hbm-banks-x", "hbm-banks"],
            "did you mean 'hbm-banks' or 'hbm-banks-x' or 'hbm-channels'?",
        ),
        ("", ["b", "a"], "choose one of a, b"),
        (
            "zzz",
            [f"n{number:02}" for number in range(41)],
            f"choose one of {', '.join(f'n{number:02}' for number in range(40))}, …",
        ),
        (
            "zzz",
            [f"n{number:02}" for number in range(40)],
            f"choose one of {', '.join(f'n{number:02}' for number in range(40))}",
        ),
    ],
)
def test_a_hint_names_what_is_near_or_some_of_all(name: str, known: list[str], hint: str) -> None:
    assert did_you_mean(name, known) == hint


@pytest.mark.parametrize(
    ("name", "today"),
    [("des", "simpy"), ("functional", "reference"), ("simpy", "simpy"), ("maxplus", "maxplus"), ("", "")],
)
def test_earlier_names_of_engines_are_taken_and_told_once(
    name: str, today: str, capsys: pytest.CaptureFixture[str]
) -> None:
    errors.note_renamed.cache_clear()
    assert [todays_engine(name), todays_engine(name)] == [today, today]
    told = (
        f"note: '{name}' is called '{today}' now; the old name will go in the next release\n" if name != today else ""
    )
    assert capsys.readouterr().err == told


def test_earlier_names_of_keys_are_taken_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    errors.note_renamed.cache_clear()
    names = {"old": "new"}
    assert list(todays_keys({"a": 1, "old": 2, "b": 3}, names).items()) == [("a", 1), ("new", 2), ("b", 3)]
    assert capsys.readouterr().err == "note: 'old' is called 'new' now; the old name will go in the next release\n"
    assert todays_keys({"old": 1, "new": 2}, names) == {"old": 1, "new": 2}
    assert (todays_keys(None, names), todays_keys(["old"], names)) == (None, ["old"])
