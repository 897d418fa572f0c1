"""`insert-forks`: a stream that several nodes read is copied by a `df.fork`; afterwards every stream has one use."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from sttest.compile.dialects.df import ForkOp, KernelOp
from sttest.compile.dialects.itensor import ITensorType


@dataclass(frozen=True)
class InsertForks(ModulePass):
    """Makes every stream single-use."""

    name = "insert-forks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inserts forks right after the producers."""
        for kernel in [item for item in op.walk() if isinstance(item, KernelOp)]:
            for node in list(kernel.body.block.ops):
                for result in node.results:
                    if isinstance(result.type, ITensorType) and result.uses.get_length() > 1:
                        _fork(result)


def _fork(stream: SSAValue) -> None:
    uses = sorted(stream.uses, key=lambda use: _position(use.operation))
    fork = ForkOp(stream, len(uses))
    owner = stream.owner
    block = owner.parent_block()  # pyright: ignore
    assert block is not None
    block.insert_op_after(fork, owner)  # pyright: ignore
    for use, copy in zip(uses, fork.streams, strict=True):
        copy.name_hint = f"{stream.name_hint}_copy"
        use.operation.operands[use.index] = copy


def _position(op: object) -> int:
    block = op.parent_block()  # pyright: ignore
    return list(block.ops).index(op)
