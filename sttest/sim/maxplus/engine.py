"""Runs a timed graph on the compiled engine."""

from collections.abc import Sequence

import numpy as np

from sttest.sim.graph import MemoryPort, TimedGraph, frees_at_once
from sttest.sim.maxplus.arrays import ACTOR, Net, build
from sttest.sim.maxplus.components import Skip
from sttest.sim.maxplus.periodic import PeriodSearchLimits, run_periodic
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.maxplus.rows import restrict_to
from sttest.sim.simulation import RunRecord, Stalls

NO_JUMPS = PeriodSearchLimits(least_visits=1 << 60)


def run(
    graph: TimedGraph, *, unbounded: bool = False, record: bool = True, patience: PeriodSearchLimits | None = None
) -> RunRecord:
    """The same as ``sttest.sim.simpy_engine.run``: pipelines, memory ports, actors with a finite number of firings.

    Args:
        graph: graph to run.
        unbounded: FIFOs take every write.
        record: hand back all times, also those of periods that were jumped over.
        patience: when to look for periods.
    """
    programs = find_programs(graph)
    depth = np.array([fifo.depth for fifo in graph.fifos], np.int64)
    leads, number = programs.leads(depth)
    net = build(graph, programs, unbounded=unbounded, leads=leads)
    splices = run_periodic(net, patience or PeriodSearchLimits(), lambda: restrict_to(programs.levels, leads))
    return _record(graph, net, number, programs.stand_ins(leads[number]), splices, keep=record)


def run_by_events(graph: TimedGraph, *, unbounded: bool = False) -> RunRecord:
    """The same without jumps: every event of every period is computed."""
    return run(graph, unbounded=unbounded, patience=NO_JUMPS)


def _record(
    graph: TimedGraph, net: Net, number: np.ndarray, stand_ins: np.ndarray, splices: Sequence[Skip], *, keep: bool
) -> RunRecord:
    """``number``, ``stand_ins``: for each FIFO and each process of the graph, the one of the net that stands for it."""
    initial = np.array([fifo.initial_tokens for fifo in graph.fifos], np.int64)
    processes, fifos = net.processes[stand_ins], net.fifos[number]
    stalls = zip(*(processes[name].tolist() for name in ("stall_in", "stall_out", "stall_memory")), strict=True)
    by_actor = net.processes["kind"][fifos["writer"]] == ACTOR
    peaks = peaks_of(graph, net, number, splices)
    if keep:
        for splice in splices:
            splice.fill_in(net)
    # Actors note the end of every firing on the way.
    finish = np.where(processes["visits"] == processes["all_visits"], processes["finish"], -1)
    claims = _spans(net.times, fifos["claim_first"] + initial, fifos["claimed"] - initial)
    return RunRecord(
        finish=[cycle if cycle >= 0 else None for cycle in finish.tolist()],
        visits=processes["visits"].tolist(),
        stalls=[Stalls(*row) for row in stalls],
        writes=_spans(net.times, fifos["write_first"] + initial, fifos["written"] - initial) if keep else [],
        reads=_spans(net.times, fifos["read_first"], fifos["read"]) if keep else [],
        claims={index: claims[index] for index in np.flatnonzero(by_actor).tolist() if claims[index].size},
        bursts=_bursts(graph, net, stand_ins) if keep else {},
        peaks=peaks.tolist(),
        events=int((fifos["written"] - initial + fifos["read"]).sum()),
    )


def peaks_of(graph: TimedGraph, net: Net, number: np.ndarray, splices: Sequence[Skip]) -> np.ndarray:
    """Depths of a graph's FIFOs that would have done; ``number``: of each, the one of the net that stands for it."""
    from sttest.sim.maxplus.kernel import find_peaks, sources_stamp

    size = net.fifos.size
    of_net = np.zeros(size, np.int64)
    of_net[number] = [fifo.initial_tokens for fifo in graph.fifos]
    jumps, written, read, writes, reads = (
        np.array([getattr(splice, name) for splice in splices], np.int64).reshape(len(splices), size)
        for name in ("periods", "written", "read", "writes", "reads")
    )
    kind = net.processes["kind"]
    by_actor = kind[net.fifos["writer"]] == ACTOR
    claimed = by_actor & (net.fifos["claimed"] > of_net)
    free_at_once = np.ones(size, np.bool_)
    free_at_once[number] = frees_at_once(graph)
    peaks = np.zeros(size, np.int64)
    find_peaks(sources_stamp(), net, of_net, claimed, free_at_once, jumps, written, read, writes, reads, peaks)
    return peaks[number]


def _spans(times: np.ndarray, first: np.ndarray, size: np.ndarray) -> list[np.ndarray]:
    return [times[start : start + count] for start, count in zip(first.tolist(), size.tolist(), strict=True)]


def _bursts(graph: TimedGraph, net: Net, stand_ins: np.ndarray) -> dict[str, np.ndarray]:
    bursts: dict[str, np.ndarray] = {}
    ports = dict(zip(net.ports["process"].tolist(), net.ports, strict=True))
    for process, stand_in in zip(graph.processes, stand_ins.tolist(), strict=True):
        if isinstance(process, MemoryPort):
            port = ports[stand_in]
            rows = net.bursts[port["burst_first"] : port["burst_first"] + port["requested"]]
            names = ("request", "start", "rest", "due", "late")
            bursts[process.name] = np.stack([rows[name] for name in names], axis=1)
    return bursts
