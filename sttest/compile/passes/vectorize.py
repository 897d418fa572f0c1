"""`vectorize`: tokens become vector registers, cut where a tile is wider than a register may be."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.compile.dialects.df import ITensorType, KernelOp
from sttest.compile.module_walk import all_of
from sttest.compile.pass_order import require_dmas
from sttest.compile.stream_order import vectorized


@dataclass(frozen=True)
class Vectorize(ModulePass):
    """Bounds the width of a token by ``max_bits`` (documented default: 4096).

    A kernel takes a whole tile per iteration, so the widest register that is
    allowed costs it the fewest cycles at the port; both ends of a stream see
    the same vectors.
    """

    name = "vectorize"

    max_bits: int = 4096

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Retypes every stream inside the kernels; tokens that are registers already stay.

        Raises:
            InputError: a kernel takes its streams from outside, where a DMA belongs.
        """
        for kernel in all_of(op, KernelOp):
            require_dmas(self.name, kernel)
            for node in kernel.body.block.ops:
                for result in node.results:
                    if isinstance(result.type, ITensorType) and not result.type.is_vector:
                        Rewriter.replace_value_with_new_type(result, vectorized(result.type, self.max_bits))
