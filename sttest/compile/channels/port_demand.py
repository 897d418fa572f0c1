"""What a DMA asks of memory, as far as the choice of its channels goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PortDemand:
    """What one DMA moves in a run.

    Attributes:
        name: of the DMA.
        writes: to memory, not from it.
        total_bytes: of the run.
        busy_cycles: for which its kernel is busy with them at its own speed.
        parameters: whether it reads parameters of the model.
        most_slices: that its tokens may be cut into, a power of two.
        queue: whether it reads what the tasks of an engine take in turn.
    """

    name: str
    writes: bool
    total_bytes: int
    busy_cycles: int
    parameters: bool = False
    most_slices: int = 1
    queue: bool = False

    @property
    def shares_with(self) -> tuple[bool, bool]:
        """Small DMAs with the same value share a channel."""
        return self.writes, self.parameters

    def cycles(self, channels: int, bytes_per_cycle: float) -> float:
        """Cycles of the transfer, or of the kernel where that is slower."""
        return max(self.busy_cycles, self.total_bytes / (channels * bytes_per_cycle))
