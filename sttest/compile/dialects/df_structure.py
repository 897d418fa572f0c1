"""Structure of a design: kernels and what they return, the edges between nodes, on-chip buffers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, MemRefType, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.df_nodes import NodeOp
from sttest.compile.dialects.df_rules import check_single_use, check_streams_tensor
from sttest.compile.dialects.df_tokens import StreamWriteOp
from sttest.compile.dialects.df_types import TILE, StreamType
from sttest.compile.dialects.itensor import ITensorType
from sttest.errors import InputError


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the region of a kernel or of a task's scalar payload."""

    name = "df.yield"
    arguments = var_operand_def(AnyAttr())
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[values])


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One FPGA kernel: tensors outside, itensors inside; its boundary is where DMAs come from.

    With ``layers`` it runs its body so often; what leaves one run enters the next (`df.enter`, `df.leave`).  With
    ``steps`` it does all of that so often: a launch generates so many tokens (`loop-tokens`).
    """

    name = "df.kernel"
    sym_name = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    layers = opt_prop_def(IntegerAttr[I64])
    steps = opt_prop_def(IntegerAttr[I64])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove())
    assembly_format = (
        "$sym_name (`layers` $layers^)? (`steps` $steps^)? `(` ($inputs^ `:` type($inputs))? `)` "
        "(`->` type($outputs)^)? $body attr-dict-with-keyword"
    )

    def __init__(self, name: str, inputs: Sequence[SSAValue], outputs: Sequence[Attribute], body: Region) -> None:
        super().__init__(
            properties={"sym_name": StringAttr(name)}, operands=[inputs], result_types=[outputs], regions=[body]
        )

    @property
    def layer_count(self) -> int:
        """How often the body runs per token."""
        return self.layers.value.data if self.layers is not None else 1

    @property
    def step_count(self) -> int:
        """How many tokens a launch generates."""
        return self.steps.value.data if self.steps is not None else 1

    @property
    def terminator(self) -> YieldOp:
        """The op that returns the kernel's streams."""
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("df.kernel: the body must end in df.yield")
        return last

    def stream_of(self, output: SSAValue) -> SSAValue:
        """What the body returns for one of the kernel's results."""
        return self.terminator.arguments[self.results.index(output)]

    def verify_(self) -> None:
        """Inside and outside of every port must be one tensor."""
        _check_ports("input", self.inputs, self.body.block.args)
        _check_ports("result", self.outputs, self.terminator.arguments)


def _check_ports(kind: str, outside: Sequence[SSAValue], inside: Sequence[SSAValue]) -> None:
    if len(outside) != len(inside):
        raise VerifyException(f"df.kernel: {len(outside)} {kind}s outside but {len(inside)} inside")
    for number, (out, inner) in enumerate(zip(outside, inside, strict=True)):
        if inner.type == out.type:
            continue
        if not isinstance(inner.type, ITensorType):
            raise VerifyException(f"df.kernel: {kind} {number} is {out.type} outside but {inner.type} inside")
        check_streams_tensor(f"df.kernel: {kind} {number}", out.type, inner.type)


@irdl_op_definition
class InstanceOp(IRDLOperation):
    """A stream between two nodes, made explicit: it becomes one FIFO."""

    name = "df.instance"
    source = operand_def(TILE)
    result = result_def(TILE)
    sym_name = opt_prop_def(StringAttr)
    assembly_format = "$source (`named` $sym_name^)? attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, name: str) -> None:
        super().__init__(operands=[source], result_types=[source.type], properties={"sym_name": StringAttr(name)})

    def verify_(self) -> None:
        """An instance has one reader and does not change the order."""
        if self.source.type != self.result.type:
            raise VerifyException("df.instance: source and result must have the same type")
        check_single_use(self.name, [self.result])


@irdl_op_definition
class StreamOp(IRDLOperation):
    """Makes a FIFO: exactly one node writes it and exactly one reads it.

    Streams of one ``queue`` go through one FIFO, one after the other, in program order.
    """

    name = "df.stream"
    sym_name = prop_def(StringAttr)
    sized_by = opt_prop_def(StringAttr)
    queue = opt_prop_def(StringAttr)
    result = result_def(StreamType)
    assembly_format = "$sym_name (`sized` $sized_by^)? (`queue` $queue^)? attr-dict `:` type($result)"

    def __init__(self, name: str, kind: StreamType, sized_by: str | None = None) -> None:
        sized = {"sized_by": StringAttr(sized_by)} if sized_by else {}
        super().__init__(result_types=[kind], properties={"sym_name": StringAttr(name), **sized})

    @property
    def writer(self) -> NodeOp:
        """The node that fills it.

        Raises:
            InputError: no node does.
        """
        return self._end(writes=True)

    @property
    def reader(self) -> NodeOp:
        """The node that empties it.

        Raises:
            InputError: no node does.
        """
        return self._end(writes=False)

    def _end(self, *, writes: bool) -> NodeOp:
        for use in self.result.uses:
            if isinstance(use.operation, NodeOp) and (use.index >= use.operation.source_count) == writes:
                return use.operation
        raise InputError("no-node", "the stream does not join two nodes", where=f"df.stream {self.sym_name}")

    def verify_(self) -> None:
        """One writer, one reader."""
        uses = list(self.result.uses)
        writers = sum(_writes(use.operation, use.index) for use in uses)
        if (writers, len(uses) - writers) != (1, 1):
            raise VerifyException(
                f"df.stream {self.sym_name}: {writers} writers and {len(uses) - writers} readers, "
                "a stream has exactly one of each"
            )


def _writes(op: Operation, index: int) -> bool:
    if isinstance(op, StreamWriteOp):
        return index == 1
    return isinstance(op, NodeOp) and index >= op.source_count


@irdl_op_definition
class BufferOp(IRDLOperation):
    """A ping-pong buffer on chip: two memrefs of the given shape."""

    name = "df.buffer"
    sym_name = prop_def(StringAttr)
    result = result_def(MemRefType)
    assembly_format = "$sym_name attr-dict `:` type($result)"

    def __init__(self, name: str, kind: MemRefType) -> None:
        super().__init__(result_types=[kind], properties={"sym_name": StringAttr(name)})
