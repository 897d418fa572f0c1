"""Parts of a result, as ``chunk`` and ``split`` take them, computed as results of their own; imports PyTorch.

A part of the columns of a product is the product with these columns of the weights, which are known offline.
"""

from collections.abc import Callable
from typing import Any, cast

from torch import Tensor
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from sttest.frontend.decompositions import aten

_ELEMENTWISE = {
    aten.add.Tensor,
    aten.sub.Tensor,
    aten.mul.Tensor,
    aten.div.Tensor,
    aten.relu.default,
    aten.sigmoid.default,
    aten.tanh.default,
    aten.exp.default,
    aten.neg.default,
    aten.rsqrt.default,
}


def push_slices(graph: Graph, stored: set[Node]) -> None:
    """Replace slices of results by results of slices where the operands can be sliced; others stay.

    Args:
        graph: of ATen operations.
        stored: the placeholders of the module's own tensors.
    """
    node: Any
    value: Any
    dim: Any
    for node in list(graph.nodes):
        if node.target is aten.split_with_sizes.default:
            value, sizes, dim = node.args[0], node.args[1], node.args[2] if len(node.args) > 2 else 0
            starts = [sum(sizes[:i]) for i in range(len(sizes))]
            for part in list(node.users):
                at = part.args[1]
                _replace(graph, stored, part, value, dim, starts[at], starts[at] + sizes[at])
        elif node.target is aten.slice.Tensor and (len(node.args) < 5 or node.args[4] == 1):
            value, dim, start, end = (*node.args, *(0, 0, None)[len(node.args) - 1 :])[:4]
            size = value.meta["val"].shape[dim]
            start, end = slice(start, end).indices(size)[:2]
            if (start, end) == (0, size):
                node.replace_all_uses_with(value)
            elif start < end:
                _replace(graph, stored, node, value, dim, start, end)


def _replace(graph: Graph, stored: set[Node], node: Node, value: Node, dim: int, start: int, end: int) -> None:
    dim %= value.meta["val"].dim()
    if not _can(stored, value, dim):
        return
    with graph.inserting_before(node):
        part = _sliced(graph, stored, value, dim, start, end, node)
    node.replace_all_uses_with(part)


def _can(stored: set[Node], value: Node, dim: int) -> bool:
    """Whether a part of a value along a dim is a computation on parts of stored tensors."""
    if _is_stored(stored, value):
        return True
    operands = _operands(value, dim)
    return operands is not None and all(_can(stored, each, axis) for each, axis in operands)


def _is_stored(stored: set[Node], value: Node) -> bool:
    """A tensor that no input reaches; slicing it happens offline."""
    if value.op == "placeholder":
        return value in stored
    return value.op == "call_function" and all(_is_stored(stored, each) for each in value.all_input_nodes)


def _operands(value: Node, dim: int) -> list[tuple[Node, int]] | None:
    """Which dims of which operands a slice of a value along ``dim`` slices; None where that is no slice of operands."""
    shape, args = value.meta["val"].shape, cast("tuple[Any, ...]", value.args)
    if value.target in _ELEMENTWISE:
        pairs = [(each, each.meta["val"].dim() - len(shape) + dim) for each in value.all_input_nodes]
        return [(each, axis) for each, axis in pairs if axis >= 0 and each.meta["val"].shape[axis] > 1]
    if value.target is aten.mm.default:
        return [(args[dim], dim)]
    if value.target is aten.view.default and dim == len(shape) - 1:
        source = args[0].meta["val"]
        return [(args[0], source.dim() - 1)] if source.shape[-1:] == shape[-1:] else None
    return None


def _sliced(graph: Graph, stored: set[Node], value: Node, dim: int, start: int, end: int, at: Node) -> Node:
    operands = None if _is_stored(stored, value) else _operands(value, dim)
    if operands is None:
        return _call(graph, at, aten.slice.Tensor, (value, dim, start, end))
    parts = {each: _sliced(graph, stored, each, axis, start, end, at) for each, axis in operands}
    arguments: list[Any] = [parts.get(each, each) if isinstance(each, Node) else each for each in value.args]
    if value.target is aten.view.default:
        arguments[1] = [*value.meta["val"].shape[:-1], end - start]
    target: Any = value.target
    return _call(graph, value, target, tuple(arguments), value.kwargs)


def _call(graph: Graph, origin: Node, target: Callable[..., Any], args: tuple[Any, ...], kwargs: Any = None) -> Node:
    node = graph.call_function(target, args, kwargs or {})
    node.meta = dict(origin.meta)
    values: Any = map_arg(args, lambda each: each.meta["val"])
    node.meta["val"] = target(*values, **(kwargs or {}))
    assert isinstance(node.meta["val"], Tensor)
    return node
