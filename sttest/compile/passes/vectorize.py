"""`vectorize`: tokens become vector registers, cut where a tile is wider than a register may be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import cut_into, vectorized
from sttest.compile.ir.module_walk import all_of, require_dmas
from sttest.compile.passes.materialize_dma import lay_out_tokens
from sttest.compile.schedule.operators import busy_cycles
from sttest.compile.schedule.tile_walk import TileWalk, source_tokens
from sttest.compile.sharing.functional_units import engines_of


@dataclass(frozen=True)
class Vectorize(ModulePass):
    """Bounds the width of a token by ``max_bits`` (documented default: 4096).

    A kernel takes a whole tile per iteration, so the widest register that is
    allowed costs it the fewest cycles at the port; both ends of a stream see
    the same vectors.  With ``full_rate`` a token is as wide as a task at either
    end moves per cycle, where that is more: no port then holds a task up.  What
    is read to be kept comes in whole words of memory.  With ``flatten`` a buffer
    that is filled many times gives twice that: changing its halves takes cycles.  And tokens are then as wide as
    a tile allows, also one that halves cannot be made of: 22 elements of 8 x 88 are 1 x 22.
    """

    name = "vectorize"

    max_bits: int = 4096
    full_rate: bool = False
    flatten: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Retypes every stream inside the kernels; tokens that are registers already stay.

        Raises:
            InputError: a kernel takes its streams from outside, where a DMA belongs.
        """
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            streams = [
                result
                for node in kernel.body.block.ops
                for result in node.results
                if isinstance(result.type, df.ITensorType) and not result.type.is_vector
            ]
            rates = _rates(kernel, streams, self.flatten) if self.full_rate else {}
            cuts = _Cuts(rates, self.max_bits, self.flatten)
            for stream, cut in [(stream, cuts.of(stream)) for stream in streams]:
                Rewriter.replace_value_with_new_type(stream, cut)
            for node in kernel.body.block.ops:
                if isinstance(node, df.DmaOp):
                    lay_out_tokens(node)


class _Cuts:
    """How each stream of a kernel is cut into tokens; none of them is cut before all is known."""

    def __init__(self, rates: Mapping[SSAValue, int], least: int, filled: bool) -> None:
        self.rates, self.least, self.filled = rates, least, filled

    def of(self, stream: SSAValue) -> df.ITensorType:
        """The stream in tokens as wide as its ends move, and of a weight those that its reader works on one by one."""
        plain = self._plain(stream)
        if (read := _weight_reader(stream)) is None or not self._follows_steps(read):
            return plain
        vector = _along_steps(read, prod(plain.element_shape))
        return plain if vector is None else cut_into(df.itensor_of(stream), vector)

    def _plain(self, stream: SSAValue) -> df.ITensorType:
        width = max(self.least, self.rates.get(stream, 0))
        return vectorized(df.itensor_of(stream), width, filled=self.filled)

    def _follows_steps(self, read: Use) -> bool:
        """Whether a task then keeps fewer elements."""
        task, stream = cast(df.TaskOp, read.operation), read.operation.operands[read.index]
        plain = self._plain(stream)
        vector = _along_steps(read, prod(plain.element_shape))
        if vector is None:
            return False
        walk, along = TileWalk.of(task), cut_into(df.itensor_of(stream), vector)
        kept = [walk.waiting(source_tokens(task, read.index, cut)) for cut in (along, plain)]
        return kept[0] < kept[1]


def _weight_reader(stream: SSAValue) -> Use | None:
    """The task that reads a packed tensor, or what a converter keeps of one; None if there is no such task."""
    writer, uses = stream.owner, [*stream.uses]
    if len(uses) != 1:
        return None
    reader = uses[0].operation
    if isinstance(writer, df.ConverterOp) and writer.kept is not None and _is_weight(writer.sources[0]):
        return _task_use(uses[0])
    if not _is_weight(stream):
        return None
    if isinstance(reader, df.ConverterOp) and reader.kept is not None:
        behind = [*reader.streams[0].uses]
        shapes = {df.itensor_of(each).element_shape for each in (stream, reader.streams[0])}
        return _task_use(behind[0]) if len(behind) == 1 == len(shapes) else None
    return _task_use(uses[0])


def _is_weight(stream: SSAValue) -> bool:
    return isinstance(stream.owner, df.DmaReadOp) and stream.owner.packed is not None


def _task_use(use: Use) -> Use | None:
    return use if isinstance(use.operation, df.TaskOp) and use.operation.accesses is not None else None


def _along_steps(read: Use, elements: int) -> tuple[int, ...] | None:
    task = cast(df.TaskOp, read.operation)
    shape = df.itensor_of(task.operands[read.index]).element_shape
    return TileWalk.of(task).token_along(task, read.index, shape, elements)


def _rates(kernel: df.KernelOp, streams: Sequence[SSAValue], flatten: bool) -> dict[SSAValue, int]:
    """Bits per cycle of each stream, of those of one width the most."""
    ahead = {stream for stream in streams if flatten and _changes_halves(stream.owner)}
    rates = {stream: _bits_per_cycle(stream) * (2 if stream in ahead else 1) for stream in streams}
    turns = _of_turns(kernel)
    # A unit that several tasks share moves what the slowest of their neighbors does: wider, all its FIFOs would be.
    for group in turns:
        rates |= dict.fromkeys(group, min(rates.get(stream, 0) for stream in group))
    groups = [*_of_one_width(kernel), *turns]
    # A stream may be of two groups, and what it gains in one the other gains, too.
    while uneven := [group for group in groups if len({rates.get(stream, 0) for stream in group}) > 1]:
        for group in uneven:
            rates |= dict.fromkeys(group, max(rates.get(stream, 0) for stream in group))
    return rates


def _of_one_width(kernel: df.KernelOp) -> list[list[SSAValue]]:
    """Streams that come in and go out as tensors of one type, for what leaves a block enters the next one; and the
    streams of a concatenation, which passes tokens on as they are.
    """
    outside: dict[Attribute, list[SSAValue]] = {}
    joined: list[list[SSAValue]] = []
    for node in kernel.body.block.ops:
        if isinstance(node, df.DmaReadOp) and node.packed is None:
            outside.setdefault(node.sources[0].type, []).append(node.streams[0])
        elif isinstance(node, df.DmaWriteOp):
            outside.setdefault(node.results[0].type, []).append(node.sources[0])
        elif isinstance(node, df.ConcatOp):
            joined.append([*node.sources, *node.produced])
    return [*outside.values(), *joined]


def _of_turns(kernel: df.KernelOp) -> list[list[SSAValue]]:
    """Streams that tasks which take turns on one unit have at the same port."""
    members = (([*task.sources, *task.produced] for task in tasks) for tasks in engines_of(kernel).values())
    return [list(streams) for each in members for streams in zip(*each, strict=True)]


def _bits_per_cycle(stream: SSAValue) -> int:
    """What the faster of the tasks at both ends moves while it works."""
    ends = [stream.owner, *(use.operation for use in stream.uses)]
    moved = [_moved_bits(task, stream) for task in ends if isinstance(task, df.TaskOp)]
    return max([0, *moved, *(_beat_bits(end) for end in ends if _is_to_keep(end))])


def _changes_halves(node: object) -> bool:
    return isinstance(node, df.ConverterOp) and node.blocks is not None and node.blocks.value.data > 1


def _is_to_keep(node: object) -> bool:
    """Whether a DMA reads what a converter keeps."""
    if not isinstance(node, df.DmaReadOp):
        return False
    readers = [use.operation for use in node.streams[0].uses]
    return all(isinstance(reader, df.ConverterOp) and reader.kept is not None for reader in readers)


def _beat_bits(node: object) -> int:
    return node.beat_bits.value.data if isinstance(node, df.DmaReadOp) and node.beat_bits is not None else 0


def _moved_bits(task: df.TaskOp, stream: SSAValue) -> int:
    """Bits of a tile per cycle of an iteration that moves it, rounded up."""
    _, library = load_operators(OPERATORS_FILE)
    kind = df.itensor_of(stream)
    visits = task.iterations if stream in task.sources else task.writes([*task.produced].index(stream))
    return -(-kind.tokens * kind.token_bits // (visits * busy_cycles(task, library)))
