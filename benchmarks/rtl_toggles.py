"""How often the bits of DSP operands toggle: a kernel under Verilator whose sums of products are made of DSPs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.processes import design_modules
from sttest.core.errors import SttestError
from sttest.reference.graph import Bytes, ReferenceGraph
from sttest.sim.graph import TimedGraph
from sttest.targets.rtl.kernel import RtlKernel
from sttest.targets.rtl.kernel_run import run_kernel_with_memory

_DEFINE = "COUNT_TOGGLES"
"""What makes the sums of products count (``dot_products.sv``)."""
_INSTANCE = re.compile(r"\.process_(\d+)")


@dataclass(frozen=True)
class Toggles:
    """What the factors of the products of a process did, over all launches of a run."""

    process: str
    dsps: int  # slices, one per lane
    operand_bits: int  # bits of the factors of all of them, sign extension left out
    steps: int  # steps in which the pipeline advanced
    toggled_bits: int  # bits of factors that were others than in the step before, summed over steps

    @property
    def per_bit_and_step(self) -> float:
        """The share of the bits that toggle in a step."""
        return self.toggled_bits / (self.operand_bits * self.steps)


def kernel_with_dsps(
    kernel: df.KernelOp, graph: TimedGraph, library: Mapping[str, Operator], values: ReferenceGraph
) -> RtlKernel:
    """A kernel whose sums of integer products are those for synthesis, DSP by DSP; all else is modeled.

    Args:
        kernel: kernel at the stream level.
        graph: its timed graph.
        library: operators at the board's clock.
        values: its reference graph.

    Raises:
        InputError: a process or port that has no hardware yet.
    """
    made = design_modules(kernel, graph, library, Cells())
    modeled = design_modules(kernel, graph, library)
    modules = [cells if _has_products(cells) else model for cells, model in zip(made, modeled, strict=True)]
    names = {node.name: node.name for node in (*values.loads, *values.stores)}
    return RtlKernel.of("kernel", graph, modules, values, names)


def _has_products(module: ModuleText) -> bool:
    return any(part.products for part in module.parts)


def operand_toggles(
    kernel: RtlKernel, memory: Mapping[str, Bytes], folder: Path, *, seed: int = 1
) -> tuple[tuple[Toggles, ...], Mapping[str, Bytes]]:
    """Runs a kernel; what toggled by process, in the order of the graph, and what is in memory at the end.

    Args:
        kernel: kernel with DSPs (:func:`kernel_with_dsps`).
        memory: images of all arguments, for those that are written too.
        folder: folder of sources and build, which is made anew.
        seed: of the stalls of memory.

    Raises:
        ToolMissingError: Verilator is not installed.
        SttestError: it refused the sources, or the kernel did not end.
    """
    ran = run_kernel_with_memory(kernel, memory, folder, seed=seed, define=_DEFINE)
    if not ran.done:
        raise SttestError("simulator-failed", "the kernel does not end", where=str(folder))
    found: dict[str, Toggles] = {}
    for where, *numbers in (line.split() for line in ran.counts):
        name = kernel.modules[int(_INSTANCE.findall(where)[0])].processes[0]
        dsps, bits, steps, toggled = map(int, numbers)
        before = found.get(name, Toggles(name, 0, 0, steps, 0))
        found[name] = Toggles(
            name, before.dsps + dsps, before.operand_bits + bits, steps, before.toggled_bits + toggled
        )
    return tuple(found[name] for each in kernel.modules if (name := each.processes[0]) in found), ran.memory
