"""`materialize-dma`: makes the boundary of every kernel explicit as DMAs with packed, widened layouts.

Packed: a tile is contiguous in memory (64x64 in 16x16 tiles lies as
4x4x16x16).  Widened: a tile is cut into port beats (512 bits of uint8 make it
4x4x2x2 beats of 8x8).  (streamtensor.md section 1.3.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.channels.bursts_ahead import contiguous_elements
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import halved_to
from sttest.compile.ir.indexed import indexed_arguments
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.ir.names import parameters_of


@dataclass(frozen=True)
class MaterializeDma(ModulePass):
    """Inserts `df.dma_read` and `df.dma_write` with ports of ``beat_bits`` bits; ports that have one stay."""

    name = "materialize-dma"

    beat_bits: int = 512

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inside the kernels, arguments and results become tensors."""
        for function in functions(op):
            parameters = parameters_of(function) | indexed_arguments(function)
            for kernel in all_of(function, df.KernelOp):
                self._read_inputs(kernel, parameters)
                self._write_outputs(kernel)

    def _read_inputs(self, kernel: df.KernelOp, parameters: set[SSAValue]) -> None:
        block = kernel.body.block
        start = InsertPoint.at_start(block)
        for tensor, port in zip(kernel.inputs, list(block.args), strict=True):
            if not isinstance(port.type, df.ITensorType):
                continue
            stream = port.type
            argument = Rewriter.replace_value_with_new_type(port, tensor.type)
            dma = df.DmaReadOp(
                operands=[[argument], []], result_types=[[stream]], properties=self._properties(stream, tensor)
            )
            if tensor in parameters:
                dma.properties["packed"] = UnitAttr()
            argument.replace_all_uses_with(dma.streams[0])
            dma.operands[0] = argument
            dma.streams[0].name_hint = argument.name_hint
            Rewriter.insert_op(dma, start)

    def _write_outputs(self, kernel: df.KernelOp) -> None:
        terminator = kernel.terminator
        for index, (tensor, stream) in enumerate(zip(kernel.outputs, terminator.arguments, strict=True)):
            if not isinstance(stream.type, df.ITensorType):
                continue
            dma = df.DmaWriteOp(
                operands=[[stream], []], result_types=[[tensor.type]], properties=self._properties(stream.type, tensor)
            )
            if contiguous_elements(stream.type, packed_layout(stream.type, self.beat_bits)) < prod(
                stream.type.full_shape
            ):
                dma.properties["packed"] = UnitAttr()
            Rewriter.insert_op(dma, InsertPoint.before(terminator))
            terminator.operands[index] = dma.streams[0]

    def _properties(self, stream: df.ITensorType, tensor: SSAValue) -> dict[str, Attribute]:
        return {
            "layout": df.IntListAttr.of(packed_layout(stream, self.beat_bits)),
            "beat_bits": df.i64_attr(self.beat_bits),
            "origin": StringAttr(tensor.name_hint or "tensor"),
        }


def packed_layout(stream: df.ITensorType, beat_bits: int, tile: Sequence[int] = ()) -> tuple[int, ...]:
    """Shape in memory: the grid of tiles, the grid of beats in a tile, the elements of a beat, each per data dim.

    A token that is not made of whole beats is its own beat, as is one that is smaller: tokens follow each other.

    Args:
        stream: type of the stream.
        beat_bits: width of the port.
        tile: tile that tokens are cut from, elements per data dim; a token if it is empty.
    """
    token, size = stream.element_shape, max(1, beat_bits // stream.element_bits)
    tile = tuple(tile) or token
    beat = halved_to(tile, size)
    if prod(beat) != size or any(extent % part for extent, part in zip(token, beat, strict=True)):
        beat = token
    grid = [-(-size // extent) for size, extent in zip(stream.full_shape, tile, strict=True)]
    beats = [extent // part for extent, part in zip(tile, beat, strict=True)]
    return (*grid, *beats, *beat)


def lay_out_tokens(dma: df.DmaOp) -> None:
    """Makes beats of tokens that have been cut from the tiles of a layout."""
    if dma.layout is None or dma.beat_bits is None:
        return
    numbers = dma.layout.values
    rank = len(numbers) // 3
    tile = [count * part for count, part in zip(numbers[rank : 2 * rank], numbers[2 * rank :], strict=True)]
    dma.properties["layout"] = df.IntListAttr.of(packed_layout(df.itensor_of(dma.port), dma.beat_bits.value.data, tile))
