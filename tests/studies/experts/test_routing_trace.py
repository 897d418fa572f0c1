"""Traces of routing as files, and numbers that cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.studies.experts.routing import drawn_routing, read_routing

GOOD = "token,layer,experts\n0,0,5 17\n0,1,3 4\n1,0,17 2\n1,1,4 3\n"


def read(folder: Path, text: str, experts: int = 32) -> list[list[list[int]]]:
    path = folder / "trace.csv"
    path.write_text(text)
    return read_routing(path, experts).choices.tolist()


def test_a_line_per_token_and_layer(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD) == [[[5, 17], [3, 4]], [[17, 2], [4, 3]]]


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    drawn = drawn_routing(7, 3, 16, 4, seed=1)
    assert read(tmp_path, drawn.text()) == drawn.choices.tolist()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1,0,17 2\n", "", "out of order"),
        ("1,1,4 3", "1,2,4 3", "out of order"),
        ("17 2", "17", "fewer experts"),
        ("17 2", "17 17", "twice"),
        ("17 2", "17 32", "not there"),
        ("17 2", "17 -1", "not there"),
        ("17 2", "17 two", "not a number"),
        ("token,layer", "layer,token", "columns"),
        (GOOD[20:], "", "missing"),
    ],
)
def test_what_is_no_trace_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    "wrong", [{"chosen": 9}, {"chosen": 0}, {"again": 1.5}, {"popularity": -1.0}, {"tokens": 10**8}]
)
def test_what_cannot_be_drawn_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        drawn_routing(**{"tokens": 4, "layers": 1, "experts": 8, "chosen": 2, "seed": 0, **wrong})  # type: ignore[arg-type]
