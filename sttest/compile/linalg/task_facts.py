"""What a `df.task` says of itself: its arithmetic and its work."""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith

from sttest.compile.dialects import df


def operations(task: df.TaskOp) -> Counter[str]:
    """Scalar operations of one payload evaluation by short name (``mulf``, ``exp``), constants left out."""
    ops = (op for op in task.payload.block.ops if not isinstance(op, df.YieldOp | arith.ConstantOp))
    return Counter(op.name.split(".")[-1] for op in ops)


def work(task: df.TaskOp) -> int:
    """Payload evaluations of one run."""
    return task.iterations * task.tile_points
