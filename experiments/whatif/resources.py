"""What binds a run, from the critical path of the simulation: compute, bandwidth, dependence latency, launch.

A cycle of the critical path counts for the resource of which more would have saved it:

- compute: a kernel that takes a new iteration, so that more lanes would help;
- bandwidth: a port that transfers, or passes on tokens at its width;
- latency: everything that neither lanes nor bandwidth shorten: depth of pipelines, initiation intervals above one,
  hand-over through FIFOs and buffers, the answer of the memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sttest.sim.critical.path import critical_path
from sttest.sim.graph import Pipeline
from sttest.sim.simulation import Simulation

Resource = Literal["compute", "bandwidth", "latency", "launch"]
RESOURCES: tuple[Resource, ...] = ("compute", "bandwidth", "latency", "launch")
_TRANSFER = ("hbm-transfer", "hbm-issue")


def cycles_by_resource(run: Simulation) -> dict[Resource, float]:
    """Cycles of a recorded run, of ``compute``, ``bandwidth`` and ``latency``; they add up to its cycles."""
    assert run.graph is not None
    processes = {process.name: process for process in run.graph.processes}
    found: dict[Resource, float] = {"compute": 0.0, "bandwidth": 0.0, "latency": 0.0}
    for segment in critical_path(run):
        process = processes[segment.process]
        if segment.kind in _TRANSFER or (process.category == "dma" and segment.kind == "compute"):
            found["bandwidth"] += segment.cycles
        elif segment.kind == "compute" and process.category == "compute" and isinstance(process, Pipeline):
            starts = segment.cycles * _starting_share(process)
            found["compute"] += starts
            found["latency"] += segment.cycles - starts
        else:
            found["latency"] += segment.cycles
    return found


def binding(amounts: Mapping[Resource, float]) -> Resource:
    """The resource that takes the largest amount; the first of :data:`RESOURCES` where two are equal."""
    return max(RESOURCES, key=lambda name: (amounts.get(name, 0.0), -RESOURCES.index(name)))


def _starting_share(process: Pipeline) -> float:
    """The share of a pipeline's stages in which it takes a new iteration."""
    iterations = sum(loop.iterations for loop in process.loops)
    return iterations / sum(loop.length for loop in process.loops)
