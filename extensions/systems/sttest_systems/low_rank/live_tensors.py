"""Intermediate results of a block whose kernels run one after the other: all of them, and what is live at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions


@dataclass(frozen=True)
class LiveTensors:
    """Bytes of intermediate results, each whole; arguments and parameters of the block are left out."""

    total_bytes: int  # all that a kernel makes and another one reads
    peak_bytes: int  # most that are needed at one time, with what the running kernel makes
    peak_kernel: str  # kernel that runs then


def live_tensors(module: ModuleOp) -> LiveTensors:
    """Of a module with a kernel for each task, in program order, as `linalg-to-kernels` leaves it.

    A result is there from its kernel on until the last kernel that reads it, or a view of it, has run.
    """
    kernels = [kernel for function in functions(module) for kernel in all_of(function, df.KernelOp)]
    place = {kernel: number for number, kernel in enumerate(kernels)}
    spans = []
    for number, kernel in enumerate(kernels):
        for tensor, stream in zip(kernel.outputs, kernel.terminator.arguments, strict=True):
            readers = [place[each] for each in _readers(tensor) if isinstance(each, df.KernelOp)]
            if readers:
                made = df.itensor_of(stream)
                spans.append((number, max(readers), -(-prod(made.full_shape) * made.element_bits // 8)))
    return _peak(spans, [kernel.sym_name.data for kernel in kernels])


def _peak(spans: Sequence[tuple[int, int, int]], names: Sequence[str]) -> LiveTensors:
    """The most live bytes of spans (first kernel, last kernel, bytes)."""
    live = [sum(size for first, last, size in spans if first <= now <= last) for now in range(len(names))]
    most = max(live, default=0)
    return LiveTensors(sum(size for *_, size in spans), most, names[live.index(most)] if live else "")


def _readers(tensor: SSAValue) -> Iterator[Operation]:
    """Operations that read a tensor, or a view of it."""
    for use in tensor.uses:
        yield use.operation
        if not isinstance(use.operation, df.KernelOp):
            for result in use.operation.results:
                yield from _readers(result)
