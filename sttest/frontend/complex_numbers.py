"""Complex numbers as pairs of real ones in a last dim, as a rotary embedding multiplies by them; imports PyTorch."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from sttest.core.errors import InputError
from sttest.frontend.decompositions import aten
from sttest.frontend.refusals import COMPLEX_HINT, place_of
from sttest.frontend.selections import inline

Rewrite = Callable[..., Tensor]


def write_pairs(graph: Graph, offline: set[Node]) -> None:
    """Replace complex values that an input reaches by pairs ``[..., 2]`` of real and imaginary parts.

    Args:
        graph: of ATen operations.
        offline: what no input reaches.

    Raises:
        InputError: an operation on complex numbers that is not known.
    """
    paired: set[Node] = set()
    for node in list(graph.nodes):
        read = node.all_input_nodes
        if node.op != "call_function" or node in offline:
            continue
        if not any(map(_is_complex, (node, *read))) and paired.isdisjoint(read):
            continue
        for held in [each for each in read if each in offline and _is_complex(each)]:
            node.replace_input_with(held, _parts(graph, held, node, paired))
        rewrite = _REWRITES.get(node.target) or _of_two(node, paired)
        result = None if rewrite is None else inline(graph, node, rewrite, node.args)
        if result is None:
            raise _refusal("computes with complex numbers", node)
        if _is_complex(node):
            paired.add(result)
    for node in paired.intersection(graph.output_node().all_input_nodes):
        raise _refusal("a result is complex", node)
    graph.eliminate_dead_code()


def _refusal(what: str, node: Node) -> InputError:
    return InputError("element-type", f"{what}, which no stream carries", where=place_of(node), hints=COMPLEX_HINT)


def _is_complex(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype.is_complex


def _parts(graph: Graph, held: Node, reader: Node, paired: set[Node]) -> Node:
    """The pairs of a tensor that no input reaches."""
    with graph.inserting_before(reader):
        parts = graph.call_function(aten.view_as_real.default, (held,))
    parts.meta = {**held.meta, "val": torch.view_as_real(held.meta["val"])}
    paired.add(parts)
    return parts


# --- Operations on pairs; dims are those of the complex tensor


def _product(a: Tensor, b: Tensor) -> Tensor:
    signs = torch.arange(2) * 2.0 - 1.0
    return a * b[..., :1] + a.flip(-1) * (b[..., 1:] * signs)


def _scaled(a: Tensor, b: Any) -> Tensor:
    return a * (b.unsqueeze(-1) if isinstance(b, Tensor) else b)


def _of_two(node: Node, paired: set[Node]) -> Rewrite | None:
    """A product, sum or difference, by which of its operands are pairs."""
    pairs = [isinstance(each, Node) and each in paired for each in node.args]
    if node.target is aten.mul.Tensor:
        return _product if pairs == [True, True] else _scaled if pairs[0] else lambda a, b: _scaled(b, a)
    if pairs != [True, True]:
        return None
    return {aten.add.Tensor: torch.add, aten.sub.Tensor: torch.sub}.get(node.target)  # pyright: ignore[reportArgumentType, reportCallIssue]


def _selected(x: Tensor, dim: int, index: int) -> Tensor:
    return x.select(dim % (x.dim() - 1), index)


def _sliced(x: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    return torch.ops.aten.slice.Tensor(x, dim % (x.dim() - 1), start, end, step)


def _permuted(x: Tensor, dims: list[int]) -> Tensor:
    rank = x.dim() - 1
    return x.permute(*(dim % rank for dim in dims), rank)


def _same(x: Tensor, **_: Any) -> Tensor:
    return x * 1.0


_REWRITES: dict[Any, Rewrite] = {
    aten.view_as_complex.default: _same,
    aten.view_as_real.default: _same,
    aten.clone.default: _same,
    aten.complex.default: lambda real, imag: torch.stack([real, imag], -1),
    aten.polar.default: lambda size, angle: torch.stack([size * torch.cos(angle), size * torch.sin(angle)], -1),
    aten.real.default: lambda x: x.select(-1, 0),
    aten.imag.default: lambda x: x.select(-1, 1),
    aten.abs.default: lambda x: torch.sqrt((x * x).sum(-1)),
    aten._conj.default: lambda x: x * (1.0 - torch.arange(2) * 2.0),
    aten.view.default: lambda x, shape: x.reshape(*shape, 2),
    aten.expand.default: lambda x, shape: x.expand(*shape, 2),
    aten.unsqueeze.default: lambda x, dim: x.unsqueeze(dim % x.dim()),
    aten.permute.default: _permuted,
    aten.select.int: _selected,
    aten.slice.Tensor: _sliced,
}
