"""A card: its memory, the design on it, the kernels that run, and a clock of simulated time."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sttest.boards.board import FpgaBoard
from sttest.boards.xrt.double.library import Execution, KernelLibrary, Launch
from sttest.boards.xrt.double.memory import Memory
from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.double.storage import MEANINGLESS, Storage
from sttest.boards.xrt.signature import BufferArgument, DesignSignature

NOTHING_LOADED = uuid.UUID(int=0)


@dataclass(frozen=True)
class Use:
    """Bytes of a buffer that a kernel works on."""

    storage: weakref.ref[Storage]
    window: range
    argument: BufferArgument


@dataclass(eq=False)
class Flight:
    """An execution from its start until the host has been told of its end.

    Attributes:
        finish_us: on the card's clock; None where it never finishes.
        ended: ended early, by a reset.
    """

    kernel: str
    uses: tuple[Use, ...]
    execution: Execution
    finish_us: float | None
    ended: bool = False


@dataclass(eq=False)
class Card:
    """One card of the double.

    Attributes:
        board: whose banks it has.
        library: what runs when a kernel is started.
        passing: called with the seconds of simulated time whenever some pass; for a host's own clock.
        now_us: simulated time.
        generation: counts configurations and resets; handles of an earlier one are stale.
        groups: bank ranges by group id.
    """

    board: FpgaBoard
    library: KernelLibrary
    passing: Callable[[float], None]
    now_us: float = 0.0
    generation: int = 0
    uuid: uuid.UUID = NOTHING_LOADED
    design: DesignSignature | None = None
    flights: list[Flight] = field(default_factory=list)
    launches: int = 0
    memory: Memory = field(init=False)
    groups: list[range] = field(init=False)
    _free_at_us: dict[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._configure(None, NOTHING_LOADED)

    def load(self, design: DesignSignature, build: uuid.UUID) -> None:
        """Puts a design on the card; the one that is there already stays as it is."""
        if build == self.uuid:
            return
        if self.flights:
            raise misuse("card-busy", f"kernel '{self.flights[0].kernel}' still runs", "device.load_xclbin")
        self._configure(design, build)

    def reset(self) -> None:
        """What ``xrt-smi reset`` does: ends all that runs and forgets design and buffers."""
        for flight in self.flights:
            flight.ended = True
        self._configure(None, NOTHING_LOADED)

    def group_of(self, banks: tuple[int, ...]) -> int:
        """The group id of a range of banks."""
        return self.groups.index(range(banks[0], banks[-1] + 1))

    def launch(self, launch: Launch, uses: tuple[Use, ...]) -> Flight:
        """Runs a kernel at once; its end comes when the clock has got there.

        Runs of one kernel follow each other.  One that hangs keeps its kernel until the card is reset.
        """
        execution = self.library.execute(launch)
        self.launches += 1
        free_at = self._free_at_us.get(launch.kernel, 0.0)
        finish = None
        if free_at is not None and execution.ending != "hung":
            finish = max(free_at, self.now_us) + execution.duration_us
        self._free_at_us[launch.kernel] = finish
        for use in uses:
            _written(use, crashed=execution.ending == "crashed")
        flight = Flight(launch.kernel, uses, execution, finish)
        self.flights.append(flight)
        return flight

    def meeting(self, storage: Storage, window: range) -> Iterator[tuple[Flight, Use, range]]:
        """Executions that are not known to have ended and work on some of these bytes."""
        for flight in self.flights:
            for use in flight.uses:
                common = range(max(window.start, use.window.start), min(window.stop, use.window.stop))
                if common and use.storage() is storage:
                    yield flight, use, common

    def let_pass(self, time_us: float) -> None:
        """Moves the clock on."""
        if time_us > 0:
            self.now_us += time_us
            self.passing(time_us / 1e6)

    def land(self, flight: Flight) -> None:
        """Takes an execution off the card when the host learns of its end."""
        if flight in self.flights:
            self.flights.remove(flight)

    def _configure(self, design: DesignSignature | None, build: uuid.UUID) -> None:
        hbm = self.board.hbm
        self.design, self.uuid = design, build
        self.generation += 1
        self.flights = []
        self._free_at_us = {}
        self.memory = Memory(hbm.pseudo_channels.count, hbm.bytes_per_channel.count)
        self.groups = [range(bank, bank + 1) for bank in range(self.memory.banks)]
        for argument in (buffer for kernel in (design.kernels if design else ()) for buffer in kernel.buffers):
            banks = range(argument.banks[0], argument.banks[-1] + 1)
            if banks not in self.groups:
                self.groups.append(banks)


def _written(use: Use, *, crashed: bool) -> None:
    """What a kernel writes is newer than the host's copy; after a crash it means nothing."""
    storage = use.storage()
    if storage is None or not use.argument.is_written:
        return
    storage.overtaken(use.window)
    if crashed:
        storage.card[use.window.start : use.window.stop] = MEANINGLESS
