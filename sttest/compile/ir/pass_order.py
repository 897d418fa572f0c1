"""Errors for passes that are applied in an order that leaves them without what they need."""

from __future__ import annotations

from sttest.compile.dialects.df import ITensorType, KernelOp
from sttest.errors import InputError


def run_first(current: str, missing: str, needed: str) -> InputError:
    """The error of pass ``current`` that misses what pass ``needed`` writes."""
    return InputError("pass-order", missing, where=current, levers=[f"run {needed} first"])


def require_dmas(current: str, kernel: KernelOp) -> None:
    """Refuses a kernel that still takes streams from outside, where DMAs belong.

    Raises:
        InputError: the kernel has a stream for an argument.
    """
    if any(isinstance(port.type, ITensorType) for port in kernel.body.block.args):
        raise run_first(current, f"kernel '{kernel.sym_name.data}' takes streams from outside", "materialize-dma")
