"""`size-fifos`: depths of the streams from the token model and the delays of the linear program."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, card_count, only_kernel, target_of
from sttest.compile.sharing.functional_units import engines_of
from sttest.compile.sharing.layers import prefetch_depths
from sttest.compile.sharing.processes import AHEAD, fifo_name
from sttest.compile.timing.fifo_depths import shared_depths, stream_depths
from sttest.compile.timing.timed_graph import TimedGraphs


@dataclass(frozen=True)
class SizeFifos(ModulePass):
    """Sizes every stream but the folded ones; ``strategy`` is ``normal`` or ``conservative``, ``sizing``
    ``schedule`` or ``paper``.

    Where tasks share engines, the linear program's depths are those of the design without
    sharing, and what else its FIFOs need is found by simulation; so it is where links between
    cards send in turn.  ``prefetch_kib`` is room for parameters that are read ahead, on each
    card.  A stream on a link has ``link_credits``, if they are not 0, whether that is enough or not.
    """

    name = "size-fifos"

    strategy: str = "normal"
    sizing: str = "schedule"
    prefetch_kib: int = 0
    link_credits: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets the depth of the streams.

        Raises:
            InputError: unknown strategy, no target, or a module that is not at the stream level.
            DoesNotFitError: several kernels.
        """
        self.size(op)

    def size(self, op: ModuleOp) -> TimedGraphs:
        """What :meth:`apply` does, with the timed graphs that came of it: those of the sized design."""
        kernel = only_kernel(op, "timed graph", "design")
        graphs = TimedGraphs(kernel, target_of(op, self.name))
        depths = stream_depths(graphs.graph("design", apart=True), self.strategy, self.sizing)
        # What a link has is decided by its buffers.
        depths = _by_fifo(op, {fifo.name: depths[fifo.name] for fifo in graphs.fifos_apart if fifo.name in depths})
        depths |= prefetch_depths(op, self.prefetch_kib * card_count(kernel), depths)
        shares = bool(engines_of(op)) or kernel.links is not None
        if shares:
            depths = shared_depths(graphs.graph("design"), depths)
        sized_by = (
            "simulation"
            if shares
            else f"lp-{self.strategy}"
            if self.sizing == "schedule"
            else f"lp-{self.sizing}-{self.strategy}"
        )
        set_depths(op, depths, sized_by)
        if self.link_credits and kernel.links is not None:
            kernel.properties["credits"] = df.i64_attr(self.link_credits)
        graphs.resize()
        return graphs


def set_depths(module: ModuleOp, depths: Mapping[str, int], sized_by: str) -> None:
    """Gives streams other depths, but for those that are folded into their process.

    Args:
        module: module at the stream level.
        depths: depth in tokens by FIFO.
        sized_by: method that decided the depths.
    """
    for stream in all_of(module, df.StreamOp):
        depth = depths.get(fifo_name(stream))
        if depth is None or stream.sized_by == StringAttr("folded"):
            continue
        stream.properties["sized_by"] = StringAttr(sized_by)
        kind = df.StreamType(stream.result.type.itensor, IntAttr(depth))
        Rewriter.replace_value_with_new_type(stream.result, kind)


def _by_fifo(module: ModuleOp, depths: Mapping[str, int]) -> dict[str, int]:
    """Depths of FIFOs from those of streams, of which several may be one FIFO."""
    names = {stream.sym_name.data: fifo_name(stream) for stream in all_of(module, df.StreamOp)}
    found: dict[str, int] = {}
    for stream, depth in depths.items():
        if stream not in names and stream.endswith(AHEAD):  # registers of a port, whose depth is given
            continue
        name = names.get(stream, stream)
        found[name] = max(depth, found.get(name, 0))
    return found
