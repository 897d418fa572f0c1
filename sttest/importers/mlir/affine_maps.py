"""Maps and sets of MLIR's affine dialect, with the numbers of an index: what they give, and how much work that is."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir.affine import AffineBinaryOpExpr, AffineExpr

from sttest.importers.mlir.integers import INDEX_BITS, wrapped

_DEEPEST = 100
"""Operations inside each other, beyond which an expression is not computed."""


def results(of: AffineMapAttr, given: Sequence[int | None]) -> list[int] | None:
    """What a map gives; None where that is not known.

    Args:
        of: the map.
        given: its dims, then its symbols.
    """
    known = [each for each in given if each is not None]
    if len(known) < len(given) or len(known) != of.data.num_dims + of.data.num_symbols:
        return None
    dims, symbols = known[: of.data.num_dims], known[of.data.num_dims :]
    found = [_value(each, dims, symbols) for each in of.data.results]
    whole = [wrapped(each, INDEX_BITS) for each in found if each is not None]
    return whole if whole and len(whole) == len(found) else None


def holds(condition: AffineSetAttr, given: Sequence[int | None]) -> bool | None:
    """Whether numbers are in a set; None where that is not known; arguments as of :func:`results`."""
    known = [each for each in given if each is not None]
    if len(known) < len(given) or len(known) != condition.data.num_dims + condition.data.num_symbols:
        return None
    dims, symbols = known[: condition.data.num_dims], known[condition.data.num_dims :]
    for each in condition.data.constraints:
        left, right = _value(each.lhs, dims, symbols), _value(each.rhs, dims, symbols)
        if left is None or right is None:
            return None
        if not {"==": left == right, "<=": left <= right, ">=": left >= right}[each.kind.value]:
            return False
    return True


def _value(expression: AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> int | None:
    if _size_and_depth(expression)[1] > _DEEPEST:
        return None
    try:
        return expression.eval(dims, symbols)
    except ZeroDivisionError:
        return None


def expressions(of: AffineMapAttr | AffineSetAttr) -> list[AffineExpr]:
    """All of a map or set."""
    if isinstance(of, AffineMapAttr):
        return list(of.data.results)
    return [side for each in of.data.constraints for side in (each.lhs, each.rhs)]


def size(of: AffineMapAttr | AffineSetAttr) -> int:
    """How many operations and numbers it consists of."""
    return sum(_size_and_depth(each)[0] for each in expressions(of))


def _size_and_depth(expression: AffineExpr) -> tuple[int, int]:
    found, deepest, left = 0, 0, [(expression, 1)]
    while left:
        each, depth = left.pop()
        found, deepest = found + 1, max(deepest, depth)
        if isinstance(each, AffineBinaryOpExpr):
            left += [(each.lhs, depth + 1), (each.rhs, depth + 1)]
    return found, deepest
