"""`materialize-dma`: makes the boundary of every kernel explicit as DMAs with packed, widened layouts.

Packed: a tile is contiguous in memory (64x64 in 16x16 tiles lies as
4x4x16x16).  Widened: a tile is cut into port beats (512 bits of uint8 make it
4x4x2x2 beats of 8x8).  (streamtensor.md section 1.3.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.compile.dialects.df import DmaReadOp, DmaWriteOp, IntListAttr, KernelOp, i64_attr, itensor_of
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.names import parameters_of
from sttest.compile.stream_order import halved_to


@dataclass(frozen=True)
class MaterializeDma(ModulePass):
    """Inserts `df.dma_read` and `df.dma_write` with ports of ``beat_bits`` bits."""

    name = "materialize-dma"

    beat_bits: int = 512

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inside the kernels, arguments and results become tensors."""
        for function in [item for item in op.walk() if isinstance(item, func.FuncOp)]:
            parameters = parameters_of(function)
            for kernel in [item for item in function.walk() if isinstance(item, KernelOp)]:
                self._read_inputs(kernel, parameters)
                self._write_outputs(kernel)

    def _read_inputs(self, kernel: KernelOp, parameters: set[SSAValue]) -> None:
        block = kernel.body.block
        first = block.first_op
        assert first is not None
        for tensor, port in zip(kernel.inputs, list(block.args), strict=True):
            stream = itensor_of(port)
            argument = Rewriter.replace_value_with_new_type(port, tensor.type)
            dma = DmaReadOp(
                operands=[[argument], []], result_types=[[stream]], properties=self._properties(stream, tensor)
            )
            if tensor in parameters:
                dma.properties["packed"] = UnitAttr()
            argument.replace_all_uses_with(dma.streams[0])
            dma.operands[0] = argument
            dma.streams[0].name_hint = argument.name_hint
            block.insert_op_before(dma, first)

    def _write_outputs(self, kernel: KernelOp) -> None:
        terminator = kernel.terminator
        for index, (tensor, stream) in enumerate(zip(kernel.outputs, terminator.arguments, strict=True)):
            dma = DmaWriteOp(
                operands=[[stream], []],
                result_types=[[tensor.type]],
                properties=self._properties(itensor_of(stream), tensor),
            )
            kernel.body.block.insert_op_before(dma, terminator)
            terminator.operands[index] = dma.streams[0]

    def _properties(self, stream: ITensorType, tensor: SSAValue) -> dict[str, IntListAttr | StringAttr]:
        return {
            "layout": IntListAttr.of(packed_layout(stream, self.beat_bits)),
            "beat_bits": i64_attr(self.beat_bits),  # pyright: ignore
            "origin": StringAttr(tensor.name_hint or "tensor"),
        }


def packed_layout(stream: ITensorType, beat_bits: int) -> tuple[int, ...]:
    """Shape in memory: the grid of tiles, the grid of beats in a tile, the elements of a beat, each per data dim.

    A tile that is smaller than a beat is its own beat.
    """
    tile, shape = stream.element_shape, stream.full_shape
    beat = halved_to(tile, max(1, beat_bits // stream.element_bits))
    grid = [-(-size // extent) for size, extent in zip(shape, tile, strict=True)]
    beats = [extent // part for extent, part in zip(tile, beat, strict=True)]
    assert prod(beats) * prod(beat) == prod(tile)
    return (*grid, *beats, *beat)
