"""What emitted C++ asks the tool for: intervals, kinds of FIFOs, memory ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sttest.boards.board import FpgaBoard
from sttest.sim.graph import Memory, Pipeline, TimedGraph
from sttest.sim.relink import channel_number


@dataclass(frozen=True)
class KernelTiming:
    """Facts of a timed kernel, by the names of its design.

    Attributes:
        intervals: cycles between the iterations of each task.
        passes: how often each task's pipeline is entered: its outer loops are left, and the pipeline drains.
        fifo_kinds: ``srl`` or ``ram`` per FIFO.
        channels: pseudo-channel per DMA.
        outstanding: bursts in flight per port.
        burst_bytes: of the longest burst.
    """

    intervals: Mapping[str, int]
    passes: Mapping[str, int]
    fifo_kinds: Mapping[str, str]
    channels: Mapping[str, int]
    outstanding: int = 16
    burst_bytes: int = 4096

    @staticmethod
    def of(graph: TimedGraph, board: FpgaBoard, apart: TimedGraph | None = None) -> KernelTiming:
        """The facts of a timed graph that was made from a kernel for a board.

        Args:
            graph: of the kernel.
            board: that it is for.
            apart: the kernel with a process per task, where tasks share engines.
        """
        pipelines = [each for each in (apart or graph).processes if isinstance(each, Pipeline) and each.loops]
        ports = [each for each in graph.processes if isinstance(each, Memory)]
        return KernelTiming(
            {each.name: each.loops[0].ii for each in pipelines},
            {each.name: each.repeat for each in pipelines},
            {fifo.name: fifo.kind for fifo in graph.fifos},
            {each.name: channel_number(each.channels[0]) for each in ports},
            board.hbm.outstanding_bursts.count,
            board.hbm.max_burst_bytes.count,
        )
