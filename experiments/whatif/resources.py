"""What binds a run, from the critical path of the simulation: compute, bandwidth, dependence latency, launch.

A cycle of the critical path counts for the resource of which more would have saved it:

- compute: a kernel that works through a tile at its lanes and token widths, so that more of them would help;
- bandwidth: a port that transfers, or passes on tokens at its width;
- latency: everything that neither shortens: depth of pipelines, running sums that must be back before they are
  needed again, hand-over through FIFOs and buffers, the answer of the memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sttest.boards.operators import operators
from sttest.compile.compiler import Design
from sttest.compile.dialects.df import TaskOp
from sttest.compile.timing.cost_model import TaskCost, task_cost
from sttest.sim.critical.path import critical_path
from sttest.sim.graph import Pipeline
from sttest.sim.simulation import Simulation

Resource = Literal["compute", "bandwidth", "latency", "launch"]
RESOURCES: tuple[Resource, ...] = ("compute", "bandwidth", "latency", "launch")
_TRANSFER = ("hbm-transfer", "hbm-issue")


def tile_steps(design: Design) -> dict[str, int]:
    """Per task the cycles of an iteration that its lanes and the widths of its tokens account for."""
    library = operators(design.board)
    tasks = [op for op in design.module.walk() if isinstance(op, TaskOp)]
    return {task.sym_name.data: _tile_steps(task, task_cost(task, library)) for task in tasks}


def _tile_steps(task: TaskOp, cost: TaskCost) -> int:
    lanes = min(task.lane_count, task.tile_points)
    return max(-(-task.tile_points // lanes), *cost.vectors_in, *cost.vectors_out)


def cycles_by_resource(run: Simulation, steps: Mapping[str, int]) -> dict[Resource, float]:
    """Cycles of a recorded run, of ``compute``, ``bandwidth`` and ``latency``; they add up to its cycles.

    Args:
        run: of a design.
        steps: :func:`tile_steps` of it; a process without an entry takes one per iteration.
    """
    assert run.graph is not None
    processes = {process.name: process for process in run.graph.processes}
    found: dict[Resource, float] = {"compute": 0.0, "bandwidth": 0.0, "latency": 0.0}
    for segment in critical_path(run):
        process = processes[segment.process]
        if segment.kind in _TRANSFER or (process.category == "dma" and segment.kind == "compute"):
            found["bandwidth"] += segment.cycles
        elif segment.kind == "compute" and process.category == "compute" and isinstance(process, Pipeline):
            at_work = segment.cycles * _working_share(process, steps.get(process.name, 1))
            found["compute"] += at_work
            found["latency"] += segment.cycles - at_work
        else:
            found["latency"] += segment.cycles
    return found


def binding(amounts: Mapping[Resource, float]) -> Resource:
    """The resource that takes the largest amount; the first of :data:`RESOURCES` where two are equal."""
    return max(RESOURCES, key=lambda name: (amounts.get(name, 0.0), -RESOURCES.index(name)))


def _working_share(process: Pipeline, steps: int) -> float:
    """The share of a pipeline's stages in which it works through tiles."""
    working = sum(loop.iterations * min(steps, loop.ii) for loop in process.loops)
    return working / sum(loop.length for loop in process.loops)
