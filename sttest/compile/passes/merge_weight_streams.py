"""`merge-weight-streams`: parameters that the tasks of an engine read one after the other come in one stream.

An engine takes its tasks in program order, so that one DMA can read their weights in that order: with all the channels
that they would have had, where each by itself rests while the engine reads another.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, require_dmas
from sttest.compile.ir.names import unique
from sttest.compile.sharing.functional_units import engines_of


@dataclass(frozen=True)
class MergeWeightStreams(ModulePass):
    """Names a ``queue`` on DMAs that read the same source of every task of an engine, with tokens that are alike."""

    name = "merge-weight-streams"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``queue``, and moves its DMAs into the order of the engine's turns.

        Raises:
            InputError: a kernel that takes its streams from outside.
        """
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            taken = {dma.tensor_name for dma in all_of(kernel, df.DmaReadOp)}
            for engine, members in engines_of(kernel).items():
                for number in range(len(members[0].sources)):
                    loads = _loads(members, number)
                    if len(loads) > 1 and len({_shape(dma) for dma in loads}) == 1:
                        _share(loads, unique(f"{engine}_{_what(loads, number)}", taken))


def _loads(members: Sequence[df.TaskOp], number: int) -> list[df.DmaReadOp]:
    """The DMAs behind one source of every task; none where one of them has another source."""
    loads = [owner for source in (member.sources[number] for member in members) if (owner := _load(source))]
    return loads if len(loads) == len(members) else []


def _load(source: SSAValue) -> df.DmaReadOp | None:
    """What reads a parameter for one task alone."""
    owner = source.owner
    if isinstance(owner, df.DmaReadOp) and owner.packed is not None and owner.queue is None and source.has_one_use():
        return owner
    return None


def _shape(dma: df.DmaReadOp) -> Hashable:
    """What is the same for all tokens of a FIFO."""
    stream = df.itensor_of(dma.streams[0])
    return stream.element_shape, str(stream.dtype), stream.is_vector, dma.folded is None, str(dma.beat_bits)


def _what(loads: Sequence[df.DmaReadOp], number: int) -> str:
    """The common ending of the tensors' names, such as ``weight_scale``, if there is one."""
    words = [reversed(dma.tensor_name.split("_")) for dma in loads]
    alike = takewhile(lambda same: len({*same}) == 1, zip(*words, strict=False))
    return "_".join(reversed([same[0] for same in alike])) or f"source{number}"


def _share(loads: Sequence[df.DmaReadOp], queue: str) -> None:
    for dma in loads:
        dma.properties["queue"] = StringAttr(queue)
    # Each still stands before its task, which comes after the tasks before it.
    for before, after in pairwise(loads):
        block = after.parent_block()
        assert block is not None
        after.detach()
        block.insert_op_after(after, before)
