"""`index-dmas`: DMAs of parameters of which a kernel computes the numbers of the parts that it needs, such as experts.

The result that has the numbers goes to the DMAs as well, which read them before they read anything else.  The layout
stays that of the chosen parts side by side; memory holds every part as its words come in that order.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.compile.channels.waiting_reads import hand_tokens, reads_of
from sttest.compile.dialects import df
from sttest.compile.ir.indexed import IndexedParameters
from sttest.compile.ir.module_walk import functions, only_kernel, stream_of
from sttest.compile.ir.names import argument_names
from sttest.compile.reference_graph import memory_layout, reference_stream
from sttest.compile.sharing.layers import result_store
from sttest.compile.sharing.processes import node_label
from sttest.core.errors import InputError
from sttest.reference.graph import MemoryLayout
from sttest.reference.memory import element_numbers, offsets, row_major, tile_order


@dataclass(frozen=True)
class IndexDmas(ModulePass):
    """Gives the DMAs of indexed parameters the numbers of their parts."""

    name = "index-dmas"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Adds a source to DMAs at the stream level; a module without indexed parameters stays as it is.

        Raises:
            InputError: no such result, or parts that do not come one after the other.
            DoesNotFitError: several kernels.
        """
        for function in functions(op):
            indexed = IndexedParameters.of(function)
            if indexed is not None:
                self._connect(only_kernel(op, self.name, "design"), function, indexed)

    def _connect(self, kernel: df.KernelOp, function: func.FuncOp, indexed: IndexedParameters) -> None:
        store = result_store(kernel, function, indexed.index)
        named = {name: dim for name in argument_names(function).values() if (dim := indexed.dim_of(name)) is not None}
        reads = [(read, dim) for name, dim in named.items() for read in reads_of(kernel, function, name)]
        if store is None or not reads:
            raise InputError(
                "no-index",
                f"no DMA writes '{indexed.index}', or none reads what it picks",
                where=self.name,
                hints=["return the numbers of the parts as a result"],
            )
        self._refuse_disorder(store)
        runs = [self._runs(read, dim, indexed.count) for read, dim in reads]
        waiting = hand_tokens(
            kernel,
            store,
            [read for read, _ in reads],
            df.itensor_of(store.sources[0]).tokens,
            fork="index",
            sized_by=None,
        )
        for read, (_, dim), each in zip(waiting, reads, runs, strict=True):
            read.properties["parts"] = df.IntListAttr.of((indexed.count, indexed.parts, dim, each))

    def _refuse_disorder(self, store: df.DmaWriteOp) -> None:
        stream = reference_stream(stream_of(store.sources[0], self.name))
        shape = df.itensor_of(store.sources[0]).full_shape
        first = row_major(offsets(stream, stream.trips), shape).reshape(-1, 1)
        if (np.diff((first + element_numbers(stream.element, shape)).reshape(-1)) != 1).any():
            raise InputError("index-order", "numbers of parts do not come in order", where=self.name)

    def _runs(self, read: df.DmaReadOp, dim: int, count: int) -> int:
        """The runs into which the order of tiles cuts every part.

        Raises:
            InputError: tiles of several parts, tiles that come in another order, or runs that end within a byte.
        """
        layout, stream = memory_layout(read), reference_stream(stream_of(read.sinks[0], self.name))
        if layout.grid[dim] % count:
            raise self._misfit(read, f"{count} parts are not whole tiles: {layout.grid[dim]} lie along dim {dim}")
        tiles = np.unravel_index(tile_order(layout, stream), layout.grid)[dim] // (layout.grid[dim] // count)
        other = np.flatnonzero(tiles != tiles[0])
        length = int(other[0]) if other.size else len(tiles)
        in_turn = length * count and len(tiles) % (length * count) == 0
        if not layout.packed or not in_turn or (np.arange(count)[:, None] != tiles.reshape(-1, count, length).T).any():
            raise self._misfit(read, "the parts do not come one after the other")
        if length * prod(layout.tile) * df.itensor_of(read.sinks[0]).element_bits % 8:
            raise self._misfit(read, f"a run of {length} tiles of {_shown(layout)} is not whole bytes")
        return len(tiles) // (length * count)

    def _misfit(self, read: df.DmaReadOp, what: str) -> InputError:
        hints = ["take another tile size, or fewer lanes: --tile-size, --gemv-lanes", "give experts a wider network"]
        return InputError("index-tiles", what, where=node_label(read), hints=hints)


def _shown(layout: MemoryLayout) -> str:
    return "x".join(map(str, layout.tile))
