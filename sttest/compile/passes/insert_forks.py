"""`insert-forks`: a stream that several nodes read is copied by a `df.fork`; afterwards every stream has one use."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, require_dmas


@dataclass(frozen=True)
class InsertForks(ModulePass):
    """Makes every stream single-use."""

    name = "insert-forks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inserts forks right after the producers; the copies go to the readers in program order.

        Raises:
            InputError: a kernel takes its streams from outside, where a DMA belongs.
        """
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            position = {node: index for index, node in enumerate(kernel.body.block.ops)}
            for result in [result for node in kernel.body.block.ops for result in node.results]:
                if isinstance(result.type, df.ITensorType) and result.uses.get_length() > 1:
                    _fork(result, position)


def _fork(stream: OpResult, position: dict[Operation, int]) -> None:
    uses = sorted(stream.uses, key=lambda use: (position[use.operation], use.index))
    fork = df.ForkOp(stream, len(uses))
    Rewriter.insert_op(fork, InsertPoint.after(stream.op))
    for use, copy in zip(uses, fork.streams, strict=True):
        copy.name_hint = f"{stream.name_hint}_copy"
        use.operation.operands[use.index] = copy
