"""`vectorize`: tokens become vector registers, cut where a tile is wider than a register may be."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import vectorized
from sttest.compile.ir.module_walk import all_of, require_dmas
from sttest.compile.passes.materialize_dma import lay_out_tokens
from sttest.compile.schedule.operators import busy_cycles


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
            for stream in streams:
                width = max(self.max_bits, rates.get(stream, 0))
                Rewriter.replace_value_with_new_type(
                    stream, vectorized(df.itensor_of(stream), width, filled=self.flatten)
                )
            for node in kernel.body.block.ops:
                if isinstance(node, df.DmaOp):
                    lay_out_tokens(node)


def _rates(kernel: df.KernelOp, streams: Sequence[SSAValue], flatten: bool) -> dict[SSAValue, int]:
    """Bits per cycle of each stream, of those of one width the most."""
    ahead = {stream for stream in streams if flatten and _changes_halves(stream.owner)}
    rates = {stream: _bits_per_cycle(stream) * (2 if stream in ahead else 1) for stream in streams}
    groups = _of_one_width(kernel)
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
