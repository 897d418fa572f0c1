"""A kernel at the stream level as the `ReferenceGraph` that the reference engine takes (docs/reference/values.md)."""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import get_args

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from sttest.compile.dialects import df
from sttest.compile.dialects.hardware_op import HardwareOp, Ports
from sttest.compile.ir.indexed import IndexedParameters
from sttest.compile.ir.module_walk import functions, only_kernel, returned, run_first, stream_of
from sttest.compile.ir.names import argument_kinds, argument_names, result_names
from sttest.compile.linalg.iteration import dims_of, is_view, shape_of
from sttest.compile.sharing.processes import node_label
from sttest.core.errors import InputError
from sttest.reference.graph import (
    BITS,
    Access,
    Argument,
    ArgumentKind,
    Coded,
    Converter,
    ElementType,
    Fork,
    Load,
    LoopKind,
    MemoryLayout,
    Node,
    Parts,
    Payload,
    ReferenceGraph,
    ReferenceStream,
    Result,
    ScalarOp,
    Slice,
    Store,
    Task,
    View,
)

_HERE = "value graph"
_COMPARED = ("eq", "gt", "ge", "lt", "le", "ne")
# In MLIR's order: ordered, then unordered comparisons.
_PREDICATES = ("false", *(f"o{each}" for each in _COMPARED), "ord", *(f"u{each}" for each in _COMPARED), "uno", "true")
# What passes values on or holds them.
_NO_VALUES = (df.StreamOp, df.BufferOp, df.YieldOp)
_ELEMENT_TYPES: Mapping[str, ElementType] = {name: name for name in get_args(ElementType)}


def value_graph(module: ModuleOp, name: str) -> ReferenceGraph:
    """What the one kernel of a module computes: of a launch over layers, what it does in each.

    Raises:
        DoesNotFitError: the design has several kernels.
        InputError: the module is not at the stream level, or has what docs/reference/values.md gives no meaning to.
    """
    kernel = only_kernel(module, _HERE, name)
    function = next(found for found in functions(module) if kernel.parent_op() is found)
    ops, names = list(kernel.body.block.ops), argument_names(function)
    stores = _stores(kernel)
    nodes = [_node(op, kernel, names) for op in ops if not isinstance(op, _NO_VALUES)]
    return ReferenceGraph(
        name,
        arguments=tuple(_arguments(function, kernel, names)),
        results=tuple(_results(function, stores)),
        streams=tuple(reference_stream(op) for op in ops if isinstance(op, df.StreamOp) and not _goes_round(op.result)),
        nodes=tuple(node for node in nodes if node is not None),
    )


def _arguments(function: func.FuncOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> list[Argument]:
    """The arguments that the kernel reads."""
    kinds, indexed = argument_kinds(function), IndexedParameters.of(function)
    return [
        Argument(
            names[value],
            _kind(kinds.get(value, "input"), names[value]),
            shape_of(value) if indexed is None else indexed.shape_in_memory(names[value], shape_of(value)),
            _dtype_of(value),
        )
        for value in function.body.block.args
        if value in kernel.inputs
    ]


def _kind(text: str, name: str) -> ArgumentKind:
    if text in ("parameter", "input", "cache"):
        return text
    raise InputError("bad-attribute", f"an argument is a parameter, input or cache, not '{text}'", where=name)


def reference_stream(op: df.StreamOp) -> ReferenceStream:
    """A stream of a kernel with the order of its tokens."""
    stream = op.result.type.itensor
    start = stream.origin
    return ReferenceStream(
        op.sym_name.data,
        _dtype(stream.dtype),
        stream.element_shape,
        stream.trip_counts,
        stream.step_sizes,
        stream.coefficients,
        tuple(start),
        op.result.type.depth.data,
        _origin(op),
    )


def _origin(stream: df.StreamOp) -> str:
    """The module of the task or concatenation, or the tensor of the DMA, whose tokens a stream carries."""
    writers = [use.operation for use in stream.result.uses]
    writer = next((op for op in writers if isinstance(op, df.NodeOp) and stream.result in op.sinks), None)
    if writer is not None and (writer.passes_on or isinstance(writer, df.LeaveOp)):
        return _origin(stream_of(writer.sources[0], _HERE))
    return "" if writer is None else writer.origin_name


@singledispatch
def _node(op: Operation, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Node | None:
    """What a node computes, if anything; of a DMA that reads, by the name of the kernel's argument."""
    raise InputError("no-values", f"{op.name} has no defined values", where=_HERE)


@_node.register
def _fork(op: df.ForkOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Fork:
    return Fork(node_label(op), _fifo(op.sources[0]), _fifos([sink for sink in op.sinks if not _goes_round(sink)]))


@_node.register
def _hardware(op: HardwareOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Node | None:
    assert isinstance(op, df.NodeOp)
    return op.reference(Ports(node_label(op), _fifos(op.sources), _fifos(op.sinks)))


@_node.register
def _converter(op: df.ConverterOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Converter:
    if op.buffer is None or op.blocks is None:
        raise run_first(_HERE, f"{op.name} has no buffer", "materialize-converters")
    ports = _fifo(op.sources[0]), _fifo(op.sinks[0])
    return Converter(node_label(op), *ports, op.buffer.values, op.blocks.value.data)


@_node.register
def _load(op: df.DmaReadOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Load:
    argument = kernel.inputs[kernel.body.block.args.index(_block_argument(op.sources[0]))]
    name = names.get(argument)
    if name is None:
        raise InputError("not-an-argument", "a kernel reads what another op computes", where=node_label(op))
    layout, parts = memory_layout(op), None
    if op.parts is not None:
        parts = Parts(_fifo(op.sources[1]), *op.parts.values)
    kind = op.tensor_type
    assert isinstance(kind, TensorType)
    return Load(node_label(op), name, _fifo(op.sinks[0]), layout, _slice(op, kind.get_shape()), parts, _coded(op))


@_node.register
def _store(op: df.DmaWriteOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Store:
    return Store(node_label(op), _fifo(op.sources[0]), memory_layout(op))


def _coded(op: df.DmaReadOp) -> Coded | None:
    """How the bytes of a DMA are made of its tensor; None of one that reads its tensor's elements."""
    if op.code is None:
        return None
    decoder = stream_of(op.sinks[0], _HERE).reader
    assert isinstance(decoder, df.GatherOp)
    whole, own = shape_of(op.sources[0]), df.itensor_of(decoder.sinks[0]).full_shape
    dim = next((dim for dim, (size, part) in enumerate(zip(whole, own, strict=True)) if size != part), 0)
    return Coded(op.code.data, _fifo(decoder.sinks[0]), whole, whole[dim] // own[dim], dim)


def _slice(op: df.DmaReadOp, tensor: Sequence[int]) -> Slice | None:
    """Which part of its tensor a DMA reads; None if it reads all of it."""
    if op.slice is None:
        return None
    number, slices = op.slice_of
    stream = df.itensor_of(op.sinks[0])
    dim = next(dim for dim, (size, own) in enumerate(zip(tensor, stream.full_shape, strict=True)) if size != own)
    return Slice(dim, stream.element_shape[dim] * slices, number, slices)


def _block_argument(value: SSAValue) -> BlockArgument:
    assert isinstance(value, BlockArgument)
    return value


def memory_layout(op: df.DmaOp) -> MemoryLayout:
    """How the tensor of a DMA lies in memory.

    Raises:
        InputError: it has no layout yet.
    """
    if op.layout is None or op.beat_bits is None:
        raise run_first(_HERE, f"{op.name} has no layout", "materialize-dma")
    numbers = op.layout.values
    rank = len(numbers) // 3
    parts = numbers[:rank], numbers[rank : 2 * rank], numbers[2 * rank :]
    return MemoryLayout(*parts, op.beat_bits.value.data, op.is_packed)


@_node.register
def _task(op: df.TaskOp, kernel: df.KernelOp, names: Mapping[SSAValue, str]) -> Task:
    if op.accesses is None:
        raise run_first(_HERE, f"the task '{op.sym_name.data}' has no accesses", "linalg-to-kernels")
    return Task(
        op.sym_name.data,
        op.trip_counts,
        op.tile_sizes,
        _loop_kinds(op),
        _fifos(op.sources),
        _fifos(op.sinks),
        tuple(_access(access.data) for access in op.accesses),
        _payload(op.payload.block),
        init="" if op.init is None else _number(op.init),
        origin=op.origin_name,
        pairwise=op.pairwise is not None,
    )


def _loop_kinds(op: df.TaskOp) -> tuple[LoopKind, ...]:
    return tuple("reduction" if kind == "reduction" else "parallel" for kind in op.loop_kinds)


def _access(access: AffineMap) -> Access:
    """A linear map as numbers."""
    zero = access.eval((0,) * access.num_dims, ())
    units = [tuple(int(loop == unit) for loop in range(access.num_dims)) for unit in range(access.num_dims)]
    moved = [access.eval(unit, ()) for unit in units]
    rows = tuple(tuple(point[dim] - zero[dim] for point in moved) for dim in range(len(access.results)))
    return Access(rows, tuple(zero))


def _payload(block: Block) -> Payload:
    numbers: dict[SSAValue, int] = {value: number for number, value in enumerate(block.args)}
    ops: list[ScalarOp] = []
    for op in block.ops:
        if isinstance(op, df.YieldOp):
            break
        if len(op.results) != 1:
            raise InputError("unsupported-op", f"{op.name} has {len(op.results)} results", where=_HERE)
        ops.append(_scalar_op(op, [numbers[operand] for operand in op.operands]))
        numbers[op.results[0]] = len(numbers)
    assert isinstance(block.last_op, df.YieldOp)
    return Payload(
        tuple(_dtype(value.type) for value in block.args),
        tuple(ops),
        tuple(numbers[value] for value in block.last_op.arguments),
    )


def _scalar_op(op: Operation, operands: Sequence[int]) -> ScalarOp:
    value = predicate = ""
    if isinstance(op, arith.ConstantOp):
        value = _number(op.value)
    if isinstance(op, df.CallOp):
        value = op.callee.data
    if isinstance(op, arith.CmpfOp):
        predicate = _PREDICATES[op.predicate.value.data]
    return ScalarOp(op.name, _dtype(op.results[0].type), tuple(operands), value, predicate)


def _number(attribute: Attribute) -> str:
    """A constant as Python writes it: exact, also where it is no finite number."""
    if isinstance(attribute, FloatAttr):
        return repr(attribute.value.data)
    if isinstance(attribute, IntegerAttr):
        return str(attribute.value.data)
    raise InputError("unsupported-op", f"a constant {attribute} is no number", where=_HERE)


def _stores(kernel: df.KernelOp) -> dict[SSAValue, str]:
    """The store behind every output of a kernel."""
    written = {}
    for output, inner in zip(kernel.outputs, kernel.terminator.arguments, strict=True):
        assert isinstance(inner.owner, df.DmaWriteOp)
        written[output] = node_label(inner.owner)
    return written


def _results(function: func.FuncOp, stores: Mapping[SSAValue, str]) -> list[Result]:
    names = result_names(function)
    return [_result(name, value, stores) for name, value in zip(names, returned(function).operands, strict=True)]


def _result(name: str, value: SSAValue, stores: Mapping[SSAValue, str]) -> Result:
    """A returned tensor, followed through its views to the kernel's output."""
    views: list[View] = []
    root = value
    while isinstance(root.owner, tensor.ExpandShapeOp | tensor.CollapseShapeOp | GenericOp):
        step = root.owner
        if isinstance(step, GenericOp):
            if not is_view(step):
                raise run_first(_HERE, f"{step.name} still computes", "linalg-to-kernels")
            views.append(View(shape_of(root), _dims(step)))
        else:
            views.append(View(shape_of(root)))
        root = step.operands[0]
    if root not in stores:
        raise InputError("not-computed", f"the result '{name}' is not written by the kernel", where=_HERE)
    return Result(name, stores[root], shape_of(value), _dtype_of(value), tuple(reversed(views)))


def _dims(view: GenericOp) -> tuple[int, ...]:
    """For each dim of the source, the dim of the result that walks it; -1 where it stands at 0."""
    source, target = (attribute.data for attribute in view.indexing_maps)
    place = {loop: dim for dim, loop in enumerate(dims_of(target))}
    return tuple(place[expr.position] if isinstance(expr, AffineDimExpr) else -1 for expr in source.results)


def _dtype_of(value: SSAValue) -> ElementType:
    assert isinstance(value.type, TensorType)
    return _dtype(value.type.get_element_type())


def _dtype(kind: Attribute) -> ElementType:
    found = _ELEMENT_TYPES.get(str(kind))
    if found is None:
        hints = [f"choose one of {', '.join(BITS)}"]
        raise InputError("no-values", f"elements of {kind} have no defined values", where=_HERE, hints=hints)
    return found


def _fifos(ports: Sequence[SSAValue]) -> tuple[str, ...]:
    return tuple(_fifo(port) for port in ports)


def _fifo(port: SSAValue) -> str:
    return stream_of(_of_block(port), _HERE).sym_name.data


def _of_block(port: SSAValue) -> SSAValue:
    """The stream that a block has in its place: layers take turns between what enters it and what leaves it."""
    for use in port.uses:
        node = use.operation
        if isinstance(node, df.EnterOp) and port in node.sinks:
            return node.sources[0]
        if isinstance(node, df.LeaveOp) and port in node.sources:
            return node.sinks[1]
    return port


def _goes_round(stream: SSAValue) -> bool:
    """Whether a stream is there for the loop over layers, or that over tokens, alone."""
    back = any(isinstance(use.operation, df.LeaveOp) and use.operation.sinks[0] == stream for use in stream.uses)
    back |= any(
        isinstance(use.operation, df.DmaReadOp) and use.operation.parts is None and stream in use.operation.sources[1:]
        for use in stream.uses
    )
    return back or _of_block(stream) != stream
