"""The emitted C++ as the kernels of the double: what is launched there runs in a C simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sttest.boards.backends.csim import Executable, run_kernel
from sttest.boards.xrt.double import Execution, Launch
from sttest.errors import InputError, SttestError


@dataclass(frozen=True)
class CsimKernels:
    """A `KernelLibrary` of compiled kernels.

    Attributes:
        executables: per kernel.
        duration_us: what every execution is said to take: simulated time of the design, not the simulation's own.
    """

    executables: Mapping[str, Executable]
    duration_us: float

    def execute(self, launch: Launch) -> Execution:
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
            return Execution(self.duration_us, "crashed", str(error))
        if run.verdict == "deadlock":
            return Execution(self.duration_us, "hung")
        for name, image in run.results.items():
            launch.buffers[name][:] = image.data
        return Execution(self.duration_us)
