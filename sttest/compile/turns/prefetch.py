"""Room for parameters that are read ahead, while the tasks that need them wait for data.

A decode step reads every parameter once.  With FIFOs of a few tokens memory rests whenever
the task behind it does; with room behind each DMA it goes on.  The room is shared out by the
bytes that each DMA reads, so that all run ahead by the same part of the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp

from sttest.compile.dialects.df import DmaReadOp, KernelOp, StreamOp
from sttest.compile.ir.module_walk import all_of
from sttest.compile.turns.processes import fifos_of

_KIB_BITS = 8 * 1024


def prefetch_depths(module: ModuleOp, kib: int, least: Mapping[str, int]) -> dict[str, int]:
    """Depths of the FIFOs behind DMAs that read parameters.

    Args:
        module: at the stream level.
        kib: room for all of them.
        least: depths that they have without; a FIFO is never shallower, and never deeper than what it carries.

    Returns:
        Depth per FIFO in tokens.
    """
    fifos = [fifo for kernel in all_of(module, KernelOp) for fifo in fifos_of(kernel).items()]
    filled = {name: streams for name, streams in fifos if _is_read_ahead(streams[0])}
    all_bits = sum(map(_bits, filled.values()))
    depths: dict[str, int] = {}
    for name, streams in filled.items():
        if name in least:
            tokens = sum(stream.result.type.itensor.tokens for stream in streams)
            share = kib * _KIB_BITS * tokens // all_bits
            depths[name] = max(least[name], min(tokens, share))
    return depths


def _is_read_ahead(stream: StreamOp) -> bool:
    return isinstance(stream.writer, DmaReadOp) and stream.writer.packed is not None


def _bits(streams: Sequence[StreamOp]) -> int:
    """That go through a FIFO."""
    return sum(kind.tokens * kind.token_bits for kind in (stream.result.type.itensor for stream in streams))
