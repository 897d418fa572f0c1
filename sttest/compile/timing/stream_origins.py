"""Which nodes a stream comes from, and which of two streams has its tokens first."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects.df import ConverterOp, DmaReadOp, EnterOp, ForkOp, GatherOp, NodeOp

_PASSED_ON = (ConverterOp, ForkOp, GatherOp)


class StreamOrigins:
    """Of the streams of a kernel; what it has found it keeps."""

    def __init__(self) -> None:
        self._above: dict[Operation, frozenset[Operation]] = {}

    def is_early(self, stream: SSAValue, other: SSAValue) -> bool:
        """Whether a stream has its tokens before ``other`` has those that meet them.

        Memory has, and so has what ``other`` is made of.
        """
        giver, taker = _giver(stream), producer_of(other)
        if giver is None or isinstance(giver, DmaReadOp):
            return True
        return taker is not None and giver in self._nodes_above(taker)

    def _nodes_above(self, node: Operation) -> frozenset[Operation]:
        """The node and all that it is made of, as far as the start of the layer."""
        if node not in self._above:
            self._above[node] = frozenset({node})
            if isinstance(node, NodeOp) and not isinstance(node, EnterOp):
                givers = [giver for giver in map(producer_of, node.sources) if giver is not None]
                self._above[node] = frozenset({node}).union(*map(self._nodes_above, givers))
        return self._above[node]


def producer_of(stream: SSAValue) -> Operation | None:
    """The node that writes a stream."""
    for use in stream.uses:
        if isinstance(use.operation, NodeOp) and use.index >= use.operation.source_count:
            return use.operation
    return None


def _giver(stream: SSAValue) -> Operation | None:
    """The node whose tokens a stream has, behind whatever passes them on."""
    giver = producer_of(stream)
    while isinstance(giver, _PASSED_ON):
        giver = producer_of(giver.sources[0])
    return giver
