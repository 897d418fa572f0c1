"""What holds of a design under all its schedules, where depths help one that deadlocks and not another."""

from __future__ import annotations

import numpy as np
import pytest

from sttest.importers.cpp.network import NetworkRuns
from sttest.importers.cpp.verdict import Verdict, verdict_of
from sttest.importers.places import DesignPlaces
from sttest.sim import Fifo, Pipeline, TimedGraph, Trace

ASKED, ANSWERED = 0, 1  # FIFOs of depth 2, the first from ``ask`` to ``answer``, the second back


def graph(asks: str, answers: str) -> TimedGraph:
    """Two tasks that read (r) and write (w) one token in each stage."""
    fifos = (Fifo("asked", 2, 32), Fifo("answered", 2, 32))
    ends = {"ask": (asks, ANSWERED, ASKED), "answer": (answers, ASKED, ANSWERED)}
    processes: list[Pipeline] = []
    for name, (letters, reads, writes) in ends.items():
        ops = [2 * reads if letter == "r" else 2 * writes + 1 for letter in letters]
        processes.append(
            Pipeline(name, trace=Trace(np.arange(len(ops), dtype=np.int64), np.array(ops, dtype=np.int32)))
        )
    return TimedGraph("top", 300.0, fifos, tuple(processes))


EACH_ANSWERED = graph("wrwrwrwr", "rwrwrwrw")  # a round of four stages, four times
BOTH_WRITE_FIRST = graph("wwwwrrrr", "wwwwrrrr")  # four tokens into a FIFO of two
BOTH_READ_FIRST = graph("rrrrwwww", "rrrrwwww")  # whatever the depths are


def verdict(early: TimedGraph, late: TimedGraph) -> Verdict:
    others = (EACH_ANSWERED,) * 3
    return verdict_of(NetworkRuns(early, late, *others, (), (), DesignPlaces({}, {}, {})))


def test_no_depths_are_promised_where_they_help_one_schedule_and_not_another():
    found = verdict(early=BOTH_WRITE_FIRST, late=BOTH_READ_FIRST)
    assert found.text == (
        "deadlocks only if reads stand late and writes early in an iteration (ask reads answered before answer reads "
        "asked); else it finishes, in 16 cycles"
    )
    assert found.stuck == ["late", "early"]
    assert found.safe_depths() == []


@pytest.mark.parametrize("late", [BOTH_WRITE_FIRST, EACH_ANSWERED])
def test_depths_are_told_where_they_help_all_that_deadlock(late):
    (told,) = verdict(early=BOTH_WRITE_FIRST, late=late).safe_depths()
    # One FIFO of four lets its writer end, which empties the other one.
    assert told.startswith(("with asked=4 it finishes", "with answered=4 it finishes"))
    assert told.endswith(" 16 cycles; a schedule that is known not to need them saves all of it")
