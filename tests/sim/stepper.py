"""The timing model read off the page and run cycle by cycle: slow, short, and sharing no code with the engines."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from sttest.sim import Fifo, Loop, Pipeline, TimedGraph


@dataclass
class Queue:
    depth: int
    raw: int
    written: list[float]
    read: list[float] = field(default_factory=list)


def happens(when, index) -> bool:
    if when is None:
        return True
    first, last, step = when if isinstance(when, tuple) else (when, when, 1)
    return first <= index <= last and (index - first) % step == 0


def stages_of(pipeline: Pipeline) -> tuple[dict[int, list[tuple[str, str]]], int]:
    """Accesses by stage, one entry per token, and the stage at which the program ends."""
    stages: dict[int, list[tuple[str, str]]] = {}
    entry = end = 0
    for loop in pipeline.loops * pipeline.repeat:
        for number, indices in enumerate(itertools.product(*map(range, loop.trips))):
            for event in loop.events:
                if all(happens(w, i) for w, i in zip(event.when, indices, strict=False)):
                    at = entry + number * loop.ii + event.stage
                    stages.setdefault(at, []).extend([(event.fifo, event.op)] * event.tokens)
        end = entry + length(loop)
        entry = end + loop.entry_gap
    return stages, end


def length(loop: Loop) -> int:
    iterations = len(list(itertools.product(*map(range, loop.trips))))
    return (iterations - 1) * loop.ii + loop.latency


def queue_of(fifo: Fifo) -> Queue:
    kind = fifo.impl if fifo.impl != "auto" else ("srl" if fifo.depth * fifo.bits <= 1024 else "ram")
    return Queue(fifo.depth, {"srl": 1, "ram": 2}[kind], [float("-inf")] * fifo.initial_tokens)


def possible(accesses, queues: dict[str, Queue], cycle: int) -> bool:
    for name in {name for name, _ in accesses}:
        queue = queues[name]
        last_write = len(queue.written) + accesses.count((name, "write"))
        freed = last_write - queue.depth
        if (
            last_write > len(queue.written)
            and freed > 0
            and (freed > len(queue.read) or queue.read[freed - 1] >= cycle)
        ):
            return False
        last_read = len(queue.read) + accesses.count((name, "read"))
        if last_read > len(queue.read) and (
            last_read > len(queue.written) or queue.written[last_read - 1] + queue.raw > cycle
        ):
            return False
    return True


def step_through(graph: TimedGraph, limit: int = 3000):
    """(finish per process, writes per FIFO, reads per FIFO); finish is None where nothing happens for ever."""
    queues = {fifo.name: queue_of(fifo) for fifo in graph.fifos}
    programs = {p.name: stages_of(p) for p in graph.processes}
    starts = {p.name: p.start for p in graph.processes}
    stage = dict.fromkeys(programs, 0)
    finish: dict[str, int | None] = dict.fromkeys(programs)
    idle, patience = 0, 3 + max(starts.values())
    for cycle in range(limit):
        moved = False
        commits = []
        for name, (stages, end) in programs.items():
            if cycle < starts[name] or finish[name] is not None:
                continue
            if stage[name] == end:
                finish[name] = cycle
                moved = True
                continue
            if possible(stages.get(stage[name], []), queues, cycle):
                commits += stages.get(stage[name], [])
                stage[name] += 1
                moved = True
        for fifo, op in commits:
            (queues[fifo].read if op == "read" else queues[fifo].written).append(cycle)
        idle = 0 if moved else idle + 1
        if idle > patience or None not in finish.values():
            break
    else:
        raise AssertionError("the stepper ran out of cycles")
    writes = {fifo.name: queues[fifo.name].written[fifo.initial_tokens :] for fifo in graph.fifos}
    return finish, writes, {name: queue.read for name, queue in queues.items()}
