"""What runs when a kernel is started on the emulator: a small interface, and kernels in Python behind it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sttest.core.errors import InputError, did_you_mean

Ending = Literal["completed", "hung", "crashed"]


@dataclass(frozen=True)
class KernelLaunch:
    """One execution of a kernel."""

    kernel: str  # its name
    scalars: Mapping[str, float]  # values by argument, as the kernel sees them
    # bytes on the card by argument; writable where the kernel writes. Not to be kept after the execution.
    buffers: Mapping[str, memoryview]


@dataclass(frozen=True)
class ExecutionOutcome:
    """The outcome of an execution."""

    duration_us: float  # simulated time that it took; of no meaning where it hung
    ending: Ending = "completed"
    detail: str = ""  # details of a crash


class KernelLibrary(Protocol):
    """Kernels that can be executed: Python functions, or a design's C++ in a process of its own."""

    def execute(self, launch: KernelLaunch) -> ExecutionOutcome:
        """Runs a kernel to its end, on the buffers in place.

        Raises:
            InputError: the library has no such kernel.
        """
        ...


@dataclass(frozen=True)
class PythonKernels:
    """A library of Python functions."""

    # functions by kernel name; each runs a launch and returns its time, microseconds
    kernels: Mapping[str, Callable[[KernelLaunch], float]]

    def execute(self, launch: KernelLaunch) -> ExecutionOutcome:
        """Calls the function."""
        if launch.kernel not in self.kernels:
            hints = [did_you_mean(launch.kernel, self.kernels)]
            raise InputError("kernel-without-code", f"no code for kernel '{launch.kernel}'", hints=hints)
        return ExecutionOutcome(self.kernels[launch.kernel](launch))


@dataclass
class FaultyKernels:
    """A library that goes wrong at chosen launches, for the tests of watchdogs."""

    library: KernelLibrary  # kernels that run otherwise
    faults: Mapping[int, Literal["hung", "crashed"]]  # faults by launch number, from 0
    launches: int = field(default=0, init=False)  # number of launches so far

    def execute(self, launch: KernelLaunch) -> ExecutionOutcome:
        """Runs the kernel or, at a fault, nothing."""
        number = self.launches
        self.launches += 1
        if number not in self.faults:
            return self.library.execute(launch)
        return ExecutionOutcome(0.0, self.faults[number], "injected")
