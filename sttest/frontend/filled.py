"""Tensors that are made empty and written part by part; imports PyTorch.

Which elements no operation has written yet is followed through the graph: what is written whole before it is computed
with has defined values, whatever it was made of.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from sttest.core.errors import InputError
from sttest.frontend.decompositions import aten
from sttest.frontend.refusals import place_of, refusal

_EMPTY = {
    aten.empty.memory_format,
    aten.empty_like.default,
    aten.empty_strided.default,
    aten.empty_permuted.default,
    aten.new_empty.default,
    aten.new_empty_strided.default,
}
_MOVES = {
    operator.getitem,
    torch.ops.prims.squeeze.default,
    aten._to_copy.default,
    aten._unsafe_view.default,
    aten.alias.default,
    aten.cat.default,
    aten.clone.default,
    aten.diagonal.default,
    aten.diagonal_scatter.default,
    aten.expand.default,
    aten.flip.default,
    aten.permute.default,
    aten.roll.default,
    aten.select.int,
    aten.select_scatter.default,
    aten.slice.Tensor,
    aten.slice_scatter.default,
    aten.split_with_sizes.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.transpose.int,
    aten.unsqueeze.default,
    aten.view.default,
}
"""What gives elements of its operands, and computes nothing."""
_CHOOSES = {aten.where.self: 0, aten.index.Tensor: 1, aten.index_put.default: 1, aten.index_select.default: 2}
"""The same where the operand at that position is known offline: it says which elements."""
_SAME = {aten._to_copy.default, aten.alias.default, aten.clone.default}
_VIEWS = {aten.view.default, aten._unsafe_view.default}


# --- What is written no longer reads what was there


def write_fills(graph: Graph) -> None:
    """A tensor that is copied over, or filled like another one, no longer reads that one."""
    for node in list(graph.nodes):
        if node.target is aten.copy.default:
            _replace(graph, node, _source(graph, node))
        elif node.target is aten.full_like.default:
            _replace(graph, node, _full(graph, node, node.args[1]))
    graph.eliminate_dead_code()


def _source(graph: Graph, node: Node) -> Node:
    """What a tensor is copied over with, in its type and shape."""
    source, value = node.args[1], node.meta["val"]
    assert isinstance(source, Node)
    if source.meta["val"].dtype is not value.dtype:
        source = _added(graph, node, aten._to_copy.default, source, dtype=value.dtype)
    if source.meta["val"].shape != value.shape:
        source = _added(graph, node, aten.expand.default, source, list(value.shape))
    return source


def _full(graph: Graph, node: Node, value: Any) -> Node:
    """A tensor like that of a node, of one value."""
    with graph.inserting_before(node):
        full = graph.call_function(
            aten.full.default, (list(node.meta["val"].shape), value), {"dtype": node.meta["val"].dtype}
        )
    full.meta = dict(node.meta)
    return full


def _added(graph: Graph, at: Node, target: Callable[..., Any], *args: Any, **kwargs: Any) -> Node:
    """A new node in front of another one, at the same place of the user's program."""
    with graph.inserting_before(at):
        node = graph.call_function(target, args, kwargs)
    values: Any = map_arg(args, lambda each: each.meta["val"])
    node.meta = {**at.meta, "val": target(*values, **kwargs)}
    return node


def _replace(graph: Graph, node: Node, other: Node) -> None:
    node.replace_all_uses_with(other)
    graph.erase_node(node)


# --- Empty tensors


def define_empty(graph: Graph, stored: Mapping[Node, Tensor]) -> None:
    """Makes tensors that were empty of zeros, where nothing is computed with an element before it is written.

    Args:
        graph: of ATen operations.
        stored: the module's own tensors, by their placeholders.

    Raises:
        InputError: an element of no defined value is computed with, or returned.
    """
    unwritten: dict[Node, Any] = {}
    known: dict[Node, Any] = dict(stored)
    for node in graph.nodes:
        if node.target in _EMPTY:
            found = torch.ones(node.meta["val"].shape, dtype=torch.bool)
        elif unwritten.keys().isdisjoint(node.all_input_nodes):
            continue
        else:
            found = _moved(node, unwritten, known)
        if found is None:
            raise refusal(node) or _read_too_early(node, unwritten)
        if any(each.any() for each in (found if isinstance(found, list | tuple) else [found])):
            unwritten[node] = found
    for node in [each for each in graph.nodes if each.target in _EMPTY]:
        _replace(graph, node, _full(graph, node, 0))


def _moved(node: Node, unwritten: Mapping[Node, Any], known: dict[Node, Any]) -> Any:
    """Which elements of a node's result are not written yet; None where it computes with some that aren't."""
    target: Any = node.target
    chooser = _CHOOSES.get(target)
    if (target not in _MOVES and chooser is None) or any(each is True for each in node.args):  # True: it adds
        return None
    choice = None if chooser is None else _value(node.args[chooser], known)
    if chooser is not None and choice is None:
        return None
    masks: Any = map_arg(node.args, lambda each: unwritten.get(each, _all_written(each)))
    arguments: list[Any] = list(masks)
    if chooser is not None:
        arguments[chooser] = choice
    if target in _SAME:
        return arguments[0]
    return torch.reshape(*arguments) if target in _VIEWS else target(*arguments)


def _all_written(node: Node) -> Any:
    value = node.meta["val"]
    return torch.zeros(value.shape, dtype=torch.bool) if isinstance(value, Tensor) else value


def _value(given: Any, known: dict[Node, Any]) -> Any:
    """What an argument is in every call; None where it depends on an input."""
    nodes: list[Node] = []
    map_arg(given, lambda each: nodes.append(each) or each)
    for node in nodes:
        if node in known:
            continue
        parts = None if node.op != "call_function" else _value((node.args, node.kwargs), known)
        known[node] = None if parts is None else node.target(*parts[0], **parts[1])  # pyright: ignore[reportCallIssue]
    return None if any(known[node] is None for node in nodes) else map_arg(given, known.__getitem__)


def _read_too_early(node: Node, unwritten: Mapping[Node, Any]) -> InputError:
    first = next(each for each in node.all_input_nodes if each in unwritten)
    masks = unwritten[first] if isinstance(unwritten[first], list | tuple) else [unwritten[first]]
    left, size = sum(int(each.sum()) for each in masks), sum(each.numel() for each in masks)
    while first.target not in _EMPTY:
        first = next(each for each in first.all_input_nodes if each in unwritten)
    reader = "it is returned" if node.op == "output" else f"{place_of(node)} reads it"
    return InputError(
        "uninitialized",
        f"a tensor of no defined values is read: {left} of {size} elements are unwritten where {reader}",
        where=place_of(first),
        hints=["make it with torch.zeros", "write all of it before it is read"],
    )


# --- Parts that make a whole


def join_parts(graph: Graph) -> None:
    """A tensor of which every element is overwritten, slice by slice along a dim, is a concatenation.

    Also empty tensors are no part of a concatenation.
    """
    for node in reversed(list(graph.nodes)):
        if node.target is aten.cat.default:
            kept = [each for each in node.args[0] if each.meta["val"].numel()]  # pyright: ignore[reportGeneralTypeIssues, reportOptionalIterable]
            if len(kept) == 1:
                _replace(graph, node, kept[0])
            elif kept:
                node.args = (kept, *node.args[1:])
        elif node.target in _SCATTERS:
            joined = _joined(graph, node)
            if joined is not None:
                _replace(graph, node, joined)
    graph.eliminate_dead_code()


_SCATTERS = (aten.slice_scatter.default, aten.select_scatter.default)
_Part = tuple[range, Node]


def _joined(graph: Graph, node: Node) -> Node | None:
    """The concatenation that a row of writes is, where they leave nothing of what was there."""
    dim, size = _dim(node), node.meta["val"].shape[_dim(node)]
    parts: list[_Part] = []
    writer: Any = node
    while writer.target in _SCATTERS and _dim(writer) == dim:
        parts.append((_written(writer, size), writer))
        writer = writer.args[0]
        if sorted(index for places, _ in parts for index in places) == list(range(size)):
            return _concatenation(graph, node, sorted(parts, key=lambda part: part[0].start), dim)
    return None


def _dim(node: Node) -> int:
    given: Any = node.args[2] if len(node.args) > 2 else 0
    return given % node.meta["val"].dim()


def _written(node: Node, size: int) -> range:
    """The indices that a node writes."""
    if node.target is aten.select_scatter.default:
        index: Any = node.args[3]
        return range(index % size, index % size + 1)
    start, end, step = (*node.args[3:], *(None, None, 1)[len(node.args) - 3 :])
    return range(*slice(start, end, step).indices(size))  # pyright: ignore[reportArgumentType, reportCallIssue]


def _concatenation(graph: Graph, node: Node, parts: list[_Part], dim: int) -> Node | None:
    """Slices behind each other, or those of a stride that all share, side by side."""
    steps = {places.step for places, _ in parts if len(places) > 1}
    axis = dim if steps <= {1} else dim + 1
    if axis > dim and (len(steps) > 1 or [places.start for places, _ in parts] != list(range(*steps))):
        return None
    sources: list[Node] = []
    for _, writer in parts:
        source: Any = writer.args[1]
        for _ in range(node.meta["val"].dim() - source.meta["val"].dim()):
            source = _added(graph, node, aten.unsqueeze.default, source, dim)
        sources.append(source if axis == dim else _added(graph, node, aten.unsqueeze.default, source, axis))
    joined = sources[0] if len(sources) == 1 else _added(graph, node, aten.cat.default, sources, axis)
    return joined if axis == dim else _added(graph, node, aten.view.default, joined, list(node.meta["val"].shape))
