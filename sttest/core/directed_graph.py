"""Order and strongly connected parts of small directed graphs, without a library that takes long to import."""

import heapq
from collections.abc import Iterable, Sequence

from sttest.core.errors import InputError, did_you_mean

_NOT_YET = -1


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
        raise InputError("duplicate-name", f"two nodes are named '{twice}'", where=twice, hints=["rename one of them"])
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
            hints=["break the cycle with a value kept in external memory"],
        )
    return order


def _refuse_unknown(source: str, target: str, known: dict[str, int]) -> None:
    for name in (source, target):
        if name not in known:
            raise InputError(
                "unknown-name",
                f"the edge names the unknown node '{name}'",
                where=f"{source} -> {target}",
                hints=[did_you_mean(name, known)],
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


def strong_parts(size: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """The number of the strongly connected part of each of ``size`` nodes: Tarjan's algorithm, without recursion.

    A part has a smaller number than the parts from which it is reached.
    """
    successors: list[list[int]] = [[] for _ in range(size)]
    for source, target in edges:
        successors[source].append(target)
    order, low, part = [_NOT_YET] * size, [0] * size, [_NOT_YET] * size
    seen, parts = 0, 0
    open_nodes: list[int] = []
    for root in range(size):
        walk = [] if order[root] != _NOT_YET else [(root, iter(successors[root]))]
        while walk:
            node, left = walk[-1]
            if order[node] == _NOT_YET:
                order[node] = low[node] = seen
                seen += 1
                open_nodes.append(node)
            for after in left:
                if order[after] == _NOT_YET:
                    walk.append((after, iter(successors[after])))
                    break
                if part[after] == _NOT_YET:
                    low[node] = min(low[node], order[after])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == order[node]:
                    while part[node] == _NOT_YET:
                        part[open_nodes.pop()] = parts
                    parts += 1
    return part
