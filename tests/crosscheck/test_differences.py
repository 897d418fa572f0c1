"""Comparisons of streams: which bits count as the same, how far apart floats are, and what JSON holds of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sttest.crosscheck.differences import compare_streams
from sttest.crosscheck.engines import Values
from sttest.reference import ReferenceGraph
from sttest.reference.graph import Argument, Load, MemoryLayout, ReferenceStream, Result, Store

LAYOUT = MemoryLayout((4,), (1,), (16,), 512)
GRAPH = ReferenceGraph(
    "copy",
    (Argument("x", "input", (64,), "f32"),),
    (Result("y", "store_x", (64,), "f32"),),
    (ReferenceStream("x", "f32", (16,), (4,), (16,), ((1,),), (0,), depth=2),),
    (Load("load_x", "x", "x", LAYOUT), Store("store_x", "x", LAYOUT)),
)

pytestmark = pytest.mark.torch


def _values(engine: str, tokens: np.ndarray) -> Values:
    return Values(engine, "done", {}, {"x": tokens.astype(np.float32)}, 0.0)


def _compared(left: np.ndarray, right: np.ndarray):
    return compare_streams(GRAPH, _values("a", left), _values("b", right))


def _tokens(value: float = 2.0) -> np.ndarray:
    tokens = np.ones((4, 16))
    tokens[2, 5] = value
    return tokens


def test_equal_bits_are_the_same_and_so_are_two_nans():
    assert _compared(_tokens(), _tokens()).verdict == "same"
    assert _compared(_tokens(np.nan), _tokens(np.nan)).verdict == "same"


@pytest.mark.parametrize(("value", "verdict"), [(2.00001, "close"), (2.0001, "different"), (np.nan, "different")])
def test_floats_are_close_within_a_hundred_thousandth(value, verdict):
    compared = _compared(_tokens(), _tokens(value))
    assert compared.verdict == verdict
    assert compared.first is not None
    assert (compared.first.stream, compared.first.token, compared.first.element) == ("x", 2, 5)
    assert compared.first.origin == "x"
    json.loads(json.dumps(compared.to_json(), allow_nan=False))


def test_signs_of_zero_are_bits():
    compared = _compared(_tokens(0.0), _tokens(-0.0))
    assert (compared.verdict, compared.differing, compared.relative) == ("close", 1, 0.0)


def test_missing_tokens_are_a_difference_after_values():
    short = _compared(_tokens(), _tokens()[:3])
    assert (short.verdict, short.first) == ("different", None)
    both = _compared(_tokens(), _tokens(3.0)[:3])
    assert both.first is not None
    assert (both.first.token, both.first.right) == (2, 3.0)
