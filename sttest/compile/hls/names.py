"""Identifiers of emitted C++: legal, not reserved, not taken by the headers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sttest.compile.ir.names import identifier, unique

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
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None and "__" not in name and name not in RESERVED


def legal(name: str) -> str:
    """A legal identifier close to any text.

    >>> legal("load_x__attn_norm"), legal("class"), legal("1x")
    ('load_x_to_attn_norm', 'the_class', 'n_1x')
    """
    clean = re.sub(r"__+", "_to_", identifier(name).strip("_"))
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
