"""Local arrays of emitted C++: dims of one element are left out, and what is left is partitioned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sttest.compile.hls.writer import Code


@dataclass(frozen=True)
class LocalArray:
    """An array, or a plain variable if it holds one element.

    Attributes:
        name: of the variable.
        c_type: of an element.
        shape: extents per data dim.
    """

    name: str
    c_type: str
    shape: tuple[int, ...]

    @property
    def dims(self) -> list[int]:
        """The data dims that the array has."""
        return [dim for dim, size in enumerate(self.shape) if size > 1]

    def at(self, index: Sequence[str]) -> str:
        """One element, by an index expression per data dim."""
        return self.name + "".join(f"[{index[dim]}]" for dim in self.dims)

    def declare(self, code: Code, at_once: Sequence[int]) -> None:
        """The declaration, partitioned so that ``at_once`` neighbours per dim can be touched in one cycle."""
        code.line(f"{self.c_type} {self.name}{self.extents};")
        self.partition(code, at_once)

    @property
    def extents(self) -> str:
        """``[4][16]``."""
        return "".join(f"[{self.shape[dim]}]" for dim in self.dims)

    def partition(self, code: Code, at_once: Sequence[int], word: Sequence[int] | None = None) -> None:
        """Only the directives; ``word`` neighbours per dim, which are only touched together, share a word."""
        for position, dim in enumerate(self.dims):
            together = word[dim] if word else 1
            self._split(code, "array_reshape", together, self.shape[dim], position)
            self._split(code, "array_partition", at_once[dim] // together, self.shape[dim] // together, position)

    def _split(self, code: Code, directive: str, wanted: int, extent: int, position: int) -> None:
        kind = "complete" if wanted >= extent else f"cyclic factor={wanted}"
        if min(wanted, extent) > 1:
            code.pragma(f"{directive} variable={self.name} type={kind} dim={position + 1}")

    def renamed(self, name: str) -> LocalArray:
        """The same array under another name."""
        return LocalArray(name, self.c_type, self.shape)
