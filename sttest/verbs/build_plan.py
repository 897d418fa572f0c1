"""What `sttest build` decides: the banks of every port, by simulation of those placements that are worth it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from sttest.boards.backends.device import DesignFiles
from sttest.boards.board import FpgaBoard
from sttest.boards.vitis.placement import Placement, PortLoad, placements
from sttest.boards.xrt.signature import BufferArgument, DesignSignature
from sttest.errors import InputError, SttestError
from sttest.sim import TimedGraph, load, simulate
from sttest.sim.graph import Memory
from sttest.sim.relink import relinked
from sttest.verbs.model_package import read_model_package

_TRIED = 4
"""Of the placements that keep the busiest bank as idle as can be, so many are simulated."""


@dataclass(frozen=True)
class Linking:
    """The banks that were chosen.

    Attributes:
        placement: of every port.
        design: the signature with these banks.
        cycles: simulated with them; None where the design deadlocks.
        compiled_cycles: simulated as compiled, where a port may have several channels.
        layers: whose buffers are on the card at a time.
        axi_ports: of the HBM.
    """

    placement: Placement
    design: DesignSignature
    cycles: int | None
    compiled_cycles: int | None
    layers: int
    axi_ports: int

    def table(self, files: DesignFiles) -> str:
        """``reports/banks.csv``: a line per port."""
        page = StringIO()
        writer = csv.writer(page, lineterminator="\n")
        writer.writerow(["argument", "index", "port", "banks", "access", "buffer_bytes"])
        for each in self.design.kernels[0].buffers:
            banks = " ".join(map(str, each.banks))
            writer.writerow([each.name, each.index, files.port_of[each.name], banks, each.access, each.bytes])
        return page.getvalue()


def choose_banks(package: Path, files: DesignFiles, board: FpgaBoard) -> Linking:
    """Places the ports and simulates: of the fastest placements the one with the fewest banks.

    Raises:
        DoesNotFitError: the buffers of all layers have no room.
        InputError: timed graph and signature have different ports.
    """
    graph = load(package)
    loads, layers = _loads(package, files, graph)
    hbm = board.hbm
    worth_it = placements(loads, hbm.pseudo_channels.count, hbm.bytes_per_channel.count)
    tried = _spread(worth_it)
    timed = [(_cycles(relinked(graph, _channels(files, each))), each) for each in tried]
    cycles, chosen = min(timed, key=lambda pair: float("inf") if pair[0] is None else pair[0])
    return Linking(chosen, _with_banks(files.design, chosen), cycles, _cycles(graph), layers, hbm.axi_ports.count)


def _spread(found: list[Placement]) -> list[Placement]:
    """Some of many: the narrowest, the widest, and what lies between."""
    if len(found) <= _TRIED:
        return found
    return [found[round(step * (len(found) - 1) / (_TRIED - 1))] for step in range(_TRIED)]


def _cycles(graph: TimedGraph) -> int | None:
    return simulate(graph).cycles


def _channels(files: DesignFiles, placement: Placement) -> dict[str, int]:
    """Of a port with several banks one works at a time: that of the layer that runs."""
    return {dma: placement.banks[argument][0] for dma, argument in files.argument_of.items()}


def _loads(package: Path, files: DesignFiles, graph: TimedGraph) -> tuple[list[PortLoad], int]:
    moved = {p.name: p.tokens * p.token_bytes for p in graph.processes if isinstance(p, Memory)}
    for name in moved.keys() ^ files.argument_of.keys():
        raise InputError(
            "files-disagree", f"port '{name}' is not in both timed_graph.json and hls/memory.json", where=str(package),
            levers=["compile the package anew"],
        )  # fmt: skip
    kept, layers = _kept_per_layer(package)
    buffers = {each.name: each for each in files.kernel.buffers}
    loads = [
        PortLoad(argument, moved[dma], buffers[argument].bytes * (layers if dma in kept else 1))
        for dma, argument in files.argument_of.items()
    ]
    return loads, layers


def _kept_per_layer(package: Path) -> tuple[set[str], int]:
    """DMAs whose tensors every layer has its own of, and the layers; none for a design of no model."""
    try:
        found = read_model_package(package)
    except SttestError:
        return set(), 1
    kinds = {argument.name: argument.kind for argument in found.graph.arguments}
    return {each.name for each in found.graph.loads if kinds[each.argument] != "input"}, found.config.layers


def _with_banks(design: DesignSignature, placement: Placement) -> DesignSignature:
    kernels = tuple(
        kernel.model_copy(
            update={
                "arguments": tuple(
                    each.model_copy(update={"banks": placement.banks[each.name]})
                    if isinstance(each, BufferArgument)
                    else each
                    for each in kernel.arguments
                )
            }
        )
        for kernel in design.kernels
    )
    return design.model_copy(update={"kernels": kernels})
