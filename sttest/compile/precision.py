"""Element widths by the role that a tensor plays."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import Float32Type, IntegerType, f32
from xdsl.ir import Attribute

from sttest.errors import InputError, did_you_mean


@dataclass(frozen=True)
class Precision:
    """Types of contraction weights, contraction activations (and KV cache), and of everything else."""

    name: str
    weight: Attribute
    activation: Attribute
    other: Attribute


_PRECISIONS = {
    "fp32": Precision("fp32", f32, f32, f32),
    # streamtensor.md section 2: the paper's results are W4A8; norms, softmax and residuals stay floating point.
    "w4a8": Precision("w4a8", IntegerType(4), IntegerType(8), Float32Type()),
    "w8a8": Precision("w8a8", IntegerType(8), IntegerType(8), Float32Type()),
}


def precision(name: str) -> Precision:
    """The precision of that name.

    Raises:
        InputError: unknown name, with the nearest known one.
    """
    if name not in _PRECISIONS:
        raise InputError(
            "unknown-precision",
            f"unknown precision '{name}'",
            where="precision",
            levers=[did_you_mean(name, _PRECISIONS)],
        )
    return _PRECISIONS[name]
