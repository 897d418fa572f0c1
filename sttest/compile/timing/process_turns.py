"""The nodes of a process as one program: its turns in order, those of a layer for all layers, then those behind.

All of that once for each token of a launch.  What holds a DMA's tokens back counts layers and tokens itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sttest.compile.dialects.df import EnterOp, KernelOp, LeaveOp, NodeOp
from sttest.compile.timing.shared_pipelines import in_turn
from sttest.compile.turns.layers import outside_layers
from sttest.compile.turns.shared_streams import going_on
from sttest.sim.graph import Memory, Pipeline, Process


def in_order(kernel: KernelOp, turns: Iterable[tuple[NodeOp, Process]]) -> list[Process]:
    """One process for each name, where the first of its nodes stands.

    Args:
        kernel: at the stream level.
        turns: nodes with what they do, in program order; nodes of one process have one name.

    Raises:
        DoesNotFitError: see :func:`~sttest.compile.timing.shared_pipelines.in_turn`.
    """
    outside = outside_layers(kernel)
    groups: dict[str, tuple[list[Process], list[Process]]] = {}
    for node, process in turns:
        # Where activations enter and leave, the process counts layers itself.
        once = node in outside or isinstance(node, EnterOp | LeaveOp)
        groups.setdefault(process.name, ([], []))[once].append(process)
    return [_times(_run(layer, behind, kernel.layer_count), kernel.step_count) for layer, behind in groups.values()]


def _run(layer: Sequence[Process], behind: Sequence[Process], layers: int) -> Process:
    if not layer:
        return _together(behind)
    repeated = _times(_together(layer), layers)
    if not behind:
        return repeated
    once = _together(behind)
    if isinstance(repeated, Pipeline) and isinstance(once, Pipeline):
        return in_turn(repeated.name, [repeated, once])
    return going_on([repeated, once])


def _together(turns: Sequence[Process]) -> Process:
    """Turns without anything between them: an engine drains before the next, what moves data goes on."""
    if len(turns) == 1:
        return turns[0]
    pipelines = [each for each in turns if isinstance(each, Pipeline) and each.category == "compute"]
    return in_turn(turns[0].name, pipelines) if pipelines else going_on(turns)


def _times(process: Process, layers: int) -> Process:
    if isinstance(process, Pipeline):
        return replace(process, repeat=process.repeat * layers)
    return replace(process, tokens=process.tokens * layers) if isinstance(process, Memory) else process
