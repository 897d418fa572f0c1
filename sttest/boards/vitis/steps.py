"""The steps from C++ to a linked design, as commands (UG1393: v++ command; xclbinutil is part of XRT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sttest.boards.part import Toolchain

Target = Literal["hw_emu", "hw"]


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        name: ``compile``, ``link`` or ``emconfig``; also of its log.
        command: program and arguments; paths are relative to the folder of the build.
        inputs: files whose content decides whether it must run again.
        output: the file that it makes.
        limit_s: after which it is ended.
    """

    name: str
    command: tuple[str, ...]
    inputs: tuple[Path, ...]
    output: Path
    limit_s: float


@dataclass(frozen=True)
class Limits:
    """Time limits of the steps, in seconds.  A bitstream of a full card takes many hours."""

    compile_s: float = 4 * 3600.0
    link_s: float = 24 * 3600.0
    emconfig_s: float = 600.0

    def scaled(self, given: Mapping[str, float | None]) -> Limits:
        """With the limits that are given in place of these."""
        chosen = {name: value for name, value in given.items() if value is not None}
        return Limits(**{**vars(self), **chosen})


@dataclass(frozen=True)
class Plan:
    """A build of one kernel.

    Attributes:
        kernel: name of the top function.
        target: what for.
        tools: names that the tools need, from the board's file.
        clock_mhz: of the kernel.
        folder: of the build; sources are in the folder above it.
        jobs: that the tools may run at a time.
        limits: of time.
    """

    kernel: str
    target: Target
    tools: Toolchain
    clock_mhz: float
    folder: Path
    jobs: int
    limits: Limits = field(default_factory=Limits)

    @property
    def xclbin(self) -> Path:
        """The linked design."""
        return self.folder / f"{self.kernel}.xclbin"

    def steps(self) -> tuple[Step, ...]:
        """All steps in order; each needs what the one before it made."""
        source, config = self.folder.parent / "kernel.cpp", self.folder.parent / "link.cfg"
        compiled = self.folder / f"{self.kernel}.xo"
        emulation = self.folder / "emconfig.json"
        first = Step("compile", self.compile_command("../kernel.cpp"), (source,), compiled, self.limits.compile_s)
        second = Step("link", self.link_command("../link.cfg"), (compiled, config), self.xclbin, self.limits.link_s)
        if self.target == "hw":
            return first, second
        third = Step("emconfig", self.emconfig_command(), (), emulation, self.limits.emconfig_s)
        return first, second, third

    def compile_command(self, source: str) -> tuple[str, ...]:
        """C++ to a kernel object."""
        clock = f"{round(self.clock_mhz * 1e6)}:{self.kernel}"
        return (*self._common("compile"), "-k", self.kernel, "--hls.clock", clock, "-o", f"{self.kernel}.xo", source)

    def link_command(self, config: str) -> tuple[str, ...]:
        """A kernel object to a design that XRT loads."""
        return (
            *self._common("link"), "--jobs", str(self.jobs), "--config", config, "-o", f"{self.kernel}.xclbin",
            f"{self.kernel}.xo",
        )  # fmt: skip

    def emconfig_command(self) -> tuple[str, ...]:
        """What hardware emulation must know of the card that it plays."""
        return ("emconfigutil", "--platform", self.tools.platform, "--od", ".")

    def _common(self, mode: str) -> tuple[str, ...]:
        return (
            "v++", f"--{mode}", "--target", self.target, "--platform", self.tools.platform, "--save-temps",
            "--temp_dir", f"_x-{mode}", "--log_dir", f"logs-{mode}", "--report_dir", f"reports-{mode}",
        )  # fmt: skip
