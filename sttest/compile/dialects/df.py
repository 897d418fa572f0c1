"""The `df` dialect: dataflow kernels over iterative tensors, and the streams that they become.

Two levels live in it.  At the *itensor* level every value says in which order
it is streamed and nodes return their results; at the *stream* level the same
nodes push into ``!df.stream`` FIFOs of a given depth.  A ``df.kernel`` is one
FPGA kernel: streaming inside, external memory between.  (StreamTensor, MICRO
2025, sections 3 and 4; the list of ops is its table of the itensor dialect.)
"""

from __future__ import annotations

from xdsl.ir import Dialect

from sttest.compile.dialects.df_concat import ConcatOp
from sttest.compile.dialects.df_dma import DmaReadOp, DmaWriteOp, GatherOp
from sttest.compile.dialects.df_loop import EnterOp, LeaveOp
from sttest.compile.dialects.df_nodes import (
    ConverterOp,
    ForkOp,
    JoinOp,
    NodeOp,
    TaskOp,
)
from sttest.compile.dialects.df_structure import BufferOp, InstanceOp, KernelOp, StreamOp, YieldOp
from sttest.compile.dialects.df_tokens import (
    CastOp,
    ChunkOp,
    EmptyOp,
    ReadOp,
    ReassociateOp,
    StreamCastOp,
    StreamReadOp,
    StreamWriteOp,
    WriteOp,
)
from sttest.compile.dialects.df_types import STREAM, TILE, IntListAttr, StreamType, i64_attr, itensor_of
from sttest.compile.dialects.itensor import ITensorType

DF = Dialect(
    "df",
    [
        YieldOp, KernelOp, TaskOp, ConverterOp, ForkOp, JoinOp, ConcatOp, GatherOp, EnterOp, LeaveOp, DmaReadOp,
        DmaWriteOp, InstanceOp, StreamOp, EmptyOp, ReadOp, WriteOp, CastOp, ReassociateOp, ChunkOp, StreamReadOp,
        StreamWriteOp, StreamCastOp, BufferOp,
    ],
    [ITensorType, StreamType, IntListAttr],
)  # fmt: skip
