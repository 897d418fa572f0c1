"""Refuses networks whose nodes, streams and memory do not fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING

from sttest.errors import InputError, did_you_mean
from sttest.sim.checks import check_choice, check_name
from sttest.sim.functional.check_parts import check_extents, refuse

if TYPE_CHECKING:
    from sttest.sim.functional.graph import Load, Task, ValueGraph


def check_network(graph: ValueGraph) -> None:
    """Names stand once and for something; every stream has one writer and one reader.

    Raises:
        InputError: naming what stands wrong.
    """
    _check_names((stream.name for stream in graph.streams), "stream")
    _check_names((node.name for node in graph.nodes), "node")
    _check_names((argument.name for argument in graph.arguments), "argument")
    _check_ends([name for node in graph.nodes for name in node.sinks], graph, "written")
    _check_ends([name for node in graph.nodes for name in node.sources], graph, "read")
    for task in graph.tasks:
        _check_types(task, graph)
    for argument in graph.arguments:
        check_extents(argument.shape, "shape", f"argument '{argument.name}'", most=12)
    for load in graph.loads:
        _check_part(load)
        check_choice(load.argument, "argument", load.name, graph.argument)
        argument, sink = graph.argument[load.argument], graph.stream[load.sink]
        if argument.shape != load.shape or argument.dtype != sink.dtype:
            raise refuse(f"streams {sink.dtype} {list(load.shape)}, '{argument.name}' is another", load.name)


def check_results(graph: ValueGraph) -> None:
    """Every result is what a store writes, seen through views that fit each other.

    Raises:
        InputError: naming the result.
    """
    _check_names((result.name for result in graph.results), "result")
    stores = {store.name: store for store in graph.stores}
    for result in graph.results:
        where = f"result '{result.name}'"
        check_choice(result.store, "store", where, stores)
        store = stores[result.store]
        if graph.stream[store.source].dtype != result.dtype:
            raise refuse(f"is {result.dtype}, '{store.name}' writes {graph.stream[store.source].dtype}", where)
        shape = store.layout.shape
        for view in result.views:
            shape = _seen(shape, view.shape, view.dims, where)
        if shape != result.shape:
            raise refuse(f"has the shape {list(result.shape)}, its views give {list(shape)}", where)


def _check_types(task: Task, graph: ValueGraph) -> None:
    """The payload computes with the elements that the streams carry, and on running values that start somewhere."""
    where, payload, ports = f"task '{task.name}'", task.payload, (*task.sources, *task.sinks)
    given = [payload.types[number] for number in payload.results]
    wanted = zip((*ports, *task.sinks), (*payload.arguments, *given), strict=True)
    for name, dtype in wanted:
        if graph.stream[name].dtype != dtype:
            what = f"the payload computes with {dtype} where '{name}' carries {graph.stream[name].dtype}"
            raise InputError("no-values", what, where=where, levers=["compile at the precision fp32"])
    read = {*payload.results, *(operand for op in payload.ops for operand in op.operands)}
    if not task.init and any(number in read for number in range(len(task.sources), len(ports))):
        raise refuse("the payload reads a running value that starts from nothing", where)


def _check_part(load: Load) -> None:
    part = load.part
    if part is not None and (part.dim >= len(load.shape) or load.shape[part.dim] % part.extent):
        raise refuse(f"cuts tokens of {part.extent} along dim {part.dim} of {list(load.shape)}", load.name)


def _seen(shape: Sequence[int], after: Sequence[int], dims: Sequence[int] | None, where: str) -> tuple[int, ...]:
    check_extents(after, "view", where, most=12)
    if dims is None:
        fits = prod(shape) == prod(after)
    else:
        walked = [dim for dim in dims if dim != -1]
        fits = len(dims) == len(shape) and len(set(walked)) == len(walked)
        fits = fits and all(-1 <= dim < len(after) for dim in dims)
        fits = fits and all(size == (1 if dim == -1 else after[dim]) for dim, size in zip(dims, shape, strict=True))
    if not fits:
        raise refuse(f"a view takes {list(shape)} to {list(after)}", where)
    return tuple(after)


def _check_names(names: Iterable[str], what: str) -> None:
    counts = Counter(names)
    for name, count in counts.items():
        check_name(name, what)
        if count > 1:
            raise refuse(f"the name stands {count} times", f"{what} '{name}'")


def _check_ends(ends: list[str], graph: ValueGraph, verb: str) -> None:
    counts = Counter(ends)
    for name in counts:
        if name not in graph.stream:
            levers = [did_you_mean(name, graph.stream)]
            raise InputError("unknown-stream", f"there is no stream '{name:.80}'", where=graph.name, levers=levers)
    for stream in graph.streams:
        if counts[stream.name] != 1:
            raise refuse(f"is {verb} by {counts[stream.name]} nodes, not by one", f"stream '{stream.name}'")
