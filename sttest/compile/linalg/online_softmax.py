"""Writes attention chunk by chunk: weights under a maximum of the chunk, sums that are rescaled as it grows.

With ``m`` the running maximum, ``c`` a chunk's own, and all sums 0 at the start:

    m' = max(m, c);  a = exp(m - m');  b = exp(c - m')
    l' = l * a + b * (sum of the chunk's weights)
    o' = o * a + b * (values mixed by the chunk's weights)

The weights of a chunk lie in [0, 1] with at least one 1, as those of a whole row do.  Under the running maximum, as in
the 1-pass cascade of FuseMax (Nayak et al., arXiv 2406.10491), they are ``exp(scores - m')``: in [0, 1] too, without a
1 where an earlier chunk has the larger score, and ``b`` is 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.ir.names import source_of
from sttest.compile.linalg.contraction import is_contraction
from sttest.compile.linalg.iteration import CHUNK_LOOP, IterationSpace, dims_of, is_view, shape_of
from sttest.compile.linalg.tensor_build import Named, Operand, dims_map, expanded, generic, generics
from sttest.compile.quantization.grouping import reduction_loops, sums_its_input
from sttest.compile.quantization.softmax_weights import softmax_scores
from sttest.core.errors import InputError

# --- Attention in linalg text: the ops between its scores and what it gives out, found by what they compute


@dataclass(frozen=True)
class Attention:
    """A softmax whose exponentials are summed, and mixed with values."""

    scores: SSAValue  # positions are the last dim
    peak: GenericOp  # the maximum along the positions
    # the largest of that and of scores that are not among the positions: of the token itself, of others of its step;
    # None where there are none
    joint: GenericOp | None
    weights: GenericOp  # ``exp(scores - maximum)``
    denominator: GenericOp  # the sum of the weights
    mix: GenericOp  # the contraction of the weights, its first factor, with values


def attention_of(function: func.FuncOp) -> Attention:
    """The softmax of a function over several positions: the only one, or that over the cache where tokens share a step.

    The other one there is over the few tokens of the step, under the same maximum.

    Raises:
        InputError: there is none, there are others, or one whose weights are read otherwise.
    """
    found = [op for op in function.body.block.ops if isinstance(op, GenericOp) and _peak_of(op) is not None]
    if len(found) != 1 and not _are_of_one_step(found):
        raise InputError(
            "attention-form",
            f"{len(found)} softmaxes over positions, one pass is for one",
            where=f"func.func @{function.sym_name.data}",
            hints=["give each a function" if found else "compile a block with attention", "take three-pass"],
        )
    return _attention(found[0])


def _are_of_one_step(found: Sequence[GenericOp]) -> bool:
    return len(found) == 2 and _maximum_of(found[0]) is _maximum_of(found[1])


def _maximum_of(weights: GenericOp) -> SSAValue:
    scores = softmax_scores(weights.results[0])
    assert scores is not None
    return next(value for value in weights.inputs if value is not scores[0])


def _attention(weights: GenericOp) -> Attention:
    scores, peak = softmax_scores(weights.results[0]), _peak_of(weights)
    assert scores is not None
    assert peak is not None
    maximum = _maximum_of(weights).owner
    assert isinstance(maximum, GenericOp)
    readers = [use.operation for use in weights.results[0].uses]
    sums = [op for op in readers if isinstance(op, GenericOp) and sums_its_input(op)]
    mixes = [op for op in readers if isinstance(op, GenericOp) and _mixes(op, weights.results[0])]
    if len(readers) != 2 or len(sums) != 1 or len(mixes) != 1:
        raise InputError(
            "attention-form",
            "softmax weights are read otherwise than by their sum and by one mix",
            where="online-softmax",
            hints=["take three-pass"],
        )
    return Attention(scores[0], peak, None if maximum is peak else maximum, weights, sums[0], mixes[0])


def _peak_of(weights: GenericOp) -> GenericOp | None:
    """The maximum along the last dim of the scores that softmax weights are of; None of an op that gives none."""
    found = softmax_scores(weights.results[0]) if len(weights.results) == 1 else None
    if found is None or dims_of(found[1]) != list(range(len(shape_of(found[0])))):
        return None
    for use in found[0].uses:
        op = use.operation
        if isinstance(op, GenericOp) and len(op.inputs) == 1 and not is_view(op) and _reduces_last(op):
            return op
    return None


def _reduces_last(op: GenericOp) -> bool:
    positions = len(shape_of(op.inputs[0])) - 1
    in_order = dims_of(op.indexing_maps.data[0].data) == list(range(positions + 1))
    return in_order and reduction_loops(op) == {positions}


def _mixes(op: GenericOp, weights: SSAValue) -> bool:
    return op.inputs[0] is weights and is_contraction(op, IterationSpace(op)) and len(reduction_loops(op)) == 1


def rewrite_in_chunks(attention: Attention, chunk: int, *, running: bool = False) -> None:
    """Replaces the ops of an attention by those that go over ``chunk`` positions at a time, which divide them.

    Args:
        attention: the attention whose ops are replaced.
        chunk: positions of a chunk.
        running: whether weights are under the largest score so far, instead of that of their chunk.
    """
    softmax, mix = source_of(attention.weights), source_of(attention.mix)
    with ImplicitBuilder(Builder(InsertPoint.before(attention.peak))):
        scores = _cut(attention.scores, len(shape_of(attention.scores)) - 1, chunk)
        peak = _chunk_peak(scores, softmax)
        maximum, *factors = (_largest_so_far if running else _rescales)(peak, softmax)
        weights = _weights(scores, factors.pop(0) if running else peak, softmax)
        total = _running(_chunk_sum(weights, softmax), factors, softmax)
    with ImplicitBuilder(Builder(InsertPoint.before(attention.mix))):
        mixed = _running(_chunk_mix(attention.mix, weights, chunk), factors, mix)
    if attention.joint is None:
        _read_along(attention.denominator.results[0], maximum)
    else:
        _read_instead(attention.peak.results[0], maximum, attention.weights)
        with ImplicitBuilder(Builder(InsertPoint.after(attention.weights))):
            settled = _exp_difference(maximum, attention.joint.results[0], Named(softmax, "settle"))
            total = _scaled(total, settled, softmax)
        with ImplicitBuilder(Builder(InsertPoint.before(attention.mix))):
            mixed = _scaled(mixed, settled, mix)
    attention.denominator.results[0].replace_all_uses_with(total)
    attention.mix.results[0].replace_all_uses_with(mixed)
    for op in (attention.mix, attention.denominator, attention.weights, attention.peak):
        Rewriter.erase_op(op)


def _read_instead(value: SSAValue, other: SSAValue, unless: GenericOp) -> None:
    """Who reads a value reads another, but for one op."""
    for use in list(value.uses):
        if use.operation is not unless:
            use.operation.operands[use.index] = other


def _read_along(value: SSAValue, ignored: SSAValue) -> None:
    """Lets who reads a value take another of its shape too: nobody needs the last maximum, but streams have readers."""
    (use,) = list(value.uses)
    old = use.operation
    assert isinstance(old, GenericOp)
    inputs, maps = list(old.inputs), list(old.indexing_maps.data)
    body = old.body.clone()
    body.block.insert_arg(f32, len(inputs))
    maps.insert(len(inputs), maps[use.index])
    kinds = [result.type for result in old.results]
    new = GenericOp([*inputs, ignored], list(old.outputs), body, maps, old.iterator_types, kinds)
    new.attributes.update(old.attributes)
    Rewriter.insert_op(new, InsertPoint.before(old))
    for before, after in zip(old.results, new.results, strict=True):
        before.replace_all_uses_with(after)
    Rewriter.erase_op(old)


def _cut(value: SSAValue, dim: int, chunk: int) -> SSAValue:
    """The tensor with its dim of positions as chunks and the positions of a chunk."""
    shape = shape_of(value)
    groups = [[place + (place > dim)] for place in range(len(shape))]
    groups[dim] = [dim, dim + 1]
    return expanded(value, groups, [*shape[:dim], shape[dim] // chunk, chunk, *shape[dim + 1 :]])


def _chunk_peak(scores: SSAValue, source: str) -> SSAValue:
    """[..., chunks, positions] to [..., chunks]."""
    *kept, positions = range(len(shape_of(scores)))
    return generic(
        [(scores, dims_map(positions + 1, range(positions + 1)))],
        (TensorType(f32, shape_of(scores)[:-1]), dims_map(positions + 1, kept)),
        lambda x, peak: arith.MaximumfOp(x, peak).result,
        Named(source, "peak"),
        {positions},
        start=float("-inf"),
    )


def _rescales(peak: SSAValue, source: str) -> list[SSAValue]:
    """The last running maximum [...] of maxima [..., chunks], and the factors of earlier sums and of each chunk."""
    *rows, chunks = range(len(shape_of(peak)))
    every, kept = dims_map(chunks + 1, range(chunks + 1)), dims_map(chunks + 1, rows)
    factor = TensorType(f32, shape_of(peak))

    def body(own: SSAValue, running: SSAValue, *_: SSAValue) -> Sequence[SSAValue]:
        larger = arith.MaximumfOp(running, own).result
        return [larger, _exp(arith.SubfOp(running, larger).result), _exp(arith.SubfOp(own, larger).result)]

    results = [(TensorType(f32, shape_of(peak)[:-1]), kept), (factor, every), (factor, every)]
    return generics([(peak, every)], results, body, Named(source, "rescales"), {chunks}, start=float("-inf"))


def _largest_so_far(peak: SSAValue, source: str) -> list[SSAValue]:
    """The last running maximum [...] of maxima [..., chunks], that of each chunk, and the factors of earlier sums."""
    *rows, chunks = range(len(shape_of(peak)))
    every, kept = dims_map(chunks + 1, range(chunks + 1)), dims_map(chunks + 1, rows)
    each = TensorType(f32, shape_of(peak))

    def body(own: SSAValue, running: SSAValue, *_: SSAValue) -> Sequence[SSAValue]:
        larger = arith.MaximumfOp(running, own).result
        return [larger, larger, _exp(arith.SubfOp(running, larger).result)]

    results = [(TensorType(f32, shape_of(peak)[:-1]), kept), (each, every), (each, every)]
    return generics([(peak, every)], results, body, Named(source, "rescales"), {chunks}, start=float("-inf"))


def _weights(scores: SSAValue, peak: SSAValue, source: str) -> SSAValue:
    rank = len(shape_of(scores))
    loops = dims_map(rank, range(rank))
    return generic(
        [(scores, loops), (peak, dims_map(rank, range(rank - 1)))],
        (TensorType(f32, shape_of(scores)), loops),
        lambda x, peak, _: _exp(arith.SubfOp(x, peak).result),
        Named(source),
    )


def _chunk_sum(weights: SSAValue, source: str) -> SSAValue:
    *kept, positions = range(len(shape_of(weights)))
    return generic(
        [(weights, dims_map(positions + 1, range(positions + 1)))],
        (TensorType(f32, shape_of(weights)[:-1]), dims_map(positions + 1, kept)),
        lambda x, total: arith.AddfOp(x, total).result,
        Named(source, "chunk"),
        {positions},
    )


def _chunk_mix(mix: GenericOp, weights: SSAValue, chunk: int) -> SSAValue:
    """The mix with a parallel loop over chunks right outside of its sum: [..., chunks, columns]."""
    (summed,) = reduction_loops(mix)
    accesses = [attribute.data for attribute in mix.indexing_maps.data]
    along = [_in_chunks(access, summed) for access in accesses]
    places = [_dim_of(access, summed) for access in accesses[:2]]
    values = _cut(mix.inputs[1], places[1], chunk)
    *rows, columns = shape_of(mix.results[0])
    count = shape_of(weights)[-2]
    out = AffineMap(along[2].num_dims, 0, (*along[2].results[:-1], AffineExpr.dimension(summed), along[2].results[-1]))
    mixed = generic(
        [(weights, along[0]), (values, along[1])],
        (TensorType(f32, [*rows, count, columns]), out),
        lambda p, v, total: arith.AddfOp(arith.MulfOp(p, v), total).result,
        Named(source_of(mix)),
        {summed + 1},
    )
    assert isinstance(mixed.owner, GenericOp)
    mixed.owner.attributes[CHUNK_LOOP] = IntegerAttr(summed, i64)
    return mixed


def _in_chunks(access: AffineMap, summed: int) -> AffineMap:
    """An access with loop ``summed`` as two, chunks and positions; who has that loop has both."""
    results: list[AffineExpr] = []
    for expr in access.results:
        assert isinstance(expr, AffineDimExpr)
        if expr.position == summed:
            results.append(AffineExpr.dimension(summed))
        results.append(AffineExpr.dimension(expr.position + (expr.position >= summed)))
    return AffineMap(access.num_dims + 1, 0, tuple(results))


def _dim_of(access: AffineMap, loop: int) -> int:
    return next(dim for dim, expr in enumerate(access.results) if expr == AffineExpr.dimension(loop))


def _running(parts: SSAValue, factors: Sequence[SSAValue], source: str) -> SSAValue:
    """Sums of chunks [..., chunks(, columns)] added up under the running maximum.

    ``factors`` [..., chunks] are those of earlier sums, and of the chunk where it has not the running maximum already.
    """
    rank, rows = len(shape_of(parts)), len(shape_of(factors[0])) - 1
    others = [dim for dim in range(rank) if dim != rows]
    scales: list[Operand] = [(factor, dims_map(rank, range(rows + 1))) for factor in factors]

    def body(part: SSAValue, kept: SSAValue, *more: SSAValue) -> SSAValue:
        *joined, total = more
        own = arith.MulfOp(part, joined[0]).result if joined else part
        return arith.AddfOp(arith.MulfOp(total, kept), own).result

    return generic(
        [(parts, dims_map(rank, range(rank))), *scales],
        (TensorType(f32, [shape_of(parts)[dim] for dim in others]), dims_map(rank, others)),
        body,
        Named(source, "running"),
        {rows},
    )


def _scaled(value: SSAValue, factor: SSAValue, source: str) -> SSAValue:
    rank = len(shape_of(value))
    loops = dims_map(rank, range(rank))
    return generic(
        [(value, loops), (factor, dims_map(rank, range(len(shape_of(factor)))))],
        (TensorType(f32, shape_of(value)), loops),
        lambda x, scale, _: arith.MulfOp(x, scale).result,
        Named(source, "settled"),
    )


def _exp_difference(left: SSAValue, right: SSAValue, named: Named) -> SSAValue:
    rank = len(shape_of(left))
    loops = dims_map(rank, range(rank))
    return generic(
        [(left, loops), (right, loops)],
        (TensorType(f32, shape_of(left)), loops),
        lambda x, y, _: _exp(arith.SubfOp(x, y).result),
        named,
    )


def _exp(x: SSAValue) -> SSAValue:
    return math.ExpOp(x).result
