"""The columns of a product with a weight: the loop that the weight and the result share, and the row does not."""

from dataclasses import dataclass

from sttest.compile.dialects import df
from sttest.compile.schedule.packed_products import moves_along


@dataclass(frozen=True)
class ProductColumns:
    """Columns of a product."""

    loop: int  # loop over them
    weight: int  # number of the source that has them
    weight_dim: int  # data dim of the weight along which they lie
    result_dim: int  # data dim of the result


def columns_of(task: df.TaskOp, weight: int) -> ProductColumns | None:
    """The columns of a contraction of two sources, one result and an own weight; None where there are none.

    Args:
        task: task.
        weight: number of the source that would have them.
    """
    if not task.is_contraction or task.accesses is None or len(task.sources) != 2 or len(task.produced) != 1:
        return None
    for loop in reversed(range(len(task.loop_kinds))):
        if task.loop_kinds[loop] != "parallel" or moves_along(task, 1 - weight, loop):
            continue
        dims = [_moved_dims(task, port, loop) for port in (weight, len(task.sources))]
        if all(len(each) == 1 for each in dims):
            return ProductColumns(loop, weight, dims[0][0], dims[1][0])
    return None


def _moved_dims(task: df.TaskOp, port: int, loop: int) -> list[int]:
    """The data dims of a source or result along which a loop moves."""
    assert task.accesses is not None
    access = list(task.accesses)[port].data
    unit = [int(dim == loop) for dim in range(access.num_dims)]
    moved = zip(access.eval(unit, ()), access.eval([0] * access.num_dims, ()), strict=True)
    return [dim for dim, (there, here) in enumerate(moved) if there != here]
