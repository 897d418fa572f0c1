"""What a launch of a kernel does with its reference graph: layers, tokens, and which of its nodes run once."""

from xdsl.dialects import func
from xdsl.ir import SSAValue

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, stream_of
from sttest.compile.ir.names import argument_names
from sttest.compile.sharing.layers import has_part_per_layer, has_part_per_step, outside_layers, rounds_of
from sttest.compile.sharing.processes import node_label
from sttest.reference.graph import ReferenceGraph
from sttest.reference.launch import Launch

_HERE = "launch"


def value_launch(kernel: df.KernelOp, graph: ReferenceGraph) -> Launch:
    """The launch of a kernel.

    Args:
        kernel: kernel at the stream level.
        graph: its reference graph.
    """
    loads, layer_starts = all_of(kernel, df.DmaReadOp), all_of(kernel, df.EnterOp)
    per_layer = frozenset(node_label(load) for load in loads if has_part_per_layer(kernel, load))
    if not layer_starts:
        return Launch(graph, per_layer=per_layer)
    rounds = rounds_of(kernel)
    enters = tuple(_stream(enter.sources[0]) for enter, _ in rounds)
    leaves = tuple(_stream(leave.sinks[1]) for _, leave in rounds)
    outside = {node_label(node) for node in outside_layers(kernel)}
    before = _ahead_of(graph, enters)
    return Launch(
        graph,
        kernel.layer_count,
        kernel.step_count,
        frozenset(before),
        frozenset(outside - before),
        enters,
        leaves,
        per_layer,
        frozenset(node_label(load) for load in loads if has_part_per_step(kernel, load)),
        next((node_label(load) for load in loads if load.row_count), ""),
        {name: _entry_of(name) for name in _grown(kernel)},
    )


def _stream(port: SSAValue) -> str:
    return stream_of(port, _HERE).sym_name.data


def _ahead_of(graph: ReferenceGraph, streams: tuple[str, ...]) -> set[str]:
    """The nodes that streams are made by."""
    writer = {name: node for node in graph.nodes for name in node.sinks}
    found, wanted = set[str](), [*streams]
    while wanted:
        node = writer[wanted.pop()]
        found.add(node.name)
        wanted += node.sources
    return found


def _grown(kernel: df.KernelOp) -> set[str]:
    """The arguments whose loads take new entries."""
    function = kernel.parent_op()
    assert isinstance(function, func.FuncOp)
    names = argument_names(function)
    ports = dict(zip(kernel.body.block.args, kernel.inputs, strict=True))
    return {names[ports[load.sources[0]]] for load in all_of(kernel, df.DmaReadOp) if load.takes_entries}  # pyright: ignore


def _entry_of(cache: str) -> str:
    """The result that is a cache's new entry: ``k_new_scale`` of ``k_cache_scale``."""
    return cache.replace("_cache", "_new")
