"""`assign-channels`: every DMA gets its pseudo-channel; one that needs several becomes as many, and a gather.

The slices of a token come over channels of their own and are put together on chip; slices and tokens keep the
buffers of a folded DMA.  A port of the emitted C++ works on
one channel at a time, so this is the only way in which a tensor comes over several.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.boards.operators import operators
from sttest.boards.tiers import TierName
from sttest.compile.channels.argument_tiers import by_tier, tiers_of_arguments
from sttest.compile.channels.cache_pages import bound_by_pages
from sttest.compile.channels.memory_ports import (
    Evenness,
    PortDemand,
    assign_channels,
    bytes_per_cycle,
    cut_over_all,
    port_bytes,
    seldom_ports,
)
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import most_slices, sliced
from sttest.compile.ir.module_walk import all_of, require_dmas, target_of
from sttest.compile.ir.names import argument_kinds
from sttest.compile.options import ChannelUse
from sttest.compile.passes.materialize_dma import packed_layout
from sttest.compile.schedule.task_schedule import tile_interval
from sttest.compile.sharing.layers import behind_result
from sttest.compile.sharing.product_columns import columns_of
from sttest.core.errors import InputError, did_you_mean


@dataclass(frozen=True)
class AssignChannels(ModulePass):
    """Sets ``channel`` on the DMAs of every kernel, for the target of the module; those of a queue have the same ones.

    With ``layers``, what is behind the last one counts by its part of a layer.  ``channels`` says whether DMAs have
    channels ``apart``, share all of them ``together``, or as memory is faster by far (``auto``).  Where all are shared
    one may carry ``uneven`` percent more than its share, and there are ``slices`` per channel at most.  For products in
    several ``units`` side by side, weights come in slices of their columns.  DMAs of parameters that move little have
    ``seldom`` bursts in flight, if it is not 0.  ``tiers`` says which arguments are elsewhere than in the HBM.
    Bursts of caches do not go beyond a page of ``cache_page`` positions, if it is not 0.  Each of several cards has the
    channels of a board, numbered on.
    """

    name = "assign-channels"

    layers: int = 1
    channels: str = "auto"
    units: int = 1
    uneven: int = 5
    slices: int = 3
    seldom: int = 0
    tiers: tuple[str, ...] = ()
    cache_page: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Numbers the channels of each kernel from 0; cuts the DMAs that are given several.

        Raises:
            InputError: no target or way to use channels, a kernel that takes its streams from outside, or a memory
                that arguments cannot be in.
            DoesNotFitError: more DMAs that need a channel than the board has.
        """
        board, use = target_of(op, self.name), self._use()
        library = operators(board)
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            intervals = {task: tile_interval(task, library) for task in all_of(kernel, df.TaskOp)}
            images = _with_images_of_their_own(kernel)
            if self.cache_page:
                bound_by_pages(kernel, self.cache_page)
            behind, tiers = behind_result(kernel), tiers_of_arguments(kernel, self.tiers, board)
            turns = {dma: self.layers if dma in behind else 1 for dma in _dmas(kernel)}
            cuts = {dma: _columns_dim(dma) if self.units > 1 else None for dma in turns}
            even, beat_bytes = Evenness(self.uneven / 100, self.slices), port_bytes(kernel)
            for (card, name), ports in _by_memory(_ports(kernel), tiers).items():
                tier, first = board.tier(name), card * board.feed.channels
                demands = [_demand(port, dmas, intervals, images, turns, cuts) for port, dmas in ports.items()]
                rate = bytes_per_cycle(tier, board.clock_mhz.value, beat_bytes)
                found = (
                    assign_channels(demands, tier.channels, rate, tier.burst_bytes, use, even)
                    if name == "hbm"
                    else cut_over_all(demands, tier.channels, tier.burst_bytes)
                )
                few = seldom_ports(demands, found, tier.channels, beat_bytes, tier.burst_bytes) if self.seldom else ()
                for port, channels in found.items():
                    banks = tuple(first + board.banks(name)[each] for each in channels)
                    for dma in ports[port]:
                        if port in few:
                            dma.properties["ahead"] = df.i64_attr(self.seldom)
                        _connect(dma, banks, cuts[dma])

    def _use(self) -> ChannelUse:
        ways: dict[str, ChannelUse] = {way: way for way in get_args(ChannelUse)}
        if self.channels not in ways:
            raise InputError(
                "unknown-channels",
                f"unknown way to use channels '{self.channels}'",
                where=self.name,
                hints=[did_you_mean(self.channels, ways)],
            )
        return ways[self.channels]


def _by_memory(
    ports: Mapping[str, Sequence[df.DmaOp]], tiers: Mapping[SSAValue, TierName]
) -> dict[tuple[int, TierName], dict[str, Sequence[df.DmaOp]]]:
    """The DMAs of each card and memory.

    Raises:
        InputError: other memories than the HBM on several cards.
    """
    found: dict[tuple[int, TierName], dict[str, Sequence[df.DmaOp]]] = {}
    for card in sorted({dmas[0].card_number for dmas in ports.values()}):
        own = {name: dmas for name, dmas in ports.items() if dmas[0].card_number == card}
        for tier, some in by_tier(own, tiers).items():
            if card and tier != "hbm":
                raise InputError(
                    "tiers-of-cards",
                    "several cards have their data in the HBM",
                    where="tiers (--tier)",
                    hints=["compile without --tier", "compile without --cards"],
                )
            found[card, tier] = some
    return found


def _ports(kernel: df.KernelOp) -> dict[str, list[df.DmaOp]]:
    """DMAs that work on the same channels, those of a queue."""
    found: dict[str, list[df.DmaOp]] = {}
    for number, dma in enumerate(_dmas(kernel)):
        found.setdefault(dma.queue_name or str(number), []).append(dma)
    return found


def _dmas(kernel: df.KernelOp) -> list[df.DmaOp]:
    return [node for node in kernel.body.block.ops if isinstance(node, df.DmaOp)]


def _with_images_of_their_own(kernel: df.KernelOp) -> set[SSAValue]:
    """Parameters and caches, inside of the kernel: the host lays them out, slice by slice where that is wanted."""
    function = kernel.parent_op()
    kinds = argument_kinds(function) if isinstance(function, func.FuncOp) else {}
    pairs = zip(kernel.inputs, kernel.body.block.args, strict=True)
    return {inner for outer, inner in pairs if kinds.get(outer) in ("parameter", "cache")}


def _demand(
    name: str,
    dmas: Sequence[df.DmaOp],
    intervals: dict[df.TaskOp, int],
    images: set[SSAValue],
    turns: Mapping[df.DmaOp, int],
    cuts: Mapping[df.DmaOp, int | None],
) -> PortDemand:
    """Traffic of DMAs that take turns, each once in so many layers.

    A task behind one bounds its pace, anything else takes one token per cycle.
    """
    streams = {dma: df.itensor_of(dma.port) for dma in dmas}
    total_bytes = sum(-(-each.tokens * each.token_bits // (8 * turns[dma])) for dma, each in streams.items())
    busy = sum(-(-_busy_cycles(dma.port, intervals) // turns[dma]) for dma in dmas)
    packed = all(dma.is_packed for dma in dmas)
    slices = (
        min(most_slices(stream, cuts[dma]) for dma, stream in streams.items())
        if (packed and not dmas[0].writes) or dmas[0].sources[0] in images
        else 1
    )
    writes, queue = dmas[0].writes, dmas[0].queue_name is not None
    turn_bytes = max(-(-each.tokens * each.token_bits // 8) for each in streams.values())
    return PortDemand(name, writes, total_bytes, busy, packed, slices, queue, turn_bytes)


def _busy_cycles(port: SSAValue, intervals: dict[df.TaskOp, int]) -> int:
    tasks = [use.operation for use in _used(port) if isinstance(use.operation, df.TaskOp)]
    return max((task.iterations * intervals[task] for task in tasks), default=df.itensor_of(port).tokens)


def _used(port: SSAValue) -> list[Use]:
    """Who reads a stream; behind a buffer that keeps parameters, who reads that."""
    owner = port.owner
    if not isinstance(owner, df.DmaReadOp) or owner.packed is None:
        return [*port.uses]
    if (decoder := _decoder_of(owner)) is not None:
        port = decoder.streams[0]
    kept = [use.operation for use in port.uses if isinstance(use.operation, df.ConverterOp) and use.operation.kept]
    return [*port.uses, *(use for converter in kept for use in converter.streams[0].uses)]


def _columns_dim(dma: df.DmaOp) -> int | None:
    """The dim of a weight along which the columns of its product lie; None where it is read otherwise."""
    uses = [*dma.port.uses] if isinstance(dma, df.DmaReadOp) and dma.packed is not None else []
    if len(uses) != 1 or not isinstance(task := uses[0].operation, df.TaskOp):
        return None
    columns = columns_of(task, uses[0].index)
    return None if columns is None else columns.weight_dim


def _connect(dma: df.DmaOp, channels: tuple[int, ...], dim: int | None) -> None:
    if len(channels) == 1:
        dma.properties["channel"] = df.i64_attr(channels[0])
        return
    assert isinstance(dma, df.DmaReadOp)
    parts = slices_of(dma, channels, dim)
    decoder = _decoder_of(dma)
    whole = dma if decoder is None else decoder
    stream = whole.streams[0]
    gather = df.GatherOp(operands=[[each.streams[0] for each in parts], []], result_types=[[stream.type]])
    for name in ("folded", "queue", "card", *([] if decoder is None else ["code"])):
        if (kept := whole.properties.get(name)) is not None:
            gather.properties[name] = kept
    Rewriter.insert_op([*parts, gather], InsertPoint.before(whole))
    gather.streams[0].name_hint = stream.name_hint
    stream.replace_all_uses_with(gather.streams[0])
    for replaced in (*([] if decoder is None else [decoder]), dma):
        Rewriter.erase_op(replaced)


def _decoder_of(dma: df.DmaReadOp) -> df.GatherOp | None:
    """What makes tokens of the codes that a DMA reads."""
    reader = next((use.operation for use in dma.streams[0].uses), None) if dma.code is not None else None
    return reader if isinstance(reader, df.GatherOp) else None


def slices_of(dma: df.DmaReadOp, channels: tuple[int, ...], dim: int | None) -> list[df.DmaReadOp]:
    """DMAs that read a slice of every token each.

    Args:
        dma: DMA of whole tokens.
        channels: channel of each slice.
        dim: data dim along which tokens are cut; that of `slice_dim` if None.
    """
    return reads_of_slices(dma, sliced(df.itensor_of(dma.streams[0]), len(channels), dim), channels)


def reads_of_slices(dma: df.DmaReadOp, part: df.ITensorType, channels: tuple[int, ...]) -> list[df.DmaReadOp]:
    """DMAs like ``dma`` that read slices of this type, over these channels."""
    layout = None if dma.beat_bits is None else df.IntListAttr.of(packed_layout(part, dma.beat_bits.value.data))
    return [_slice(dma, part, layout, number, channels) for number in range(len(channels))]


def _slice(
    dma: df.DmaReadOp, part: df.ITensorType, layout: df.IntListAttr | None, number: int, channels: tuple[int, ...]
) -> df.DmaReadOp:
    made = df.DmaReadOp(operands=[list(dma.sources), []], result_types=[[part]], properties=dict(dma.properties))
    made.properties["slice"] = df.IntListAttr.of((number, len(channels)))
    made.properties["channel"] = df.i64_attr(channels[number])
    if layout is not None:
        made.properties["layout"] = layout
    name = dma.streams[0].name_hint
    made.streams[0].name_hint = f"{name}_slice{number}" if name else None
    return made
