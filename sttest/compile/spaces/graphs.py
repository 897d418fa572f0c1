"""Order in a small directed graph: what every design space needs first."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from sttest.errors import InputError, did_you_mean


def topological_order(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> list[str]:
    """The names with every source before its targets, otherwise in the order given.

    A sequence that is already in topological order comes back unchanged.

    Args:
        names: unique node names.
        edges: (source, target) pairs; parallel edges are allowed.

    Raises:
        InputError: ``duplicate-name``, ``unknown-name``, or ``cyclic-graph``,
            which names one cycle.
    """
    index = {name: position for position, name in enumerate(names)}
    if len(index) < len(names):
        twice = next(name for position, name in enumerate(names) if index[name] != position)
        raise InputError("duplicate-name", f"two nodes are named '{twice}'", where=twice, levers=["rename one of them"])
    successors: dict[str, list[str]] = {name: [] for name in names}
    waiting = dict.fromkeys(names, 0)
    for source, target in edges:
        _refuse_unknown(source, target, index)
        successors[source].append(target)
        waiting[target] += 1

    ready = [index[name] for name in names if waiting[name] == 0]
    order: list[str] = []
    while ready:
        name = names[heapq.heappop(ready)]
        order.append(name)
        for target in successors[name]:
            waiting[target] -= 1
            if waiting[target] == 0:
                heapq.heappush(ready, index[target])
    if len(order) < len(names):
        cycle = _find_cycle(successors, set(names) - set(order))
        raise InputError(
            "cyclic-graph",
            f"the graph has the cycle {' -> '.join(cycle)}",
            where=cycle[0],
            levers=["break the cycle with a value kept in external memory"],
        )
    return order


def _refuse_unknown(source: str, target: str, known: dict[str, int]) -> None:
    for name in (source, target):
        if name not in known:
            raise InputError(
                "unknown-name",
                f"the edge names the unknown node '{name}'",
                where=f"{source} -> {target}",
                levers=[did_you_mean(name, known)],
            )


def _find_cycle(successors: dict[str, list[str]], unordered: set[str]) -> list[str]:
    """One cycle, first node repeated at the end; ``unordered`` is what Kahn's algorithm left over.

    Every unordered node has an unordered predecessor, so walking backwards
    must meet a node again.
    """
    predecessor = {target: name for name in sorted(unordered) for target in successors[name]}
    walk = [min(unordered)]
    while walk.count(walk[-1]) == 1:
        walk.append(predecessor[walk[-1]])
    return walk[walk.index(walk[-1]) :][::-1]
