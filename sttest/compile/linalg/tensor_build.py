"""Builds linalg ops: generics with a payload written in Python, fills and reshapes.

Everything is inserted where the current ``ImplicitBuilder`` stands.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.linalg.iteration import shape_of

Operand = tuple[SSAValue, AffineMap]
Body = Callable[..., SSAValue]
"""Scalars in, one per operand and one for the result; the value to yield out."""


@dataclass(frozen=True)
class Named:
    """What a kernel will be called: the module that it serves and its step there (``attn.q_proj``, ``rescale``)."""

    source: str
    step: str = ""

    def attributes(self) -> dict[str, Attribute]:
        """The attributes, as `names.py` reads them."""
        found: dict[str, Attribute] = {"sttest.source": StringAttr(self.source)} if self.source else {}
        return found | ({"sttest.step": StringAttr(self.step)} if self.step else {})


def element_of(value: SSAValue) -> Attribute:
    """Element type of a tensor value."""
    shape_of(value)
    assert isinstance(value.type, TensorType)
    return value.type.get_element_type()


def dims_map(rank: int, dims: Sequence[int]) -> AffineMap:
    """The map from ``rank`` loops to some of them."""
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(dim) for dim in dims))


def constant(value: float, dtype: Attribute = f32) -> SSAValue:
    """A scalar of an integer or a floating-point type."""
    if isinstance(dtype, IntegerType):
        return arith.ConstantOp(IntegerAttr(int(value), dtype)).result
    return arith.ConstantOp(FloatAttr(value, f32)).result


def generic(
    inputs: Sequence[Operand],
    result: tuple[TensorType, AffineMap],
    body: Body,
    named: Named,
    reductions: Collection[int] = (),
    start: float = 0,
) -> SSAValue:
    """A loop nest over its operands with one result.

    Args:
        inputs: tensors and how the loops index them.
        result: its type and how the loops index it.
        body: given the scalars of the inputs and of the result.
        named: goes onto the op.
        reductions: the loops that reduce.
        start: initial value of a reduction.
    """
    return generics(inputs, [result], lambda *scalars: [body(*scalars)], named, reductions, start)[0]


def generics(
    inputs: Sequence[Operand],
    results: Sequence[tuple[TensorType, AffineMap]],
    body: Callable[..., Sequence[SSAValue]],
    named: Named,
    reductions: Collection[int] = (),
    start: float = 0,
) -> list[SSAValue]:
    """A loop nest with several results, of which the first is the running value of a reduction; see :func:`generic`."""
    kinds, accesses = [kind for kind, _ in results], [access for _, access in results]
    destinations: list[SSAValue] = [tensor.EmptyOp([], kind).tensor for kind in kinds]
    if reductions:
        first = constant(start, kinds[0].get_element_type())
        destinations[0] = FillOp([first], [destinations[0]], [kinds[0]]).results[0]
    scalars = [*(element_of(value) for value, _ in inputs), *(kind.get_element_type() for kind in kinds)]
    block = Block(arg_types=scalars)
    with ImplicitBuilder(block):
        YieldOp(*body(*block.args))
    loops = (
        IteratorTypeAttr.reduction() if loop in reductions else IteratorTypeAttr.parallel()
        for loop in range(accesses[0].num_dims)
    )
    maps = [AffineMapAttr(each) for each in (*(each for _, each in inputs), *accesses)]
    op = GenericOp([value for value, _ in inputs], destinations, Region(block), maps, list(loops), kinds)
    op.attributes.update(named.attributes())
    return list(op.results)


def reassociated(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Groups of dims as reshapes carry them."""
    return ArrayAttr([ArrayAttr([IntegerAttr(dim, i64) for dim in group]) for group in groups])


def expanded(value: SSAValue, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> SSAValue:
    """Dim d becomes the dims of ``groups[d]``."""
    kind = TensorType(element_of(value), list(shape))
    return tensor.ExpandShapeOp(value, [], reassociated(groups), list(shape), kind).result


def collapsed(value: SSAValue, groups: Sequence[Sequence[int]]) -> SSAValue:
    """The dims of ``groups[d]`` become dim d."""
    sizes = shape_of(value)
    shape = []
    for group in groups:
        size = 1
        for dim in group:
            size *= sizes[dim]
        shape.append(size)
    kind = TensorType(element_of(value), shape)
    op = tensor.CollapseShapeOp.build(
        operands=[value], result_types=[kind], properties={"reassociation": reassociated(groups)}
    )
    return op.result
