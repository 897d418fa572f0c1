"""Runs a timed graph on the compiled engine."""

from __future__ import annotations

import numpy as np

from sttest.sim.graph import TimedGraph
from sttest.sim.maxplus.arrays import ACTOR, Net, build
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.record import RunRecord, Stalls


def run(graph: TimedGraph, *, unbounded: bool = False) -> RunRecord:
    """The same as ``sttest.sim.des.engine.run``: pipelines, memory ports, actors with a finite number of firings."""
    from sttest.sim.maxplus.kernel import run_net, sources_stamp

    programs = find_programs(graph)
    lead = programs.leads(np.array([fifo.depth for fifo in graph.fifos], np.int64))
    net = build(graph, programs, unbounded=unbounded, lead=lead)
    run_net(sources_stamp(), *net)
    return _record(graph, net, lead)


def _record(graph: TimedGraph, net: Net, lead: np.ndarray) -> RunRecord:
    processes, fifos = net.processes, net.fifos[lead]
    stalls = zip(*(processes[name].tolist() for name in ("stall_in", "stall_out", "stall_memory")), strict=True)
    initial = np.array([fifo.initial_tokens for fifo in graph.fifos], np.int64)
    by_actor = np.flatnonzero(processes["kind"][fifos["writer"]] == ACTOR).tolist()
    claims = _spans(net.times, fifos["claim_first"] + initial, fifos["claimed"] - initial)
    return RunRecord(
        finish=[cycle if cycle >= 0 else None for cycle in _finishes(processes).tolist()],
        visits=processes["visits"].tolist(),
        stalls=[Stalls(*row) for row in stalls],
        writes=_spans(net.times, fifos["write_first"] + initial, fifos["written"] - initial),
        reads=_spans(net.times, fifos["read_first"], fifos["read"]),
        claims={index: claims[index] for index in by_actor if claims[index].size},
        bursts=_bursts(graph, net),
    )


def _finishes(processes: np.ndarray) -> np.ndarray:
    """Finish of each process, -1 where it did not get there; actors note the end of every firing on the way."""
    return np.where(processes["visits"] == processes["all_visits"], processes["finish"], -1)


def _spans(times: np.ndarray, first: np.ndarray, size: np.ndarray) -> list[np.ndarray]:
    return [times[start : start + count] for start, count in zip(first.tolist(), size.tolist(), strict=True)]


def _bursts(graph: TimedGraph, net: Net) -> dict[str, np.ndarray]:
    bursts = {}
    for port in net.ports:
        rows = net.bursts[port["burst_first"] : port["burst_first"] + port["requested"]]
        bursts[graph.processes[port["process"]].name] = np.stack([rows["request"], rows["start"]], axis=1)
    return bursts
