"""A card as its user sees it: held by a process of its own, with a watchdog that ends whatever does not answer."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from sttest.boards.backends.device.design_files import DesignFiles
from sttest.boards.backends.device.host import POWER_PERIOD_S
from sttest.boards.backends.device.profile import XRT_INI, KernelProfile, read_profile
from sttest.boards.backends.device.reset import reset_card
from sttest.boards.backends.device.wire import Message, receive, send
from sttest.errors import DeadlockError, InputError, SttestError, ToolMissingError

TRANSFER_LIMIT_S = 120.0
CLOSE_LIMIT_S = 30.0
GRACE_S = 10.0
"""What the process has beyond the limit of a launch to say itself that it was reached."""
_ERRORS = {2: InputError, 3: DeadlockError, 5: ToolMissingError}
_IDLE_READINGS = 3
_SAID_LINES = 20


@dataclass(frozen=True)
class Rehearsal:
    """What takes a card's place on the double.

    Attributes:
        executable: of the kernel's C simulation.
        duration_us: simulated time of a launch.
        faults: ``hung`` or ``crashed``, by number of the launch from 0.
    """

    executable: str
    duration_us: float
    faults: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Patience:
    """Time limits.

    Attributes:
        launch_s: after which a kernel counts as hung.
        open_s: to configure a card, or to start a hardware emulation.
        reset: a card whose kernel hung, which nothing else brings back.
    """

    launch_s: float = 60.0
    open_s: float = 300.0
    reset: bool = True


@dataclass(frozen=True)
class CardOptions:
    """Which card, and how patient to be.

    Attributes:
        engine: ``device``, ``hw_emu`` or ``double``.
        xclbin: what it is configured with; of the double, the signature.
        card: index or place on PCIe.
        patience: time limits.
        rehearsal: on the double.
    """

    engine: str
    xclbin: str
    card: int | str = 0
    patience: Patience = field(default_factory=Patience)
    rehearsal: Rehearsal | None = None


@dataclass(frozen=True)
class LaunchTimes:
    """A launch that has completed.

    Attributes:
        host_us: on the host's clock, start to end of the wait.
        simulated_us: on the clock of the double; None elsewhere.
        watts: board power while it ran, where that was read.
    """

    host_us: float
    simulated_us: float | None
    watts: float | None


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
        self._answers: queue.Queue[Message | None] = queue.Queue()
        self.profile: KernelProfile | None = None
        # What XRT writes where it is started: logs, its summary, the files of an emulation.
        self._folder = tempfile.TemporaryDirectory(prefix="sttest-card-")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Card:
        (self._work / "xrt.ini").write_text(XRT_INI, encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sttest.boards.backends.device.child"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._said, start_new_session=True, cwd=self._work, env=self._environment(),
        )  # fmt: skip
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
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
        if kind is None:
            self._close()
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
                levers=[self._reset],
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
        assert self._process is not None
        return self._process.pid

    @property
    def _reset(self) -> str:
        place = self.info.get("bdf", "BDF")
        if self.options.engine == "device":
            return f"reset the card with 'xrt-smi reset --device {place}' (xbutil before 2.18)"
        return "start it again"

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

    @property
    def _work(self) -> Path:
        return Path(self._folder.name)

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name != "XCL_EMULATION_MODE"}
        environment["XRT_INI_PATH"] = str(self._work / "xrt.ini")
        if self.options.engine == "hw_emu":
            environment["XCL_EMULATION_MODE"] = "hw_emu"
            environment["EMCONFIG_PATH"] = str(Path(self.options.xclbin).resolve().parent)
        return environment

    def _ask(
        self, head: Mapping[str, Any], body: bytes = b"", *, limit_s: float = TRANSFER_LIMIT_S, doing: str = "",
    ) -> Message:  # fmt: skip
        process = self._process
        assert process is not None
        assert process.stdin is not None
        doing = doing or str(head.get("do"))
        with suppress(OSError):  # the process has gone; its answer, None, says so
            send(process.stdin, head, body)
        try:
            answer = self._answers.get(timeout=limit_s)
        except queue.Empty:
            raise self._hung(doing, limit_s) from None
        if answer is None:
            raise self._crashed(doing)
        if "error" in answer.head:
            raise _error(answer.head)
        return answer

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        while (message := receive(process.stdout)) is not None:
            self._answers.put(message)
        self._answers.put(None)

    def _hung(self, doing: str, limit_s: float) -> DeadlockError:
        """Ends the process first: a caller that goes on must not meet it, and a card is not reset under it."""
        self._end()
        told = f"; the card was {reset_card(self.info.get('bdf', ''))}" if self._resets else ""
        return DeadlockError(
            "kernel-hung", f"kernel '{self.files.kernel.name}' did not finish{told}", where=doing, bound=limit_s,
            unit="s", levers=[self._reset, "allow more time with --timeout-launch"],
        )  # fmt: skip

    @property
    def _resets(self) -> bool:
        return self.options.engine == "device" and self.options.patience.reset

    def _crashed(self, doing: str) -> SttestError:
        assert self._process is not None
        # Looked at without being reaped: until then its number, and that of its group, is nobody else's.
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        said = self._last_words()
        code = self._end()
        how = f"was killed by signal {-code}" if code < 0 else f"left with exit code {code}"
        return SttestError("host-crashed", f"the process that held the card {how}{said}", where=doing)

    def _last_words(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()[-_SAID_LINES:]
        return f": {lines[-1]}" if lines else ""

    def _close(self) -> None:
        """Lets the process leave by itself: XRT writes its profile at the end, and gives the card back in order."""
        process = self._process
        if process is None or process.stdin is None:
            return
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_LIMIT_S)
        self.profile = read_profile(self._work, self.files.kernel.name)

    def _end(self) -> int:
        """Kills the process with all that it started (emulators among them) and waits until it is gone.

        Returns:
            Its exit code.
        """
        process = self._process
        if process is None:
            return 0
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        self._process = None
        for stream in (process.stdin, self._said):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._folder.cleanup()
        return code


def _error(head: Mapping[str, Any]) -> SttestError:
    """An error of the other process, as it was."""
    said = dict(head["error"])
    return _ERRORS.get(head["exit_code"], SttestError)(said.pop("code"), said.pop("what"), **said)
