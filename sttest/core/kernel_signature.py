"""What a host must know of the kernels of a design: names, arguments, types, sizes, memory banks.

A build writes it beside its sources (``hls/signature.json``), hosts read it, and the double of XRT takes it for
an xclbin.  One file describes one linked design.
"""

import struct
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sttest.core.errors import InputError
from sttest.core.files import read_object, write_json
from sttest.core.validation import validated

SCHEMA = "sttest.kernel-signature/1"

# C identifiers: they end up in C++, in configuration files of the linker, and in messages.
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=128)]
Element = Annotated[str, Field(pattern=r"^(u?int|float|bfloat)[0-9]{1,3}$")]
ScalarType = Literal["int32", "uint32", "float32"]
Access = Literal["read", "write", "read_write"]

_INT = struct.Struct("<i")
_PACKING = {"int32": _INT, "uint32": struct.Struct("<I"), "float32": struct.Struct("<f")}


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ScalarArgument(_Model):
    """A scalar in the kernel's control registers.

    All are four bytes wide, because pyxrt passes nothing wider: a longer number takes two arguments, or memory.
    """

    kind: Literal["scalar"] = "scalar"
    name: Identifier
    index: Annotated[int, Field(ge=0, lt=1024)]
    type: ScalarType

    @property
    def bytes(self) -> int:
        """Width of the argument."""
        return 4

    def word(self, value: float) -> int:
        """The integer to hand to pyxrt, -2^31 to 2^31 - 1, whose bits are those of ``value`` in this type.

        Raises:
            InputError: the type cannot hold the value.
        """
        try:
            return int(_INT.unpack(_PACKING[self.type].pack(value))[0])
        except (struct.error, OverflowError) as error:
            raise InputError("bad-scalar", f"{value!r} is no {self.type}", where=f"argument '{self.name}'") from error

    def value(self, word: int) -> float:
        """What `word` was made of: the number that the kernel sees."""
        return _PACKING[self.type].unpack(_INT.pack(word))[0]


class BufferArgument(_Model):
    """A pointer to memory on the card, behind a port of its own or a shared one."""

    kind: Literal["buffer"] = "buffer"
    name: Identifier
    index: Annotated[int, Field(ge=0, lt=1024)]  # place among the kernel's arguments, from 0
    element: Element  # element type of the bytes, such as ``int8``, for hosts that pack and unpack
    # number of bytes that the kernel accesses behind the pointer; the least size of a buffer
    bytes: Annotated[int, Field(ge=1)]
    access: Access  # whether the kernel reads the buffer, writes it, or both
    # m_axi port behind which it lies; arguments of the same name share it, and so its banks.  Empty for one of its
    # own.
    port: Identifier | Literal[""] = ""
    # memory banks that its port is connected to, a range in ascending order
    banks: Annotated[tuple[Annotated[int, Field(ge=0, lt=256)], ...], Field(min_length=1, strict=False)]
    # alignment of the address, bytes: the width of the port
    alignment_bytes: Annotated[int, Field(ge=1, le=4096)] = 64

    @model_validator(mode="after")
    def _check(self) -> "BufferArgument":
        if self.banks != tuple(range(self.banks[0], self.banks[0] + len(self.banks))):
            raise ValueError(f"banks of '{self.name}' are not a range in ascending order")
        if self.alignment_bytes & (self.alignment_bytes - 1):
            raise ValueError(f"alignment of '{self.name}' is no power of two")
        return self

    @property
    def is_read(self) -> bool:
        """Whether the kernel reads it."""
        return self.access != "write"

    @property
    def is_written(self) -> bool:
        """Whether the kernel writes it."""
        return self.access != "read"


Argument = Annotated[ScalarArgument | BufferArgument, Field(discriminator="kind")]


class KernelSignature(_Model):
    """A kernel: its name, its instances on the fabric, and its arguments in the order of their indices."""

    name: Identifier
    # names of the compute units, as v++ links them; empty for the one that it makes by itself, ``<name>_1``
    instances: Annotated[tuple[Identifier, ...], Field(strict=False)] = ()
    arguments: Annotated[tuple[Argument, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _check(self) -> "KernelSignature":
        if [argument.index for argument in self.arguments] != list(range(len(self.arguments))):
            raise ValueError(f"indices of the arguments of '{self.name}' are not 0, 1, 2 … in order")
        _unique([argument.name for argument in self.arguments], f"arguments of '{self.name}'")
        for port, buffers in self.ports.items():
            if len({each.banks for each in buffers}) > 1:
                raise ValueError(f"arguments on port '{port}' of '{self.name}' are connected to different banks")
        _unique(self.compute_units, f"instances of '{self.name}'")
        return self

    @property
    def compute_units(self) -> tuple[str, ...]:
        """Names of the instances."""
        return self.instances or (f"{self.name}_1",)

    @property
    def buffers(self) -> tuple[BufferArgument, ...]:
        """The arguments that are buffers."""
        return tuple(argument for argument in self.arguments if isinstance(argument, BufferArgument))

    @property
    def ports(self) -> dict[str, tuple[BufferArgument, ...]]:
        """The buffers behind each m_axi port, in order; a port without a name is called as its argument."""
        found: dict[str, tuple[BufferArgument, ...]] = {}
        for buffer in self.buffers:
            name = buffer.port or buffer.name
            found[name] = (*found.get(name, ()), buffer)
        return found


class DesignSignature(_Model):
    """All kernels of one linked design."""

    design: Name  # the package's name
    board: Name  # the board that has the banks that the arguments name
    kernels: Annotated[tuple[KernelSignature, ...], Field(min_length=1, strict=False)]

    @model_validator(mode="after")
    def _check(self) -> "DesignSignature":
        _unique([kernel.name for kernel in self.kernels], "kernels")
        _unique([unit for kernel in self.kernels for unit in kernel.compute_units], "instances")
        return self

    def kernel(self, name: str) -> KernelSignature | None:
        """The kernel of that name."""
        return next((kernel for kernel in self.kernels if kernel.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        return {"schema": SCHEMA, **self.model_dump(mode="json")}


def read_signature(path: Path) -> DesignSignature:
    """Reads a signature.

    Raises:
        InputError: no such file, or not a signature; names the key.
    """
    return validated(DesignSignature, read_object(path, SCHEMA), str(path))


def write_signature(signature: DesignSignature, path: Path) -> None:
    """Writes a signature, whole or not at all."""
    write_json(path, signature.to_json())


def _unique(names: list[str] | tuple[str, ...], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two {what} are called '{name}'")
        seen.add(name)
