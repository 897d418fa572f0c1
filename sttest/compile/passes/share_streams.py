"""`share-streams`: what the tasks of one engine hand to those of another goes through one FIFO."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.names import unique


@dataclass(frozen=True)
class ShareStreams(ModulePass):
    """Gives streams the same ``queue`` where one port of an engine writes them and one port of another reads them.

    Both engines take their turns in program order, so that tokens leave in the order in
    which they came.  Streams of other tokens, or whose readers' turns come in another order
    than their writers', keep FIFOs of their own.
    """

    name = "share-streams"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``queue`` on streams; a module at the stream level."""
        for kernel in all_of(op, df.KernelOp):
            place = {node: number for number, node in enumerate(kernel.body.block.ops)}
            streams = all_of(kernel, df.StreamOp)
            groups: dict[_Ends, list[df.StreamOp]] = {}
            for stream in streams:
                ends = _ends(stream)
                if ends is not None:
                    groups.setdefault(ends, []).append(stream)
            taken = {stream.sym_name.data for stream in streams}
            for ends, group in groups.items():
                in_turn = sorted(group, key=lambda stream: place[stream.writer])
                if len(group) > 1 and _is_ascending([place[stream.reader] for stream in in_turn]):
                    name = unique(f"{ends.writer}__{ends.reader}", taken)
                    for stream in group:
                        stream.properties["queue"] = StringAttr(name)


@dataclass(frozen=True)
class _Ends:
    """Engines and ports at both ends, and what passes."""

    writer: str
    result: int
    reader: str
    source: int
    token: Hashable


def _ends(stream: df.StreamOp) -> _Ends | None:
    """None where an end is no engine; what puts the results of engines together is one, too, if it has a queue."""
    writer, reader = _engine(stream.writer), _engine(stream.reader) or _queue(stream.reader)
    if writer is None or reader is None:
        return None
    kind = stream.result.type.itensor
    token = kind.element_shape, str(kind.dtype), kind.is_vector, str(stream.sized_by)
    return _Ends(writer, _port(stream.writer, stream), reader, _port(stream.reader, stream), token)


def _engine(node: df.NodeOp) -> str | None:
    return node.engine.data if isinstance(node, df.TaskOp) and node.engine is not None else None


def _queue(node: df.NodeOp) -> str | None:
    return node.shared_name if isinstance(node, df.GatherOp) else None


def _port(node: df.NodeOp, stream: df.StreamOp) -> int:
    return next(use.index for use in stream.result.uses if use.operation is node)


def _is_ascending(numbers: Sequence[int]) -> bool:
    return all(first < second for first, second in pairwise(numbers))
