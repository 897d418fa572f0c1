"""Rules that several ops of the `df` dialect share (streamtensor.md section 1); each raises a VerifyException."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, TensorType, VectorType
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.df_types import itensor_of
from sttest.compile.dialects.itensor import ITensorType


def check_ports(name: str, *, sources: tuple[int, int], results: tuple[int, int]) -> None:
    """The op must have as many sources and results as wanted; each argument is (found, wanted)."""
    for what, (found, wanted) in (("source", sources), ("result", results)):
        if found != wanted:
            raise VerifyException(f"{name}: {found} {what}s, it must have {wanted}")


def check_same_tensor(name: str, source: ITensorType, result: ITensorType) -> None:
    """Both sides stream one tensor: same data type, same full shape."""
    if source.dtype != result.dtype:
        raise VerifyException(f"{name}: data types differ: {source.dtype} and {result.dtype}")
    if source.full_shape != result.full_shape:
        raise VerifyException(f"{name}: full shapes differ: {source.full_shape} and {result.full_shape}")


def check_streams_tensor(name: str, tensor: Attribute, stream: ITensorType) -> None:
    """The stream covers exactly that tensor."""
    if not isinstance(tensor, TensorType):
        raise VerifyException(f"{name}: expected a tensor in external memory, found {tensor}")
    if tensor.get_shape() != stream.full_shape or tensor.get_element_type() != stream.dtype:
        raise VerifyException(f"{name}: {tensor} is not the tensor that streams, {stream.full_shape} of {stream.dtype}")


def check_streams_slice(name: str, tensor: Attribute, stream: ITensorType, part: Sequence[int]) -> None:
    """The stream covers one slice of the tensor's tokens: one dim of the tensor is as many times longer."""
    if len(part) != 2 or not 0 <= part[0] < part[1]:
        raise VerifyException(f"{name}: a slice is [number, of how many], not {list(part)}")
    whole = tensor.get_shape() if isinstance(tensor, TensorType) else ()
    cut = [dim for dim, (size, own) in enumerate(zip(whole, stream.full_shape, strict=False)) if size != own]
    if len(cut) == 1:
        scaled = tuple(size * part[1] if dim == cut[0] else size for dim, size in enumerate(stream.full_shape))
        if scaled == whole and isinstance(tensor, TensorType) and tensor.get_element_type() == stream.dtype:
            return
    raise VerifyException(f"{name}: {stream.full_shape} of {stream.dtype} is no slice of 1/{part[1]} of {tensor}")


def check_single_use(name: str, values: Sequence[SSAValue]) -> None:
    """Every value is read exactly once."""
    for value in values:
        uses = value.uses.get_length()
        if uses > 1:
            raise VerifyException(f"{name}: a result has {uses} uses, it may have one; fork it first")
        if not uses:
            raise VerifyException(f"{name}: a result is never read, it must have one use")


def check_token(name: str, stream: ITensorType, token: Attribute) -> None:
    """The value is one token of the stream: element shape and data type; a token of one element may be a scalar."""
    if stream.token_elements == 1 and token == stream.dtype:
        return
    if not isinstance(token, TensorType | VectorType) or token.get_shape() != stream.element_shape:
        raise VerifyException(f"{name}: the token {token} does not have the element shape {stream.element_shape}")
    if token.get_element_type() != stream.dtype:
        raise VerifyException(f"{name}: the token {token} does not have the data type {stream.dtype}")


def check_nest(op: Operation, stream: ITensorType) -> None:
    """The loops around the op are those of the stream; loops of one trip do not count."""
    wanted = [pair for pair in zip(stream.trip_counts, stream.step_sizes, strict=True) if pair[0] != 1]
    if _enclosing_loops(op) != wanted:
        raise VerifyException(f"{op.name}: the enclosing loops must have the (trip, step) sequence {wanted}")


def check_parts(name: str, whole: ITensorType, parts: Sequence[SSAValue], dim: int) -> None:
    """The parts make up the whole along ``dim`` and agree with it elsewhere."""
    if not 0 <= dim < len(whole.full_shape):
        raise VerifyException(f"{name}: data dim {dim} of a tensor of rank {len(whole.full_shape)}")
    types = [itensor_of(part) for part in parts]
    total = sum(part.full_shape[dim] for part in types if dim < len(part.full_shape))
    if total != whole.full_shape[dim]:
        raise VerifyException(f"{name}: the parts cover {total} of {whole.full_shape[dim]} along dim {dim}")
    for part in types:
        if part.dtype != whole.dtype or _without(part.full_shape, dim) != _without(whole.full_shape, dim):
            raise VerifyException(f"{name}: parts may differ from the whole only in their size along dim {dim}")


def _without(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*shape[:dim], *shape[dim + 1 :])


def _enclosing_loops(op: Operation) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    parent = op.parent_op()
    while isinstance(parent, ForOp):
        low, high, step = (_constant(op, value) for value in (parent.lb, parent.ub, parent.step))
        if low or step < 1:
            raise VerifyException(f"{op.name}: enclosing loops must count up from 0")
        found.insert(0, (-(-high // step), step))
        parent = parent.parent_op()
    return [pair for pair in found if pair[0] != 1]


def _constant(op: Operation, bound: SSAValue) -> int:
    owner = bound.owner
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, IntegerAttr):
        raise VerifyException(f"{op.name}: enclosing loops must have constant bounds")
    return owner.value.value.data
