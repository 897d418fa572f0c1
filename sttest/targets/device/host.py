"""What a host program does with a card, over the contract of pyxrt: one design, its buffers, its runs.

This file keeps the rules that pyxrt does not enforce (docs/reference/xrt.md): buffers are held as long as a run uses
them, waits come in short slices, and nothing is handed to ``kernel(...)`` itself, which drops what it cannot set.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from sttest.core.errors import InputError, SttestError
from sttest.core.kernel_signature import BufferArgument, KernelSignature
from sttest.targets.xrt.contract import Bo, Device, Kernel, KernelRun, PyXrt

# --- Board power as XRT reports it, and the energy of a run: readings under load less readings at rest


def watts_of(electrical: str) -> float | None:
    """Power of the whole board out of the text of ``xrt_info_device.electrical``; None where there is no reading."""
    try:
        reading = json.loads(electrical)
        return float(reading["power_consumption_watts"])
    except (ValueError, KeyError, TypeError):
        # "N/A" stands where the card management controller gives no reading.
        return None


@dataclass(frozen=True)
class MeasuredEnergy:
    """What a run took."""

    idle_w: float  # mean of the readings at rest
    load_w: float  # mean of the readings while a kernel ran
    busy_s: float  # time that kernels ran
    readings: int  # under load

    @property
    def above_idle_j(self) -> float:
        """Energy that the run took beyond what the board takes anyway."""
        return (self.load_w - self.idle_w) * self.busy_s


def energy(idle_w: Sequence[float], load_w: Sequence[float], busy_s: float) -> MeasuredEnergy | None:
    """Energy out of readings; None where one of the two kinds is missing."""
    if not idle_w or not load_w:
        return None
    return MeasuredEnergy(fmean(idle_w), fmean(load_w), busy_s, len(load_w))


SLICE_MS = 200
"""A wait returns at least this often; in between the interpreter is held."""
POWER_PERIOD_S = 0.1
"""Seconds between readings: the controller on the card has a new one about this often."""


@dataclass(frozen=True)
class Ending:
    """The outcome of a launch."""

    state: str  # ``completed``, ``timeout``, or the name that XRT gives another end
    host_us: float  # time from start to the end of the wait on the host's clock, microseconds
    watts: float | None = None  # board power read while the kernel ran; such a launch is not one to take times from


@dataclass
class Host:
    """A card with a design on it.

    Args:
        xrt: pyxrt, or its emulator.
        signature: signature of the kernel.
        clock: seconds; the host's own.
    """

    xrt: PyXrt
    signature: KernelSignature
    clock: Callable[[], float] = time.perf_counter
    _device: Device = field(init=False)
    _kernel: Kernel = field(init=False)
    _buffers: dict[str, Bo] = field(default_factory=dict)
    _runs: dict[str, tuple[KernelRun, tuple[Bo, ...]]] = field(default_factory=dict)
    _power_due_s: float = 0.0

    def open(self, xclbin: str, card: int | str) -> dict[str, str]:
        """Configures a card, by index or place on PCIe, and opens the kernel.

        Returns:
            What the card says of itself: ``platform``, ``bdf``, ``uuid``.

        Raises:
            InputError: the xclbin has another kernel than the signature.
        """
        self._device = self.xrt.device(card)
        design = self.xrt.xclbin(xclbin)
        found = {kernel.get_name(): kernel.get_num_args() for kernel in design.get_kernels()}
        wanted = (self.signature.name, len(self.signature.arguments))
        if found.get(wanted[0]) != wanted[1]:
            raise InputError(
                "other-xclbin",
                f"no kernel '{wanted[0]}' of {wanted[1]} arguments, but {found}",
                where=xclbin,
                hints=["build the package anew"],
            )
        uuid = self._device.load_xclbin(design)
        self._kernel = self.xrt.kernel(self._device, uuid, self.signature.name)
        keys = self.xrt.xrt_info_device
        info = {"platform": self._device.get_info(keys.name), "bdf": self._device.get_info(keys.bdf)}
        return {**info, "uuid": uuid.to_string()}

    def allocate(self, buffer: str, argument: str) -> None:
        """Makes a buffer of an argument's size in the bank that the argument is connected to."""
        found = self._argument(argument)
        group = self._kernel.group_id(found.index)
        self._buffers[buffer] = self.xrt.bo(self._device, found.bytes, self.xrt.bo.normal, group)

    def write(self, buffer: str, offset: int, data: bytes) -> None:
        """Copies bytes into a buffer on the card."""
        self._buffers[buffer].write(data, offset)
        self._buffers[buffer].sync(self._directions.XCL_BO_SYNC_BO_TO_DEVICE, len(data), offset)

    def read(self, buffer: str) -> bytes:
        """A buffer's bytes on the card."""
        found = self._buffers[buffer]
        found.sync(self._directions.XCL_BO_SYNC_BO_FROM_DEVICE)
        return found.read(found.size(), 0).tobytes()

    def prepare(self, run: str, buffers: Mapping[str, str]) -> None:
        """Sets all arguments of a run, which can then be started again and again.

        Args:
            run: its name.
            buffers: per argument.

        Raises:
            InputError: an argument without a buffer.
        """
        missing = [argument.name for argument in self.signature.arguments if argument.name not in buffers]
        if missing:
            raise InputError("bad-arguments", f"'{missing[0]}' has no buffer", where=self.signature.name)
        made, held = self.xrt.run(self._kernel), []
        for argument in self.signature.arguments:
            held.append(self._buffers[buffers[argument.name]])
            made.set_arg(argument.index, held[-1])
        # XRT keeps addresses only: a buffer that went away would be overwritten.
        self._runs[run] = made, tuple(held)

    def launch(self, run: str, limit_s: float) -> Ending:
        """Starts a run and waits for its end, at most so long."""
        started = self._runs[run][0]
        began = self.clock()
        started.start()
        watts = self._power_if_due()
        state = self._wait(started, began + limit_s)
        return Ending(state, (self.clock() - began) * 1e6, watts)

    def watts(self) -> float | None:
        """Board power now; None where there is no sensor, as in an emulation."""
        try:
            return watts_of(self._device.get_info(self.xrt.xrt_info_device.electrical))
        except SttestError:  # the emulator's complaints are RuntimeErrors too
            raise
        except RuntimeError:
            return None

    def _wait(self, run: KernelRun, deadline_s: float) -> str:
        states = self.xrt.ert_cmd_state
        while True:
            left_ms = (deadline_s - self.clock()) * 1e3
            if left_ms <= 0:
                return "timeout"
            state = run.wait(max(1, min(SLICE_MS, int(left_ms))))
            if state != states.ERT_CMD_STATE_TIMEOUT:
                return "completed" if state == states.ERT_CMD_STATE_COMPLETED else _name(state)

    def _power_if_due(self) -> float | None:
        now = self.clock()
        if now < self._power_due_s:
            return None
        self._power_due_s = now + POWER_PERIOD_S
        return self.watts()

    def _argument(self, name: str) -> BufferArgument:
        found = next((argument for argument in self.signature.buffers if argument.name == name), None)
        if found is None:
            raise InputError("bad-arguments", f"'{name}' is no buffer", where=self.signature.name)
        return found

    @property
    def _directions(self) -> Any:
        return self.xrt.xclBOSyncDirection


def _name(state: Any) -> str:
    """``ERT_CMD_STATE_ERROR`` as ``error``."""
    return getattr(state, "name", str(state)).removeprefix("ERT_CMD_STATE_").lower()
