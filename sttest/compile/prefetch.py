"""Room for parameters that are read ahead, while the tasks that need them wait for data.

A decode step reads every parameter once.  With FIFOs of a few tokens memory rests whenever
the task behind it does; with room behind each DMA it goes on.  The room is shared out by the
bytes that each DMA reads, so that all run ahead by the same part of the step.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from sttest.compile.dialects.df import DmaReadOp, StreamOp
from sttest.compile.module_walk import all_of
from sttest.compile.stream_level import stream_of

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
    dmas = (dma for dma in all_of(module, DmaReadOp) if dma.packed is not None)
    streams = [stream_of(dma.sinks[0], "prefetch") for dma in dmas]
    all_bits = sum(map(_bits, streams))
    depths: dict[str, int] = {}
    for stream in streams:
        name, kind = stream.sym_name.data, stream.result.type.itensor
        if name in least:
            share = kib * _KIB_BITS * _bits(stream) // (all_bits * kind.token_bits)
            depths[name] = max(least[name], min(kind.tokens, share))
    return depths


def _bits(stream: StreamOp) -> int:
    kind = stream.result.type.itensor
    return kind.tokens * kind.token_bits
