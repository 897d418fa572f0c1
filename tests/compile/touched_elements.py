"""Which elements each iteration of a task touches: by what linalg means, and by what the itensor types say.

Linalg: every streamed tensor is an array of its own element numbers; views are
evaluated with numpy, and each op is read at the indices of its maps.  Types:
the token of an iteration is the slice at its offset.  Both give, for every
result token, the set of operand elements that it is made from.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import SSAValue

from sttest.compile.dialects import df
from sttest.compile.linalg.iteration import IterationSpace, is_view, source_of_view

Elements = list[frozenset[int]]


Numbers = dict[SSAValue, NDArray[np.int64]]


def by_linalg(module: ModuleOp) -> list[tuple[NDArray[np.int64], list[NDArray[np.int64]]]]:
    """Per computing op in order: element numbers of the result, and of every input's root, over the iteration space.

    What is copied first has an entry of its own: what a concatenation shows of a view, whose kernel has no task, and
    what a reshape merges and the op cuts elsewhere.
    """
    function = next(op for op in module.walk() if isinstance(op, func.FuncOp))
    numbers: Numbers = {value: _numbered(value) for value in function.body.block.args}
    found = []
    copied: set[SSAValue] = set()
    for op in function.body.block.ops:
        if isinstance(op, tensor.ExpandShapeOp | tensor.CollapseShapeOp) or (isinstance(op, GenericOp) and is_view(op)):
            continue
        if isinstance(op, tensor.ConcatOp):
            stored = [value for value in dict.fromkeys(op.inputs) if source_of_view(value) and len(op.inputs) > 1]
        elif isinstance(op, GenericOp):
            stored = [each.root for each in IterationSpace(op).inputs if source_of_view(each.root) is not None]
        else:
            assert isinstance(op, FillOp | tensor.EmptyOp | func.ReturnOp) or op.name == "arith.constant", op.name
            continue
        found += [(_numbered(each), [_shown(each, numbers)]) for each in dict.fromkeys(stored) if each not in copied]
        copied |= set(stored)
        numbers[op.results[0]] = _numbered(op.results[0])
        if isinstance(op, GenericOp):
            beside = numbers | {each: _numbered(each) for each in stored}
            inputs = [_over_space(op, index, _shown(value, beside)) for index, value in enumerate(op.inputs)]
            found.append((_over_space(op, len(inputs), numbers[op.results[0]]), inputs))
    return found


def _shown(value: SSAValue, numbers: Numbers) -> NDArray[np.int64]:
    """A tensor, or what a view shows of one, with the numbers that the elements have where these are known."""
    if value in numbers:
        return numbers[value]
    op, source = value.owner, source_of_view(value)
    assert source is not None
    below = _shown(source, numbers)
    if isinstance(op, GenericOp):
        return _over_space(op, 0, below).transpose(_order(op))
    return below.reshape(_shape(value))


def by_types(kernel: df.KernelOp) -> tuple[Elements, list[list[Elements]]]:
    """Elements of every result token, and for every input the elements of the tokens read for each of them."""
    task = next(op for op in kernel.body.block.ops if isinstance(op, df.TaskOp))
    result = _slices(df.itensor_of(task.produced[0]))
    reads = task.reduction_iterations
    inputs = []
    for source in task.sources:
        tokens = _slices(df.itensor_of(source))
        inputs.append([tokens[first : first + reads] for first in range(0, len(tokens), reads)])
    return result, inputs


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _numbered(value: SSAValue) -> NDArray[np.int64]:
    return np.arange(prod(_shape(value))).reshape(_shape(value))


def _extents(op: GenericOp) -> tuple[int, ...]:
    extents: dict[int, int] = {}
    for access, value in zip(op.indexing_maps, op.operands, strict=True):
        extents |= {expr.position: size for expr, size in zip(access.data.results, _shape(value), strict=True)}
    return tuple(extents[loop] for loop in range(len(extents)))


def _over_space(op: GenericOp, operand: int, array: NDArray[np.int64]) -> NDArray[np.int64]:
    grid: Any = np.indices(_extents(op), sparse=True)
    places = tuple(grid[expr.position] for expr in op.indexing_maps.data[operand].data.results)
    return np.broadcast_to(array[places], _extents(op))


def _order(op: GenericOp) -> list[int]:
    return [expr.position for expr in op.indexing_maps.data[1].data.results]


def _slices(stream: df.ITensorType) -> Elements:
    numbers = np.arange(prod(stream.full_shape)).reshape(stream.full_shape)
    tokens = []
    for offset in stream.offsets():
        window = tuple(slice(low, low + size) for low, size in zip(offset, stream.element_shape, strict=True))
        tokens.append(frozenset(numbers[window].ravel().tolist()))
    return tokens


def assert_same_elements(module: ModuleOp, kernels: list[df.KernelOp]) -> None:
    """Every result token is written once, from exactly the operand elements that linalg reads for it, each once."""
    expected = by_linalg(module)
    kernels = [kernel for kernel in kernels if any(isinstance(op, df.TaskOp) for op in kernel.body.block.ops)]
    assert len(expected) == len(kernels)
    for (result_numbers, input_numbers), kernel in zip(expected, kernels, strict=True):
        results, inputs = by_types(kernel)
        assert sorted(number for token in results for number in token) == np.unique(result_numbers).tolist()
        for numbers, groups in zip(input_numbers, inputs, strict=True):
            needed = _needed(result_numbers, numbers)
            for token, group in zip(results, groups, strict=True):
                wanted = frozenset().union(*(needed[number] for number in token))
                assert frozenset().union(*group) == wanted, kernel.sym_name.data


def _needed(results: NDArray[np.int64], operands: NDArray[np.int64]) -> dict[int, set[int]]:
    needed: dict[int, set[int]] = {}
    for result, operand in zip(results.ravel().tolist(), operands.ravel().tolist(), strict=True):
        needed.setdefault(result, set()).add(operand)
    return needed
