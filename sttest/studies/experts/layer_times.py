"""What a layer of experts takes where some of those that it chooses are in a lower memory."""

from collections.abc import Iterable
from dataclasses import replace

from sttest.boards.board import FpgaBoard
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.sim.graph import Loop, Pipeline, Process, TimedGraph
from sttest.studies.tier_copy import copy_into_hbm


def layer_cycles(
    graph: TimedGraph, board: FpgaBoard, source: str, expert_bytes: int, missing: Iterable[int], engine: str = "maxplus"
) -> dict[int, int]:
    """Cycles of a layer by the number of experts that are missing, each simulated.

    Missing experts are copied into the HBM, one after the other, when the layer has chosen: until the last is there,
    none of the chosen is read.

    Args:
        graph: timed graph of a design that reads experts by number.
        board: its board.
        source: memory that has the missing ones.
        expert_bytes: bytes of an expert.
        missing: numbers of missing experts, 0 and more.
        engine: simulation engine.

    Raises:
        InputError: a design without experts, or no such memory.
    """
    found: dict[int, int] = {}
    for count in missing:
        copied = copy_into_hbm(board, source, count * expert_bytes, engine).cycles if count else 0
        cycles = simulate(late_by(graph, copied), engine).cycles
        assert cycles is not None, "a later start cannot make a deadlock"
        found[count] = cycles
    return found


def late_by(graph: TimedGraph, cycles: int) -> TimedGraph:
    """The same graph, in which DMAs begin so much later with the parts whose numbers they were given.

    Raises:
        InputError: no DMA is given any.
    """
    processes = tuple(_late(process, cycles) for process in graph.processes)
    if all(new is old for new, old in zip(processes, graph.processes, strict=True)):
        raise InputError(
            "no-experts",
            "no DMA of the design reads parts by number",
            where=graph.name,
            hints=["compile a model of experts, such as qwen3-30b-a3b"],
        )
    return replace(graph, processes=processes)


def _late(process: Process, cycles: int) -> Process:
    """A DMA's wait for its first numbers, and what follows it, takes longer."""
    if not isinstance(process, Pipeline) or process.category != "dma":
        return process
    first = next(
        (n for n, loop in enumerate(process.loops) if _takes_numbers(loop) and n + 1 < len(process.loops)), None
    )
    if first is None:
        return process
    loops = list(process.loops)
    loops[first] = replace(loops[first], latency=loops[first].latency + cycles)
    return replace(process, loops=tuple(loops))


def _takes_numbers(loop: Loop) -> bool:
    return len(loop.events) == 1 and loop.events[0].op == "read"
