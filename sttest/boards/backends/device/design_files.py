"""What a host program needs of a design package: its kernel's signature, and whose image goes into which argument."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sttest.boards.validation import validated
from sttest.boards.xrt.json_file import read_object
from sttest.boards.xrt.signature import DesignSignature, KernelSignature, read_signature
from sttest.errors import InputError

MEMORY_SCHEMA = "sttest.kernel-memory/1"
TARGETS = ("hw_emu", "hw")
"""What v++ builds for: hardware emulation, or a card."""


class _Argument(BaseModel):
    """Of an entry in ``memory.json``, what hosts need."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    dma: str


class _MemoryTable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kernel: str
    arguments: Annotated[tuple[_Argument, ...], Field(strict=False)]


@dataclass(frozen=True)
class DesignFiles:
    """The ``hls`` folder of a package.

    Attributes:
        package: the folder around it.
        design: of ``signature.json``.
        argument_of: argument per DMA, for memory images go by the names of DMAs.
    """

    package: Path
    design: DesignSignature
    argument_of: dict[str, str]

    @property
    def kernel(self) -> KernelSignature:
        """The design's one kernel."""
        return self.design.kernels[0]

    @property
    def hls(self) -> Path:
        """Where the C++ is."""
        return self.package / "hls"

    @property
    def signature_path(self) -> Path:
        """What the double takes for an xclbin."""
        return self.hls / "signature.json"

    def build_folder(self, target: str) -> Path:
        """Where a build for one of `TARGETS` goes."""
        return self.hls / f"build-{target}"

    def xclbin(self, target: str) -> Path:
        """The linked design."""
        return self.build_folder(target) / f"{self.kernel.name}.xclbin"


def read_design(package: Path) -> DesignFiles:
    """Reads what hosts need of a package.

    Raises:
        InputError: no emitted C++, several kernels, or files that contradict each other.
    """
    folder = package / "hls"
    if not folder.is_dir():
        raise InputError(
            "no-kernel", "no hls folder: not a design package, or one without C++", where=str(package),
            levers=["name a package that 'sttest compile' made", "see 'hls' in its manifest.json"],
        )  # fmt: skip
    design = read_signature(folder / "signature.json")
    if len(design.kernels) != 1:
        raise InputError(
            "several-kernels", "hosts run designs of one kernel", where=str(package), demand=len(design.kernels),
            bound=1, unit="kernels",
        )  # fmt: skip
    path = folder / "memory.json"
    content: dict[str, Any] = read_object(path, MEMORY_SCHEMA)
    table = validated(_MemoryTable, content, str(path))
    names = [argument.name for argument in design.kernels[0].arguments]
    if [argument.name for argument in table.arguments] != names:
        raise InputError(
            "files-disagree", "memory.json and signature.json have different arguments", where=str(folder),
            levers=["compile the package anew"],
        )  # fmt: skip
    argument_of = {argument.dma: argument.name for argument in table.arguments}
    return DesignFiles(package, design, argument_of)
