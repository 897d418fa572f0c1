"""A card as its user sees it: held by a process of its own, with a watchdog that ends whatever does not answer."""

import csv
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from sttest.core.children import python_command
from sttest.core.errors import DeadlockError, InputError, SttestError, ToolMissingError
from sttest.core.numbers import real, whole
from sttest.package import KernelFiles
from sttest.targets.device.host import POWER_PERIOD_S
from sttest.targets.doctor.ask import XRT_TOOLS, ask

# --- Brings a card back after a kernel that hung: nothing less than a reset frees its compute unit


RESET_LIMIT_S = 120.0
_PLACE = re.compile(r"^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$")


def reset_card(place: str) -> str:
    """Resets a card of this machine; whoever else uses it loses it too.

    Args:
        place: PCIe address, as the card gave it.

    Returns:
        What came of it, in a few words.
    """
    tool = next((name for name in XRT_TOOLS if shutil.which(name)), None)
    if tool is None or not _PLACE.match(place):
        return "not reset: no xrt-smi or xbutil, or no place on PCIe"
    answer = ask((tool, "reset", "--device", place, "--force"), RESET_LIMIT_S)
    if answer.outcome == "answered":
        return f"reset with {tool}"
    return f"not reset: {tool} {answer.trouble}"


# --- Messages between the two processes of a host program: one line of JSON, then the bytes that it announces


_BODY = "body_bytes"


class CardMessage(NamedTuple):
    """What is said, and bytes of a buffer where some go with it."""

    head: dict[str, Any]
    body: bytes = b""


def send(stream: IO[bytes], head: Mapping[str, Any], body: bytes | memoryview = b"") -> None:
    """Writes one message.

    Raises:
        OSError: the other process has gone.
    """
    line = json.dumps({**head, _BODY: len(body)})
    stream.write(line.encode() + b"\n")
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> CardMessage | None:
    """Reads one message; None where the other process has closed its end, or left in the middle of one."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    size = head.pop(_BODY)
    body = stream.read(size)
    return CardMessage(head, body) if len(body) == size else None


# --- A process that answers messages, and that is gone when its holder lets go: with all that it started


class NoAnswerError(Exception):
    """The process did not answer in time; it still runs."""


class ProcessLeftError(Exception):
    """The process has left instead of answering."""


class HeldProcess:
    """A process of its own group, whose standard input and output carry messages.

    A thread listens, so that an answer can be waited for with a limit; the process itself may be stopped, or hold
    an interpreter's lock, and does not keep its holder.

    Args:
        command: command line to start.
        folder: working directory.
        environment: all of it.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._answers: queue.Queue[CardMessage | None] = queue.Queue()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,
            cwd=folder,
            env=environment,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    def ask(self, head: Mapping[str, Any], body: bytes, limit_s: float) -> CardMessage:
        """Says something and waits for the answer.

        Raises:
            NoAnswerError: none within the limit.
            ProcessLeftError: there is nobody to answer.
        """
        assert self._process.stdin is not None
        with suppress(OSError):  # the process has gone; its answer, None, says so
            send(self._process.stdin, head, body)
        try:
            answer = self._answers.get(timeout=limit_s)
        except queue.Empty:
            raise NoAnswerError from None
        if answer is None:
            raise ProcessLeftError
        return answer

    def close(self, limit_s: float) -> None:
        """Lets it leave by itself."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(limit_s)

    def wait(self) -> None:
        """Waits until the process has left, without reaping it: until then no other has its number or its group's."""
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)

    def last_words(self) -> str:
        """The last line that it printed."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def end(self) -> int:
        """Kills it with all that it started, waits until it is gone, and gives its exit code."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        for stream in (self._process.stdin, self._said):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return code

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            while (message := receive(stream)) is not None:
                self._answers.put(message)
        self._answers.put(None)


# --- Which card, what is done on it if there is none, and how long things may take


@dataclass(frozen=True)
class Rehearsal:
    """What takes a card's place on the emulator."""

    executable: str  # program of the kernel's C simulation
    duration_us: float  # simulated time of a launch
    faults: Mapping[int, str] = field(default_factory=dict)  # ``hung`` or ``crashed``, by number of the launch from 0


@dataclass(frozen=True)
class Timeouts:
    """Time limits."""

    launch_s: float = 60.0  # seconds after which a kernel counts as hung
    open_s: float = 300.0  # time limit for configuring a card or starting a hardware emulation, seconds
    reset: bool = True  # a card whose kernel hung, which nothing else brings back


@dataclass(frozen=True)
class CardOptions:
    """Which card, and how patient to be."""

    engine: str  # ``device``, ``hw_emu`` or ``emulator``
    xclbin: str  # file that the card is configured with; for the emulator, the signature
    card: int | str = 0  # index or place on PCIe
    patience: Timeouts = field(default_factory=Timeouts)  # time limits
    rehearsal: Rehearsal | None = None  # a rehearsal on the emulator


@dataclass(frozen=True)
class LaunchTimes:
    """A launch that has completed."""

    host_us: float  # time from start to the end of the wait on the host's clock, microseconds
    simulated_us: float | None  # time on the emulator's clock, microseconds; None elsewhere
    watts: float | None  # board power while it ran, where that was read


# --- What XRT's counters on the card say of a kernel: ``summary.csv``, written when the host program leaves


XRT_INI = "[Debug]\ndevice_counters = true\n"
SUMMARY = "summary.csv"
_SECTION = "Compute Unit Utilization"
_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class KernelProfile:
    """Executions of one kernel, from its start to its end on the card."""

    calls: int  # counted
    # average_us, least_us, most_us: time of one execution, microseconds
    average_us: float
    least_us: float
    most_us: float
    clock_mhz: float  # clock of the kernel, MHz


def read_profile(folder: Path, kernel: str) -> KernelProfile | None:
    """The kernel's line of the summary; None where there is no summary, or none of it in there."""
    try:
        with (folder / SUMMARY).open(encoding="utf-8", errors="replace", newline="") as file:
            text = file.read(_MAX_BYTES)
    except OSError:
        return None
    _, found, section = text.partition(f"{_SECTION}\n")
    lines = section.partition("\n\n")[0].splitlines() if found else []
    for row in csv.DictReader(lines):
        if row.get("Kernel") == kernel:
            return _profile(row)
    return None


def _profile(row: dict[str, str]) -> KernelProfile | None:
    try:
        return KernelProfile(
            whole(row["Number Of Calls"]),
            real(row["Average Time (ms)"]) * 1e3,
            real(row["Minimum Time (ms)"]) * 1e3,
            real(row["Maximum Time (ms)"]) * 1e3,
            real(row["Clock Frequency (MHz)"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


TRANSFER_LIMIT_S = 120.0
CLOSE_LIMIT_S = 30.0
GRACE_S = 10.0
"""What the process has beyond the limit of a launch to say itself that it was reached."""
_CHILD = ("-m", "sttest.targets.device.child")
"""It leaves by itself when its input ends, and lets go of the card: it is not killed with its parent."""
_ERRORS = {2: InputError, 3: DeadlockError, 5: ToolMissingError}
_IDLE_READINGS = 3


class HeldCard:
    """A context: a process with a card that is configured, ended with all its children when it is left.

    Attributes:
        info: the card's own information: ``platform``, ``bdf``, ``uuid``.
        profile: readings of its counters after the end; None where there are none.

    Args:
        files: files of the design.
        options: which card.

    Raises:
        SttestError: the card cannot be configured; see the methods for what else.
    """

    def __init__(self, files: KernelFiles, options: CardOptions) -> None:
        self.files = files
        self.options = options
        self.info: dict[str, str] = {}
        self.profile: KernelProfile | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: HeldProcess | None = None

    def __enter__(self) -> "HeldCard":
        # What XRT writes where it is started: logs, its summary, the files of an emulation.
        self._folder = tempfile.TemporaryDirectory(prefix="sttest-card-")
        (self._work / "xrt.ini").write_text(XRT_INI, encoding="utf-8")
        self._process = HeldProcess(python_command(_CHILD), self._work, self._environment())
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
            doing: the work that it is part of, for the error.

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
                "kernel-failed",
                f"kernel '{self.files.kernel.name}' ended with {head['state']}",
                where=doing,
                hints=[self._way_back],
            )
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
        """The process number."""
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
        emulator = (
            {**vars(rehearsal), "faults": {str(n): f for n, f in rehearsal.faults.items()}} if rehearsal else None
        )
        return {
            "signature": str(self.files.signature_path.resolve()),
            "xclbin": str(Path(self.options.xclbin).resolve()),
            "card": self.options.card,
            "emulator": emulator,
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
    ) -> CardMessage:
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
            "kernel-hung",
            f"kernel '{self.files.kernel.name}' did not finish{told}",
            where=doing,
            bound=limit_s,
            unit="s",
            hints=[self._way_back, "allow more time with --timeout-launch"],
        )

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
