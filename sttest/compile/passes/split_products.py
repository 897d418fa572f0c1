"""`split-products`: a wide product with a weight becomes several side by side, each of a share of its columns.

A unit of thousands of lanes is more than a region of the die has room for, and all of its weights would have to cross
to where it is.  Each part has the DMAs of its own columns, a copy of the row, and a share of the lanes; what they make
of a token is put together again.  Tasks of an engine are split alike, into as many engines.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import coded_stream, cut_dim, most_slices, sliced
from sttest.compile.ir.module_walk import all_of, require_dmas, require_positive
from sttest.compile.passes.assign_channels import reads_of_slices, slices_of
from sttest.compile.schedule.reductions import lane_factors
from sttest.compile.sharing.product_columns import ProductColumns, columns_of
from sttest.core.errors import InputError
from sttest.reference.weight_types import codes


def unit_name(name: str, unit: int, units: int) -> str:
    """The name of a part.

    >>> unit_name("mlp_fc1", 0, 4)
    'mlp_fc1_unit0of4'
    """
    return f"{name}_unit{unit}of{units}"


@dataclass(frozen=True)
class SplitProducts(ModulePass):
    """Splits products whose weights come in slices of their columns (`assign-channels`) into so many ``units``."""

    name = "split-products"

    units: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replaces tasks; those of an engine all or none.

        Raises:
            InputError: no product can be split so; or a kernel that takes its streams from outside.
        """
        require_positive(self.name, units=self.units)
        found = 0
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            together: dict[str, list[df.TaskOp]] = {}
            for task in all_of(kernel, df.TaskOp):
                together.setdefault(task.shared_name or task.sym_name.data, []).append(task)
            for members in together.values():
                splits = [split for split in map(self._split, members) if split is not None]
                if len(splits) < len(members):
                    continue
                found += len(members)
                queues, row = _result_queues(members), _row_queue(members)
                for member, split in zip(members, splits, strict=True):
                    _replace(member, split, self.units, queues.get(member, ""), row)
        if not found:
            raise InputError(
                "nothing-split",
                f"no product with a weight can be split into {self.units} units",
                where=self.name,
                demand=self.units,
                bound=1,
                unit="units",
                hints=[
                    "take a power of two",
                    "give products more lanes (--gemv-lanes) or more channels",
                    "take weights of 2, 4 or 8 bits, which lie in no codes",
                ],
            )

    def _split(self, task: df.TaskOp) -> ProductColumns | None:
        """The columns along which a task can be split, None if it cannot."""
        for number, source in enumerate(task.sources):
            columns = columns_of(task, number)
            if columns is None or not self._comes_apart(source, columns):
                continue
            lanes = lane_factors(task, min(task.lane_count, task.tile_points))[columns.loop]
            slices = most_slices(df.itensor_of(task.produced[0]), columns.result_dim)
            if lanes % self.units == 0 == slices % self.units:
                return columns
        return None

    def _comes_apart(self, source: SSAValue, columns: ProductColumns) -> bool:
        """Whether a weight comes in slices of its columns, or can; of codes each part has its own."""
        load, whole = source.owner, df.itensor_of(source)
        if isinstance(load, df.GatherOp):
            if load.code is not None:
                return _codes_of_parts(load, load.code.data, columns.weight_dim, self.units) is not None
            first = load.sources[0]
            cut = cut_dim(df.itensor_of(first), whole)
            return _is_weight(first) and cut == columns.weight_dim and len(load.sources) % self.units == 0
        return _is_weight(source) and most_slices(whole, columns.weight_dim) % self.units == 0


def _is_weight(stream: SSAValue) -> bool:
    return isinstance(stream.owner, df.DmaReadOp) and stream.owner.packed is not None


def _result_queues(members: Sequence[df.TaskOp]) -> dict[df.TaskOp, str]:
    """The queue of what puts the results of each together: one for all that one engine hands to another."""
    found: dict[df.TaskOp, str] = {}
    for member in members:
        readers = [use.operation for use in member.streams[0].uses]
        reader = readers[0] if len(readers) == 1 else None
        if member.engine is not None and isinstance(reader, df.TaskOp) and reader.engine is not None:
            found[member] = f"{member.engine.data}_to_{reader.engine.data}"
    shared = Counter(found.values())
    return {member: queue for member, queue in found.items() if shared[queue] > 1}


def _row_queue(members: Sequence[df.TaskOp]) -> str:
    """The queue of what copies the rows of an engine's tasks to its parts; empty where there is one task."""
    engine = members[0].engine
    return f"{engine.data}_rows" if engine is not None and len(members) > 1 else ""


def _replace(task: df.TaskOp, columns: ProductColumns, units: int, queue: str, row_queue: str) -> None:
    """Puts the parts of a task in its place.

    Args:
        task: task.
        columns: columns that the parts share out.
        units: number of parts.
        queue: queue of what puts their results together; none if empty.
        row_queue: queue of what copies their row; none if empty.
    """
    load = task.sources[columns.weight].owner
    assert isinstance(load, df.GatherOp | df.DmaReadOp)
    weights = _weights(load, columns, units)
    row, result, name = task.sources[1 - columns.weight], task.streams[0], task.sym_name.data
    fork = df.ForkOp(row, units)
    if row_queue:
        fork.properties["queue"] = StringAttr(row_queue)
    Rewriter.insert_op(fork, InsertPoint.before(task))
    for copy in fork.streams:
        copy.name_hint = row.name_hint
    parts = list[SSAValue]()
    for unit, (copy, weight) in enumerate(zip(fork.streams, weights, strict=True)):
        sources = (weight, copy) if columns.weight == 0 else (copy, weight)
        part = _part(task, columns, units, unit, sources)
        part.streams[0].name_hint = unit_name(result.name_hint or name, unit, units)
        parts.append(part.streams[0])
    whole = df.GatherOp(operands=[parts, []], result_types=[[result.type]])
    if task.card is not None:
        fork.properties["card"] = whole.properties["card"] = task.card
    if queue:
        whole.properties["queue"] = StringAttr(queue)
    Rewriter.insert_op(whole, InsertPoint.before(task))
    whole.streams[0].name_hint = result.name_hint
    result.replace_all_uses_with(whole.streams[0])
    Rewriter.erase_op(task)
    reads = {source.owner for source in load.sources if isinstance(source.owner, df.DmaReadOp)}
    Rewriter.erase_op(load)
    for read in reads:
        if not any(stream.uses.get_length() for stream in read.streams):
            Rewriter.erase_op(read)


def _weights(load: df.GatherOp | df.DmaReadOp, columns: ProductColumns, units: int) -> list[SSAValue]:
    """The weights of each part: what comes over several channels is put together part by part."""
    if isinstance(load, df.DmaReadOp):
        channel = 0 if load.channel is None else load.channel.value.data
        loads = slices_of(load, (channel,) * units, columns.weight_dim)
        Rewriter.insert_op(loads, InsertPoint.before(load))
        return [each.streams[0] for each in loads]
    if load.code is not None:
        codes = _codes_of_parts(load, load.code.data, columns.weight_dim, units)
        assert codes is not None
        return _decoded(load, codes, units)
    share, kind = len(load.sources) // units, sliced(df.itensor_of(load.streams[0]), units, columns.weight_dim)
    if share == 1:
        return [*load.sources]
    return [_gather(load, kind, (unit, units), load.sources[unit * share :][:share]) for unit in range(units)]


@dataclass(frozen=True)
class _Codes:
    """Of the parts of a product whose weights lie in codes: their tokens, and the slices of codes that DMAs read."""

    tokens: df.ITensorType
    slices: df.ITensorType
    channels: tuple[int, ...]  # channels of the slices, those of the first part first


def _codes_of_parts(load: df.GatherOp, name: str, dim: int, units: int) -> _Codes | None:
    """Each part of the columns in codes of its own, over the channels of the whole; None where that is not possible."""
    whole, code = df.itensor_of(load.streams[0]), codes()[name]
    if not all(map(_is_weight, load.sources)) or most_slices(whole, dim) % units:
        return None
    channels = [_channel(source.owner) for source in load.sources]
    if len(channels) == 1:
        channels *= units
    tokens, slices = sliced(whole, units, dim), len(channels) // units
    coded = coded_stream(tokens, code)
    if (
        len(channels) % units
        or most_slices(coded) % slices
        or (code.has_whole_groups and tokens.element_shape[-1] % code.group)
    ):
        return None
    return _Codes(tokens, sliced(coded, slices), tuple(channels))


def _channel(dma: Operation | Block) -> int:
    assert isinstance(dma, df.DmaReadOp)
    return 0 if dma.channel is None else dma.channel.value.data


def _decoded(load: df.GatherOp, codes: _Codes, units: int) -> list[SSAValue]:
    """The weights of each part, out of codes of their own."""
    first = load.sources[0].owner
    assert isinstance(first, df.DmaReadOp)
    reads = reads_of_slices(first, codes.slices, codes.channels)
    Rewriter.insert_op(reads, InsertPoint.before(load))
    slices, share = [read.streams[0] for read in reads], len(reads) // units
    return [_gather(load, codes.tokens, (unit, units), slices[unit * share :][:share]) for unit in range(units)]


def _gather(load: df.GatherOp, kind: df.ITensorType, which: tuple[int, int], slices: Sequence[SSAValue]) -> SSAValue:
    made = df.GatherOp(operands=[list(slices), []], result_types=[[kind]], properties=dict(load.properties))
    if load.queue is not None:
        made.properties["queue"] = StringAttr(unit_name(load.queue.data, *which))
    Rewriter.insert_op(made, InsertPoint.before(load))
    whole = load.streams[0].name_hint
    made.streams[0].name_hint = unit_name(whole, *which) if whole else None
    return made.streams[0]


def _part(task: df.TaskOp, columns: ProductColumns, units: int, unit: int, sources: Sequence[SSAValue]) -> df.TaskOp:
    properties = dict(task.properties)
    tile = [size // units if loop == columns.loop else size for loop, size in enumerate(task.tile_sizes)]
    properties |= {
        "sym_name": StringAttr(unit_name(task.sym_name.data, unit, units)),
        "tile": df.IntListAttr.of(tile),
        "lanes": df.i64_attr(max(1, task.lane_count // units)),
    }
    if task.engine is not None:
        properties["engine"] = StringAttr(unit_name(task.engine.data, unit, units))
    properties.pop("operandSegmentSizes", None)
    kind = sliced(df.itensor_of(task.streams[0]), units, columns.result_dim)
    part = df.TaskOp(
        operands=[list(sources), []], result_types=[[kind]], properties=properties, regions=[task.payload.clone()]
    )
    Rewriter.insert_op(part, InsertPoint.before(task))
    return part
