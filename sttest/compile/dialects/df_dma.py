"""Nodes between streams and external memory: DMAs, and what puts the slices of several together."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, UnitAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.df_nodes import TAIL, NodeOp
from sttest.compile.dialects.df_rules import check_ports, check_streams_slice, check_streams_tensor
from sttest.compile.dialects.df_types import IntListAttr, itensor_of
from sttest.compile.dialects.token_slices import is_sliced


@irdl_op_definition
class DmaReadOp(NodeOp):
    """Streams a tensor from external memory: packed by tiles, widened to port beats, through a ping-pong tile buffer.

    ``layout`` is the packed shape in memory (tile grid, then the tile), ``beat_bits`` the port width,
    ``packed`` says that memory holds the tiles in stream order (parameters, packed ahead of time);
    ``folded`` says that the reader shares the tile buffer and needs no FIFO.  ``slice`` [j, k] says that it reads slice
    j of k of every token, out of memory that holds nothing else.  ``channel`` is the pseudo-channel that it works on.
    DMAs of one ``queue`` are one piece of hardware, which reads their tensors one after the other, in program order.

    In a launch that generates several tokens, a second source is what the DMA waits for between two of them.  With
    ``rows``, the token that was chosen: memory holds the row of the launch's first token, then one for each of so many
    tokens.  Without, the new entry of a layer, which goes into its place in memory before the DMA reads on.
    """

    name = "df.dma_read"
    label = opt_prop_def(StringAttr)
    layout = opt_prop_def(IntListAttr)
    beat_bits = opt_prop_def(IntegerAttr[I64])
    origin = opt_prop_def(StringAttr)
    folded = opt_prop_def(UnitAttr)
    packed = opt_prop_def(UnitAttr)
    slice = opt_prop_def(IntListAttr)
    channel = opt_prop_def(IntegerAttr[I64])
    queue = opt_prop_def(StringAttr)
    rows = opt_prop_def(IntegerAttr[I64])
    assembly_format = (
        "$sources (`layout` $layout^)? (`beat` $beat_bits^)? (`packed` $packed^)? (`folded` $folded^)? "
        f"(`slice` $slice^)? (`channel` $channel^)? (`queue` $queue^)? (`rows` $rows^)? (`origin` $origin^)? {TAIL}"
    )

    @property
    def row_count(self) -> int:
        """Rows of the table that it takes one of for each token, the first token's among them; 0 if it has none."""
        return self.rows.value.data + 1 if self.rows is not None else 0

    @property
    def takes_entries(self) -> bool:
        """Whether it puts the new entries of a cache in their places."""
        return len(self.sources) > 1 and self.rows is None

    @property
    def slice_of(self) -> tuple[int, int]:
        """Which slice of the tokens it reads, and of how many; (0, 1) for whole tokens."""
        index, slices = self.slice.values if self.slice is not None else (0, 1)
        return index, slices

    def verify_(self) -> None:
        """A tensor goes in, its stream comes out, or that of one slice of its tokens."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        if len(self.sources) > 2:
            raise VerifyException(f"df.dma_read: it waits for one stream, not for {len(self.sources) - 1}")
        stream = itensor_of(self.produced[0])
        if self.slice is None:
            check_streams_tensor(self.name, self.sources[0].type, stream)
        else:
            check_streams_slice(self.name, self.sources[0].type, stream, self.slice.values)


@irdl_op_definition
class DmaWriteOp(NodeOp):
    """Writes a stream to a tensor in external memory; mirrors ``df.dma_read``."""

    name = "df.dma_write"
    label = opt_prop_def(StringAttr)
    layout = opt_prop_def(IntListAttr)
    beat_bits = opt_prop_def(IntegerAttr[I64])
    origin = opt_prop_def(StringAttr)
    channel = opt_prop_def(IntegerAttr[I64])
    assembly_format = (
        f"$sources (`layout` $layout^)? (`beat` $beat_bits^)? (`channel` $channel^)? (`origin` $origin^)? {TAIL}"
    )

    def verify_(self) -> None:
        """A stream goes in, its tensor comes out."""
        check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.streams), 1))
        check_streams_tensor(self.name, self.streams[0].type, itensor_of(self.sources[0]))


@irdl_op_definition
class GatherOp(NodeOp):
    """Makes whole tokens out of one slice from each source (`sttest.compile.dialects.token_slices`).

    ``folded`` says that the reader shares the buffer of the tokens and needs no FIFO.  Behind the DMAs of a ``queue``
    there is one for all of them.
    """

    name = "df.gather"
    label = opt_prop_def(StringAttr)
    folded = opt_prop_def(UnitAttr)
    queue = opt_prop_def(StringAttr)
    assembly_format = f"$sources (`folded` $folded^)? (`queue` $queue^)? {TAIL}"

    def verify_(self) -> None:
        """Every source streams slices of the result's tokens."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        whole = itensor_of(self.produced[0])
        for source in self.sources:
            if not is_sliced(itensor_of(source), whole, len(self.sources)):
                raise VerifyException(f"df.gather: a source does not stream slices of 1/{len(self.sources)} of a token")
