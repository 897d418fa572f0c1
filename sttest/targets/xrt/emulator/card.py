"""A card: its memory, the design on it, the kernels that run, and a clock of simulated time."""

import json
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid5

from sttest.boards.board import FpgaBoard
from sttest.core.kernel_signature import BufferArgument, DesignSignature, KernelSignature, read_signature
from sttest.targets.xrt.emulator.library import ExecutionOutcome, KernelLaunch, KernelLibrary
from sttest.targets.xrt.emulator.misuse import InfoKey, misuse
from sttest.targets.xrt.emulator.storage import MEANINGLESS, CardMemory, Storage

NOTHING_LOADED = UUID(int=0)


@dataclass(frozen=True)
class Use:
    """Bytes of a buffer that a kernel works on."""

    storage: weakref.ref[Storage]
    window: range
    argument: BufferArgument


@dataclass(eq=False)
class Flight:
    """An execution from its start until the host has been told of its end."""

    kernel: str
    uses: tuple[Use, ...]
    execution: ExecutionOutcome
    finish_us: float | None  # finish time on the card's clock, microseconds; None if it never finishes
    ended: bool = False  # ended early, by a reset or another design


@dataclass(eq=False)
class EmulatedCard:
    """One card of the emulator."""

    board: FpgaBoard  # board that has the banks
    library: KernelLibrary  # kernels that run when they are started
    # callback that gets the seconds of simulated time that pass, for a host's own clock
    passing: Callable[[float], None]
    now_us: float = 0.0  # simulated time
    generation: int = 0  # counts configurations and resets; handles of an earlier one are stale
    uuid: UUID = NOTHING_LOADED
    design: DesignSignature | None = None
    flights: list[Flight] = field(default_factory=list)
    launches: int = 0
    memory: CardMemory = field(init=False)
    groups: list[range] = field(init=False)  # bank ranges by group id
    _free_at_us: dict[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._configure(None, NOTHING_LOADED)

    def load(self, design: DesignSignature, build: UUID) -> None:
        """Puts a design on the card; the one that is there already stays as it is."""
        if build != self.uuid:
            self._configure(design, build)

    def reset(self) -> None:
        """What ``xrt-smi reset`` does: ends all that runs and forgets design and buffers."""
        self._configure(None, NOTHING_LOADED)

    def group_of(self, banks: tuple[int, ...]) -> int:
        """The group id of a range of banks."""
        return self.groups.index(range(banks[0], banks[-1] + 1))

    def launch(self, launch: KernelLaunch, uses: tuple[Use, ...]) -> Flight:
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

    def _configure(self, design: DesignSignature | None, build: UUID) -> None:
        feed, lower = self.board.feed, self.board.tiers.get("ddr")
        behind = [] if lower is None else [lower.bytes_per_channel] * lower.channels
        self.design, self.uuid = design, build
        self.generation += 1
        for flight in self.flights:
            flight.ended = True
        self.flights = []
        self._free_at_us = {}
        self.memory = CardMemory(feed.channels, feed.bytes_per_channel, behind)
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


# --- Sensor readings in the shape that XRT gives them (core/common/sensor.cpp): JSON whose numbers are text


_TEMPERATURE_C = 40
_RAIL_VOLTS = 12.0


def electrical(card: EmulatedCard) -> str:
    """Power of the board when idle or, while a kernel runs, under load."""
    power = card.board.power
    watts = (power.load_w if card.flights else power.idle_w).value
    rail = {
        "id": "12v_pex",
        "description": "12 Volts PCI Express",
        "voltage": {"volts": f"{_RAIL_VOLTS:.3f}", "is_present": "true"},
        "current": {"amps": f"{watts / _RAIL_VOLTS:.3f}", "is_present": "true"},
    }
    reading = {
        "power_rails": [rail],
        "power_consumption_max_watts": f"{power.tdp_w.value:g}",
        "power_consumption_watts": f"{watts:.6f}",
        "power_consumption_warning": "false",
    }
    return json.dumps(reading, indent=4)


def thermal() -> str:
    """One temperature, of no meaning."""
    reading = {"location_id": "fpga0", "description": "FPGA", "temp_C": str(_TEMPERATURE_C), "is_present": "true"}
    return json.dumps({"thermals": [reading]}, indent=4)


# --- The stand-in for an xclbin: a file of `DesignSignature`


_NAMESPACE = UUID("6f1a7c52-0f0b-5b7e-9d0e-2b1f6f4f8c11")


class Uuid:
    """``uuid``: made of a file's content, so that the same build has the same one."""

    def __init__(self, value: UUID) -> None:
        self.value = value

    def to_string(self) -> str:
        """Five groups of hexadecimal digits."""
        return str(self.value)


class XclbinKernel:
    """``xclbin.xclbinkernel``."""

    def __init__(self, signature: KernelSignature) -> None:
        self._signature = signature

    def get_name(self) -> str:
        """The kernel's name."""
        return self._signature.name

    def get_num_args(self) -> int:
        """Number of arguments."""
        return len(self._signature.arguments)


class Xclbin:
    """``xclbin(path)``.

    Raises:
        InputError: no such file, or not a signature: a real xclbin is none.
    """

    def __init__(self, path: str) -> None:
        if not isinstance(path, str):
            raise misuse("wrong-type", f"{type(path).__name__} where a str is expected", "xclbin")
        self.design = read_signature(Path(path))
        self.uuid = uuid5(_NAMESPACE, self.design.model_dump_json())

    def get_uuid(self) -> Uuid:
        """The name of this build."""
        return Uuid(self.uuid)

    def get_kernels(self) -> list[XclbinKernel]:
        """All kernels."""
        return [XclbinKernel(kernel) for kernel in self.design.kernels]


# --- ``device``: a card that has been opened


class Device:
    """A handle on a card of the emulator; several handles are the same card."""

    def __init__(self, card: EmulatedCard, bdf: str) -> None:
        self.card = card
        self._bdf = bdf

    def load_xclbin(self, xclbin: str | Xclbin, /) -> Uuid:
        """Puts a design on the card.

        Raises:
            InputError: the file is no signature.
            MisuseError: it is for another board.
        """
        loaded = xclbin if isinstance(xclbin, Xclbin) else Xclbin(xclbin)
        board = self.card.board
        if loaded.design.board != board.name:
            what = f"a design for '{loaded.design.board}' on a '{board.name}'"
            raise misuse("wrong-design", what, "device.load_xclbin")
        self.card.load(loaded.design, loaded.uuid)
        return loaded.get_uuid()

    def get_xclbin_uuid(self) -> Uuid:
        """What is on the card."""
        return Uuid(self.card.uuid)

    def get_info(self, key: InfoKey, /) -> str:
        """A property or sensor reading, as text."""
        if not isinstance(key, InfoKey):
            raise misuse("wrong-type", f"{key!r} is no xrt_info_device", "device.get_info")
        if key is InfoKey.bdf:
            return self._bdf
        if key is InfoKey.name:
            return f"sttest_emulator_{self.card.board.name}"
        return electrical(self.card) if key is InfoKey.electrical else thermal()
