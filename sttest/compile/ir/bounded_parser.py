"""xDSL's parser with bounds on what a few characters of IR text may stand for.

An alias stands for all that it names, aliases too, so thirty lines can stand for a billion attributes.  The width of an
integer is a number of bits that are computed with, a splat is kept as all its elements, and an affine expression of
thousands of terms is a tree as deep, which is printed by recursion.
"""

import re
from math import prod
from typing import Any

from xdsl.dialects.builtin import ShapedType
from xdsl.ir.affine import AffineBinaryOpExpr, AffineExpr, AffineMap, AffineSet
from xdsl.parser import Parser

MAX_EXPANDED_CHARS = 1 << 21
"""Characters that all uses of aliases stand for."""
MAX_NESTING = 64
"""Levels of aliases inside aliases, brackets in them too, and of an affine expression."""
MAX_INTEGER_BITS = (1 << 24) - 1
"""Bits of an integer type; the same number as in MLIR."""
MAX_SPLAT_ELEMENTS = 1 << 23
"""Elements of all splats of a text together."""

_INTEGER = re.compile(r"[su]?i(\d+)")


class BoundedParser(Parser):
    """Reads the same modules, and refuses what is beyond the bounds where it stands."""

    _expanded = 0
    """Characters that the uses of aliases so far stand for."""
    _deepest = 0
    """Nesting of the deepest alias that was used since the definition of an alias began."""
    _splats = 0
    """Elements of all splats so far."""
    _literal = 0
    """Where the literal of elements begins."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sizes: dict[str, tuple[int, int]] = {}
        """Characters that an alias stands for, and its nesting."""

    def _parse_alias_def(self) -> None:
        start, before, outer, self._deepest = self.pos, self._expanded, self._deepest, 0
        known = len(self.attribute_aliases)
        super()._parse_alias_def()
        assert len(self.attribute_aliases) == known + 1
        text = self.lexer.input.content[start : self.pos]
        depth = self._deepest + _nesting(text)
        if depth > MAX_NESTING:
            self.raise_error(f"an alias of more than {MAX_NESTING} levels", start, start + 1)
        self._sizes[next(reversed(self.attribute_aliases))] = (len(text) + self._expanded - before, depth)
        self._deepest = max(outer, self._deepest)

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: Any) -> Any:
        found = super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)
        alias = ("!" if is_type else "#") + attr_or_dialect_name
        if self.attribute_aliases.get(alias) is found and alias in self._sizes:
            size, depth = self._sizes[alias]
            self._expanded += size
            self._deepest = max(self._deepest, depth)
            if self._expanded > MAX_EXPANDED_CHARS:
                self.raise_error(f"aliases stand for more than {MAX_EXPANDED_CHARS:,} characters")
        return found

    def _parse_optional_integer_or_float_type(self) -> Any:
        found = _INTEGER.fullmatch(self._current_token.text)
        if found and int(found[1]) > MAX_INTEGER_BITS:
            self.raise_error(f"an integer of more than {MAX_INTEGER_BITS:,} bits")
        return super()._parse_optional_integer_or_float_type()

    def parse_comma_separated_list(self, delimiter: Any, parse: Any, context_msg: str = "") -> Any:
        """See xDSL; types of several results of a ``linalg.generic`` stand in parentheses."""
        if delimiter is self.Delimiter.NONE and parse == self.parse_attribute and self._current_token.text == "(":
            return super().parse_comma_separated_list(self.Delimiter.PAREN, self.parse_type, context_msg)
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> Any:  # noqa: A002 - as xDSL
        """See xDSL."""
        self._literal = self.pos
        if type is not None:
            self._count_splat(type)
        return super().parse_dense_int_or_fp_elements_attr(type)

    def _parse_dense_literal_type(self) -> Any:
        found = super()._parse_dense_literal_type()
        self._count_splat(found)
        return found

    def _count_splat(self, shaped: ShapedType) -> None:
        """Counts elements if there are more than characters of the literal, of which each takes one where all stand."""
        elements = prod(shaped.get_shape())
        if elements > self.pos - self._literal:
            self._splats += elements
        if self._splats > MAX_SPLAT_ELEMENTS:
            self.raise_error(f"splats of more than {MAX_SPLAT_ELEMENTS:,} elements in all")

    def parse_affine_map(self) -> AffineMap:
        """See xDSL."""
        start, found = self.pos, super().parse_affine_map()
        self._check_depth(found.results, start)
        return found

    def parse_affine_set(self) -> AffineSet:
        """See xDSL."""
        start, found = self.pos, super().parse_affine_set()
        self._check_depth([side for each in found.constraints for side in (each.lhs, each.rhs)], start)
        return found

    def parse_affine_map_of_ssa_ids(self) -> Any:
        """See xDSL."""
        start, found = self.pos, super().parse_affine_map_of_ssa_ids()
        self._check_depth(found[0].results, start)
        return found

    def _check_depth(self, expressions: Any, start: int) -> None:
        level: list[AffineExpr] = list(expressions)
        for _ in range(MAX_NESTING):
            level = [side for each in level if isinstance(each, AffineBinaryOpExpr) for side in (each.lhs, each.rhs)]
        if level:
            self.raise_error(f"an affine expression of more than {MAX_NESTING} levels", start, start + 1)


def _nesting(text: str) -> int:
    """Brackets inside brackets; those in texts in quotes and of arrows count as well, if they do not close.

    >>> _nesting("#a = [affine_map<(d0) -> (d0)>]")
    3
    """
    depth = deepest = 0
    for found in re.finditer(r"->|([\[(<{])|[\])>}]", text):
        if found[0] != "->":
            depth += 1 if found[1] else -1
            deepest = max(deepest, depth)
    return deepest
