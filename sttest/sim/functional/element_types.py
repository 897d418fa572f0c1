"""Element types of streams, and what holds them in numpy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

ElementType = Literal["i1", "i4", "i8", "i16", "i32", "f16", "f32"]
Array = NDArray[Any]
Bytes = NDArray[np.uint8]

BITS: dict[str, int] = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "f16": 16, "f32": 32}
NUMPY: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_), "i4": np.dtype(np.int8), "i8": np.dtype(np.int8), "i16": np.dtype("<i2"),
    "i32": np.dtype("<i4"), "f16": np.dtype("<f2"), "f32": np.dtype("<f4"),
}  # fmt: skip
"""An i4 is held in an int8, an i1 in a bool whose True is the integer -1."""


def is_integer(dtype: str) -> bool:
    """Whether an element is a two's-complement integer."""
    return dtype.startswith("i")
