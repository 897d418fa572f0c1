"""What counts as a disagreement of engines, and what does not."""

from __future__ import annotations

import pytest

from sttest.crosscheck.crosscheck import Crosscheck
from sttest.crosscheck.differences import StreamComparison
from sttest.crosscheck.engines import EngineResult, guarded

pytestmark = pytest.mark.torch

SHORT = StreamComparison("reference", "csim", 9, 0, 0, 0.0, is_short=True, first=None)


def _ladder(*rungs: EngineResult, streams: StreamComparison | None = None) -> Crosscheck:
    return Crosscheck(
        "design", (EngineResult("torch", "done"), EngineResult("reference", "done"), *rungs), {}, streams, None
    )


def test_a_deadlock_of_all_that_know_depths_is_none():
    found = _ladder(
        EngineResult("simpy", "deadlock"),
        EngineResult("maxplus", "deadlock"),
        EngineResult("csim", "deadlock"),
        streams=SHORT,
    )
    assert (found.is_dead, found.disagreements) == (True, ())


def test_a_deadlock_of_some_is_one():
    found = _ladder(EngineResult("maxplus", "done", cycles=5), EngineResult("csim", "deadlock"), streams=SHORT)
    assert found.disagreements == ("only some engines deadlock: csim",)


def test_tokens_that_are_missing_without_a_deadlock_are_one():
    assert len(_ladder(EngineResult("csim", "done"), streams=SHORT).disagreements) == 1


def test_engines_that_are_not_there_or_not_asked_are_none():
    found = _ladder(
        EngineResult("csim", "missing"), EngineResult("rtl", "not asked"), EngineResult("maxplus", "done", cycles=5)
    )
    assert found.disagreements == ()


def test_an_engine_that_refuses_the_design_is_one():
    from sttest.core.errors import InputError

    def refuse() -> EngineResult:
        raise InputError("bad-converter", "reads what nobody wrote", where="converter 'c'")

    found = _ladder(guarded("csim", refuse))
    assert found.disagreements == ("csim failed: converter 'c': reads what nobody wrote",)
