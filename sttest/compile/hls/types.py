"""What elements and tokens are in C++."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import Float16Type, Float32Type, IntegerType
from xdsl.ir import Attribute

from sttest.compile.dialects import df
from sttest.compile.dialects.df import identifier
from sttest.compile.hls.tree import CppArgument, CppCallOp, is_word
from sttest.compile.hls.writer import CodeWriter
from sttest.compile.ir.names import unique
from sttest.compile.schedule.ports import words_of_token
from sttest.core.errors import InputError

_INTEGER_BITS = (1, 2, 3, 4, 8, 16, 32)


@dataclass(frozen=True)
class Element:
    """A scalar type."""

    tag: str  # name of the type as in MLIR, such as ``f32`` or ``i4``
    c_type: str  # C++ type of a value in a stream or an array
    bits: int  # width in memory
    in_signature: str  # name of the type for hosts, such as ``float32`` or ``int4``; hosts never see truth values

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
        InputError: no type of docs/reference/values.md.
    """
    if isinstance(dtype, Float32Type):
        return F32
    if isinstance(dtype, Float16Type):
        return F16
    if isinstance(dtype, IntegerType) and dtype.width.data in _INTEGER_BITS:
        bits = dtype.width.data
        return I1 if bits == 1 else Element(f"i{bits}", f"ap_int<{bits}>", bits, f"int{bits}")
    raise InputError(
        "no-cpp-type",
        f"no C++ type for elements of {dtype}",
        where=where,
        hints=["use one of i1, i2, i3, i4, i8, i16, i32, f16, f32"],
    )


@dataclass(frozen=True)
class Token:
    """What one read of a stream gives: a vector of elements, row-major, or one plain element."""

    element: Element
    shape: tuple[int, ...]

    @staticmethod
    def of(stream: df.ITensorType, where: str) -> "Token":
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
    def words(self) -> int:
        """Words that it is made of, each of which goes through a FIFO of its own."""
        return words_of_token(self.size, self.element.bits)

    @property
    def c_type(self) -> str:
        """Name of the type of a word."""
        size = self.size // self.words
        return self.element.c_type if size == 1 else f"{self.element.tag}x{size}"

    @property
    def typedef(self) -> str:
        """The declaration of the type; empty for a plain element."""
        size = self.size // self.words
        return "" if size == 1 else f"typedef hls::vector<{self.element.c_type}, {size}> {self.c_type};"

    def at(self, variable: str, index: str) -> str:
        """One element of a token, row-major."""
        if self.size == 1:
            return variable
        size = self.size // self.words
        if self.words == 1 or size == 1:
            return f"{variable}[{index}]"
        inner = index if is_word(index) else f"({index})"
        return f"{variable}[{inner} / {size}][{inner} % {size}]"

    def parameter(self, name: str) -> CppArgument:
        """A function's parameter: the FIFO, or those of all words."""
        fifo = f"fifo<{self.c_type}>"
        return (
            CppArgument(f"{fifo}& ", name) if self.words == 1 else CppArgument(f"{fifo} (&", name, f")[{self.words}]")
        )

    def declare(self, code: CodeWriter, name: str, c_type: str = "") -> None:
        """A variable that holds a token.

        Args:
            code: tree that is appended to.
            name: name of the variable.
            c_type: the function's name for the type of a word, if it has one.
        """
        code.registers(c_type or self.c_type, name, *([self.words] if self.words > 1 else []))

    def take(self, code: CodeWriter, name: str, stream: str, c_type: str = "") -> None:
        """A variable that a token is read into."""
        if self.words == 1:
            code.constant(c_type or self.c_type, name, f"{stream}.read()")
            return
        self.declare(code, name, c_type)
        self.read(code, name, stream)

    def read(self, code: CodeWriter, target: str, stream: str) -> None:
        """A token is read into a variable, all words at once."""
        if self.words == 1:
            code.assign(target, f"{stream}.read()")
        else:
            code.call(f"read_words<{self.words}>", stream, target)

    def written(self, stream: str, value: str) -> CppCallOp:
        """The call that writes a token, all words at once."""
        if self.words == 1:
            return CppCallOp(f"{stream}.write", (value,))
        return CppCallOp(f"write_words<{self.words}>", (stream, value))

    def write(self, code: CodeWriter, stream: str, value: str) -> None:
        """A token is written."""
        code.add(self.written(stream, value))


# --- Identifiers of emitted C++: legal, not reserved, not taken by the headers


# C++17 [lex.key], table 5, and the alternative tokens.
_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq
"""
# What the headers of the tool and of the C library declare at global scope and a module may be called like.
_DECLARED = """
abs acos asin atan atan2 ceil cos cosh div erf exp exp2 expm1 fabs floor fma fmax fmin fmod gamma half hypot index
j0 j1 jn labs ldexp lgamma log log10 log1p log2 logb main malloc free modf pow printf rand read remainder rint round
scalbn signal sin sinh sqrt std stdin stdout stderr system tan tanh tgamma time trunc y0 y1 yn hls sttest ap_int ap_uint
assert errno NULL EOF INFINITY NAN M_PI linux unix
"""
RESERVED = frozenset((*_KEYWORDS.split(), *_DECLARED.split()))


def is_legal(name: str) -> bool:
    """Whether C++ lets a program use the name: an identifier, no reserved word, no double or leading underscore.

    >>> is_legal("attn_norm"), is_legal("half"), is_legal("a__b")
    (True, False, False)
    """
    is_identifier = name.isascii() and name.isidentifier() and not name.startswith("_")
    return is_identifier and "__" not in name and name not in RESERVED


def legal(name: str) -> str:
    """A legal identifier close to any text.

    >>> legal("load_x__attn_norm"), legal("class"), legal("1x")
    ('load_x_to_attn_norm', 'the_class', 'n_1x')
    """
    clean = identifier(name).strip("_")
    while "___" in clean:
        clean = clean.replace("___", "__")
    clean = clean.replace("__", "_to_")
    clean = f"n_{clean}" if not clean[:1].isalpha() else clean
    return f"the_{clean}" if clean in RESERVED else clean


class Names:
    """Unique legal names of one scope, remembered by what they stand for."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._found: dict[object, str] = {}

    def of(self, key: object, wanted: str) -> str:
        """The name of ``key``: ``wanted`` made legal and unique when it is first asked for."""
        if key not in self._found:
            self._found[key] = unique(legal(wanted), self._taken)
        return self._found[key]


def bind_memory(code: CodeWriter, variable: str, kind: str) -> None:
    """Asks for a kind of memory, nothing for registers."""
    if kind not in ("", "register"):
        code.pragma(f"bind_storage variable={variable} type=ram_2p impl={kind}")


# --- Local arrays of emitted C++: dims of one element are left out, and what is left is partitioned


@dataclass(frozen=True)
class LocalArray:
    """An array, or a plain variable if it holds one element."""

    name: str  # name of the variable
    c_type: str  # C++ type of an element
    shape: tuple[int, ...]  # extents per data dim

    @property
    def dims(self) -> list[int]:
        """The data dims that the array has."""
        return [dim for dim, size in enumerate(self.shape) if size > 1]

    def at(self, index: Sequence[str]) -> str:
        """One element, by an index expression per data dim."""
        return self.name + "".join(f"[{index[dim]}]" for dim in self.dims)

    def declare(self, code: CodeWriter, at_once: Sequence[int], kind: str = "") -> None:
        """The declaration, partitioned so that ``at_once`` neighbors per dim can be touched in one cycle.

        Args:
            code: tree that is appended to.
            at_once: neighbors per data dim.
            kind: kind of the banks' memories, none for registers.
        """
        code.variable(self.c_type, self.name, extents=self.extents)
        self.partition(code, at_once)
        bind_memory(code, self.name, kind)

    @property
    def extents(self) -> str:
        """``[4][16]``."""
        return "".join(f"[{self.shape[dim]}]" for dim in self.dims)

    def partition(self, code: CodeWriter, at_once: Sequence[int], word: Sequence[int] | None = None) -> None:
        """Only the directives; ``word`` neighbors per dim, which are only touched together, share a word."""
        for position, dim in enumerate(self.dims):
            together = word[dim] if word else 1
            self._split(code, "array_reshape", together, self.shape[dim], position)
            self._split(code, "array_partition", at_once[dim] // together, self.shape[dim] // together, position)

    def _split(self, code: CodeWriter, directive: str, wanted: int, extent: int, position: int) -> None:
        kind = "complete" if wanted >= extent else f"cyclic factor={wanted}"
        if min(wanted, extent) > 1:
            code.pragma(f"{directive} variable={self.name} type={kind} dim={position + 1}")

    def renamed(self, name: str) -> "LocalArray":
        """The same array under another name."""
        return LocalArray(name, self.c_type, self.shape)
