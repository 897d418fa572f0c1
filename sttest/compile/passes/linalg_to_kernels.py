"""`linalg-to-kernels`: every computing linalg op becomes a `df.kernel` of one tiled task.

The itensor type of each port follows from the tile loops (streamtensor.md
section 1.1); transposes, broadcasts and reshapes dissolve into these types.  A
concatenation becomes a kernel of one `df.concat`; what it reads through a view
is copied first, for its tokens pass as they are.  So is what a reshape merges
and another cuts elsewhere, since no loop walks both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import resized
from sttest.compile.ir.module_walk import functions, require_positive
from sttest.compile.ir.names import NameTable, hint, source_of
from sttest.compile.linalg.contraction import is_contraction, pairs_loops, row_loop, token_rows
from sttest.compile.linalg.iteration import IterationSpace, is_view, shape_of, source_of_view
from sttest.compile.linalg.loop_choices import LoopChoices, gemv_nest, vector_tile
from sttest.compile.linalg.loop_nest import LoopNest, plan_concat, plan_nest, refuse_oversized_tile
from sttest.compile.linalg.support import place_of, place_of_function, refuse_unsupported
from sttest.compile.linalg.tensor_build import Named, dims_map, generic
from sttest.compile.options import DEFAULT_TILE
from sttest.compile.schedule.reductions import can_be_pairwise
from sttest.compile.spaces.gemv_tiling import require_power_of_two
from sttest.core.errors import InputError


@dataclass(frozen=True)
class LinalgToKernels(ModulePass):
    """Tiles with one default size and streams every operand in the order of the tile loops.

    ``gemv_lanes`` gives products of few rows with a weight the tile of an engine of so many lanes, 0 the default one;
    ``tiles`` and ``orders`` choose both for single tasks (:mod:`sttest.compile.linalg.loop_choices`).
    """

    name = "linalg-to-kernels"

    tile_size: int = DEFAULT_TILE
    tiles: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    gemv_lanes: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites all functions of the module in place.

        Raises:
            InputError: the text holds something that cannot be streamed.
        """
        require_positive(self.name, tile_size=self.tile_size)
        refuse_unsupported(op)
        if self.gemv_lanes:
            require_power_of_two(self.gemv_lanes)
        choices = LoopChoices(self.tiles, self.orders)
        for function in functions(op):
            _Rewriter(self.tile_size, choices, self.gemv_lanes).rewrite(function)
            _erase_unread(function.body.block)
            _refuse_idle(function)
        choices.refuse_unused()


def loop_extents(module: ModuleOp, tile_size: int, gemv_lanes: int) -> dict[str, tuple[int, ...]]:
    """Extents of the loops of every task that the pass would make of a module, which stays as it is.

    Raises:
        InputError: the text holds something that cannot be streamed.
    """
    choices = LoopChoices((), ())
    for function in functions(module.clone()):
        _Rewriter(tile_size, choices, gemv_lanes).rewrite(function)
    return choices.extents


def _refuse_idle(function: func.FuncOp) -> None:
    if not any(isinstance(op, df.KernelOp) for op in function.body.block.ops):
        raise InputError(
            "not-computed",
            "nothing is computed: the results are constants, or inputs in another order",
            where=place_of_function(function),
            hints=["give layers that compute"],
        )


def _erase_unread(block: Block) -> None:
    """Destinations, constants and views that only dissolved ops used."""
    for op in reversed(list(block.ops)):
        unread = [result for result in op.results if not result.uses.get_length()]
        if op.results and len(unread) == len(op.results):
            Rewriter.erase_op(op)
        elif unread and isinstance(op, df.KernelOp):
            raise InputError(
                "unread-result",
                f"{len(unread)} of {len(op.results)} results are never read",
                where=op.sym_name.data,
                hints=["drop the result from the op"],
            )


@dataclass
class _Rewriter:
    tile_size: int
    choices: LoopChoices
    gemv_lanes: int = 0
    rows: int = 1
    names: NameTable = field(default_factory=NameTable)
    streamed: dict[SSAValue, df.ITensorType] = field(default_factory=dict)
    reordered: set[SSAValue] = field(default_factory=set)
    copies: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def rewrite(self, function: func.FuncOp) -> None:
        self.names.read_arguments(function)
        rows = token_rows(function)
        self.rows = rows if self.gemv_lanes or rows <= self.tile_size else 1
        for op in list(function.body.block.ops):
            if isinstance(op, linalg.GenericOp) and not is_view(op):
                self._compute(op)
            elif isinstance(op, tensor.ConcatOp):
                self._concatenate(op)

    def _compute(self, op: linalg.GenericOp) -> df.KernelOp:
        space = IterationSpace(op)
        for access in space.inputs:
            access.root = self._stored(access.root, op)
        contracts = bool(space.reductions()) and is_contraction(op, space)
        name, origin = self.names.of(op, [access.root for access in space.inputs])
        nest = self.choices.applied(self._planned(space, name, contracts=contracts), name)
        kernel = self._replace(op, _kernel(op, nest, name, origin, contracts=contracts))
        self.reordered |= set(kernel.outputs) if nest.reordered else set()
        return kernel

    def _planned(self, space: IterationSpace, name: str, *, contracts: bool) -> LoopNest:
        tile_size, whole = self.tile_size, row_loop(space, self.rows)
        if self.gemv_lanes:
            engine = gemv_nest(space, self.gemv_lanes) if contracts and pairs_loops(space) else None
            if engine is not None:
                return engine
            tile_size = vector_tile(space, self.gemv_lanes, whole) or tile_size
        if contracts and tile_size > DEFAULT_TILE and not self.choices.tiles_of(name):
            refuse_oversized_tile(space, tile_size, name)
        return plan_nest(space, self.streamed, tile_size, contracts=contracts, reordered=self.reordered, whole=whole)

    def _concatenate(self, op: tensor.ConcatOp) -> None:
        if len(op.inputs) == 1:
            op.result.replace_all_uses_with(op.inputs[0])
            Rewriter.erase_op(op)
            return
        parts = [self._stored(value, op) for value in op.inputs]
        producers = [self.streamed.get(part) for part in parts]
        shapes, dim = [shape_of(part) for part in parts], op.dim.value.data
        whole = plan_concat(shapes, dim, _dtype(op.result), producers, self.tile_size)
        op.attributes.setdefault("sttest.step", StringAttr("concat"))
        self._replace(op, _concat_kernel(op, parts, whole, *self.names.of(op, parts)))

    def _stored(self, value: SSAValue, reader: Operation) -> SSAValue:
        """The value if something computes or passes it, else a copy of what the view shows."""
        if source_of_view(value) is None:
            return value
        if value not in self.copies:
            with ImplicitBuilder(Builder(InsertPoint.before(reader))):
                copy = _copy(value, Named(source_of(reader), "copy"))
            self.copies[value] = self._compute(copy).outputs[0]
        return self.copies[value]

    def _replace(self, op: linalg.GenericOp | tensor.ConcatOp, kernel: df.KernelOp) -> df.KernelOp:
        Rewriter.insert_op(kernel, InsertPoint.before(op))
        for old, new, stream in zip(op.results, kernel.outputs, kernel.terminator.arguments, strict=True):
            old.replace_all_uses_with(new)
            new.name_hint = hint(kernel.sym_name.data)
            self.streamed[new] = df.itensor_of(stream)
        Rewriter.erase_op(op)
        return kernel


def _kernel(op: linalg.GenericOp, nest: LoopNest, name: str, origin: str, *, contracts: bool) -> df.KernelOp:
    space = nest.space
    roots = [access.root for access in space.inputs]
    inputs = [nest.input_type(access, _dtype(access.root)) for access in space.inputs]
    outputs = [nest.output_type(access, _dtype(access.root)) for access in space.outputs]
    inside = Block(arg_types=inputs)
    payload = op.body.clone()
    _end_in_df_yield(payload.block)
    task = df.TaskOp(
        operands=[inside.args, []],
        result_types=[outputs],
        regions=[payload],
        properties={
            "sym_name": StringAttr(name),
            "trips": df.IntListAttr.of(nest.trips),
            "tile": df.IntListAttr.of(nest.tile_sizes),
            "iterators": StringAttr(",".join(nest.kinds)),
            "origin": StringAttr(origin),
            "accesses": ArrayAttr(
                AffineMapAttr(nest.element_map(access)) for access in (*space.inputs, *space.outputs)
            ),
            **_kind(op, contracts=contracts),
        },
    )
    # A sum that few terms come to in turn, as of groups under scales, stays a chain: its adders are one per lane.
    if (contracts or len(task.sources) == 1 or _sums_products_of_three(op)) and can_be_pairwise(task):
        task.properties["pairwise"] = UnitAttr()
    inside.add_ops([task, df.YieldOp(task.streams)])
    return df.KernelOp(name, roots, [result.type for result in op.results], Region(inside))


def _sums_products_of_three(op: linalg.GenericOp) -> bool:
    """Whether the body is ``accumulator + a * b * c`` of three inputs in binary32, as what is read of a state."""
    factors: list[SSAValue] = []
    total = op.body.block.last_op.operands[0].owner if op.body.block.last_op is not None else None
    if not isinstance(total, arith.AddfOp):
        return False
    waiting = [each for each in total.operands if each is not op.body.block.args[len(op.inputs)]]
    while waiting:
        term = waiting.pop()
        if isinstance(term.owner, arith.MulfOp):
            waiting += term.owner.operands
        else:
            factors.append(term)
    return len(factors) == len(op.inputs) == 3 and {*factors} == {*op.body.block.args[:3]}


def _copy(value: SSAValue, named: Named) -> linalg.GenericOp:
    shape = shape_of(value)
    same = dims_map(len(shape), range(len(shape)))
    copy = generic([(value, same)], (TensorType(_dtype(value), shape), same), lambda element, _: element, named)
    assert isinstance(copy.owner, linalg.GenericOp)
    return copy.owner


def _concat_kernel(
    op: tensor.ConcatOp, parts: Sequence[SSAValue], whole: df.ITensorType, name: str, origin: str
) -> df.KernelOp:
    dim = op.dim.value.data
    orders = [resized(whole, dim, shape_of(part)[dim]) for part in parts]
    inside = Block(arg_types=[order for order in orders if order is not None])
    concat = df.ConcatOp(
        operands=[inside.args, []],
        result_types=[[whole]],
        properties={"dim": op.dim, "label": StringAttr(name), "origin": StringAttr(origin)},
    )
    inside.add_ops([concat, df.YieldOp(concat.streams)])
    return df.KernelOp(name, parts, [op.result.type], Region(inside))


def _kind(op: linalg.GenericOp, *, contracts: bool) -> dict[str, Attribute]:
    """Attributes that say where a reduction starts, and whether it is a contraction."""
    if all(kind.data.value == "parallel" for kind in op.iterator_types):
        return {}
    kind: dict[str, Attribute] = {"init": _initial_value(op)}
    return kind | {"contracts": UnitAttr()} if contracts else kind


def _dtype(value: SSAValue) -> Attribute:
    if not isinstance(value.type, TensorType):
        raise InputError("not-a-tensor", f"expected a tensor operand, found {value.type}", where="linalg.generic")
    return value.type.get_element_type()


def _end_in_df_yield(payload: Block) -> None:
    last = payload.last_op
    if isinstance(last, linalg.YieldOp):
        Rewriter.insert_op(df.YieldOp(list(last.operands)), InsertPoint.before(last))
        Rewriter.erase_op(last)
    _inline_constants(payload)


def _inline_constants(payload: Block) -> None:
    """Copies constants from outside into the payload: a task sees nothing but its streams."""
    copies: dict[Operation | Block, Operation] = {}
    for op in list(payload.ops):
        for index, operand in enumerate(op.operands):
            source = operand.owner
            outside = source is not payload if isinstance(source, Block) else source.parent_block() is not payload
            if outside:
                if source not in copies:
                    copies[source] = _copied(source, payload)
                op.operands[index] = copies[source].results[0]


def _copied(source: Operation | Block, payload: Block) -> Operation:
    if not isinstance(source, arith.ConstantOp):
        raise InputError(
            "captured-value",
            "the body reads a value from outside that is not a constant",
            where="linalg.generic",
            hints=["pass it as a tensor input"],
        )
    copy = source.clone()
    Rewriter.insert_op(copy, InsertPoint.at_start(payload))
    return copy


def _initial_value(op: linalg.GenericOp) -> FloatAttr | IntegerAttr:
    """The value that a reduction starts from, taken from the fill of its destination."""
    fill = op.outputs[0].owner
    constant = fill.inputs[0].owner if isinstance(fill, linalg.FillOp) else None
    value = constant.value if isinstance(constant, arith.ConstantOp) else None
    if not isinstance(value, FloatAttr | IntegerAttr):
        raise InputError(
            "unknown-initial-value",
            "a reduction must start from a constant fill",
            where=place_of(op),
            hints=["initialize the destination with linalg.fill"],
        )
    return value
