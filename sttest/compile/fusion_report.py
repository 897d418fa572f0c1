"""Groups, and the intermediate results before and after fusion (StreamTensor Fig. 10a)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import pandas as pd
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from sttest.compile.dialects.df import ConverterOp, DmaReadOp, DmaWriteOp, KernelOp, itensor_of
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.ir.module_walk import all_of
from sttest.compile.passes.fuse_kernels import decide
from sttest.compile.spaces.fusion import Fusion
from sttest.compile.turns.port_names import dma_port
from sttest.compile.turns.processes import fifos_of, processes_of


@dataclass(frozen=True)
class FusionReport:
    """The fusion decision and the bytes of all results that one kernel hands to another through memory without it."""

    fusion: Fusion
    original_bytes: Mapping[str, int]

    @property
    def total_original_bytes(self) -> int:
        """Intermediate results before fusion, parameters excluded."""
        return sum(self.original_bytes.values())

    def table(self) -> pd.DataFrame:
        """One row per kernel: group, its result before fusion, and the group's on-chip cost in its two parts."""
        costs = self.fusion.costs
        return pd.DataFrame(
            {
                "kernel": name,
                "group": group,
                "original_result_bytes": self.original_bytes.get(name, 0),
                "group_converter_bytes": costs[group].converter_bytes,
                "group_local_buffer_bytes": costs[group].local_buffer_bytes,
            }
            for name, group in self.fusion.group_of.items()
        )


def fusion_report(module: ModuleOp, c_max_bytes: int) -> FusionReport:
    """Taken right before `fuse-kernels`, on one kernel per op."""
    kernels = [op for op in module.walk() if isinstance(op, KernelOp)]
    original = {
        kernel.sym_name.data: sum(
            _stream_bytes(itensor_of(stream))
            for tensor, stream in zip(kernel.outputs, kernel.terminator.arguments, strict=True)
            if _is_read_by_kernel(tensor)
        )
        for kernel in kernels
    }
    return FusionReport(decide(kernels, c_max_bytes), original)


def _is_read_by_kernel(tensor: SSAValue) -> bool:
    return any(isinstance(use.operation, KernelOp) for use in tensor.uses)


def _stream_bytes(stream: ITensorType) -> int:
    return -(-prod(stream.full_shape) * stream.element_bits // 8)


@dataclass(frozen=True)
class OnChip:
    """Bytes that stand for the intermediate results after fusion."""

    converter_bytes: int
    fifo_bytes: int
    dma_tile_bytes: int

    @property
    def total_bytes(self) -> int:
        """All three parts."""
        return self.converter_bytes + self.fifo_bytes + self.dma_tile_bytes


def on_chip(module: ModuleOp) -> OnChip:
    """Converters (both halves), FIFOs and DMA tiles (both halves) of a design at the stream level."""
    converters = fifos = tiles = 0
    for kernel in all_of(module, KernelOp):
        for op, *_ in processes_of(kernel).values():
            if isinstance(op, ConverterOp) and op.buffer is not None:
                converters += 2 * prod(op.buffer.values) * itensor_of(op.sources[0]).element_bits
            elif isinstance(op, DmaReadOp | DmaWriteOp):
                tiles += 2 * itensor_of(dma_port(op)).token_bits
        for stream, *_ in fifos_of(kernel).values():
            if stream.sized_by is None or stream.sized_by.data != "folded":
                fifos += stream.result.type.depth.data * stream.result.type.itensor.token_bits
    return OnChip(converters // 8, fifos // 8, tiles // 8)
