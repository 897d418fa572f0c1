"""What is required of a module that the engines take: one kernel, its nodes joined by streams."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from sttest.compile.dialects.df import ITensorType, KernelOp, NodeOp, StreamOp
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.pass_order import run_first
from sttest.errors import DoesNotFitError


def only_kernel(module: ModuleOp, here: str, name: str) -> KernelOp:
    """The one kernel of a design at the stream level.

    Args:
        module: of the design.
        here: what needs it, for errors.
        name: of the design.

    Raises:
        DoesNotFitError: the design has several kernels.
        InputError: the module is not at the stream level.
    """
    kernels = all_of(module, KernelOp)
    if not kernels:
        raise run_first(here, "the module has no kernel", "linalg-to-kernels")
    if len(kernels) > 1:
        raise DoesNotFitError(
            "several-groups",
            "the design does not fuse into one FPGA kernel, and only single kernels are simulated",
            where=name,
            demand=len(kernels),
            bound=1,
            unit="groups",
            levers=["raise c-max-bytes", "shorten the sequence"],
        )
    for node in all_of(kernels[0], NodeOp):
        if any(isinstance(value.type, ITensorType) for value in (*node.operands, *node.results)):
            raise run_first(here, f"{node.name} is not at the stream level", "lower-to-streams")
    return kernels[0]


def stream_of(port: SSAValue, here: str) -> StreamOp:
    """The FIFO behind a port of a node.

    Raises:
        InputError: the port is no stream.
    """
    owner = port.owner
    if not isinstance(owner, StreamOp):
        raise run_first(here, f"a node is fed by {port.type}, not by a df.stream", "lower-to-streams")
    return owner
