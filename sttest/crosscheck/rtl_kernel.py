"""A package as a kernel with AXI4 ports: run beside the reference engine, or written out for Vitis."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from sttest.compile.ir.names import ENTERS
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.processes import design_modules
from sttest.compile.sharing.layers import LEAVES
from sttest.crosscheck.rtl_values import kernel_of, random_tensors
from sttest.package import DesignPackage
from sttest.reference.engine import run
from sttest.reference.graph import BITS, Bytes, ReferenceGraph
from sttest.reference.memory import memory_images, read_results
from sttest.targets.rtl.kernel import RtlKernel
from sttest.targets.rtl.kernel_run import LAUNCHES, run_kernel_with_memory

SCHEMA = "sttest.axi/1"


@dataclass(frozen=True)
class AxiEmulation:
    """What a kernel left in memory, beside the reference engine."""

    name: str  # name of the design
    done: bool  # whether all launches ended
    launches: int  # one after the other
    cycles: int  # cycles of all launches, with the stalls of memory, which are by chance
    ports: int  # ports to memory
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
    modules = design_modules(kernel, package.emitted_graph, library, cells)
    files = package.files
    return RtlKernel.of(
        files.kernel.name, package.emitted_graph, modules, package.reference_graph, files.argument_of, files
    )


UNTOUCHED = 0x5A
"""What memory of results holds before a launch."""


@dataclass(frozen=True)
class LaunchMemory:
    """Memory by argument of a kernel."""

    before: dict[str, Bytes]
    after: dict[str, Bytes]
    stored_bytes: int  # bytes that are written

    @staticmethod
    def of(package: DesignPackage, seed: int) -> "LaunchMemory":
        """What a host writes for a launch with random tensors, and what the reference engine then leaves.

        Each layer has random tensors of its own, and takes the result of the one before.

        Args:
            package: compiled design.
            seed: seed of the random tensors.
        """
        graph, files, (kernel, _) = package.reference_graph, package.files, kernel_of(package)
        own = {load.argument for load in graph.loads if files.is_per_layer(load.name)}
        tensors = random_tensors(graph, seed)
        read: list[dict[str, Bytes]] = []
        written: list[dict[str, Bytes]] = []
        for layer in range(kernel.layer_count):
            others = random_tensors(graph, seed + layer)
            inputs = memory_images(graph, tensors | {name: others[name] for name in own})
            results = run(graph, inputs).results
            read.append(inputs)
            written.append(results)
            if layer + 1 < kernel.layer_count:
                tensors[ENTERS] = read_results(graph, results)[LEAVES]
        # What a launch has once is read by the first layer, and written by the last.
        once = {name: image for name, image in written[-1].items() if not files.is_per_layer(name)}
        padded = [_untouched_padding(graph, each | once) for each in written]
        given, left = (files.by_argument(files.of_layers(each)) for each in (read, padded))
        fresh = {name: np.full_like(image, UNTOUCHED) for name, image in left.items()}
        return LaunchMemory(given | fresh, given | left, sum(image.size for image in left.values()))


def _untouched_padding(graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Bytes]:
    """The images of stores, with what was there before behind the last element."""
    found: dict[str, Bytes] = {}
    for store in graph.stores:
        image = images[store.name].copy()
        image[-(-prod(store.layout.shape) * BITS[graph.stream[store.source].dtype] // 8) :] = UNTOUCHED
        found[store.name] = image
    return found


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
    kernel = package_kernel(package)
    progress("computing values with the reference engine")
    memory = LaunchMemory.of(package, seed)
    progress("building and running under verilator")
    ran = run_kernel_with_memory(kernel, memory.before, folder, seed=seed + 1)
    differing = []
    for each in kernel.arguments:
        shall = memory.after[each.name]
        unlike = np.flatnonzero(ran.memory[each.name] != shall)
        if unlike.size:
            at = int(unlike[0])
            differing.append(f"'{each.name}', byte {at}: 0x{ran.memory[each.name][at]:02x}, not 0x{shall[at]:02x}")
    return AxiEmulation(
        package.name,
        ran.done,
        LAUNCHES,
        ran.cycles,
        len(kernel.arguments),
        memory.stored_bytes,
        tuple(differing),
        ran.complaints,
    )
