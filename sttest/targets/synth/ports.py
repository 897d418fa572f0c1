"""The memory ports of a package as jobs: an AXI4 master per DMA, with the addresses and bursts of its stream."""

from dataclasses import dataclass

from sttest.compile.rtl import module_text
from sttest.compile.rtl.dma import PortWords, port_words
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.reference.graph import Load, Store
from sttest.sim.graph import MemoryPort
from sttest.targets.rtl.kernel import KernelArgument
from sttest.targets.synth.yosys import SynthesisJob

_TOP = "memory_port"


@dataclass(frozen=True)
class PortJob:
    """A memory port to be synthesized."""

    job: SynthesisJob
    words: PortWords
    reads: bool


def port_jobs(package: DesignPackage) -> dict[str, PortJob | InputError]:
    """The job of each DMA, or why it has none, by its name in reports."""
    values = package.reference_graph
    nodes = {node.name: node for node in (*values.loads, *values.stores)}
    found: dict[str, PortJob | InputError] = {}
    for port in package.timed_graph.processes:
        if isinstance(port, MemoryPort):
            node = nodes.get(port.name)
            try:
                found[port.name] = _unknown(port) if node is None else _job(package, port, node)
            except InputError as error:
                found[port.name] = error
    return found


def _unknown(port: MemoryPort) -> InputError:
    return InputError("no-rtl", "a DMA of several tensors has no AXI port yet", where=port.name)


def _job(package: DesignPackage, port: MemoryPort, node: Load | Store) -> PortJob:
    stream = package.reference_graph.stream[node.source if isinstance(node, Store) else node.sink]
    argument = KernelArgument(port.name, port, node, port_words(node, stream))
    library = tuple((f"{name}.sv", module_text(name)) for name in ("fifo_ram", "address_walk", f"axi_{port.op}"))
    job = SynthesisJob(_TOP, (*library, (f"{_TOP}.sv", argument.module(_TOP))), size=1000)
    return PortJob(job, argument.words, port.op == "read")
