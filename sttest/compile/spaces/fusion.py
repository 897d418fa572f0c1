"""Kernel fusion: which kernels share one FPGA kernel, and what their converters cost on chip.

Greedy and topological, after StreamTensor (arXiv 2509.13694, the kernel fusion
space) and the authors' ECE527 lecture, which also charges local buffers.
Inside a group kernels stream to each other; between groups a tensor goes
through external memory.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sttest.core.directed_graph import topological_order
from sttest.core.errors import DoesNotFitError, InputError


@dataclass(frozen=True)
class KernelFacts:
    """A kernel and the on-chip bytes that it needs by itself."""

    name: str
    local_buffer_bytes: int = 0


@dataclass(frozen=True)
class EdgeFacts:
    """A tensor that goes from one kernel to another.

    ``converter_bytes`` is what its layout converter costs if the two kernels
    are fused (both halves of the ping-pong); 0 where the itensor types agree.
    """

    source: str
    target: str
    converter_bytes: int = 0


@dataclass(frozen=True)
class GroupCost:
    """On-chip bytes of one group, in two parts."""

    converter_bytes: int
    local_buffer_bytes: int

    @property
    def total_bytes(self) -> int:
        """What is held against C_max."""
        return self.converter_bytes + self.local_buffer_bytes


@dataclass(frozen=True)
class Fusion:
    """The fusion decision; groups are numbered from 0 and never fall along an edge."""

    group_of: Mapping[str, int]
    """Group number per kernel, in topological order."""
    costs: tuple[GroupCost, ...]
    """Cost per group."""
    external_edges: tuple[EdgeFacts, ...]
    """Edges between groups: these tensors go through external memory and need no converter."""

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Kernel names per group, in topological order."""
        members: list[list[str]] = [[] for _ in self.costs]
        for name, group in self.group_of.items():
            members[group].append(name)
        return tuple(tuple(names) for names in members)


def fuse(kernels: Sequence[KernelFacts], edges: Sequence[EdgeFacts], c_max_bytes: int) -> Fusion:
    """Fuse kernels greedily in topological order, each into the nearest group of its producers.

    For a kernel, the candidate is the highest-numbered group among its
    producers' (a lower one could close a cycle of groups).  It joins if that
    group's bytes so far, plus the converters on the edges from that group,
    plus its own buffers stay within C_max; else it opens a new group.  Edges
    from other groups go through external memory and are not charged.

    Ours: a kernel without producers takes the group opened last as its
    candidate, at no converter cost.  The paper does not say; a group of its
    own would split every block that has a second source, such as a rotary
    table.  Since consumers take the highest group of their producers, any
    open group keeps the order.

    Args:
        kernels: kernels in program order, which breaks ties of the topological order.
        edges: between kernels; parallel edges are separate tensors.
        c_max_bytes: on-chip memory for one group.

    Raises:
        DoesNotFitError: ``kernel-exceeds-c-max``, a kernel alone is too big.
        InputError: negative bytes, unknown or duplicate names, or a cycle.
    """
    _refuse_negative_bytes(kernels, edges, c_max_bytes)
    facts = {kernel.name: kernel for kernel in kernels}
    order = topological_order([kernel.name for kernel in kernels], ((e.source, e.target) for e in edges))
    incoming: dict[str, list[EdgeFacts]] = {name: [] for name in order}
    for edge in edges:
        incoming[edge.target].append(edge)

    group_of: dict[str, int] = {}
    costs: list[GroupCost] = []
    for name in order:
        local_bytes = _fitting_local_bytes(facts[name], c_max_bytes)
        candidate = max((group_of[edge.source] for edge in incoming[name]), default=len(costs) - 1)
        converter_bytes = sum(e.converter_bytes for e in incoming[name] if group_of[e.source] == candidate)
        joined = _joined(costs, candidate, converter_bytes, local_bytes)
        if joined is not None and joined.total_bytes <= c_max_bytes:
            costs[candidate] = joined
            group_of[name] = candidate
        else:
            group_of[name] = len(costs)
            costs.append(GroupCost(converter_bytes=0, local_buffer_bytes=local_bytes))

    external = tuple(edge for edge in edges if group_of[edge.source] != group_of[edge.target])
    return Fusion(group_of, tuple(costs), external)


def _joined(costs: Sequence[GroupCost], group: int, converter_bytes: int, local_bytes: int) -> GroupCost | None:
    """The group's cost with one more kernel; None for the first kernel, which has no group to join."""
    if group < 0:
        return None
    before = costs[group]
    return GroupCost(before.converter_bytes + converter_bytes, before.local_buffer_bytes + local_bytes)


def _fitting_local_bytes(kernel: KernelFacts, c_max_bytes: int) -> int:
    if kernel.local_buffer_bytes > c_max_bytes:
        raise DoesNotFitError(
            "kernel-exceeds-c-max",
            f"the local buffers of kernel '{kernel.name}' alone exceed C_max",
            where=kernel.name,
            demand=kernel.local_buffer_bytes,
            bound=c_max_bytes,
            unit="bytes",
            hints=["lower the tile size", "lower the unroll size", "take a board with more on-chip memory"],
        )
    return kernel.local_buffer_bytes


def _refuse_negative_bytes(kernels: Iterable[KernelFacts], edges: Iterable[EdgeFacts], c_max_bytes: int) -> None:
    sizes = chain(
        [("C_max", c_max_bytes)],
        ((kernel.name, kernel.local_buffer_bytes) for kernel in kernels),
        ((f"{edge.source} -> {edge.target}", edge.converter_bytes) for edge in edges),
    )
    for where, size_bytes in sizes:
        if size_bytes < 0:
            raise InputError(
                "negative-bytes", f"a size of {size_bytes} bytes", where=where, hints=["give 0 bytes or more"]
            )
