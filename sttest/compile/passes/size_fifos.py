"""`size-fifos`: depths of the streams from the token model and the delays of the linear program."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.boards.load import load_board, require_hbm
from sttest.compile.dialects.df import StreamOp, StreamType
from sttest.compile.fifo_model import stream_depths
from sttest.compile.module_walk import all_of
from sttest.compile.timed_graph import timed_graph


@dataclass(frozen=True)
class SizeFifos(ModulePass):
    """Sizes every stream but the folded ones; ``strategy`` is ``normal`` or ``conservative``."""

    name = "size-fifos"

    strategy: str = "normal"
    board: str = "u55c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets the depth of the streams.

        Raises:
            InputError: unknown strategy or board, or a module that is not at the stream level.
            DoesNotFitError: several kernels, or more DMAs than the board has channels.
        """
        graph = timed_graph(op, require_hbm(load_board(self.board)), "design")
        depths = stream_depths(graph, self.strategy)
        for stream in all_of(op, StreamOp):
            depth = depths.get(stream.sym_name.data)
            if depth is None or stream.sized_by == StringAttr("folded"):
                continue
            stream.properties["sized_by"] = StringAttr(f"lp-{self.strategy}")
            kind = StreamType(stream.result.type.itensor, IntAttr(depth))
            Rewriter.replace_value_with_new_type(stream.result, kind)
