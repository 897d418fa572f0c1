"""The memory banks of every port of a kernel: those that it was timed with, where there is room."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sttest.boards.board import FpgaBoard
from sttest.boards.switch import Reach, crossing
from sttest.compile.channels.memory_ports import bank_channels, bank_name, bank_number
from sttest.core.errors import DoesNotFitError, SttestError
from sttest.core.files import csv_text
from sttest.core.kernel_signature import Argument, BufferArgument, DesignSignature
from sttest.package import DesignPackage, KernelFiles, ModelPackage
from sttest.sim import TimedGraph, simulate
from sttest.sim.bursts import relinked
from sttest.sim.graph import MemoryPort
from sttest.targets.vitis.placement import BALANCED, ChannelPlacement, PortLoad, beside, place_as, placements

_TRIED = 4
"""Placements that are simulated, of those that keep the busiest bank as idle as can be."""
_FASTER = 2
"""What channels with more than their share of the traffic are sped up by, to see what that would save."""


@dataclass(frozen=True)
class Linking:
    """The banks that were chosen."""

    placement: ChannelPlacement  # channel of every port
    design: DesignSignature  # the signature with these banks
    cycles: int | None  # simulated with them; None where the design deadlocks
    compiled_cycles: int | None  # simulated as compiled
    # simulated with these banks, those that carry more than their share twice as fast; None where no bank does, or
    # the design deadlocks
    balanced_cycles: int | None
    layers: int  # number of layers that have buffers on the card at a time
    axi_ports: int  # number of AXI ports of the HBM
    hbm_banks: int  # banks of the card that are of the HBM
    crossing: str  # what crossing the HBM's switch costs at the least; empty where that is not known

    @property
    def remark(self) -> str:
        """What moves most where the traffic is not balanced, and what that costs; empty where it is."""
        if self.balanced_cycles is None or self.cycles is None:
            return ""
        name, most = self.placement.busiest_port
        saved = self.cycles - self.balanced_cycles
        return (
            f", {most:,} bytes of port '{name}'; {_FASTER} x as fast, what moves more than {BALANCED} x would save "
            f"{saved:,} cycles"
        )

    def table(self) -> str:
        """The report on banks in CSV: a line per argument."""
        columns = ("argument", "index", "port", "banks", "access", "buffer_bytes")
        rows = [
            (each.name, each.index, each.port or each.name, " ".join(map(str, each.banks)), each.access, each.bytes)
            for each in self.design.kernels[0].buffers
        ]
        return csv_text(columns, rows)


def choose_banks(package: DesignPackage, board: FpgaBoard) -> Linking:
    """Takes the channels that the design was timed with; without room there, the fastest placement that is found.

    Raises:
        DoesNotFitError: the buffers of all layers have no room.
        InputError: files of the package contradict each other.
    """
    graph, files, memory = package.timed_graph, package.files, board.feed
    loads, bank_of, layers = _loads(package, board)
    lower = board.banks("ddr")
    near = [load for load in loads if bank_of[load.port] not in lower]
    below = _below([load for load in loads if load not in near], bank_of, board)
    room = memory.channels, memory.bytes_per_channel
    compiled_cycles = simulate(graph).cycles
    chosen, cycles = place_as(near, bank_of, *room), compiled_cycles
    if chosen is None:
        tried = [beside(each, below, lower.start) for each in _spread(placements(near, *room))]
        timed = [(simulate(_linked(graph, files, each, board)).cycles, each) for each in tried]
        cycles, chosen = min(timed, key=lambda pair: float("inf") if pair[0] is None else pair[0])
    else:
        chosen = beside(chosen, below, lower.start)
    crowded = {bank_name(board, bank) for bank in chosen.crowded}
    balanced_cycles = simulate(_sped_up(_linked(graph, files, chosen, board), crowded)).cycles if crowded else None
    design = _with_banks(files.design, chosen)
    crossed = _crossing(package, chosen, board)
    return Linking(chosen, design, cycles, compiled_cycles, balanced_cycles, layers, memory.ports, room[0], crossed)


def _crossing(package: DesignPackage, placement: ChannelPlacement, board: FpgaBoard) -> str:
    """Ports whose buffers need several channels have the AXI port of the first; the last layer works on the last."""
    files, hbm = package.files, board.feed.channels
    ports = {each.name: each for each in package.timed_graph.processes if isinstance(each, MemoryPort)}
    dma_of = {argument: ports[dma] for dma, argument in files.argument_of.items()}
    reaches = (
        Reach(banks[0], banks[-1], dma.tokens * dma.token_bytes, writes=dma.op == "write")
        for port, banks in placement.banks.items()
        for dma in (dma_of[each.name] for each in files.kernel.ports[port])
        if banks[-1] < hbm
    )
    found = crossing(reaches, board)
    return "" if found is None else found.text()


def _spread(found: list[ChannelPlacement]) -> list[ChannelPlacement]:
    """Some of many: the narrowest, the widest, and what lies between."""
    if len(found) <= _TRIED:
        return found
    return [found[round(step * (len(found) - 1) / (_TRIED - 1))] for step in range(_TRIED)]


def _below(loads: Sequence[PortLoad], bank_of: Mapping[str, int], board: FpgaBoard) -> ChannelPlacement | None:
    """Ports in the DDR, on the channels that they were timed with, numbered from 0; None where there are none.

    Raises:
        DoesNotFitError: their buffers have no room there.
    """
    if not loads:
        return None
    tier, first = board.tier("ddr"), board.banks("ddr").start
    found = place_as(
        loads, {load.port: bank_of[load.port] - first for load in loads}, tier.channels, tier.bytes_per_channel
    )
    if found is None:
        raise DoesNotFitError(
            "ddr-capacity",
            "no room in the DDR for what --tier puts there",
            where=board.name,
            demand=sum(load.resident_bytes for load in loads),
            bound=tier.size_bytes,
            unit="bytes",
            hints=["put fewer layers on a card", "leave more in the HBM"],
        )
    return found


def _linked(graph: TimedGraph, files: KernelFiles, placement: ChannelPlacement, board: FpgaBoard) -> TimedGraph:
    """The graph with linked channels; of a port's several banks one works at a time, that of the layer that runs."""
    bank = {each.name: placement.banks[port][0] for port, behind in files.kernel.ports.items() for each in behind}
    beat_bytes = graph.channels[0].beat_bytes
    channel_of = {number: bank_channels(board, beat_bytes, [number])[0] for number in {*bank.values()}}
    return relinked(graph, {dma: channel_of[bank[argument]] for dma, argument in files.argument_of.items()})


def _sped_up(graph: TimedGraph, names: Collection[str]) -> TimedGraph:
    """The graph with some channels faster."""
    faster = (
        replace(each, beats_num=each.beats_num * (_FASTER if each.name in names else 1)) for each in graph.channels
    )
    return replace(graph, channels=tuple(faster))


def _loads(package: DesignPackage, board: FpgaBoard) -> tuple[list[PortLoad], dict[str, int], int]:
    """What every port moves and keeps, the bank that it was timed with, and the layers."""
    files, processes = package.files, package.timed_graph.processes
    dmas = {process.name: process for process in processes if isinstance(process, MemoryPort)}
    kept, layers, launches = _kept_per_layer(package)
    dma_of = {argument: dma for dma, argument in files.argument_of.items()}
    loads, bank_of = [], {}
    for port, buffers in files.kernel.ports.items():
        behind = [(dmas[dma_of[each.name]], each) for each in buffers]
        moved = sum(dma.tokens * dma.token_bytes for dma, _ in behind)
        resident = sum(each.bytes * (launches if dma.name in kept else 1) for dma, each in behind)
        loads.append(PortLoad(port, moved, resident))
        bank_of[port] = bank_number(board, behind[0][0].channels[0])
    return loads, bank_of, layers


def _kept_per_layer(package: DesignPackage) -> tuple[set[str], int, int]:
    """DMAs whose tensors every launch has its own of, the layers, and the launches; none for a design of no model."""
    try:
        found = ModelPackage(package.folder, package.manifest)
    except SttestError:
        return set(), 1, 1
    kinds = {argument.name: argument.kind for argument in found.reference_graph.arguments}
    kept = {found.files.dma_of(each.name) for each in found.reference_graph.loads if kinds[each.argument] != "input"}
    return kept, found.config.layers, found.config.layers // found.layers


def _with_banks(design: DesignSignature, placement: ChannelPlacement) -> DesignSignature:
    def linked(argument: Argument) -> Argument:
        if not isinstance(argument, BufferArgument):
            return argument
        return argument.model_copy(update={"banks": placement.banks[argument.port or argument.name]})

    kernels = tuple(
        kernel.model_copy(update={"arguments": tuple(map(linked, kernel.arguments))}) for kernel in design.kernels
    )
    return design.model_copy(update={"kernels": kernels})
