"""Which contractions of a function are of integers once it is quantized, and why the others are not."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IntegerType, ModuleOp, StringAttr, f32
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from sttest.compile.ir.module_walk import functions
from sttest.compile.ir.names import argument_kinds, argument_names
from sttest.compile.linalg.contraction import is_contraction
from sttest.compile.linalg.iteration import IterationSpace, is_view, shape_of
from sttest.compile.linalg.support import place_of, refuse_unsupported
from sttest.compile.linalg.tensor_build import element_of
from sttest.compile.quantization.grouping import chain_of
from sttest.core.errors import InputError, did_you_mean

KINDS = "sttest.arg_kinds"
"""The attribute of a function that says which arguments are parameters."""


NAMES = "sttest.arg_names"
_UNTOLD = "a factor from memory; the text does not say if it is a weight"


@dataclass(frozen=True)
class InFloat:
    """What stays in floating point, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Coverage:
    """What a scheme has made integers of."""

    integers: int  # contractions of integers
    floating: tuple[InFloat, ...] = ()  # contractions in floating point
    # arguments that are stored as float32 and become integers on the card, each time that they are read
    stored: tuple[InFloat, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all contractions are of integers, and all weights stored as such."""
        return not self.floating and not self.stored

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def refuse_floats(self, where: str) -> None:
        """
        Raises:
            InputError: something stays in floating point; names all of it.
        """
        if self.is_whole:
            return
        reasons: dict[str, list[str]] = {}
        for each in (*self.floating, *self.stored):
            reasons.setdefault(each.reason, []).append(each.name)
        kept = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
        hints = ["leave out --require-quantized"]
        if any(each.reason == _UNTOLD for each in self.stored):
            hints.insert(0, f"name those that are weights, as in --parameters {self.stored[-1].name}")
        raise InputError("not-quantized", f"in floating point stay {kept}", where=where, hints=hints)


def float_factors(module: ModuleOp) -> tuple[InFloat, ...]:
    """Arguments that contractions multiply and that no scheme stores as integers; of text before it is quantized.

    Raises:
        InputError: a text that `quantize` refuses.
    """
    refuse_unsupported(module)
    found: dict[str, InFloat] = {}
    for function in functions(module):
        names, kinds = argument_names(function), argument_kinds(function)
        for op in _computing(function.body.block):
            if not is_contraction(op, IterationSpace(op)):
                continue
            for value in op.inputs[:2]:
                root = chain_of(value)[-1]
                if isinstance(root, BlockArgument) and element_of(root) == f32:
                    reason = _why_stored(root, kinds.get(root, ""), is_told=bool(kinds))
                    found |= {names[root]: InFloat(names[root], reason)} if reason else {}
    return tuple(found.values())


def coverage(module: ModuleOp, stored: Sequence[InFloat] = ()) -> Coverage:
    """What became integers, in a module that is quantized.

    Args:
        module: linalg text behind `quantize`.
        stored: factors that :func:`float_factors` found before.
    """
    integers, floating = 0, []
    for function in functions(module):
        for op in _computing(function.body.block):
            kind = _product(op)
            if kind == "integers":
                integers += 1
            elif kind == "floating" and not _is_short(op):
                floating.append(InFloat(place_of(op), _why_floating(op)))
    return Coverage(integers, tuple(floating), tuple(stored))


def with_parameters(module: ModuleOp, names: Sequence[str]) -> None:
    """Says of arguments that they are parameters; the others keep what is said of them, or are inputs.

    Raises:
        InputError: there is no such argument.
    """
    for function in functions(module):
        given, kinds = argument_names(function), argument_kinds(function)
        known = {name: value for value, name in given.items()}
        for name in names:
            if name not in known:
                raise InputError(
                    "unknown-argument",
                    f"the text has no argument '{name}'",
                    where="--parameters",
                    hints=[did_you_mean(name, known)],
                )
        chosen = ["parameter" if name in names else kinds.get(value, "input") for value, name in given.items()]
        function.attributes[KINDS] = ArrayAttr([StringAttr(kind) for kind in chosen])
        function.attributes[NAMES] = ArrayAttr([StringAttr(name) for name in given.values()])


def _why_stored(root: SSAValue, kind: str, *, is_told: bool) -> str:
    if not is_told:
        return _UNTOLD
    if kind == "parameter" and len(shape_of(root)) != 2:
        return f"a parameter of rank {len(shape_of(root))}, and weights are stored as integers in rank 2"
    return ""


def _why_floating(op: GenericOp) -> str:
    if is_contraction(op, IterationSpace(op)):
        return "the scheme keeps keys and values in floating point"
    return "more than a product of two inputs is computed inside of the sum; compute the factors before it"


def _computing(block: Block) -> list[GenericOp]:
    return [op for op in block.ops if isinstance(op, GenericOp) and not is_view(op)]


def _is_short(op: GenericOp) -> bool:
    """Whether so few points are summed that the op is a rotation, or no sum at all."""
    space = IterationSpace(op)
    return not space.reductions() or all(space.extent(loop) <= 2 for loop in space.reductions())


def _product(op: GenericOp) -> str:
    """``integers`` or ``floating`` where the body adds up products of different inputs; empty where it does not."""
    block = op.body.block
    end, accumulator = block.last_op, block.args[len(op.inputs)]
    total = end.operands[0].owner if isinstance(end, YieldOp) and end.operands else None
    if not isinstance(total, arith.AddfOp | arith.AddiOp) or accumulator not in total.operands:
        return ""
    for each in block.ops:
        if isinstance(each, arith.MulfOp | arith.MuliOp):
            left, right = (_roots(operand, block) for operand in each.operands)
            if left - {accumulator} and right - {accumulator} and left != right:
                if isinstance(each, arith.MuliOp):
                    return "integers"
                # Sums of integers that meet their scales are no products of their own.
                if not any(isinstance(root.type, IntegerType) for root in left | right):
                    return "floating"
    return ""


def _roots(value: SSAValue, block: Block) -> set[SSAValue]:
    """The arguments of the body that a scalar is computed from."""
    if isinstance(value, BlockArgument):
        return {value} if value.block is block else set()
    operands = value.owner.operands if isinstance(value.owner, Operation) else ()
    return {root for operand in operands for root in _roots(operand, block)}
