"""`buffer-rereads`: small tensors that a kernel streams several times are read from memory once and repeated on chip.

A DMA reads its tensor in the order of the task behind it.  Where that order repeats (a mask of all positions for every
head), memory gives the same bytes again and again, and other DMAs of the channel wait for them.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import without_repeats
from sttest.compile.ir.module_walk import all_of
from sttest.compile.sharing.layers import KIB_BITS


@dataclass(frozen=True)
class BufferRereads(ModulePass):
    """Puts a converter behind inputs of at most ``kib`` KiB that are streamed several times; the rest stays."""

    name = "buffer-rereads"

    kib: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Before `materialize-converters`, which gives the converters their buffers."""
        for kernel in all_of(op, df.KernelOp):
            for port in kernel.body.block.args:
                if isinstance(port.type, df.ITensorType) and self._is_kept(port.type):
                    _read_once(port, port.type)

    def _is_kept(self, stream: df.ITensorType) -> bool:
        once = without_repeats(stream)
        kept_bits = once.tokens * once.token_bits
        return kept_bits < stream.tokens * stream.token_bits and kept_bits <= self.kib * KIB_BITS


def _read_once(port: BlockArgument, wanted: df.ITensorType) -> None:
    block = port.block
    kept = Rewriter.replace_value_with_new_type(port, without_repeats(wanted))
    converter = df.ConverterOp(kept, wanted)
    converter.properties["kept"] = UnitAttr()
    kept.replace_all_uses_with(converter.streams[0])
    converter.operands[0] = kept
    converter.streams[0].name_hint = f"{kept.name_hint}_ordered"
    Rewriter.insert_op(converter, InsertPoint.at_start(block))
