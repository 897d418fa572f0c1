"""A design with one kernel, c = scale * (a + b) over n int32, on a card of the emulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board
from sttest.core.kernel_signature import BufferArgument, DesignSignature, KernelSignature, ScalarArgument
from sttest.targets.xrt.emulator import EmulatedXrt, KernelLaunch, PythonKernels

COUNT = 1024
BYTES = 4 * COUNT
DURATION_US = 250.0
ADD = KernelSignature(
    name="add",
    arguments=(
        BufferArgument(name="a", index=0, element="int32", bytes=BYTES, access="read", banks=(0,)),
        BufferArgument(name="b", index=1, element="int32", bytes=BYTES, access="read", banks=(1, 2)),
        BufferArgument(name="c", index=2, element="int32", bytes=BYTES, access="write", banks=(3,)),
        ScalarArgument(name="n", index=3, type="uint32"),
        ScalarArgument(name="scale", index=4, type="float32"),
    ),
)
DOUBLE_IN_PLACE = KernelSignature(
    name="twice",
    arguments=(BufferArgument(name="x", index=0, element="int32", bytes=BYTES, access="read_write", banks=(3,)),),
)
DESIGN = DesignSignature(design="adder", board="u55c", kernels=(ADD, DOUBLE_IN_PLACE))


def u55c() -> FpgaBoard:
    board = load_board("u55c")
    assert isinstance(board, FpgaBoard)
    return board


def ints(view) -> np.ndarray:
    return np.frombuffer(view, np.int32)


def add(launch: KernelLaunch) -> float:
    a, b, c = (ints(launch.buffers[name]) for name in "abc")
    n = int(launch.scalars["n"])
    c[:n] = (launch.scalars["scale"] * (a[:n] + b[:n])).astype(np.int32)
    return DURATION_US


def twice(launch: KernelLaunch) -> float:
    ints(launch.buffers["x"])[:] *= 2
    return DURATION_US


LIBRARY = PythonKernels({"add": add, "twice": twice})


@dataclass
class Bench:
    """A host program half done: the design is loaded, the buffers are made, a and b are on the card."""

    xrt: EmulatedXrt
    device: Any
    uuid: Any
    kernel: Any
    a: Any
    b: Any
    c: Any

    @property
    def to_card(self):
        return self.xrt.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE

    @property
    def from_card(self):
        return self.xrt.xclBOSyncDirection.XCL_BO_SYNC_BO_FROM_DEVICE

    @property
    def states(self):
        return self.xrt.ert_cmd_state

    def arguments(self, n=COUNT, scale=1.0):
        words = (ADD.arguments[3].word(n), ADD.arguments[4].word(scale))
        return (self.a, self.b, self.c, *words)

    def launch(self, **scalars):
        return self.kernel(*self.arguments(**scalars))

    def other(self, size=BYTES, index=2):
        return self.xrt.bo(self.device, size, self.xrt.bo.normal, self.kernel.group_id(index))

    def twice(self):
        return self.xrt.kernel(self.device, self.uuid, "twice")
