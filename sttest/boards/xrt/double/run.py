"""``run``: one execution of a kernel, which can be started again when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sttest.boards.xrt.double.arguments import buffer_use, granted, ready, scalar_word
from sttest.boards.xrt.double.card import Flight, Use
from sttest.boards.xrt.double.enums import STATES, CommandState
from sttest.boards.xrt.double.library import Launch
from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.double.storage import Storage
from sttest.boards.xrt.signature import ScalarArgument

if TYPE_CHECKING:
    from sttest.boards.xrt.double.kernel import Kernel

LOOK_US = 1.0
"""Simulated time that a look at `Run.state` takes: a host that polls gets to the end."""
_ENDED = {"completed": STATES.ERT_CMD_STATE_COMPLETED, "crashed": STATES.ERT_CMD_STATE_ERROR}


class Run:
    """``run(kernel)``.

    Buffers are held as XRT holds them: not at all, only their addresses.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._card = kernel.card
        self._words: dict[int, int] = {}
        self._uses: dict[int, Use] = {}
        self._flight: Flight | None = None
        self._state = STATES.ERT_CMD_STATE_NEW

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
            raise misuse("run-busy", "the run has not ended", where, levers=["wait for it", "make another run"])
        missing = [a.name for a in self._kernel.signature.arguments if a.index not in {*self._words, *self._uses}]
        if missing:
            raise misuse("argument-unset", f"no value for {', '.join(missing)}", where)
        uses = tuple(self._uses.values())
        storages = [ready(use, where) for use in uses]
        for storage, use in zip(storages, uses, strict=True):
            self._check_no_race(storage, use, where)
        buffers = {use.argument.name: granted(storage, use) for use, storage in zip(uses, storages, strict=True)}
        self._flight = self._card.launch(Launch(self._kernel.signature.name, self._scalars(), buffers), uses)
        self._state = STATES.ERT_CMD_STATE_SUBMITTED

    def wait(self, timeout_ms: int = 0, /) -> CommandState:
        """Until the end, or for some simulated milliseconds; 0 is for ever.

        Raises:
            MisuseError: it would wait for ever on a kernel that hangs.
        """
        where = self._kernel.where("wait")
        if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise misuse("wrong-type", f"{timeout_ms!r} is no number of milliseconds", where)
        if self._flight is None:
            raise misuse("not-started", "the run was not started", where)
        if self._state is not STATES.ERT_CMD_STATE_SUBMITTED:
            return self._state
        finish_us = self._card.now_us if self._flight.ended else self._flight.finish_us
        if finish_us is None and timeout_ms == 0:
            levers = ["wait with a timeout, and reset the card when it hangs"]
            raise misuse("endless-wait", "the kernel hangs, and the wait has no timeout", where, levers=levers)
        left_us = float("inf") if finish_us is None else finish_us - self._card.now_us
        if timeout_ms and left_us > timeout_ms * 1e3:
            self._card.let_pass(timeout_ms * 1e3)
            return STATES.ERT_CMD_STATE_TIMEOUT
        self._card.let_pass(left_us)
        return self._end(self._flight, where)

    def state(self) -> CommandState:
        """The state now; looking takes a little simulated time."""
        flight = self._flight
        if flight is None or self._state is not STATES.ERT_CMD_STATE_SUBMITTED:
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
        ended = _ENDED.get(flight.execution.ending, STATES.ERT_CMD_STATE_ABORT)
        self._state = STATES.ERT_CMD_STATE_ABORT if flight.ended else ended
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
                raise misuse("buffer-in-flight", what, where, levers=["wait for its run"])

    def _check_current(self, where: str) -> None:
        if self._kernel.generation != self._card.generation:
            raise misuse("stale-handle", "the card was configured anew since the kernel was opened", where)
