"""`make-instances`: names every node and every edge between two; each instance becomes one FIFO."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects.df import (
    ConcatOp,
    ConverterOp,
    DmaReadOp,
    DmaWriteOp,
    ForkOp,
    GatherOp,
    InstanceOp,
    ITensorType,
    KernelOp,
)
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.names import hint
from sttest.compile.ir.node_names import NodeNames
from sttest.compile.ir.pass_order import require_dmas, run_first


@dataclass(frozen=True)
class MakeInstances(ModulePass):
    """Puts a `df.instance` on every stream, named ``producer__consumer``."""

    name = "make-instances"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inserts the instances right after the producers.

        Raises:
            InputError: a stream comes from outside, or has not exactly one reader.
        """
        for kernel in all_of(op, KernelOp):
            require_dmas(self.name, kernel)
            names = NodeNames(kernel)
            for node in [node for node in kernel.body.block.ops if not isinstance(node, InstanceOp)]:
                _label(node, names)
                for result in reversed(node.results):
                    if isinstance(result.type, ITensorType):
                        _insert_instance(result, names)


def _label(node: Operation, names: NodeNames) -> None:
    if isinstance(node, ConcatOp | ConverterOp | ForkOp | GatherOp | DmaReadOp | DmaWriteOp):
        node.properties["label"] = StringAttr(names.of(node))


def _insert_instance(stream: OpResult, names: NodeNames) -> None:
    uses = list(stream.uses)
    if len(uses) != 1:
        node = names.of(stream.op)
        raise run_first(MakeInstances.name, f"a stream of '{node}' has {len(uses)} readers, not one", "insert-forks")
    use = uses[0]
    if isinstance(use.operation, InstanceOp):
        return
    name = names.edge(stream.op, use.operation, use.index)
    instance = InstanceOp(stream, name)
    Rewriter.insert_op(instance, InsertPoint.after(stream.op))
    instance.result.name_hint = hint(name)
    use.operation.operands[use.index] = instance.result
