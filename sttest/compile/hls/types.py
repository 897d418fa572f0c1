"""What elements and tokens are in C++."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import Float16Type, Float32Type, IntegerType
from xdsl.ir import Attribute

from sttest.compile.dialects.df import ITensorType
from sttest.errors import InputError

_INTEGER_BITS = (1, 4, 8, 16, 32)


@dataclass(frozen=True)
class Element:
    """A scalar type.

    Attributes:
        tag: as in MLIR, for names: ``f32``, ``i4``.
        c_type: of a value in a stream or an array.
        bits: width in memory.
        in_signature: what hosts call it, ``float32`` or ``int4``; a truth value never reaches them.
    """

    tag: str
    c_type: str
    bits: int
    in_signature: str

    @property
    def payload_type(self) -> str:
        """Type of a value in an expression: i1 is a truth value there."""
        return "bool" if self.tag == "i1" else self.c_type

    @property
    def is_integer(self) -> bool:
        """Whether it counts; a truth value does not."""
        return self.tag[0] == "i" and self.bits > 1


F32 = Element("f32", "float", 32, "float32")
F16 = Element("f16", "half", 16, "float16")
I1 = Element("i1", "ap_uint<1>", 1, "")
I32 = Element("i32", "ap_int<32>", 32, "int32")


def element_of(dtype: Attribute, where: str) -> Element:
    """The C++ type of an MLIR scalar type.

    Raises:
        InputError: no type of docs/values.md.
    """
    if isinstance(dtype, Float32Type):
        return F32
    if isinstance(dtype, Float16Type):
        return F16
    if isinstance(dtype, IntegerType) and dtype.width.data in _INTEGER_BITS:
        bits = dtype.width.data
        return I1 if bits == 1 else Element(f"i{bits}", f"ap_int<{bits}>", bits, f"int{bits}")
    raise InputError(
        "no-cpp-type", f"no C++ type for elements of {dtype}", where=where,
        levers=["use one of i1, i4, i8, i16, i32, f16, f32"],
    )  # fmt: skip


@dataclass(frozen=True)
class Token:
    """What one read of a stream gives: a vector of elements, row-major, or one plain element."""

    element: Element
    shape: tuple[int, ...]

    @staticmethod
    def of(stream: ITensorType, where: str) -> Token:
        """The token of a stream.

        Raises:
            InputError: see :func:`element_of`.
        """
        return Token(element_of(stream.dtype, where), stream.element_shape)

    @property
    def size(self) -> int:
        """Elements."""
        return prod(self.shape)

    @property
    def c_type(self) -> str:
        """Name of the type."""
        if self.size == 1:
            return self.element.c_type
        return f"token_{self.element.tag}_{'x'.join(map(str, self.shape))}"

    @property
    def typedef(self) -> str:
        """The declaration of the type; empty for a plain element."""
        return "" if self.size == 1 else f"typedef hls::vector<{self.element.c_type}, {self.size}> {self.c_type};"

    def at(self, variable: str, index: str) -> str:
        """One element of a token."""
        return variable if self.size == 1 else f"{variable}[{index}]"


def row_major_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """How far a step along each dim is, in elements.

    >>> row_major_strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))
