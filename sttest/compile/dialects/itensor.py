"""`!df.itensor`: a tensor together with the order in which it is streamed.

``itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>`` says
that one token carries a 2x2 tile, that the loops ``d0 = 0,2,4,6`` and
``d1 = 0,2,4,6`` stream the tensor, outermost first, and that the tile of an
iteration lies at offset ``(d0, d1)``.  Equal types mean equal stream order.
(StreamTensor, MICRO 2025, section 3.)
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any, TypeVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, IntAttr
from xdsl.dialects.builtin import FixedBitwidthType as Scalar
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

# --- A property of an attribute that is worked out once: attributes never change, and passes ask for it many times


class remembered(property):  # noqa: N801 - used as the decorator that it refines
    """A read-only property whose value is kept with its attribute (irdl takes no ``cached_property``)."""


class _Kept:
    """What a `remembered` property becomes: the attribute's own entry of that name, once it is there, hides it."""

    def __init__(self, name: str, value_of: Callable[[Any], Any]) -> None:
        self._name, self._value_of = name, value_of
        self.__doc__ = value_of.__doc__

    def __get__(self, attribute: Any, owner: type | None = None) -> Any:
        if attribute is None:
            return self
        value = attribute.__dict__[self._name] = self._value_of(attribute)
        return value


_AttributeT = TypeVar("_AttributeT", bound=type[Attribute])


def remembering(defined: _AttributeT) -> _AttributeT:
    """Makes the remembered properties of a defined attribute cost no more than a field."""
    for name, found in list(vars(defined).items()):
        if isinstance(found, remembered) and found.fget is not None:
            setattr(defined, name, _Kept(name, found.fget))
    return defined


_LINEAR_KINDS = (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)


@remembering
@irdl_attr_definition
class ITensorType(ParametrizedAttribute, TypeAttribute):
    """Iterative tensor type.

    Parameters:
        element: shape of the slice that one token carries, in data elements.
        dtype: type of one data element.
        vector: whether the token is a vector register (``vector<2x4xf32>``).
        trips, steps: trip count and step (in data elements) of each loop, outermost first.
        iter_map: loop values to the offset of the token's slice, one result per data dim.
    """

    name = "df.itensor"

    element: ArrayAttr[IntAttr]
    dtype: Attribute
    vector: BoolAttr
    trips: ArrayAttr[IntAttr]
    steps: ArrayAttr[IntAttr]
    iter_map: AffineMapAttr

    @staticmethod
    def of(
        element: Sequence[int],
        dtype: Attribute,
        trips: Sequence[int],
        steps: Sequence[int],
        iter_map: AffineMap,
        *,
        vector: bool = False,
    ) -> "ITensorType":
        """Builds the type from plain numbers."""
        return _itensor(tuple(element), dtype, tuple(trips), tuple(steps), iter_map, vector)

    @remembered
    def element_shape(self) -> tuple[int, ...]:
        """Shape of one token, in data elements per data dim."""
        return tuple(size.data for size in self.element)

    @remembered
    def trip_counts(self) -> tuple[int, ...]:
        """Trip count of each loop, outermost first."""
        return tuple(trip.data for trip in self.trips)

    @remembered
    def step_sizes(self) -> tuple[int, ...]:
        """Step of each loop in data elements, outermost first."""
        return tuple(step.data for step in self.steps)

    @property
    def map(self) -> AffineMap:
        """Loop values to token offset."""
        return self.iter_map.data

    @property
    def is_vector(self) -> bool:
        """Whether a token is one vector register."""
        return bool(self.vector)

    @remembered
    def tokens(self) -> int:
        """Tokens of one pass over the iteration space."""
        return prod(self.trip_counts)

    @remembered
    def token_elements(self) -> int:
        """Data elements in one token."""
        return prod(self.element_shape)

    @property
    def element_bits(self) -> int:
        """Bits of one data element."""
        if not isinstance(self.dtype, Scalar):
            raise VerifyException(f"itensor of {self.dtype}: the data type has no bit width")
        return self.dtype.bitwidth

    @remembered
    def token_bits(self) -> int:
        """Bits of one token."""
        return self.token_elements * self.element_bits

    @remembered
    def origin(self) -> tuple[int, ...]:
        """Offset of the first token, per data dim."""
        return self.map.eval((0,) * self.map.num_dims, ())

    @remembered
    def strides(self) -> tuple[tuple[int, ...], ...]:
        """Per loop how far an iteration moves, per data dim."""
        return tuple(
            tuple(row[position] * step for row in self.coefficients) for position, step in enumerate(self.step_sizes)
        )

    @remembered
    def coefficients(self) -> tuple[tuple[int, ...], ...]:
        """Per data dim, the coefficient of every loop in its offset."""
        zero = self.origin
        units = [_unit(self.map.num_dims, dim) for dim in range(self.map.num_dims)]
        values = [self.map.eval(unit, ()) for unit in units]
        return tuple(tuple(value[dim] - zero[dim] for value in values) for dim in range(len(self.map.results)))

    @remembered
    def full_shape(self) -> tuple[int, ...]:
        """Shape of the tensor that the stream covers: per data dim, the highest offset plus the token's extent."""
        zero = self.origin
        return tuple(
            zero[dim]
            + size
            + sum(
                max(0, factor) * (trip - 1) * step
                for factor, trip, step in zip(self.coefficients[dim], self.trip_counts, self.step_sizes, strict=True)
            )
            for dim, size in enumerate(self.element_shape)
        )

    def offsets(self) -> Iterator[tuple[int, ...]]:
        """Offsets of all tokens in stream order, one coordinate per data dim."""
        ranges = (range(0, trip * step, step) for trip, step in zip(self.trip_counts, self.step_sizes, strict=True))
        return (self.map.eval(point, ()) for point in itertools.product(*ranges))

    def with_dtype(self, dtype: Attribute) -> "ITensorType":
        """The same stream order over elements of another type."""
        return ITensorType(self.element, dtype, self.vector, self.trips, self.steps, self.iter_map)

    def verify(self) -> None:
        """Refuses what streamtensor.md section 1 forbids, naming the rule."""
        rank, loops = len(self.element), len(self.trips)
        if self.map.num_symbols:
            raise VerifyException("itensor: the iteration map must not have symbols")
        if not loops == len(self.steps) == self.map.num_dims:
            raise VerifyException(
                f"itensor: {loops} trip counts, {len(self.steps)} steps and {self.map.num_dims} map dims must be equal"
            )
        if rank != len(self.map.results):
            raise VerifyException(f"itensor: element rank {rank} must equal the {len(self.map.results)} map results")
        if any(size < 1 for size in (*self.element_shape, *self.trip_counts, *self.step_sizes)):
            raise VerifyException("itensor: element sizes, trip counts and steps must be static and at least 1")
        if not all(_is_linear(expr) for expr in self.map.results):
            raise VerifyException("itensor: the iteration map must be linear in the loops")
        if not isinstance(self.dtype, Scalar):
            raise VerifyException(f"itensor: the data type {self.dtype} has no fixed bit width")

    def print_parameters(self, printer: Printer) -> None:
        """Prints in the paper's syntax."""
        shape = "".join(f"{size}x" for size in self.element_shape)
        with printer.in_angle_brackets():
            printer.print_string(f"vector<{shape}" if self.is_vector else shape)
            printer.print_attribute(self.dtype)
            printer.print_string(">" if self.is_vector else "")
            printer.print_string(f", iter_space: {_bracketed(self.trip_counts)}*{_bracketed(self.step_sizes)}")
            printer.print_string(f", iter_map: {_map_text(self.map)}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parses the paper's syntax; errors carry the source span."""
        start = parser.pos
        with parser.in_angle_brackets():
            vector = parser.parse_optional_keyword("vector") is not None
            if vector:
                parser.parse_punctuation("<")
            shape, dtype = parser.parse_ranked_shape()
            if vector:
                parser.parse_punctuation(">")
            parser.parse_punctuation(",")
            trips, steps = _parse_space(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("iter_map")
            parser.parse_punctuation(":")
            iter_map = parser.parse_affine_map()
        try:
            return cls.of(shape, dtype, trips, steps, iter_map, vector=vector).parameters
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)


def _parse_space(parser: AttrParser) -> tuple[list[int], list[int]]:
    parser.parse_keyword("iter_space")
    parser.parse_punctuation(":")
    trips = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    parser.parse_characters("*")
    steps = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return trips, steps


@lru_cache(maxsize=1 << 12)
def _itensor(
    element: tuple[int, ...],
    dtype: Attribute,
    trips: tuple[int, ...],
    steps: tuple[int, ...],
    iter_map: AffineMap,
    vector: bool,
) -> ITensorType:
    """One type for equal numbers: the designs of a search have most in common, and what is remembered of them."""
    return ITensorType(
        int_array(element),
        dtype,
        BoolAttr.from_bool(vector),
        int_array(trips),
        int_array(steps),
        AffineMapAttr(iter_map),
    )


@lru_cache(maxsize=1 << 12)
def int_array(values: tuple[int, ...]) -> ArrayAttr[IntAttr]:
    """Numbers as an attribute: the same few shapes come again and again."""
    return ArrayAttr([IntAttr(value) for value in values])


def _bracketed(values: Sequence[int]) -> str:
    return f"[{','.join(map(str, values))}]"


def _unit(size: int, position: int) -> tuple[int, ...]:
    return tuple(int(index == position) for index in range(size))


def _map_text(iter_map: AffineMap) -> str:
    dims = ",".join(f"d{dim}" for dim in range(iter_map.num_dims))
    return f"({dims})->({','.join(str(expr) for expr in iter_map.results)})"


def _is_constant(expr: AffineExpr) -> bool:
    return isinstance(expr, AffineConstantExpr)


def _is_linear(expr: AffineExpr) -> bool:
    if isinstance(expr, AffineBinaryOpExpr):
        if expr.kind is AffineBinaryOpKind.Mul and not any(_is_constant(side) for side in (expr.lhs, expr.rhs)):
            return False
        return expr.kind in _LINEAR_KINDS and _is_linear(expr.lhs) and _is_linear(expr.rhs)
    return isinstance(expr, AffineDimExpr | AffineConstantExpr)
