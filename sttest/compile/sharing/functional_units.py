"""Engines: tasks that take turns on one piece of hardware, and which tasks can.

Tasks are alike if one body of lanes serves both: the same payload on tiles of the same
shape, with elements of the same types at the same places, and with products of integers
made of the same (LUTs or DSPs).  How many tiles there are may
differ.  Members of an engine run one after the other, in program order, which is an order
of dependence: with room in the FIFOs none waits for one that comes later.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.sharing.processes import fifos_of, process_name


def engines_of(op: Operation) -> dict[str, list[df.TaskOp]]:
    """The members of every engine below an operation, in program order."""
    found: dict[str, list[df.TaskOp]] = {}
    for task in all_of(op, df.TaskOp):
        if task.engine is not None:
            found.setdefault(task.engine.data, []).append(task)
    return found


def alike(tasks: Iterable[df.TaskOp]) -> list[list[df.TaskOp]]:
    """Tasks in groups, each of which one engine can serve; order is kept.

    A task that reads what another one gives is in another group: a process is not both ends of a FIFO.
    """
    groups: dict[Hashable, list[list[df.TaskOp]]] = {}
    for task in tasks:
        candidates = groups.setdefault(_shape(task), [])
        for group in candidates:
            if group[0].payload.is_structurally_equivalent(task.payload) and not _reads_from(task, group):
                group.append(task)
                break
        else:
            candidates.append([task])
    return [group for candidates in groups.values() for group in candidates]


def _reads_from(task: df.TaskOp, group: Iterable[df.TaskOp]) -> bool:
    """Whether a task's kernel takes what a kernel of the group gives."""
    kernel = task.parent_op()
    givers = {member.parent_op() for member in group}
    return isinstance(kernel, df.KernelOp) and any(tensor.owner in givers for tensor in kernel.inputs)


def _shape(task: df.TaskOp) -> Hashable:
    ports = [df.itensor_of(port) for port in (*task.sources, *task.produced)]
    maps = [access.data for access in task.accesses] if task.accesses is not None else []
    return (
        task.tile_sizes,
        task.loop_kinds,
        str(task.init),
        task.is_contraction,
        task.multiplies_in_fabric,
        str(task.cascade),
        task.lane_count,
        len(task.sources),
        tuple((str(port.dtype), port.element_shape) for port in ports),
        tuple(_coefficients(access) for access in maps),
    )


def _coefficients(access: AffineMap) -> tuple[tuple[int, ...], ...]:
    """The coefficients of each loop in each dim."""
    units = [tuple(int(dim == unit) for dim in range(access.num_dims)) for unit in range(access.num_dims)]
    zero = access.eval((0,) * access.num_dims, ())
    return tuple(tuple(moved - start for moved, start in zip(access.eval(u, ()), zero, strict=True)) for u in units)


# --- FIFOs of a design at the stream level, and who stands at their ends


@dataclass(frozen=True)
class StreamEnds:
    """A FIFO with the streams that go through it, its one writer and its one reader."""

    fifo: str
    streams: tuple[df.StreamOp, ...]
    writer: str
    reader: str

    @property
    def kind(self) -> df.StreamType:
        """Type of the streams, but for the number of their tokens."""
        return self.streams[0].result.type

    @property
    def tokens(self) -> int:
        """The tokens that go through the FIFO in one layer."""
        return sum(stream.result.type.itensor.tokens for stream in self.streams)


def stream_ends(kernel: df.KernelOp) -> list[StreamEnds]:
    """All FIFOs of a kernel with their ends, in program order."""
    return [
        StreamEnds(name, tuple(streams), process_name(streams[0].writer), process_name(streams[0].reader))
        for name, streams in fifos_of(kernel).items()
    ]
