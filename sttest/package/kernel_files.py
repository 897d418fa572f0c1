"""The emitted C++ of a design, its signature, and how tensors lie in the buffers of its arguments."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sttest.core.cpp_text import one_text, placed_lines
from sttest.core.errors import InputError
from sttest.core.files import read_bytes, read_object, read_text, write_json, write_text
from sttest.core.kernel_signature import DesignSignature, KernelSignature, read_signature, write_signature
from sttest.core.validation import validated

HLS = "hls"
"""The folder of a package that holds what this module reads; an archive of `sttest pack` has it, too."""
CPP, LINK_CONFIG, MAKEFILE = "kernel.cpp", "link.cfg", "Makefile"
FLOORPLAN_TCL, FLOORPLAN_JSON = "floorplan.tcl", "floorplan.json"
"""Files of a kernel that is placed on SLRs."""
SIGNATURE, MEMORY_TABLE = "signature.json", "memory.json"
MEMORY_SCHEMA = "sttest.kernel-memory/1"
TARGETS = ("hw_emu", "hw")
"""What v++ builds for: hardware emulation, or a card."""
HEADERS = ("types.h", "parts.h")
"""What the kernel's C++ includes."""
MAX_BUILT_BYTES = 4 * 1024**3
"""Bytes of what v++ links; those of a U55C have some 100 MB."""
_STREAM = re.compile(r'hls::stream<[\w<>]+, (\d+)> \w+\("([^"]+)"\)')
_WIDE_STREAM = re.compile(r'STTEST_FIFO\(\w+, "([^"]+)", (\d+)\)')

# --- The buffer of an argument that holds several tensors: those of each layer, then what is there once


Image = NDArray[np.uint8]


@dataclass(frozen=True)
class TensorRow:
    """What one DMA reads in turn."""

    loads: tuple[str, ...]  # loads of the tensors, in order
    sizes: tuple[int, ...]  # bytes of each in a layer, whole words
    layers: int = 1  # each of which has such a row
    # ``behind`` and ``behind_sizes``: what comes once, after all of them
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
            "bad-arguments",
            f"'{load}' has {have}, and is in one buffer with others",
            where="memory",
            demand=size * layers,
            bound=0 if found is None else found.size,
            unit="bytes",
            hints=["give the images of all tensors of the buffer"],
        )
    return found.reshape(layers, size)


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    load: str
    bytes: Annotated[int, Field(gt=0)]


class _Argument(BaseModel):
    """The part of an entry in ``memory.json`` that hosts need."""

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


class KernelFiles:
    """The C++ of a design and what a host must know of it.

    Attributes:
        package: the folder around it, a package or an unpacked archive.
        design: the content of the signature.
    """

    def __init__(self, package: Path, design: DesignSignature) -> None:
        self.package, self.design = package, design

    @classmethod
    def read(cls, package: Path) -> Self:
        """Reads the signature; the table of memory is read when it is first asked for.

        Raises:
            InputError: no emitted C++, or several kernels.
        """
        folder = package / HLS
        if not folder.is_dir():
            raise InputError(
                "no-kernel",
                "no hls folder: not a design package, or one without C++",
                where=str(package),
                hints=["name a package that 'sttest compile' made", "see 'hls' in its manifest.json"],
            )
        design = read_signature(folder / SIGNATURE)
        if len(design.kernels) != 1:
            raise InputError(
                "several-kernels",
                "only designs of one kernel are run",
                where=str(package),
                demand=len(design.kernels),
                bound=1,
                unit="kernels",
            )
        return cls(package, design)

    @property
    def hls(self) -> Path:
        """The folder of the C++."""
        return self.package / HLS

    @property
    def cpp(self) -> Path:
        """The C++ of the kernel.

        Raises:
            InputError: there is none.
        """
        path = self.hls / CPP
        if not path.is_file():
            raise InputError("no-kernel", f"no {HLS}/{CPP}", where=str(self.package), hints=["compile it again"])
        return path

    @property
    def cpp_files(self) -> tuple[Path, ...]:
        """The C++ with the headers that lie beside it."""
        headers = [self.hls / name for name in HEADERS]
        return (*(path for path in headers if path.is_file()), self.cpp)

    @property
    def cpp_text(self) -> str:
        """All of the C++ as one text."""
        return one_text(CPP, self._cpp_by_name)

    def cpp_place(self, line: int) -> str:
        """The file and the line that a line of `cpp_text` comes from, as in ``hls/parts.h:12``."""
        placed = placed_lines(CPP, self._cpp_by_name)
        found = placed[min(line, len(placed)) - 1]
        return f"{HLS}/{found.file}:{found.line}"

    @property
    def _cpp_by_name(self) -> dict[str, str]:
        return {path.name: read_text(path) for path in self.cpp_files}

    @property
    def signature_path(self) -> Path:
        """What the emulator of XRT takes for an xclbin."""
        return self.hls / SIGNATURE

    @property
    def memory_path(self) -> Path:
        """The table of memory: DMA and tensors of each argument."""
        return self.hls / MEMORY_TABLE

    def named(self, path: Path) -> str:
        """A file of the package as messages name it, such as ``hls/signature.json``."""
        return path.relative_to(self.package).as_posix()

    def build_folder(self, target: str) -> Path:
        """The folder of a build for one of `TARGETS`."""
        return self.hls / f"build-{target}"

    def xclbin(self, target: str) -> Path:
        """The linked design."""
        return self.build_folder(target) / f"{self.kernel.name}.xclbin"

    def sources(self) -> dict[str, bytes]:
        """Content of all that a build and a run on a card need, by path in the package; what is built, too."""
        others = (LINK_CONFIG, MAKEFILE, SIGNATURE, MEMORY_TABLE)
        found = [*self.cpp_files, *(self.hls / name for name in others)]
        for target in TARGETS:
            made = (self.xclbin(target), self.build_folder(target) / "emconfig.json")
            found += [path for path in made if path.is_file()]
        return {self.named(path): read_bytes(path, most_bytes=MAX_BUILT_BYTES) for path in found}

    def write_floorplan(self, tcl: str, regions: dict[str, str]) -> None:
        """Writes the SLRs of the kernel's instances: pblocks for Vivado, regions for TAPA and RapidStream."""
        write_text(self.hls / FLOORPLAN_TCL, tcl)
        write_json(self.hls / FLOORPLAN_JSON, regions, indent=1)

    def write_build_files(self, link_config: str, makefile: str) -> None:
        """Writes the configuration of v++ and the Makefile."""
        write_text(self.hls / LINK_CONFIG, link_config)
        write_text(self.hls / MAKEFILE, makefile)

    def write_signature(self, design: DesignSignature) -> None:
        """Replaces the signature."""
        write_signature(design, self.signature_path)

    @cached_property
    def depths(self) -> dict[str, int]:
        """Depths of the streams in the C++, by the names that they have in the timed graph."""
        text = read_text(self.cpp)
        found = {name: int(depth) for depth, name in _STREAM.findall(text)}
        return found | {name: int(depth) for name, depth in _WIDE_STREAM.findall(text)}

    @cached_property
    def _memory(self) -> _MemoryTable:
        content: dict[str, Any] = read_object(self.memory_path, MEMORY_SCHEMA)
        table = validated(_MemoryTable, content, str(self.memory_path))
        here, there = [each.name for each in table.arguments], [each.name for each in self.kernel.arguments]
        if here != there:
            raise InputError(
                "files-disagree",
                f"arguments are {', '.join(here)} in {MEMORY_TABLE} and {', '.join(there)} in {SIGNATURE}",
                where=str(self.hls),
                hints=["compile the package again"],
            )
        return table

    @cached_property
    def argument_of(self) -> dict[str, str]:
        """Argument per DMA; a DMA may read the tensors of several loads in turn."""
        return {argument.dma: argument.name for argument in self._memory.arguments}

    @cached_property
    def rows(self) -> dict[str, TensorRow]:
        """Tensors per DMA that reads several in turn."""
        return {argument.dma: argument.row for argument in self._memory.arguments if argument.parts}

    @cached_property
    def layers_of(self) -> dict[str, int]:
        """Layers that lie one after the other in the buffer of a DMA, where there are several."""
        return {argument.dma: argument.layers for argument in self._memory.arguments if argument.layers > 1}

    @cached_property
    def steps_of(self) -> dict[str, int]:
        """Tokens of a launch for each of which the buffer of a DMA has a tensor, where there are several."""
        return {argument.dma: argument.steps for argument in self._memory.arguments if argument.steps > 1}

    @property
    def shared_fifos(self) -> dict[str, tuple[str, ...]]:
        """Streams that go through a FIFO one after the other, where there are several."""
        return self._memory.shared_fifos

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

    def of_layers(self, images: Sequence[Mapping[str, Image]]) -> dict[str, Image]:
        """Images by load or store for a launch, from those of its layers: one after the other, each in whole words.

        Of several tokens (`steps_of`) each has a row of them.  Where all layers share an image it is the first one.
        """
        return {node: self._of_layers(node, [each[node] for each in images]) for node in images[0]}

    def _of_layers(self, node: str, images: Sequence[Image]) -> Image:
        if not self.is_per_layer(node):
            return images[0]
        steps = self.steps_of.get(self.dma_of(node), 1)
        padded = [np.pad(image, (0, -image.size % self.word_bytes)).reshape(steps, -1) for image in images]
        return np.concatenate(padded, axis=1).ravel()

    def by_dma(self, images: Mapping[str, Image]) -> dict[str, Image]:
        """Images by DMA, from those by load.

        Raises:
            InputError: of tensors in one buffer some have no image.
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
