"""What a `df.task` says of itself: its kind, its arithmetic, its reduction."""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith

from sttest.compile.dialects.df import TaskOp, YieldOp, itensor_of

_SHORT_EXTENT = 4


def is_contraction_task(task: TaskOp) -> bool:
    """Whether the payload is a multiply-accumulate of two sources over a reduction of more than a few points."""
    points = task.reduction_points
    if len(task.sources) < 2 or points <= _SHORT_EXTENT or operations(task) != Counter({"mulf": 1, "addf": 1}):
        return False
    block = task.payload.block
    product = next(op for op in block.ops if isinstance(op, arith.MulfOp))
    return set(product.operands) == set(block.args[:2])


def operations(task: TaskOp) -> Counter[str]:
    """Scalar operations of one payload evaluation by short name (``mulf``, ``exp``), constants left out."""
    ops = (op for op in task.payload.block.ops if not isinstance(op, YieldOp | arith.ConstantOp))
    return Counter(op.name.split(".")[-1] for op in ops)


def work(task: TaskOp) -> int:
    """Payload evaluations of one run."""
    return task.iterations * task.tile_points


def result_tokens(task: TaskOp) -> int:
    """Tokens that the task writes in one run."""
    return itensor_of(task.produced[0]).tokens
