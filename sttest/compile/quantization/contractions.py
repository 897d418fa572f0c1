"""Contractions of quantized factors: integer sums, then scales, every operation in its documented order.

- Scales that do not vary along the sum follow it: ``f32(acc) * scale * scale``.
- Weights in groups: one integer sum per group; then per group ``y = y + f32(acc) * scale_w``; then ``* scale_x``.
- A scale that varies along the sum: ``y = y + f32(q * q) * scale``, then the others; unless it was folded into the
  other factor before that became integers, as a value's goes into the softmax weight by default.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, TensorType, UnitAttr, f32, i8, i32
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.ir.names import source_of
from sttest.compile.linalg.iteration import CHUNK_LOOP, IN_TURN, IterationSpace, dims_of, shape_of
from sttest.compile.linalg.support import place_of
from sttest.compile.linalg.tensor_build import Named, Operand, constant, dims_map, element_of, expanded, generic
from sttest.compile.quantization.grouping import (
    QuantizedValue,
    loop_of,
    over_dims,
    reduction_loops,
    summed_dims,
    writer_of,
)
from sttest.compile.quantization.quantizers import (
    as_f32,
    bits_of,
    extended,
    larger_bits,
    one_over_127,
    reciprocal_of,
    rounded,
    rounded_softmax,
    scale_under_bound,
)
from sttest.compile.quantization.softmax_weights import softmax_scores
from sttest.core.errors import InputError


@dataclass(frozen=True)
class Loops:
    """The loops of a contraction as the op has them."""

    count: int
    reductions: frozenset[int]
    out: AffineMap

    @staticmethod
    def of(op: GenericOp) -> "Loops":
        """Reads them from the op."""
        return Loops(len(op.iterator_types), reduction_loops(op), op.indexing_maps.data[-1].data)

    def of_result(self, access: AffineMap) -> AffineMap:
        """An access to a scale, over the loops of the result's dims instead."""
        return over_dims(access, self.out)


@dataclass(frozen=True)
class Factor:
    """A quantized factor and how the contraction's loops index its values."""

    seen: QuantizedValue
    access: AffineMap

    @property
    def scale(self) -> Operand | None:
        """The scale and how the loops index it; None for a constant."""
        if self.seen.scale is None:
            return None
        if not self.seen.dims:
            zeros = (AffineExpr.constant(0),) * len(shape_of(self.seen.scale))
            return self.seen.scale, AffineMap(self.access.num_dims, 0, zeros)
        results = tuple(self.access.results[dim] for dim in self.seen.dims)
        return self.seen.scale, AffineMap(self.access.num_dims, 0, results)

    @property
    def is_integer(self) -> bool:
        """Whether the values are integers, under a scale or the constant 1 / 127."""
        return isinstance(element_of(self.seen.values), IntegerType)

    def varies_along_sum(self, op: GenericOp) -> bool:
        """Whether the contraction ``op`` adds up products under different scales of this factor."""
        return self.scale is not None and bool(reduction_loops(op) & set(dims_of(self.scale[1])))


def contract(op: GenericOp, left: Factor, right: Factor) -> SSAValue:
    """What replaces ``op``; its factors have scales along dims that are not summed, or one of them along some that are.

    Raises:
        InputError: both scales vary along the sum.
    """
    loops, source = Loops.of(op), source_of(op)
    scales = [factor.scale for factor in (left, right)]
    varying = [factor.scale for factor in (left, right) if factor.scale and factor.varies_along_sum(op)]
    if len(varying) > 1:
        raise InputError(
            "two-varying-scales",
            "the scales of both factors vary along the sum",
            where=place_of(op),
            hints=["compile with precision fp32"],
        )
    if not varying:
        _refuse_wrapping(op, (left, right), _terms(op))
    kind = TensorType(f32 if varying else i32, shape_of(op.results[0]))
    values = [(factor.seen.values, factor.access) for factor in (left, right)]
    body = _sum_scaled if varying else _sum_integers
    total = _marked(generic([*values, *varying], (kind, loops.out), body, Named(source), loops.reductions), op)
    after = [(scale[0], loops.of_result(scale[1])) for scale in scales if scale and scale not in varying]
    constants = [None] * sum(scale is None for scale in scales)
    return _rescaled(total, [*after, *constants], source)


def contract_folded(products: Sequence[tuple[GenericOp, Factor, Factor]], weights: Factor) -> SSAValue:
    """What replaces contractions whose results are added: integers are summed over all of them, then rescaled.

    Args:
        products: each with its factors, of which one has its scales in the other one's integers already.
        weights: the one of the first product that has scales of its own.
    """
    op = products[0][0]
    assert weights.scale is not None
    _refuse_wrapping(op, products[0][1:], sum(_terms(each) for each, *_ in products))
    totals = [_integer_sums(*product) for product in products]
    scale = weights.scale[0], Loops.of(op).of_result(weights.scale[1])
    return _rescaled(_added(totals, source_of(op)), [scale], source_of(op))


def _integer_sums(op: GenericOp, left: Factor, right: Factor) -> SSAValue:
    loops, kind = Loops.of(op), TensorType(i32, shape_of(op.results[0]))
    values = [(factor.seen.values, factor.access) for factor in (left, right)]
    return _marked(generic(values, (kind, loops.out), _sum_integers, Named(source_of(op)), loops.reductions), op)


def _marked(value: SSAValue, op: GenericOp) -> SSAValue:
    """The result of an op with the loops of ``op``: what is marked there is marked here."""
    assert isinstance(value.owner, GenericOp)
    if CHUNK_LOOP in op.attributes:
        value.owner.attributes[CHUNK_LOOP] = op.attributes[CHUNK_LOOP]
    return value


def _added(totals: Sequence[SSAValue], source: str) -> SSAValue:
    """Integer sums element by element; of one tensor itself."""
    if len(totals) == 1:
        return totals[0]
    rank = len(shape_of(totals[0]))
    loops = dims_map(rank, range(rank))
    return generic(
        [(total, loops) for total in totals],
        (TensorType(i32, shape_of(totals[0])), loops),
        lambda *scalars: reduce(lambda left, right: arith.AddiOp(left, right).result, scalars[:-1]),
        Named(source, "joined"),
    )


def contract_weight(op: GenericOp, x: Factor, weight: Factor, group: int) -> SSAValue:
    """What replaces a product of activations ``x`` with a weight of scales [groups, outputs], or without scales.

    Either of them may be in floating point; then its sums are.

    Args:
        op: the product.
        x, weight: the weight's ``dims`` are its dims of inputs and of outputs.
        group: rows that share a scale.
    """
    loops, source = Loops.of(op), source_of(op)
    sums_integers = x.is_integer and weight.is_integer
    body, acc = (_sum_integers, i32) if sums_integers else (_sum_floats, f32)
    # Softmax weights have the constant 1 / 127.
    token = None if x.scale is None else (x.scale[0], loops.of_result(x.scale[1]))
    x_scales = [token] if x.is_integer else []
    if not weight.is_integer:
        values = [(factor.seen.values, factor.access) for factor in (x, weight)]
        kind = TensorType(acc, shape_of(op.results[0]))
        total = generic(values, (kind, loops.out), body, Named(source), loops.reductions)
        return _rescaled(total, x_scales, source) if x_scales else total
    rows, column = weight.seen.dims
    k, n = loop_of(weight.access.results[rows]), loop_of(weight.access.results[column])
    scale = weight.seen.scale
    assert scale is not None
    assert k is not None
    assert n is not None
    groups = shape_of(weight.seen.values)[rows] // group
    if sums_integers:
        _refuse_wrapping(op, (x, weight), group)
    place = dims_of(loops.out).index(n)
    rank = len(loops.out.results)
    if groups == 1:
        values = [(factor.seen.values, factor.access) for factor in (x, weight)]
        kind = TensorType(acc, shape_of(op.results[0]))
        total = generic(values, (kind, loops.out), body, Named(source), loops.reductions)
        only = AffineMap(rank, 0, (AffineExpr.constant(0), AffineExpr.dimension(place)))
        return _rescaled(total, [(scale, only), *x_scales], source)
    values = [_in_groups(factor, k, loops.count, groups) for factor in (x, weight)]
    out = AffineMap(loops.count + 1, 0, (*loops.out.results, AffineExpr.dimension(loops.count)))
    kind = TensorType(acc, [*shape_of(op.results[0]), groups])
    sums = generic(values, (kind, out), body, Named(source), loops.reductions)
    total = generic(
        [(sums, dims_map(rank + 1, range(rank + 1))), (scale, dims_map(rank + 1, [rank, place]))],
        (TensorType(f32, shape_of(op.results[0])), dims_map(rank + 1, range(rank))),
        lambda acc, scale, y: arith.AddfOp(y, arith.MulfOp(as_f32(acc), as_f32(scale))).result,
        Named(source, "groups"),
        {rank},
    )
    assert isinstance(total.owner, GenericOp)
    total.owner.attributes[IN_TURN] = UnitAttr()
    return _rescaled(total, x_scales, source) if x_scales else total


def _terms(op: GenericOp) -> int:
    """Products that a contraction adds up for each result."""
    space = IterationSpace(op)
    return prod(space.extent(loop) for loop in space.reductions())


def _refuse_wrapping(op: GenericOp, factors: Sequence[Factor], terms: int) -> None:
    """
    Raises:
        InputError: the largest products would not fit the accumulator.
    """
    types = [element_of(each.seen.values) for each in factors]
    largest = prod((1 << each.width.data - 1) - 1 for each in types if isinstance(each, IntegerType))
    if terms * largest >= 1 << 31:
        raise InputError(
            "sum-too-long",
            "a sum of products of integers exceeds 32 bits",
            where=place_of(op),
            demand=terms,
            bound=((1 << 31) - 1) // largest,
            unit="products",
            hints=["take a scheme with groups of rows", "split the sum in two", "compile with precision fp32"],
        )


def sum_softmax(ops: Sequence[GenericOp]) -> SSAValue:
    """What replaces a sum of softmax weights, or several that are added: ``f32(sum of q) * f32(1 / 127)``."""
    source = source_of(ops[0])
    return _rescaled(_added([_rounded_sum(op) for op in ops], source), [None], source)


def _rounded_sum(op: GenericOp) -> SSAValue:
    loops = Loops.of(op)
    return generic(
        [(op.inputs[0], op.indexing_maps.data[0].data)],
        (TensorType(i32, shape_of(op.results[0])), loops.out),
        lambda x, acc: arith.AddiOp(extended(rounded_softmax(x)), acc).result,
        Named(source_of(op), "denominator"),
        loops.reductions,
    )


def _sum_integers(left: SSAValue, right: SSAValue, acc: SSAValue) -> SSAValue:
    return arith.AddiOp(arith.MuliOp(extended(left), extended(right)), acc).result


def _sum_floats(left: SSAValue, right: SSAValue, acc: SSAValue) -> SSAValue:
    return arith.AddfOp(acc, arith.MulfOp(as_f32(left), as_f32(right))).result


def _sum_scaled(left: SSAValue, right: SSAValue, scale: SSAValue, acc: SSAValue) -> SSAValue:
    product = as_f32(arith.MuliOp(extended(left), extended(right)).result)
    return arith.AddfOp(acc, arith.MulfOp(product, as_f32(scale))).result


def _rescaled(total: SSAValue, scales: Sequence[Operand | None], source: str) -> SSAValue:
    """``f32(total) * scale * …`` from the left; None is the constant 1 / 127."""
    rank = len(shape_of(total))
    loops = dims_map(rank, range(rank))

    def body(acc: SSAValue, *given: SSAValue) -> SSAValue:
        rest = iter(given)
        y = as_f32(acc)
        for scale in scales:
            y = arith.MulfOp(y, one_over_127() if scale is None else as_f32(next(rest))).result
        return y

    inputs = [(total, loops), *(scale for scale in scales if scale is not None)]
    return generic(inputs, (TensorType(f32, shape_of(total)), loops), body, Named(source, "rescale"))


def _in_groups(factor: Factor, k: int, group_loop: int, groups: int) -> Operand:
    """The factor with its dim of inputs cut into groups, indexed by a new loop and, inside of a group, by ``k``."""
    shape = shape_of(factor.seen.values)
    reassociation: list[list[int]] = []
    sizes: list[int] = []
    results: list[AffineExpr] = []
    for dim, expr in enumerate(factor.access.results):
        first = len(sizes)
        if isinstance(expr, AffineDimExpr) and expr.position == k:
            sizes += [groups, shape[dim] // groups]
            results += [AffineExpr.dimension(group_loop), expr]
        else:
            sizes.append(shape[dim])
            results.append(expr)
        reassociation.append(list(range(first, len(sizes))))
    return expanded(factor.seen.values, reassociation, sizes), AffineMap(group_loop + 1, 0, tuple(results))


# --- A value's scale, which varies along the sum over positions, goes into the softmax weight that it meets


# As in the golden: a score under this is one that the mask hides.
_LEAST_SEEN = -(2.0**126)


@dataclass(frozen=True)
class Fold:
    """A contraction of softmax weights with values."""

    op: GenericOp  # the contraction
    number: int  # number of its factor that is the weights, in [0, 1]
    values: Factor  # the other factor; its scales vary along the sum

    @property
    def weights(self) -> SSAValue:
        """The softmax weights."""
        return self.op.inputs[self.number]

    @property
    def access(self) -> AffineMap:
        """The map by which the contraction's loops index the weights."""
        return self.op.indexing_maps.data[self.number].data

    @property
    def scale(self) -> Operand:
        """The scales of the values over the dims of the weights."""
        assert self.values.scale is not None
        return self.values.scale[0], over_dims(self.values.scale[1], self.access)

    @property
    def kept(self) -> tuple[int, ...]:
        """The dims of the weights that are not summed."""
        summed = summed_dims(self.op, self.access)
        return tuple(dim for dim in range(len(shape_of(self.weights))) if dim not in summed)

    def factors(self, weights: Factor) -> tuple[Factor, Factor]:
        """The quantized weights and the values, in the order of the contraction."""
        return (weights, self.values) if self.number == 0 else (self.values, weights)


def quantize_folded(folds: Sequence[Fold]) -> list[Factor]:
    """Softmax weights as the integers that contractions sum, the scales of the values folded in.

    Contractions whose sums are added have rows of one scale.
    """
    source = source_of(folds[0].op)
    bound = _largest_of([_largest_seen(fold) for fold in folds], source)
    scales = scale_under_bound(bound, source)
    reciprocals = reciprocal_of(scales, source)
    return [_quantized(fold, scales, reciprocals) for fold in folds]


def _quantized(fold: Fold, scales: SSAValue, reciprocals: SSAValue) -> Factor:
    rank = len(shape_of(fold.weights))
    loops = dims_map(rank, range(rank))
    integers = generic(
        [(fold.weights, loops), fold.scale, (reciprocals, dims_map(rank, fold.kept))],
        (TensorType(i8, shape_of(fold.weights)), loops),
        lambda p, scale_v, reciprocal, _: rounded(_product(_product(p, as_f32(scale_v)), reciprocal)),
        Named(writer_of(fold.weights), "quantize"),
    )
    return Factor(QuantizedValue(integers, scales, fold.kept), fold.access)


def _largest_seen(fold: Fold) -> SSAValue:
    """The largest of the scales that a row of weights meets, hidden positions left out, as bits: of the dims kept."""
    scores = softmax_scores(fold.weights)
    assert scores is not None
    sizes = shape_of(fold.weights)
    rank = len(sizes)
    return generic(
        [scores, fold.scale],
        (TensorType(i32, [sizes[dim] for dim in fold.kept]), dims_map(rank, fold.kept)),
        lambda score, scale_v, peak: larger_bits(bits_of(_seen(score, as_f32(scale_v))), peak),
        Named(source_of(fold.op), "peak"),
        set(range(rank)) - set(fold.kept),
    )


def _largest_of(bounds: Sequence[SSAValue], source: str) -> SSAValue:
    if len(bounds) == 1:
        return bounds[0]
    rank = len(shape_of(bounds[0]))
    loops = dims_map(rank, range(rank))
    return generic(
        [(bound, loops) for bound in bounds],
        (TensorType(i32, shape_of(bounds[0])), loops),
        lambda *scalars: reduce(larger_bits, scalars[:-1]),
        Named(source, "joint_peak"),
    )


def _seen(score: SSAValue, scale: SSAValue) -> SSAValue:
    hidden = arith.CmpfOp(score, constant(_LEAST_SEEN), "olt")
    return arith.SelectOp(hidden, constant(0.0), scale).result


def _product(left: SSAValue, right: SSAValue) -> SSAValue:
    return arith.MulfOp(left, right).result


# --- Two sums over softmax weights that one op adds up: positions in two tensors, summed as if they lay in one


@dataclass(frozen=True)
class Meeting:
    """An addition of two results."""

    # first, second: producers of the two streams, in program order
    first: GenericOp
    second: GenericOp
    reader: GenericOp  # the only op that reads either, element by element
    places: tuple[int, int]  # places of the results among its inputs

    def join(self, total: SSAValue) -> GenericOp:
        """Reads ``total`` where the two were added; gives the op that does."""
        kept, dropped = self.places
        body = self.reader.body.clone()
        left, right = body.block.args[kept], body.block.args[dropped]
        addition = _only_addition(left, right)
        assert addition is not None
        addition.result.replace_all_uses_with(left)
        Rewriter.erase_op(addition)
        body.block.erase_arg(right)
        inputs = [total if place == kept else value for place, value in enumerate(self.reader.inputs)]
        maps = list(self.reader.indexing_maps.data)
        del inputs[dropped], maps[dropped]
        kinds = [result.type for result in self.reader.results]
        found = GenericOp(inputs, list(self.reader.outputs), body, maps, self.reader.iterator_types, kinds)
        found.attributes.update(self.reader.attributes)
        Rewriter.insert_op(found, InsertPoint.before(self.reader))
        for old, new in zip(self.reader.results, found.results, strict=True):
            old.replace_all_uses_with(new)
        Rewriter.erase_op(self.reader)
        return found


def meeting_of(op: GenericOp) -> Meeting | None:
    """The op that adds the result of ``op`` to that of another one; None where there is none."""
    reader = _only_reader(op.results[0])
    if reader is None:
        return None
    mine = next(place for place, value in enumerate(reader.inputs) if value is op.results[0])
    for place, value in enumerate(reader.inputs):
        other = value.owner
        if place == mine or not isinstance(other, GenericOp) or _only_reader(value) is not reader:
            continue
        added = _only_addition(reader.body.block.args[mine], reader.body.block.args[place])
        if added is not None and reader.indexing_maps.data[mine] == reader.indexing_maps.data[place]:
            first, second = (op, other) if op.is_before_in_block(other) else (other, op)
            return Meeting(first, second, reader, (mine, place))
    return None


def _only_reader(value: SSAValue) -> GenericOp | None:
    readers = [use.operation for use in value.uses]
    reader = readers[0] if len(readers) == 1 else None
    return reader if isinstance(reader, GenericOp) else None


def _only_addition(left: BlockArgument, right: BlockArgument) -> arith.AddfOp | None:
    """The addition of two scalars that nothing else reads."""
    users: set[Operation] = {use.operation for scalar in (left, right) for use in scalar.uses}
    user = users.pop() if len(users) == 1 else None
    return user if isinstance(user, arith.AddfOp) and {*user.operands} == {left, right} else None
