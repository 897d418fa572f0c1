"""Refuses timed graphs that are long-winded beyond the limits, so that reading them stays little work."""

from __future__ import annotations

from sttest.sim.checks import MAX_ENDLESS, MAX_LANES, MAX_LOOP_EVENTS, MAX_LOOPS, MAX_PHASES, MAX_RATES, check_whole
from sttest.sim.graph import Actor, Loop, Memory, Phase, Pipeline, TimedGraph


def check_extent(graph: TimedGraph) -> None:
    """Counts what the processes of a graph consist of.

    Raises:
        InputError: there is more of something than the limits allow.
    """
    loops: list[Loop] = []
    phases: list[Phase] = []
    lanes = endless = 0
    for process in graph.processes:
        if isinstance(process, Pipeline):
            loops += process.loops
        elif isinstance(process, Actor):
            phases += process.phases
            endless += process.firings is None
        elif isinstance(process, Memory):
            lanes += len(process.channels)
    extent = (
        (len(loops), "number of loops in all", MAX_LOOPS),
        (sum(len(loop.events) for loop in loops), "number of events in all loops", MAX_LOOP_EVENTS),
        (len(phases), "number of phases in all", MAX_PHASES),
        (sum(len(phase.reads) + len(phase.writes) for phase in phases), "number of rates in all", MAX_RATES),
        (endless, "number of actors that fire for ever", MAX_ENDLESS),
        (lanes, "number of channels of all ports", MAX_LANES),
    )
    for count, what, most in extent:
        check_whole(count, what, graph.name, 0, most)
