"""What a host program needs of a design package: its kernel's signature, and whose image goes into which argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sttest.compile.hls.kernel_signature import DesignSignature, KernelSignature, read_signature
from sttest.core.errors import InputError
from sttest.core.files import read_object
from sttest.core.validation import validated

# --- The buffer of an argument that holds several tensors: those of each layer, then what is there once


Image = NDArray[np.uint8]


@dataclass(frozen=True)
class TensorRow:
    """What one DMA reads in turn.

    Attributes:
        loads: loads of the tensors in order.
        sizes: bytes of each in a layer, whole words.
        layers: each of which has such a row.
        behind, behind_sizes: tensors that come once, after all layers, and their sizes.
    """

    loads: tuple[str, ...]
    sizes: tuple[int, ...]
    layers: int = 1
    behind: tuple[str, ...] = ()
    behind_sizes: tuple[int, ...] = ()

    def image(self, images: Mapping[str, Image]) -> Image:
        """The buffer, from images by load; those hold all layers, one after the other.

        Raises:
            InputError: an image is missing, or has another size.
        """
        parts = [_rows(images, load, size, self.layers) for load, size in zip(self.loads, self.sizes, strict=True)]
        once = [_rows(images, load, size, 1) for load, size in zip(self.behind, self.behind_sizes, strict=True)]
        return np.concatenate([np.concatenate(parts, axis=1).ravel(), *(each.ravel() for each in once)])


def _rows(images: Mapping[str, Image], load: str, size: int, layers: int) -> Image:
    found = images.get(load)
    if found is None or found.size != size * layers:
        have = "no image" if found is None else "an image of another size"
        raise InputError(
            "bad-arguments", f"'{load}' has {have}, and is in one buffer with others", where="memory",
            demand=size * layers, bound=0 if found is None else found.size, unit="bytes",
            hints=["give the images of all tensors of the buffer"],
        )  # fmt: skip
    return found.reshape(layers, size)


MEMORY_SCHEMA = "sttest.kernel-memory/1"
TARGETS = ("hw_emu", "hw")
"""What v++ builds for: hardware emulation, or a card."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    load: str
    bytes: Annotated[int, Field(gt=0)]


class _Argument(BaseModel):
    """Of an entry in ``memory.json``, what hosts need."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    dma: str
    parts: Annotated[tuple[_Part, ...], Field(strict=False)] = ()
    layers: Annotated[int, Field(gt=0)] = 1
    steps: Annotated[int, Field(gt=0)] = 1
    behind: Annotated[tuple[_Part, ...], Field(strict=False)] = ()

    @property
    def row(self) -> TensorRow:
        """Its tensors."""
        (loads, sizes), (behind, behind_sizes) = map(_columns, (self.parts, self.behind))
        return TensorRow(loads, sizes, self.layers, behind, behind_sizes)


def _columns(parts: Sequence[_Part]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return tuple(part.load for part in parts), tuple(part.bytes for part in parts)


class _MemoryTable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kernel: str
    arguments: Annotated[tuple[_Argument, ...], Field(strict=False)]
    shared_fifos: dict[str, Annotated[tuple[str, ...], Field(strict=False)]] = {}


@dataclass(frozen=True)
class DesignFiles:
    """The ``hls`` folder of a package.

    Attributes:
        package: the folder around it.
        design: content of ``signature.json``.
        argument_of: argument per DMA; a DMA may read the tensors of several loads in turn.
        rows: rows of the DMAs that do.
        shared_fifos: the streams that go through a FIFO one after the other, where there are several.
        layers_of: number of layers in the buffer of a DMA, where there are several.
        steps_of: number of tokens per launch, where there are several.
    """

    package: Path
    design: DesignSignature
    argument_of: dict[str, str]
    rows: dict[str, TensorRow] = field(default_factory=dict)
    shared_fifos: dict[str, tuple[str, ...]] = field(default_factory=dict)
    layers_of: dict[str, int] = field(default_factory=dict)
    steps_of: dict[str, int] = field(default_factory=dict)

    @property
    def kernel(self) -> KernelSignature:
        """The design's one kernel."""
        return self.design.kernels[0]

    @property
    def word_bytes(self) -> int:
        """Width of the memory ports: each tensor starts at a whole word."""
        return max(argument.alignment_bytes for argument in self.kernel.buffers)

    def dma_of(self, node: str) -> str:
        """The DMA of a load or a store of the design's values."""
        return next((dma for dma, row in self.rows.items() if node in (*row.loads, *row.behind)), node)

    def is_per_layer(self, node: str) -> bool:
        """Whether a load or a store has a tensor for each layer of a launch over several."""
        dma = self.dma_of(node)
        return dma in self.layers_of and (dma not in self.rows or node in self.rows[dma].loads)

    def by_dma(self, images: Mapping[str, Image]) -> dict[str, Image]:
        """Images by DMA, from those by load.

        Raises:
            InputError: some tensors of one buffer have no image.
        """
        found: dict[str, Image] = {}
        for load, image in images.items():
            dma = self.dma_of(load)
            if dma not in found:
                found[dma] = self.rows[dma].image(images) if dma in self.rows else image
        return found

    def by_argument(self, images: Mapping[str, Image]) -> dict[str, Image]:
        """Images by argument of the kernel, from those by load; see :meth:`by_dma`."""
        return {self.argument_of[dma]: image for dma, image in self.by_dma(images).items()}

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
            hints=["name a package that 'sttest compile' made", "see 'hls' in its manifest.json"],
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
            hints=["compile the package anew"],
        )  # fmt: skip
    argument_of = {argument.dma: argument.name for argument in table.arguments}
    rows = {argument.dma: argument.row for argument in table.arguments if argument.parts}
    layers_of = {argument.dma: argument.layers for argument in table.arguments if argument.layers > 1}
    steps_of = {argument.dma: argument.steps for argument in table.arguments if argument.steps > 1}
    return DesignFiles(package, design, argument_of, rows, table.shared_fifos, layers_of, steps_of)
