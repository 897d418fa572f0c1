"""A package as a kernel with AXI4 ports: run beside the reference engine, or written out for Vitis."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.processes import design_modules
from sttest.crosscheck.rtl_values import kernel_of, random_tensors
from sttest.package import DesignPackage
from sttest.reference.engine import run
from sttest.reference.memory import memory_images
from sttest.targets.rtl.kernel import RtlKernel
from sttest.targets.rtl.kernel_run import LAUNCHES, run_kernel_with_memory

SCHEMA = "sttest.axi/1"


@dataclass(frozen=True)
class AxiEmulation:
    """What a kernel left in memory, beside the reference engine."""

    name: str  # of the design
    done: bool  # whether all launches ended
    launches: int  # one after the other
    cycles: int  # of all launches, with the stalls of memory, which are by chance
    ports: int  # to memory
    stored_bytes: int  # compared
    differing: tuple[str, ...]  # arguments with another content, each with the first byte
    complaints: tuple[str, ...]  # what AXI forbids

    @property
    def agrees(self) -> bool:
        """Whether memory is that of the reference, and the protocol was kept."""
        return not self.differing and not self.complaints

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.axi/1``."""
        return {"schema": SCHEMA, **asdict(self), "agrees": self.agrees}


def package_kernel(package: DesignPackage, cells: Cells | None = None) -> RtlKernel:
    """The kernel of a package.

    Args:
        package: compiled design.
        cells: makes the parts of its processes for synthesis; None for those that are simulated.

    Raises:
        InputError: the package has no IR or C++, or a process or port has no RTL.
    """
    kernel, library = kernel_of(package)
    modules = design_modules(kernel, package.timed_graph, library, cells)
    files = package.files
    return RtlKernel.of(files.kernel.name, package.timed_graph, modules, package.reference_graph, files.argument_of)


def emulate_kernel(
    package: DesignPackage, folder: Path, seed: int, progress: Callable[[str], None] = lambda _step: None
) -> AxiEmulation:
    """Runs the kernel of a package on random tensors, with a memory that stalls by chance.

    Args:
        package: compiled design.
        folder: folder of the build, which is made anew.
        seed: of tensors and stalls.
        progress: function that is called with each step.

    Raises:
        InputError: see :func:`package_kernel`.
        ToolMissingError: Verilator is not installed.
    """
    kernel, values = package_kernel(package), package.reference_graph
    progress("computing values with the reference engine")
    images = memory_images(values, random_tensors(values, seed))
    wanted = run(values, images).results
    given = images | {name: np.zeros_like(image) for name, image in wanted.items()}
    memory = {each.name: given[each.node.name] for each in kernel.arguments}
    progress("building and running under verilator")
    ran = run_kernel_with_memory(kernel, memory, folder, seed=seed + 1)
    differing = []
    for each in kernel.arguments:
        shall = (images | wanted)[each.node.name]
        unlike = np.flatnonzero(ran.memory[each.name] != shall)
        if unlike.size:
            at = int(unlike[0])
            differing.append(f"'{each.name}', byte {at}: 0x{ran.memory[each.name][at]:02x}, not 0x{shall[at]:02x}")
    stored = sum(image.size for image in wanted.values())
    return AxiEmulation(
        package.name, ran.done, LAUNCHES, ran.cycles, len(kernel.arguments), stored, tuple(differing), ran.complaints
    )
