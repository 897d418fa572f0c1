"""`make-instances`: names every node and every edge between two; each instance becomes one FIFO."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from sttest.compile.dialects.df import ConverterOp, DmaReadOp, DmaWriteOp, ForkOp, InstanceOp, KernelOp
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.names import hint
from sttest.compile.node_names import NodeNames


@dataclass(frozen=True)
class MakeInstances(ModulePass):
    """Puts a `df.instance` on every stream, named ``producer__consumer``."""

    name = "make-instances"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inserts the instances right after the producers."""
        for kernel in [item for item in op.walk() if isinstance(item, KernelOp)]:
            names = NodeNames(kernel)
            nodes = list(kernel.body.block.ops)
            for node in nodes:
                _label(node, names)
                _instances_of(node, names)


def _label(node: Operation, names: NodeNames) -> None:
    if isinstance(node, ConverterOp | ForkOp | DmaReadOp | DmaWriteOp):
        node.properties["label"] = StringAttr(names.of(node))


def _instances_of(node: Operation, names: NodeNames) -> None:
    block = node.parent_block()
    assert block is not None
    for result in reversed(node.results):
        if not isinstance(result.type, ITensorType):
            continue
        (use,) = result.uses
        name = names.edge(node, use.operation, use.index)
        instance = InstanceOp(result, name)
        block.insert_op_after(instance, node)
        instance.result.name_hint = hint(name)
        use.operation.operands[use.index] = instance.result
