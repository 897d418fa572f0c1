"""Synthesizable SystemVerilog: the modules that every design is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from sttest.boards.resources import MemoryKind
from sttest.core.errors import InputError
from sttest.sim.graph import MIN_DEPTH

__depends__ = ("sttest/compile/rtl/hdl/*",)

RAM_STYLES: Mapping[MemoryKind, str] = {"lutram": "distributed", "bram": "block", "uram": "ultra"}
"""The attribute ``ram_style`` of each kind of memory that is inferred."""
_CELLS = "primitives"


@dataclass(frozen=True)
class Instance:
    """A module of the library with its parameters."""

    module: str  # name of the module and of its file
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    uses: tuple[str, ...] = ()  # files that it needs besides

    @property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """File names with their texts, in the order in which they are read."""
        return tuple((f"{name}.sv", module_text(name)) for name in (*self.uses, self.module))


def module_text(name: str) -> str:
    """The text of a file of the library, such as ``fifo_srl``."""
    return files(__name__).joinpath("hdl", f"{name}.sv").read_text(encoding="utf-8")


def fifo(kind: MemoryKind, depth: int, bits: int, initial: int = 0) -> Instance:
    """The module of a FIFO.

    Args:
        kind: kind of its memory; ``srl`` and ``register``, of two tokens, are read a cycle after a write, others two.
        depth: tokens, those in its output register included.
        bits: width of a token, bits.
        initial: tokens that it holds after a reset.

    Raises:
        InputError: a FIFO of no tokens or bits, another one of registers, or tokens in a memory from the start.
    """
    if min(depth, bits) < 1 or not 0 <= initial <= depth:
        raise InputError("no-fifo", f"a FIFO of {depth} tokens of {bits} bits with {initial} at the start")
    if kind == "srl":
        return Instance("fifo_srl", {"WIDTH": bits, "DEPTH": depth, "INITIAL": initial}, (_CELLS,))
    if (kind, depth, initial) == ("register", MIN_DEPTH, 0):
        return Instance("fifo_relay", {"WIDTH": bits})
    if kind not in RAM_STYLES or initial:
        raise InputError(
            "no-fifo", f"no FIFO of kind '{kind}' with {initial} tokens at the start", hints=["take kind srl"]
        )
    return Instance("fifo_ram", {"WIDTH": bits, "DEPTH": depth, "STYLE": RAM_STYLES[kind]})


def memory(kind: MemoryKind, depth: int, bits: int) -> Instance:
    """The module of an addressed memory with a port to write and one to read.

    Args:
        kind: ``lutram``, ``bram`` or ``uram``.
        depth: words.
        bits: width of a word, bits.

    Raises:
        InputError: a memory of no words or bits, or of another kind.
    """
    if min(depth, bits) < 1 or kind not in RAM_STYLES:
        raise InputError("no-memory", f"no memory of {depth} words of {bits} bits of kind '{kind}'")
    return Instance("memory", {"WIDTH": bits, "DEPTH": depth, "STYLE": RAM_STYLES[kind]})
