"""What a C simulation gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class FifoUse:
    """A stream after the run: its places, the tokens that went through, and the most that it held at a time."""

    name: str
    depth: int
    written: int
    read: int
    peak: int


@dataclass(frozen=True)
class BlockedProcess:
    """A process that stood still at the end: it waits to read a token of ``fifo``, or to write one."""

    process: str
    waits_to: Literal["read", "write"]
    fifo: str


@dataclass(frozen=True)
class CsimRun:
    """One call of a kernel.

    Attributes:
        verdict: ``done``, or ``deadlock`` where every process that was left waited for another.
        results: memory image per written argument, uint8; empty after a deadlock.
        fifos: per stream and converter buffer, by name.
        blocked: who stood still, after a deadlock.
        seconds: of the run, without the build.
        streams: the folder with the tokens of every stream (``<name>.bin``: elements in order, int4 as int8), if
            they were asked for.
    """

    verdict: Literal["done", "deadlock"]
    results: dict[str, NDArray[np.uint8]] = field(repr=False)
    fifos: dict[str, FifoUse] = field(repr=False)
    blocked: tuple[BlockedProcess, ...] = ()
    seconds: float = 0.0
    streams: Path | None = None
