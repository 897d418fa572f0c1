"""The timed graph of queues: loads that share a stream have one name and one FIFO, that of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from sttest.compile.dialects.df import KernelOp, NodeOp
from sttest.compile.ir.stream_level import stream_of
from sttest.compile.turns.processes import fifos_of, process_name, processes_of, queue_of
from sttest.errors import InputError
from sttest.sim.graph import Fifo, Loop, Memory, Pipeline, Process


def fifos_by_stream(kernel: KernelOp) -> dict[str, str]:
    """The FIFO that each stream goes through, by name: one per queue and slice.

    Raises:
        InputError: what reads the loads of a queue does so in another order, or is not one process.
    """
    _check_order(kernel)
    return {each.sym_name.data: name for name, group in fifos_of(kernel).items() for each in group}


def shared_fifos(fifos: Iterable[Fifo], fifo_of: Mapping[str, str]) -> list[Fifo]:
    """The FIFOs of streams by themselves, those that are one under its name."""
    shared: dict[str, Fifo] = {}
    for fifo in fifos:
        name = fifo_of.get(fifo.name, fifo.name)
        if name not in shared:
            shared[name] = fifo if name == fifo.name else replace(fifo, name=name)
    return [*shared.values()]


def on_shared_fifos(node: NodeOp, process: Process, fifo_of: Mapping[str, str]) -> Process:
    """What a node does, apart from others, on shared FIFOs and by the name of its queue."""
    name = process.name if queue_of(node) is None else process_name(node)
    if isinstance(process, Memory):
        return replace(process, name=name, fifo=fifo_of.get(process.fifo, process.fifo))
    if isinstance(process, Pipeline):
        return replace(process, name=name, loops=tuple(_loop_on_fifos(loop, fifo_of) for loop in process.loops))
    return process


def going_on(turns: Sequence[Process]) -> Process:
    """A DMA that goes on with another tensor, or the gather behind it: nothing drains in between."""
    return reduce(_then, turns)


def _check_order(kernel: KernelOp) -> None:
    """The loads of a queue stand in the order of the turns of the one process that reads them."""
    place = {node: number for number, node in enumerate(kernel.body.block.ops)}
    for name, nodes in processes_of(kernel).items():
        if queue_of(nodes[0]) is None:
            continue
        readers = [stream_of(node.sinks[0], "timed graph").reader for node in nodes]
        turns = [place[reader] for reader in readers]
        if turns != sorted(turns) or len({*map(process_name, readers)}) > 1:
            raise InputError(
                "queue-order", "what reads the loads of a queue does not take turns in their order", where=name,
                levers=["remove 'queue' from them", "let share-loads choose them"],
            )  # fmt: skip


def _loop_on_fifos(loop: Loop, fifo_of: Mapping[str, str]) -> Loop:
    if all(fifo_of.get(event.fifo, event.fifo) == event.fifo for event in loop.events):
        return loop
    return replace(loop, events=tuple(replace(e, fifo=fifo_of.get(e.fifo, e.fifo)) for e in loop.events))


def _then(first: Process, second: Process) -> Process:
    origin = ", ".join(dict.fromkeys(each for each in (first.origin, second.origin) if each))
    if isinstance(first, Memory) and isinstance(second, Memory):
        burst_bytes = min(first.burst_bytes, second.burst_bytes)
        return replace(first, tokens=first.tokens + second.tokens, burst_bytes=burst_bytes, origin=origin)
    assert isinstance(first, Pipeline)
    assert isinstance(second, Pipeline)
    tokens = first.loops[0].iterations + second.loops[0].iterations
    return replace(first, loops=(replace(first.loops[0], trips=(tokens,)),), origin=origin)
