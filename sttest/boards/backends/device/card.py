"""A card as its user sees it: held by a process of its own, with a watchdog that ends whatever does not answer."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sttest.boards.backends.device.design_files import DesignFiles
from sttest.boards.backends.device.held_process import HeldProcess, NoAnswerError, ProcessLeftError
from sttest.boards.backends.device.host import POWER_PERIOD_S
from sttest.boards.backends.device.options import CardOptions, LaunchTimes
from sttest.boards.backends.device.profile import XRT_INI, KernelProfile, read_profile
from sttest.boards.backends.device.reset import reset_card
from sttest.boards.backends.device.wire import Message
from sttest.errors import DeadlockError, InputError, SttestError, ToolMissingError

TRANSFER_LIMIT_S = 120.0
CLOSE_LIMIT_S = 30.0
GRACE_S = 10.0
"""What the process has beyond the limit of a launch to say itself that it was reached."""
_CHILD = (sys.executable, "-m", "sttest.boards.backends.device.child")
_ERRORS = {2: InputError, 3: DeadlockError, 5: ToolMissingError}
_IDLE_READINGS = 3


class Card:
    """A context: a process with a card that is configured, ended with all its children when it is left.

    Attributes:
        info: what the card says of itself: ``platform``, ``bdf``, ``uuid``.
        profile: what its counters say, after the end; None where there are none.

    Args:
        files: of the design.
        options: which card.

    Raises:
        SttestError: the card cannot be configured; see the methods for what else.
    """

    def __init__(self, files: DesignFiles, options: CardOptions) -> None:
        self.files = files
        self.options = options
        self.info: dict[str, str] = {}
        self.profile: KernelProfile | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: HeldProcess | None = None

    def __enter__(self) -> Card:
        # What XRT writes where it is started: logs, its summary, the files of an emulation.
        self._folder = tempfile.TemporaryDirectory(prefix="sttest-card-")
        (self._work / "xrt.ini").write_text(XRT_INI, encoding="utf-8")
        self._process = HeldProcess(_CHILD, self._work, self._environment())
        try:
            limit_s = self.options.patience.open_s
            self.info = self._ask(self._opening(), limit_s=limit_s, doing="configuring the card").head["info"]
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._process is not None:
            # XRT writes its profile as it leaves, and gives the card back in order.
            self._process.close(CLOSE_LIMIT_S)
            self.profile = read_profile(self._work, self.files.kernel.name)
        self._end()

    def allocate(self, buffer: str, argument: str) -> None:
        """Makes a buffer for an argument, in its bank."""
        self._ask({"do": "allocate", "buffer": buffer, "argument": argument})

    def write(self, buffer: str, data: bytes, offset: int = 0) -> None:
        """Copies bytes to the card."""
        self._ask({"do": "write", "buffer": buffer, "offset": offset}, data)

    def read(self, buffer: str) -> bytes:
        """All bytes of a buffer on the card."""
        return self._ask({"do": "read", "buffer": buffer}).body

    def prepare(self, run: str, buffers: Mapping[str, str]) -> None:
        """Sets the buffers of a run, by argument."""
        self._ask({"do": "prepare", "run": run, "buffers": dict(buffers)})

    def launch(self, run: str, *, doing: str) -> LaunchTimes:
        """Starts a run and waits for its end.

        Args:
            run: prepared.
            doing: what it is part of, for the error.

        Raises:
            DeadlockError: it did not end in time.  The process that held the card is gone.
            SttestError: it ended in error, or the process crashed.
        """
        limit_s = self.options.patience.launch_s
        asked = {"do": "launch", "run": run, "limit_s": limit_s}
        head = self._ask(asked, limit_s=limit_s + GRACE_S, doing=doing).head
        if head["state"] == "timeout":
            raise self._hung(doing, limit_s)
        if head["state"] != "completed":
            raise SttestError(
                "kernel-failed", f"kernel '{self.files.kernel.name}' ended with {head['state']}", where=doing,
                levers=[self._way_back],
            )  # fmt: skip
        return LaunchTimes(head["host_us"], head["simulated_us"], head["watts"])

    def watts(self) -> float | None:
        """Board power now; None where there is no reading."""
        return self._ask({"do": "watts"}).head["watts"]

    def idle_watts(self) -> list[float]:
        """Some readings of board power while nothing runs; empty where there are none."""
        readings = []
        for _ in range(_IDLE_READINGS):
            readings.append(self.watts())
            time.sleep(POWER_PERIOD_S)
        return [reading for reading in readings if reading is not None]

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._held.pid

    @property
    def _held(self) -> HeldProcess:
        if self._process is None:
            raise SttestError("card-gone", "the process that held the card has been ended", where="card")
        return self._process

    @property
    def _work(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name)

    def _opening(self) -> dict[str, Any]:
        """The first message; paths are whole, for the process works elsewhere."""
        rehearsal = self.options.rehearsal
        double = {**vars(rehearsal), "faults": {str(n): f for n, f in rehearsal.faults.items()}} if rehearsal else None
        return {
            "signature": str(self.files.signature_path.resolve()),
            "xclbin": str(Path(self.options.xclbin).resolve()),
            "card": self.options.card,
            "double": double,
        }

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name != "XCL_EMULATION_MODE"}
        environment["XRT_INI_PATH"] = str(self._work / "xrt.ini")
        if self.options.engine == "hw_emu":
            environment["XCL_EMULATION_MODE"] = "hw_emu"
            environment["EMCONFIG_PATH"] = str(Path(self.options.xclbin).resolve().parent)
        return environment

    def _ask(
        self, head: Mapping[str, Any], body: bytes = b"", *, limit_s: float = TRANSFER_LIMIT_S, doing: str = ""
    ) -> Message:
        doing = doing or str(head["do"])
        try:
            answer = self._held.ask(head, body, limit_s)
        except NoAnswerError:
            raise self._hung(doing, limit_s) from None
        except ProcessLeftError:
            raise self._crashed(doing) from None
        if "error" in answer.head:
            raise _error(answer.head)
        return answer

    def _hung(self, doing: str, limit_s: float) -> DeadlockError:
        """Ends the process first: a caller that goes on must not meet it, and a card is not reset under it."""
        self._end()
        resets = self.options.engine == "device" and self.options.patience.reset
        told = f"; the card was {reset_card(self.info.get('bdf', ''))}" if resets else ""
        return DeadlockError(
            "kernel-hung", f"kernel '{self.files.kernel.name}' did not finish{told}", where=doing, bound=limit_s,
            unit="s", levers=[self._way_back, "allow more time with --timeout-launch"],
        )  # fmt: skip

    def _crashed(self, doing: str) -> SttestError:
        process = self._held
        process.wait()
        said = process.last_words()
        code = self._end()
        how = f"was killed by signal {-code}" if code < 0 else f"left with exit code {code}"
        words = f": {said}" if said else ""
        return SttestError("host-crashed", f"the process that held the card {how}{words}", where=doing)

    @property
    def _way_back(self) -> str:
        if self.options.engine != "device":
            return "start it again"
        place = self.info.get("bdf", "BDF")
        return f"reset the card with 'xrt-smi reset --device {place}' (xbutil before 2.18)"

    def _end(self) -> int:
        """Nothing is left: no process, no folder.  Gives the exit code."""
        process, self._process = self._process, None
        code = process.end() if process is not None else 0
        if self._folder is not None:
            self._folder.cleanup()
        return code


def _error(head: Mapping[str, Any]) -> SttestError:
    """An error of the other process, as it was."""
    said = dict(head["error"])
    return _ERRORS.get(head["exit_code"], SttestError)(said.pop("code"), said.pop("what"), **said)
