"""The memory ports of a package as jobs: an AXI4 master per DMA, with the addresses and bursts of its stream."""

from dataclasses import dataclass

from sttest.compile.rtl import module_text
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.sim.graph import MemoryPort
from sttest.targets.rtl.kernel_port import PORT_SOURCES, KernelArgument, kernel_argument
from sttest.targets.synth.yosys import SynthesisJob

_TOP = "memory_port"


@dataclass(frozen=True)
class PortJob:
    """A memory port to be synthesized."""

    job: SynthesisJob
    port: KernelArgument


def port_jobs(package: DesignPackage) -> dict[str, PortJob | InputError]:
    """The job of each DMA, or why it has none, by its name in reports."""
    found: dict[str, PortJob | InputError] = {}
    for port in package.timed_graph.processes:
        if isinstance(port, MemoryPort):
            try:
                found[port.name] = _job(kernel_argument(port.name, port, package.reference_graph, package.files))
            except InputError as error:
                found[port.name] = error
    return found


def _job(port: KernelArgument) -> PortJob:
    other = "axi_write" if port.reads else "axi_read"
    library = tuple((f"{name}.sv", module_text(name)) for name in PORT_SOURCES if name != other)
    return PortJob(SynthesisJob(_TOP, (*library, (f"{_TOP}.sv", port.module(_TOP))), size=500), port)
