"""`name-nodes`: names every node and every edge between two; each instance becomes one FIFO."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, require_dmas, run_first
from sttest.compile.ir.names import NodeNames, hint


@dataclass(frozen=True)
class NameNodes(ModulePass):
    """Puts a `df.instance` on every stream, named ``producer__consumer``."""

    name = "name-nodes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inserts the instances right after the producers.

        Raises:
            InputError: a stream comes from outside, or has not exactly one reader.
        """
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            names = NodeNames(kernel)
            for node in [node for node in kernel.body.block.ops if not isinstance(node, df.InstanceOp)]:
                if isinstance(node, df.NodeOp):
                    node.give_name(names.of(node))
                for result in reversed(node.results):
                    if isinstance(result.type, df.ITensorType):
                        _insert_instance(result, names)


def _insert_instance(stream: OpResult, names: NodeNames) -> None:
    uses = list(stream.uses)
    if len(uses) != 1:
        node = names.of(stream.op)
        raise run_first(NameNodes.name, f"a stream of '{node}' has {len(uses)} readers, not one", "insert-forks")
    use = uses[0]
    if isinstance(use.operation, df.InstanceOp):
        return
    name = names.edge(stream.op, use.operation, use.index)
    instance = df.InstanceOp(stream, name)
    Rewriter.insert_op(instance, InsertPoint.after(stream.op))
    instance.result.name_hint = hint(name)
    use.operation.operands[use.index] = instance.result
