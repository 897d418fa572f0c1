"""What of sttest works with the parts that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sttest.boards.tools.finding import Finding

_BASE = ("python", "python packages")


@dataclass(frozen=True)
class Capability:
    """A verb, an option or an engine, with the parts that it needs beside Python and its packages."""

    name: str
    needs: tuple[str, ...] = ()

    def lacks(self, found: Mapping[str, Finding]) -> list[str]:
        """Parts that are not there or do not work."""
        return [name for name in (*_BASE, *self.needs) if found[name].usable is False]

    def works(self, found: Mapping[str, Finding]) -> bool | None:
        """Whether it works here; None where a part did not answer."""
        if self.lacks(found):
            return False
        return None if any(found[name].usable is None for name in self.needs) else True


CAPABILITIES: tuple[Capability, ...] = (
    Capability("simulate, size, dot, corpus, board, models, reproduce"),
    Capability("compile: models and shapes whose text is shipped"),
    Capability("compile: any shape, lowered from PyTorch", ("torch", "torch-mlir")),
    Capability("emulate --simulator verilator", ("verilator", "make", "g++")),
    Capability("emulate --simulator icarus", ("iverilog", "vvp")),
    Capability("engine csim", ("g++",)),
    Capability("build --dry-run"),
    Capability("build", ("v++",)),
    Capability("pack", ("torch",)),
    Capability("run --backend double", ("torch", "g++")),
    Capability("run --backend hw_emu", ("torch", "v++", "XRT", "pyxrt")),
    Capability("run --backend device", ("torch", "XRT", "pyxrt", "FPGA card")),
    Capability("baselines measured on a GPU", ("torch", "GPU")),
)
