"""Loop nests as others print them, made those that stream: results that nobody reads go, and tensors of one constant.

A softmax of torch-mlir takes the index of each maximum along, and the start of a sum may be a constant tensor.
"""

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter


def make_plain(module: ModuleOp) -> None:
    """Rewrites the loop nests of a module, and erases constants and tensors that nothing reads any more."""
    made = [op for op in module.walk() if isinstance(op, FillOp | tensor.EmptyOp | arith.ConstantOp) and _is_read(op)]
    for op in reversed(list(module.walk())):  # what only a dead result is made of is dead too
        if isinstance(op, GenericOp | tensor.ExpandShapeOp | tensor.CollapseShapeOp):
            _erase_unread([op])
        if isinstance(op, GenericOp) and op.parent is not None:
            _drop_dead_results(op)
    for op in _nests(module):
        _fill_starts(op)
        _hold_constants(op)
    _erase_unread(reversed([op for op in made if op.parent is not None]))


def _nests(module: ModuleOp) -> list[GenericOp]:
    return [op for op in module.walk() if isinstance(op, GenericOp)]


def _is_read(op: Operation) -> bool:
    return any(result.uses.get_length() for result in op.results)


def _erase_unread(ops: Iterable[Operation]) -> None:
    for op in ops:
        if op.results and not _is_read(op):
            Rewriter.erase_op(op)


# --- Results that nobody reads


def _drop_dead_results(op: GenericOp) -> None:
    """Leaves out results without uses, unless another result needs what they were; one at least stays."""
    end, inputs = op.body.block.last_op, len(op.inputs)
    read = {number for number, result in enumerate(op.results) if result.uses.get_length()}
    if not isinstance(end, YieldOp) or not read or len(read) == len(op.results):
        return
    while needed := _needed(op, [end.operands[number] for number in read]) - read:
        read |= needed
    kept = sorted(read)
    end.operands = [end.operands[number] for number in kept]
    _erase_unread(reversed([each for each in op.body.block.ops if each is not end]))
    for number in reversed(range(len(op.results))):
        if number not in read:
            op.body.block.erase_arg(op.body.block.args[inputs + number])
    _rebuild(op, range(inputs), kept)


def _needed(op: GenericOp, values: list[SSAValue]) -> set[int]:
    """Outputs whose old elements values of the body are made of."""
    waiting, seen = list(values), set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value not in seen and isinstance(value.owner, Operation):
            waiting += value.owner.operands
        seen.add(value)
    return {number for number, old in enumerate(op.body.block.args[len(op.inputs) :]) if old in seen}


def _rebuild(op: GenericOp, inputs: Sequence[int], outputs: Sequence[int]) -> None:
    """The op with some of its operands, and the results of those outputs; its body has their arguments already."""
    maps = op.indexing_maps.data
    places = [*inputs, *(len(op.inputs) + number for number in outputs)]
    made = GenericOp(
        [op.inputs[number] for number in inputs],
        [op.outputs[number] for number in outputs],
        Rewriter.move_region_contents_to_new_regions(op.body),
        ArrayAttr([maps[place] for place in places]),
        op.iterator_types,
        [op.results[number].type for number in outputs],
        op.doc,
        op.library_call,
    )
    made.attributes |= op.attributes
    results: list[SSAValue | None] = [None] * len(op.results)
    for result, number in zip(made.results, outputs, strict=True):
        results[number] = result
    Rewriter.replace_op(op, made, results)


# --- Tensors of one constant


def _fill_starts(op: GenericOp) -> None:
    """An output that begins as a tensor of one constant begins as a fill."""
    for number, value in enumerate(op.outputs):
        scalar = _splat(value)
        if scalar is not None and isinstance(value.type, TensorType):
            empty = tensor.EmptyOp([], value.type)
            fill = FillOp([scalar.result], [empty.tensor], [value.type])
            Rewriter.insert_op([scalar, empty, fill], InsertPoint.before(op))
            op.operands[len(op.inputs) + number] = fill.results[0]


def _hold_constants(op: GenericOp) -> None:
    """An input that is a tensor of one constant is a number in the body."""
    scalars = {number: scalar for number, value in enumerate(op.inputs) if (scalar := _splat(value)) is not None}
    if not scalars or len(scalars) == len(op.inputs):
        return
    block = op.body.block
    for number, scalar in sorted(scalars.items(), reverse=True):
        Rewriter.insert_op(scalar, InsertPoint.at_start(block))
        block.args[number].replace_all_uses_with(scalar.result)
        block.erase_arg(block.args[number])
    _rebuild(op, [number for number in range(len(op.inputs)) if number not in scalars], range(len(op.results)))


def _splat(value: SSAValue) -> arith.ConstantOp | None:
    """A new constant of the number that all elements of a constant tensor are; None for any other value."""
    if not isinstance(value.owner, arith.ConstantOp) or not isinstance(value.type, TensorType):
        return None
    elements = value.owner.value
    if not isinstance(elements, DenseIntOrFPElementsAttr) or not elements.is_splat():
        return None
    return arith.ConstantOp(elements.get_attrs()[0])
