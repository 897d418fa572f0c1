"""One name per node of a kernel, and per edge between two."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from sttest.compile.dialects.df import (
    ConcatOp,
    ConverterOp,
    DmaReadOp,
    DmaWriteOp,
    ForkOp,
    GatherOp,
    KernelOp,
    TaskOp,
)
from sttest.compile.ir.names import identifier, unique


class NodeNames:
    """Names of the nodes in a kernel's body at the itensor level; `make-instances` writes them onto the nodes."""

    def __init__(self, kernel: KernelOp) -> None:
        self._names: dict[Operation, str] = {}
        self._edges: set[str] = set()
        taken: set[str] = set()
        for node in kernel.body.block.ops:
            self._names[node] = unique(self._base(node), taken)

    def of(self, node: Operation) -> str:
        """The node's name."""
        return self._names[node]

    def edge(self, source: Operation, target: Operation, port: int) -> str:
        """A unique name for the stream from ``source`` to input ``port`` of ``target``."""
        name = f"{self.of(source)}__{self.of(target)}"
        return unique(f"{name}_{port}" if name in self._edges else name, self._edges)

    def _base(self, node: Operation) -> str:
        if isinstance(node, TaskOp):
            return node.sym_name.data
        if isinstance(node, ConcatOp) and node.label is not None:
            return node.label.data
        if isinstance(node, DmaReadOp):
            return f"load_{_tensor(node)}{f'_slice{node.slice_of[0]}' if node.slice else ''}"
        if isinstance(node, DmaWriteOp):
            return f"store_{_tensor(node)}"
        if isinstance(node, GatherOp):
            return f"gather_{_tensor(node.sources[0].owner)}"
        if isinstance(node, ConverterOp):
            return f"order_{self._producer(node.sources[0])}"
        if isinstance(node, ForkOp):
            return f"fork_{self._producer(node.sources[0])}"
        return node.name.replace("df.", "")

    def _producer(self, stream: SSAValue) -> str:
        owner = stream.owner
        return self._names.get(owner, "stream") if isinstance(owner, Operation) else "stream"


def _tensor(node: Operation | Block) -> str:
    """Name of the tensor that a DMA moves."""
    origin = node.origin if isinstance(node, DmaReadOp | DmaWriteOp) else None
    return identifier(origin.data if origin else "tensor")
