"""`code-parameters`: integers whose width is no power of two lie in memory in codes, and are decoded on the way in.

Three bits, or ternary numbers, do not fill words.  A DMA then reads the bytes of tokens (docs/reference/values.md), and
what gathers its slices makes the tokens of them.  Memory holds tokens in the order in which the stream has them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.channels.waiting_reads import reads_of
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import coded_stream
from sttest.compile.ir.indexed import IndexedParameters
from sttest.compile.ir.module_walk import all_of, require_dmas
from sttest.compile.passes.materialize_dma import packed_layout
from sttest.core.errors import InputError
from sttest.reference.codes import Code
from sttest.reference.weight_types import code_named


@dataclass(frozen=True)
class CodeParameters(ModulePass):
    """Codes the parameters whose type has one of the codes that are named."""

    name = "code-parameters"

    codes: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Puts a `df.gather` with a code between such a DMA and its reader.

        Raises:
            InputError: an unknown code, a token that the code cannot hold, parameters of which a design chooses parts,
                or a kernel that takes its streams from outside.
        """
        by_type = {code.dtype: code for code in (code_named(each, self.name) for each in self.codes)}
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            _refuse_chosen_parts(kernel, by_type)
            for read in [dma for dma in all_of(kernel, df.DmaReadOp) if dma.packed is not None]:
                if code := _code_of(read, by_type):
                    _decode(read, code)


def _refuse_chosen_parts(kernel: df.KernelOp, by_type: Mapping[str, Code]) -> None:
    """A chosen part begins in the middle of what is coded."""
    function = kernel.parent_op()
    indexed = IndexedParameters.of(function) if isinstance(function, func.FuncOp) else None
    if indexed is None:
        return
    assert isinstance(function, func.FuncOp)
    for name in indexed.dims:
        if any(_code_of(read, by_type) for read in reads_of(kernel, function, name)):
            raise InputError(
                "coded-parts",
                "parts of a parameter in codes cannot be chosen",
                where=name,
                hints=["take weights of 2, 4 or 8 bits"],
            )


def _code_of(read: df.DmaReadOp, by_type: Mapping[str, Code]) -> Code | None:
    return by_type.get(str(df.itensor_of(read.port).dtype))


def _decode(read: df.DmaReadOp, code: Code) -> None:
    stream = df.itensor_of(read.port)
    coded = coded_stream(stream, code)
    if code.has_whole_groups and stream.element_shape[-1] % code.group:
        raise InputError(
            "token-not-in-groups",
            f"a token's outputs are no groups of {code.group}",
            where=read.tensor_name,
            demand=stream.element_shape[-1],
            unit="outputs",
            hints=["take weights of another type", "take other tiles"],
        )
    if prod(coded.full_shape) * stream.token_elements != prod(stream.full_shape) * coded.token_elements:
        raise InputError("code-order", "tokens of a parameter overlap", where=read.tensor_name)
    properties = {key: kept for key in ("folded", "queue", "card") if (kept := read.properties.get(key)) is not None}
    read.properties.pop("folded", None)
    made = df.DmaReadOp(operands=[list(read.sources), []], result_types=[[coded]], properties=dict(read.properties))
    made.properties["code"] = StringAttr(code.name)
    if read.beat_bits is not None:
        made.properties["layout"] = df.IntListAttr.of(packed_layout(coded, read.beat_bits.value.data))
    decoder = df.GatherOp(
        operands=[[made.streams[0]], []],
        result_types=[[stream]],
        properties={**properties, "code": StringAttr(code.name)},
    )
    decoder.streams[0].name_hint, made.streams[0].name_hint = read.port.name_hint, f"{read.tensor_name}_code"
    Rewriter.insert_op([made, decoder], InsertPoint.before(read))
    read.port.replace_all_uses_with(decoder.streams[0])
    Rewriter.erase_op(read)
