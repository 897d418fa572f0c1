"""The result of a block and what is made of it in the same kernel, such as the head of a model."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects.df import DmaWriteOp, ForkOp, KernelOp, NodeOp
from sttest.compile.ir.module_walk import returned
from sttest.compile.ir.value_names import result_names

LEAVES = "y"
"""The result that leaves a layer."""


def result_store(kernel: KernelOp, function: func.FuncOp, wanted: str = LEAVES) -> DmaWriteOp | None:
    """The DMA that writes a result, that of a layer if not told; None where the kernel gives no such result."""
    for name, value in zip(result_names(function), returned(function).operands, strict=True):
        root = value
        while root.owner is not kernel and isinstance(root.owner, Operation) and root.owner.operands:
            root = root.owner.operands[0]
        if name == wanted and root in kernel.outputs:
            writer = kernel.terminator.arguments[kernel.outputs.index(root)].owner
            return writer if isinstance(writer, DmaWriteOp) else None
    return None


def behind_result(kernel: KernelOp) -> set[NodeOp]:
    """Nodes between itensors that make something of the block's result, and what only they read.

    The DMA that writes the result itself is none of them.
    """
    function = kernel.parent_op()
    store = result_store(kernel, function) if isinstance(function, func.FuncOp) else None
    if store is None:
        return set()
    root = _before_copies(store.sources[0])
    found: set[NodeOp] = set()
    nodes = [node for node in kernel.body.block.ops if isinstance(node, NodeOp) and node is not store]
    for node in nodes:
        if any(source == root or source.owner in found for source in node.sources):
            found.add(node)
    for node in (each for each in reversed(nodes) if each is not root.owner):
        readers = [use.operation for result in node.results for use in result.uses]
        if readers and all(reader in found for reader in readers):
            found.add(node)
    return found


def _before_copies(value: SSAValue) -> SSAValue:
    return value.owner.sources[0] if isinstance(value.owner, ForkOp) else value
