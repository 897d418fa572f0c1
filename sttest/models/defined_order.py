"""PyTorch computing in floating point as a compiled design does: docs/values.md, to the bit.

A design adds in stream order and rounds functions once from binary64; PyTorch adds in trees and has functions of
its own.  The last bits differ, and where such a bit decides how an int8 is rounded, so does what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from sttest.sim.functional.scalar_ops import FLOAT_OPS


class DefinedOrder(TorchFunctionMode):
    """A context in which sums of float32 are chains and functions of float32 are rounded once.

    Concerns what blocks use outside of contractions: ``sum`` along an axis, ``exp``, ``tanh``, ``rsqrt``,
    ``sigmoid``.  Contractions of quantised blocks are in order already; those of blocks in floating point stay
    PyTorch's.

    >>> with DefinedOrder():
    ...     float(torch.tensor([1.0, 2.0**-24, 2.0**-24]).sum(-1))
    1.0
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Exchanges the functions above; everything else is PyTorch's."""
        ours = _OURS.get(func)
        if ours is None or kwargs or args[0].dtype != torch.float32:
            return func(*args, **(kwargs or {}))
        return ours(*args)


def _elementwise(op: str) -> Callable[[Tensor], Tensor]:
    function = FLOAT_OPS[op]
    return lambda x: torch.from_numpy(np.asarray(function(x.detach().numpy())))


def _chain(x: Tensor, axis: int) -> Tensor:
    """One addition after the other along an axis, from the first element to the last."""
    return torch.from_numpy(np.add.accumulate(x.detach().numpy(), axis=axis).take(-1, axis=axis))


def _sigmoid(x: Tensor) -> Tensor:
    return torch.ones(()) / (_elementwise("math.exp")(-x) + torch.ones(()))


_OURS: dict[Any, Callable[..., Tensor]] = {
    torch.exp: _elementwise("math.exp"),
    torch.tanh: _elementwise("math.tanh"),
    torch.rsqrt: _elementwise("math.rsqrt"),
    torch.sigmoid: _sigmoid,
    torch.Tensor.sum: _chain,
}
