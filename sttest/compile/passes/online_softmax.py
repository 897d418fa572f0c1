"""`online-softmax`: the softmax of attention chunk by chunk of its positions, under a running maximum.

Milakov and Gimelshein (arXiv 1805.02867), FlashAttention (arXiv 2205.14135) and FuseMax (arXiv 2406.10491) go over the
keys once: what a chunk gives is rescaled whenever a later one has a larger score.  So nothing waits for the last score
of a row, and no buffer holds a row (docs/how-it-works/schedules.md).
"""

from dataclasses import dataclass
from typing import get_args

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.compile.ir.module_walk import functions, require_positive
from sttest.compile.linalg.iteration import shape_of
from sttest.compile.linalg.online_softmax import Attention, attention_of, rewrite_in_chunks
from sttest.compile.linalg.support import refuse_unsupported
from sttest.core.errors import InputError, did_you_mean
from sttest.models.config import Maximum


@dataclass(frozen=True)
class OnlineSoftmax(ModulePass):
    """Goes over ``chunk`` positions at a time, which divide the context.

    Weights of a chunk are under its own maximum (``chunk``), or the running one (``running``).
    """

    name = "online-softmax"

    chunk: int = 64
    maximum: str = "chunk"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites all functions of the module in place.

        Raises:
            InputError: a function without attention, with one of another form, or a chunk that leaves a rest.
        """
        require_positive(self.name, chunk=self.chunk)
        if self.maximum not in get_args(Maximum):
            raise InputError(
                "unknown-maximum",
                f"no maximum '{self.maximum}' of a chunk",
                where=self.name,
                hints=[did_you_mean(self.maximum, get_args(Maximum))],
            )
        refuse_unsupported(op)
        for function in functions(op):
            attention = self._checked(function)
            rewrite_in_chunks(attention, self.chunk, running=self.maximum == "running")

    def _checked(self, function: func.FuncOp) -> Attention:
        attention = attention_of(function)
        positions = shape_of(attention.scores)[-1]
        if positions % self.chunk:
            best = next(size for size in range(min(self.chunk, positions), 0, -1) if positions % size == 0)
            raise InputError(
                "ragged-chunks",
                "chunks of positions leave a rest",
                where=self.name,
                demand=self.chunk,
                bound=positions,
                unit="positions",
                hints=[f"take chunks of {best}"],
            )
        return attention
