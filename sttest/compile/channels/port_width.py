"""How wide the memory ports of a kernel are, and what that leaves of an HBM channel."""

from __future__ import annotations

from sttest.boards.board import FpgaBoard
from sttest.compile.dialects.df import DmaReadOp, DmaWriteOp, KernelOp

_DEFAULT_BITS = 512


def port_bytes(kernel: KernelOp) -> int:
    """Bytes of a beat: the width of the kernel's ports."""
    dmas = (node for node in kernel.body.block.ops if isinstance(node, DmaReadOp | DmaWriteOp))
    widths = [dma.beat_bits.value.data for dma in dmas if dma.beat_bits is not None]
    return max(widths, default=_DEFAULT_BITS) // 8


def bytes_per_cycle(board: FpgaBoard, beat_bytes: int) -> float:
    """What a channel sustains behind a port that takes a beat per cycle of the kernel."""
    return min(board.hbm_bytes_per_cycle_per_channel(sustained=True), float(beat_bytes))
