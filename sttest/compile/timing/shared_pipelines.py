"""The pipeline of an engine: those of its tasks, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sttest.errors import DoesNotFitError
from sttest.sim.graph import Pipeline

# A pipeline that drains between passes is written out pass by pass.
_MOST_LOOPS = 16_384


def in_turn(engine: str, pipelines: Sequence[Pipeline]) -> Pipeline:
    """One process that runs the loops of several, in order, and drains in between.

    Args:
        engine: its name.
        pipelines: of the tasks, in program order.

    Raises:
        DoesNotFitError: together they drain too often to be written out.
    """
    passes = sum(len(each.loops) * each.repeat for each in pipelines)
    if passes > _MOST_LOOPS:
        raise DoesNotFitError(
            "engine-passes", "the tasks of an engine drain too often", where=engine, demand=passes, bound=_MOST_LOOPS,
            unit="passes", levers=["share fewer tasks", "take larger tiles"],
        )  # fmt: skip
    loops = tuple(loop for each in pipelines for _ in range(each.repeat) for loop in each.loops)
    origins = dict.fromkeys(each.origin for each in pipelines if each.origin)
    return replace(pipelines[0], name=engine, loops=loops, repeat=1, origin=", ".join(origins))
