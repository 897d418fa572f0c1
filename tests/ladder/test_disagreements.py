"""What counts as a disagreement of engines, and what does not."""

from __future__ import annotations

from sttest.ladder.climb import Ladder
from sttest.ladder.differences import StreamComparison
from sttest.ladder.rungs import Rung, guarded

SHORT = StreamComparison("functional", "csim", 9, 0, 0, 0.0, is_short=True, first=None)


def _ladder(*rungs: Rung, streams: StreamComparison | None = None) -> Ladder:
    return Ladder("design", (Rung("torch", "done"), Rung("functional", "done"), *rungs), {}, streams, None)


def test_a_deadlock_of_all_that_know_depths_is_none():
    found = _ladder(Rung("des", "deadlock"), Rung("maxplus", "deadlock"), Rung("csim", "deadlock"), streams=SHORT)
    assert (found.is_dead, found.disagreements) == (True, ())


def test_a_deadlock_of_some_is_one():
    found = _ladder(Rung("maxplus", "done", cycles=5), Rung("csim", "deadlock"), streams=SHORT)
    assert found.disagreements == ("only some engines deadlock: csim",)


def test_tokens_that_are_missing_without_a_deadlock_are_one():
    assert len(_ladder(Rung("csim", "done"), streams=SHORT).disagreements) == 1


def test_engines_that_are_not_there_or_not_asked_are_none():
    found = _ladder(Rung("csim", "missing"), Rung("rtl", "not asked"), Rung("maxplus", "done", cycles=5))
    assert found.disagreements == ()


def test_an_engine_that_refuses_the_design_is_one():
    from sttest.errors import InputError

    def refuse() -> Rung:
        raise InputError("bad-converter", "reads what nobody wrote", where="converter 'c'")

    found = _ladder(guarded("csim", refuse))
    assert found.disagreements == ("csim failed: converter 'c': reads what nobody wrote",)
