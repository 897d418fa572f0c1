"""``kernel``: a kernel of the design on the card."""

import operator
import weakref
from typing import Any

from sttest.boards.tiers import banks_text
from sttest.core.errors import did_you_mean
from sttest.core.kernel_signature import Argument, BufferArgument, DesignSignature, KernelSignature, ScalarArgument
from sttest.targets.xrt.emulator.bo import Bo
from sttest.targets.xrt.emulator.card import Device, EmulatedCard, Flight, Use, Uuid
from sttest.targets.xrt.emulator.library import KernelLaunch
from sttest.targets.xrt.emulator.misuse import CommandState, misuse
from sttest.targets.xrt.emulator.storage import Storage

# --- What a kernel may be given, and when it may run on it


_INT32 = range(-(2**31), 2**31)


def scalar_word(value: Any, where: str) -> int:
    """The value for a scalar argument, if pyxrt can pass it."""
    try:
        word = operator.index(value)
    except TypeError as error:
        hints = ["pass the bits of a float, as ScalarArgument.word gives them"]
        shown = "a buffer" if isinstance(value, Bo) else repr(value)
        raise misuse("wrong-type", f"{shown} is no integer", where, hints=hints) from error
    if word not in _INT32:
        raise misuse("wrong-type", f"{word} does not fit 32 bits with sign", where, hints=["see ScalarArgument.word"])
    return word


def buffer_use(card: EmulatedCard, argument: BufferArgument, value: Any, where: str) -> Use:
    """The bytes of a buffer for an argument, if they are where its port can reach them."""
    if not isinstance(value, Bo):
        raise misuse("wrong-type", f"a {type(value).__name__} where a buffer is expected", where)
    if value.card is not card or value.storage.generation != card.generation:
        raise misuse("stale-handle", "a buffer of another card or configuration", where)
    banks, port = value.storage.banks, range(argument.banks[0], argument.banks[-1] + 1)
    if not (port.start <= banks.start and banks.stop <= port.stop):
        there, wanted = (banks_text(each, card.memory.hbm_banks) for each in (banks, port))
        what = f"a buffer in {there}, the port is connected to {wanted}"
        raise misuse("wrong-bank", what, where, hints=["make it with kernel.group_id of the argument"])
    if value.size() < argument.bytes:
        raise misuse("buffer-too-small", f"{value.size()} bytes of {argument.bytes}", where)
    window = range(value.window.start, value.window.start + argument.bytes)
    return Use(weakref.ref(value.storage), window, argument)


def ready(use: Use, where: str) -> Storage:
    """The buffer of a use, if it is still there and a kernel that reads it finds what the host put in."""
    name = use.argument.name
    storage = use.storage()
    if storage is None:
        raise misuse("buffer-freed", f"the buffer of '{name}' was freed", where, hints=["keep a reference"])
    if not use.argument.is_read:
        return storage
    changed = storage.unsynced_in(use.window)
    if changed:
        what = f"bytes {changed.start} to {changed.stop - 1} of '{name}' were changed and not synced to the card"
        raise misuse("not-synced", what, where)
    unknown = storage.known.outside(use.window)
    if unknown:
        what = f"bytes {unknown[0].start} to {unknown[0].stop - 1} of '{name}' were never synced to the card"
        raise misuse("not-synced", what, where)
    return storage


def granted(storage: Storage, use: Use) -> memoryview:
    """The bytes of a buffer that a kernel may touch."""
    view = storage.card.data[use.window.start : use.window.stop]
    return view if use.argument.is_written else view.toreadonly()


class Kernel:
    """``kernel(device, uuid, name)``; ``name`` is a kernel's, or ``name:{instance}``.

    Raises:
        MisuseError: nothing or something else is loaded, or there is no such kernel.
    """

    def __init__(self, device: Device, uuid: Uuid, name: str) -> None:
        if not (isinstance(device, Device) and isinstance(uuid, Uuid) and isinstance(name, str)):
            shown = ", ".join(type(argument).__name__ for argument in (device, uuid, name))
            raise misuse("wrong-type", f"kernel({shown})", "kernel", hints=["give (device, uuid, name)"])
        self.card = device.card
        self.generation = self.card.generation
        if self.card.design is None:
            raise misuse("not-loaded", "no xclbin is loaded", f"kernel '{name}'")
        if uuid.value != self.card.uuid:
            raise misuse("wrong-design", "the uuid is not that of the xclbin that is loaded", f"kernel '{name}'")
        self.signature = _found(self.card.design, name)

    def __call__(self, *arguments: Any) -> "KernelRun":
        """Sets all arguments and starts."""
        run = KernelRun(self)
        for index, argument in enumerate(arguments):
            run.set_arg(index, argument)
        run.start()
        return run

    def group_id(self, index: int, /) -> int:
        """The memory bank of an argument's buffer."""
        argument = self.argument(index)
        if not isinstance(argument, BufferArgument):
            raise misuse("wrong-type", f"argument {index}, '{argument.name}', is a scalar", self.where("group_id"))
        return self.card.group_of(argument.banks)

    def argument(self, index: int) -> Argument:
        """The signature of an argument."""
        count = len(self.signature.arguments)
        if not (isinstance(index, int) and 0 <= index < count):
            raise misuse("out-of-range", f"argument {index!r} of {count}", f"kernel '{self.signature.name}'")
        return self.signature.arguments[index]

    def where(self, call: str) -> str:
        """The place of an error."""
        return f"kernel '{self.signature.name}', {call}"


def _found(design: DesignSignature, name: str) -> KernelSignature:
    base, _, instance = name.partition(":")
    signature = design.kernel(base)
    if signature is None:
        hints = [did_you_mean(base, [kernel.name for kernel in design.kernels])]
        raise misuse("not-found", f"no kernel '{base}'", f"design '{design.design}'", hints=hints)
    if instance and instance.strip("{}") not in signature.compute_units:
        hints = [did_you_mean(instance.strip("{}"), signature.compute_units)]
        raise misuse("not-found", f"no instance '{instance}'", f"kernel '{base}'", hints=hints)
    return signature


# --- ``run``: one execution of a kernel, which can be started again when it is done


LOOK_US = 1.0
"""Simulated time that a look at `Run.state` takes: a host that polls gets to the end."""
_ENDED = {"completed": CommandState.ERT_CMD_STATE_COMPLETED, "crashed": CommandState.ERT_CMD_STATE_ERROR}


class KernelRun:
    """``run(kernel)``.

    Buffers are held as XRT holds them: not at all, only their addresses.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._card = kernel.card
        self._words: dict[int, int] = {}
        self._uses: dict[int, Use] = {}
        self._flight: Flight | None = None
        self._state = CommandState.ERT_CMD_STATE_NEW

    def set_arg(self, index: int, value: Any, /) -> None:
        """Sets one argument."""
        argument = self._kernel.argument(index)
        where = self._kernel.where(f"argument {index}, '{argument.name}'")
        if isinstance(argument, ScalarArgument):
            self._words[index] = scalar_word(value, where)
        else:
            self._uses[index] = buffer_use(self._card, argument, value, where)

    def start(self) -> None:
        """Starts it; the kernel's code runs at once, its end comes after its simulated time."""
        where = self._kernel.where("start")
        self._check_current(where)
        if self._flight in self._card.flights:
            raise misuse("run-busy", "the run has not ended", where, hints=["wait for it", "make another run"])
        missing = [a.name for a in self._kernel.signature.arguments if a.index not in {*self._words, *self._uses}]
        if missing:
            raise misuse("argument-unset", f"no value for {', '.join(missing)}", where)
        uses = tuple(self._uses.values())
        storages = [ready(use, where) for use in uses]
        for storage, use in zip(storages, uses, strict=True):
            self._check_no_race(storage, use, where)
        buffers = {use.argument.name: granted(storage, use) for use, storage in zip(uses, storages, strict=True)}
        self._flight = self._card.launch(KernelLaunch(self._kernel.signature.name, self._scalars(), buffers), uses)
        self._state = CommandState.ERT_CMD_STATE_SUBMITTED

    def wait(self, timeout_ms: int = 0, /) -> CommandState:
        """Waits until the end, or for some simulated milliseconds; 0 is for ever.

        Raises:
            MisuseError: it would wait for ever on a kernel that hangs.
        """
        where = self._kernel.where("wait")
        if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise misuse("wrong-type", f"{timeout_ms!r} is no number of milliseconds", where)
        if self._flight is None:
            raise misuse("not-started", "the run was not started", where)
        if self._state is not CommandState.ERT_CMD_STATE_SUBMITTED:
            return self._state
        finish_us = self._card.now_us if self._flight.ended else self._flight.finish_us
        if finish_us is None and timeout_ms == 0:
            hints = ["wait with a timeout, and reset the card when it hangs"]
            raise misuse("endless-wait", "the kernel hangs, and the wait has no timeout", where, hints=hints)
        left_us = float("inf") if finish_us is None else finish_us - self._card.now_us
        if timeout_ms and left_us > timeout_ms * 1e3:
            self._card.let_pass(timeout_ms * 1e3)
            return CommandState.ERT_CMD_STATE_TIMEOUT
        self._card.let_pass(left_us)
        return self._end(self._flight, where)

    def state(self) -> CommandState:
        """The state now; looking takes a little simulated time."""
        flight = self._flight
        if flight is None or self._state is not CommandState.ERT_CMD_STATE_SUBMITTED:
            return self._state
        self._card.let_pass(LOOK_US)
        done = flight.ended or (flight.finish_us is not None and flight.finish_us <= self._card.now_us)
        return self._end(flight, self._kernel.where("state")) if done else self._state

    def _scalars(self) -> dict[str, float]:
        """The numbers that the kernel sees."""
        arguments = self._kernel.signature.arguments
        return {a.name: a.value(self._words[a.index]) for a in arguments if isinstance(a, ScalarArgument)}

    def _end(self, flight: Flight, where: str) -> CommandState:
        self._card.land(flight)
        ended = _ENDED.get(flight.execution.ending, CommandState.ERT_CMD_STATE_ABORT)
        self._state = CommandState.ERT_CMD_STATE_ABORT if flight.ended else ended
        gone = [use.argument.name for use in flight.uses if use.storage() is None]
        if gone:
            raise misuse("buffer-freed", f"the buffer of '{gone[0]}' was freed while the kernel ran", where)
        return self._state

    def _check_no_race(self, storage: Storage, use: Use, where: str) -> None:
        """Refuses to share bytes that somebody writes with another kernel, or another instance of this one."""
        signature = self._kernel.signature
        for flight, other, _ in self._card.meeting(storage, use.window):
            in_turn = flight.kernel == signature.name and len(signature.compute_units) == 1
            if not in_turn and (use.argument.is_written or other.argument.is_written):
                what = f"kernel '{flight.kernel}' may still work on the buffer of '{use.argument.name}'"
                raise misuse("buffer-in-flight", what, where, hints=["wait for its run"])

    def _check_current(self, where: str) -> None:
        if self._kernel.generation != self._card.generation:
            raise misuse("stale-handle", "the card was configured anew since the kernel was opened", where)
