"""Delays that follow from one schedule: an alternative to the paths of the paper.

Ours.  The paper constrains directed paths only.  Two kernels without a common
ancestor that feed the same two targets form a cycle all the same, once full
FIFOs hold them back, and sized by paths such a graph can deadlock.  Here every
kernel has one start, every delay is a difference of two starts, and so the
design that keeps to the starts needs no more than the FIFOs that are counted:

    minimise Σ weight(e) delay(e),  delay(s, t) = start(t) - start(s) >= min_delay(e),
    and no kernel ends later than the design would if each started at once.

These are difference constraints: the optimum is whole and quickly found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import coo_array

from sttest.compile.spaces.fifo_graph import DelayEdge, DelayGraph
from sttest.compile.spaces.linear_program import least


def asap_delays(nodes: Sequence[str], edges: Sequence[DelayEdge]) -> dict[str, int]:
    """The delays if every kernel starts as soon as all its first tokens are there.

    They suffice on every path, since all paths from u to v then last from u's
    start to v's, but they are not least.

    Returns:
        Delay in cycles per edge name, in the order given.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name`` or ``duplicate-name``.
    """
    graph = DelayGraph(nodes, edges)
    return _differences(graph, edges, _asap_starts(graph))


def schedule_delays(total_cycles: Mapping[str, int], edges: Sequence[DelayEdge]) -> dict[str, int]:
    """The delays of the schedule with the least (weighted) sum of them among the shortest schedules.

    Args:
        total_cycles: cycles that each kernel takes, by name.
        edges: with unique names; parallel edges are allowed.

    Returns:
        Delay in cycles per edge name, in the order given.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name`` or ``duplicate-name``.
    """
    graph = DelayGraph(list(total_cycles), edges)
    if not edges:
        return {}
    asap = _asap_starts(graph)
    durations = [total_cycles[name] for name in graph.position]
    end = max(start + duration for start, duration in zip(asap, durations, strict=True))
    latest = [end - duration for duration in durations]

    sources, targets = np.array(graph.ends).T
    numbers = np.arange(len(edges))
    ones = np.ones(len(edges))
    shape = (len(edges), len(asap))
    rises = coo_array((ones, (numbers, targets)), shape=shape) - coo_array((ones, (numbers, sources)), shape=shape)
    starts = least(
        np.array(graph.weights) @ rises,
        -rises.tocsr(),
        -np.array(graph.min_delays),
        np.column_stack([asap, latest]),
        "the kernels have no schedule",
    )
    return _differences(graph, edges, [round(start) for start in starts])


def _asap_starts(graph: DelayGraph) -> list[int]:
    """Start per node number; 0 where nothing comes in."""
    starts: list[int] = []
    for incoming in graph.incoming:
        starts.append(max((starts[source] + graph.min_delays[edge] for edge, source in incoming), default=0))
    return starts


def _differences(graph: DelayGraph, edges: Sequence[DelayEdge], starts: Sequence[int]) -> dict[str, int]:
    ends = zip(edges, graph.ends, strict=True)
    return {edge.name: starts[target] - starts[source] for edge, (source, target) in ends}
