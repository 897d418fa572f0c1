"""The process that holds the card: does what its parent's messages say, one at a time.

It is a process of its own because pyxrt holds the interpreter while it waits and can take the process with it
when it crashes.  ``python -m sttest.targets.device.child`` speaks on its standard input and output; what
XRT prints goes to standard error.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import numpy as np

from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError, SttestError
from sttest.core.kernel_signature import KernelSignature, read_signature
from sttest.targets.csim import Executable, run_kernel
from sttest.targets.device.card import CardMessage, receive, send
from sttest.targets.device.host import Host
from sttest.targets.xrt.contract import PyXrt
from sttest.targets.xrt.emulator import EmulatedXrt, ExecutionOutcome, FaultyKernels, KernelLaunch, as_pyxrt

# --- The emitted C++ as the kernels of the emulator: what is launched there runs in a C simulation


@dataclass(frozen=True)
class CsimKernels:
    """A `KernelLibrary` of compiled kernels."""

    executables: Mapping[str, Executable]  # executables by kernel
    duration_us: float  # time that each execution is said to take, microseconds: simulated time of the design

    def execute(self, launch: KernelLaunch) -> ExecutionOutcome:
        """Runs the kernel's C++ once.  A deadlock is a kernel that never ends, a crash one that ends in error.

        Raises:
            InputError: no such kernel.
        """
        if launch.kernel not in self.executables:
            raise InputError("kernel-without-code", f"no code for kernel '{launch.kernel}'")
        executable = self.executables[launch.kernel]
        read = [argument.name for argument in executable.signature.buffers if argument.is_read]
        images = {name: np.frombuffer(launch.buffers[name], np.uint8) for name in read}
        try:
            run = run_kernel(executable, images)
        except InputError:
            raise
        except SttestError as error:
            return ExecutionOutcome(self.duration_us, "crashed", str(error))
        if run.verdict == "deadlock":
            return ExecutionOutcome(self.duration_us, "hung")
        for name, image in run.results.items():
            launch.buffers[name][:] = image.data
        return ExecutionOutcome(self.duration_us)


Answer = tuple[dict[str, Any], bytes]


def serve(commands: BinaryIO, answers: BinaryIO) -> None:
    """Answers every message until the other end is closed."""
    session: _Session | None = None
    while (message := receive(commands)) is not None:
        try:
            if session is None:
                session = _Session(message.head)
                send(answers, session.info)
                continue
            send(answers, *session.answer(message))
        except SttestError as error:
            send(answers, {"error": error.to_dict(), "exit_code": error.exit_code})
        except (RuntimeError, OSError, TypeError, IndexError, ImportError) as error:
            # What pyxrt raises (docs of the contract); the parent tells of it as one line.
            said = {"code": "xrt-error", "what": f"XRT: {error}", "where": str(message.head.get("do", "open"))}
            send(answers, {"error": said, "exit_code": 1})


class _SimulatedCard(Protocol):
    now_us: float


class _Session:
    """A host and, on the emulator, the clock of simulated time."""

    def __init__(self, head: dict[str, Any]) -> None:
        signature_path = Path(head["signature"])
        kernel = read_signature(signature_path).kernels[0]
        self._simulated: _SimulatedCard | None = None
        xrt = self._emulator(head["emulator"], kernel, signature_path) if head["emulator"] else _pyxrt()
        self._host = Host(xrt, kernel)
        self.info = {"info": self._host.open(head["xclbin"], head["card"])}
        self._actions: dict[str, Callable[[CardMessage], Answer]] = {
            "allocate": self._allocate,
            "write": self._write,
            "read": self._read,
            "prepare": self._prepare,
            "launch": self._launch,
            "watts": self._watts,
        }

    def answer(self, message: CardMessage) -> Answer:
        """Does what a message says."""
        return self._actions[message.head["do"]](message)

    def _emulator(self, asked: dict[str, Any], kernel: KernelSignature, signature: Path) -> PyXrt:
        board = require_hbm(load_board(read_signature(signature).board))
        executable = Executable(Path(asked["executable"]), kernel, 0.0, "")
        kernels = CsimKernels({kernel.name: executable}, asked["duration_us"])
        faults = {int(number): fault for number, fault in asked["faults"].items()}
        # Simulated time is let pass for real, so that a host that waits on a kernel that hangs waits for real too.
        emulator = EmulatedXrt(board, FaultyKernels(kernels, faults), passing=time.sleep)
        self._simulated = emulator.cards[0]
        return as_pyxrt(emulator)

    def _allocate(self, message: CardMessage) -> Answer:
        self._host.allocate(message.head["buffer"], message.head["argument"])
        return {}, b""

    def _write(self, message: CardMessage) -> Answer:
        self._host.write(message.head["buffer"], message.head["offset"], message.body)
        return {}, b""

    def _read(self, message: CardMessage) -> Answer:
        return {}, self._host.read(message.head["buffer"])

    def _prepare(self, message: CardMessage) -> Answer:
        self._host.prepare(message.head["run"], message.head["buffers"])
        return {}, b""

    def _launch(self, message: CardMessage) -> Answer:
        began_us = self._simulated.now_us if self._simulated else None
        ending = self._host.launch(message.head["run"], message.head["limit_s"])
        simulated_us = self._simulated.now_us - began_us if self._simulated and began_us is not None else None
        return {**asdict(ending), "simulated_us": simulated_us}, b""

    def _watts(self, _message: CardMessage) -> Answer:
        return {"watts": self._host.watts()}, b""


def _pyxrt() -> PyXrt:
    return cast("PyXrt", import_module("pyxrt"))


def main() -> None:
    """Keeps the channel to the parent for messages alone: XRT prints on standard output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
