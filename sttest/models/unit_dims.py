"""Read broadcast operands as they are, without the unit dims that PyTorch puts in.

PyTorch broadcasts by inserting axes of size 1; torch-mlir then reads those at
the constant index 0.  MLIR's ``linalg-fold-unit-extent-dims`` would drop them,
but also every axis that merely happens to be 1, such as the token of a decode
step, and put reshapes around each matmul instead.
"""

from __future__ import annotations

from importlib import import_module
from itertools import count
from typing import Any


def drop_broadcast_dims(function: Any) -> None:
    """Let every ``linalg.generic`` that reads an expanded tensor at constant indices read it without those axes."""
    for op in list(function.regions[0].blocks[0].operations):
        if op.operation.name == "linalg.generic":
            _drop_in(op)


def _drop_in(generic: Any) -> None:
    ir = import_module("torch_mlir.ir")

    maps = [attribute.value for attribute in generic.attributes["indexing_maps"]]
    for index, old in enumerate(maps):
        source = generic.operands[index].owner
        kept = [i for i, e in enumerate(old.results) if not isinstance(e, ir.AffineConstantExpr)]
        if len(kept) == len(old.results) or source.name != "tensor.expand_shape":
            continue
        generic.operands[index] = _without_dims(source, kept)
        maps[index] = ir.AffineMap.get(old.n_dims, 0, [old.results[i] for i in kept], context=generic.context)
    with generic.context:
        generic.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps])


def _without_dims(expand: Any, kept: list[int]) -> Any:
    """The operand of ``expand`` reshaped to the ``kept`` result dims only."""
    ir = import_module("torch_mlir.ir")
    from torch_mlir.dialects import tensor

    source, wide = expand.operands[0], expand.results[0].type
    shape = [wide.shape[i] for i in kept]
    if list(source.type.shape) == shape:
        return source
    groups = [[i.value for i in group] for group in expand.attributes["reassociation"]]
    places = count()
    narrow = [[next(places) for i in group if i in kept] for group in groups]
    with expand.context, expand.location, ir.InsertionPoint(expand):
        target = ir.RankedTensorType.get(shape, wide.element_type)
        return tensor.expand_shape(target, source, narrow, [], shape)
