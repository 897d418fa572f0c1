"""`code-parameters`: integers whose width is no power of two lie in memory in codes, and are decoded on the way in.

Three bits, or ternary numbers, do not fill words.  A DMA then reads the bytes of tokens (docs/reference/values.md), and
what gathers its slices makes the tokens of them.  Memory holds tokens in the order in which the stream has them.
"""

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.channels.waiting_reads import reads_of
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import coded_stream
from sttest.compile.ir.indexed import IndexedParameters
from sttest.compile.ir.module_walk import all_of, require_dmas
from sttest.compile.passes.materialize_dma import packed_layout
from sttest.core.errors import InputError, did_you_mean
from sttest.reference.codes import CODES

_ALWAYS = "i3"


@dataclass(frozen=True)
class CodeParameters(ModulePass):
    """Codes the parameters of three bits, and with ``ternary``, the name of a code, those of two bits."""

    name = "code-parameters"

    ternary: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Puts a `df.gather` with a code between such a DMA and its reader.

        Raises:
            InputError: an unknown code, a token that the code cannot hold, parameters of which a design chooses parts,
                or a kernel that takes its streams from outside.
        """
        ternary = [code for code in CODES if CODES[code].dtype == "i2"]
        if self.ternary and self.ternary not in ternary:
            hints = [did_you_mean(self.ternary, ternary)]
            raise InputError("unknown-code", f"unknown code '{self.ternary}'", where=self.name, hints=hints)
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            self._refuse_chosen_parts(kernel)
            for read in [dma for dma in all_of(kernel, df.DmaReadOp) if dma.packed is not None]:
                if code := self._code_of(read):
                    _decode(read, code)

    def _refuse_chosen_parts(self, kernel: df.KernelOp) -> None:
        """A chosen part begins in the middle of what is coded."""
        function = kernel.parent_op()
        indexed = IndexedParameters.of(function) if isinstance(function, func.FuncOp) else None
        if indexed is None:
            return
        assert isinstance(function, func.FuncOp)
        for name in indexed.dims:
            if any(self._code_of(read) for read in reads_of(kernel, function, name)):
                raise InputError(
                    "coded-parts", "parts of a parameter in codes cannot be chosen", where=name,
                    hints=["take weights of 2, 4 or 8 bits"],
                )  # fmt: skip

    def _code_of(self, read: df.DmaReadOp) -> str:
        dtype = df.itensor_of(read.port).dtype
        if dtype == IntegerType(3):
            return _ALWAYS
        return self.ternary if dtype == IntegerType(2) else ""


def _decode(read: df.DmaReadOp, name: str) -> None:
    stream, code = df.itensor_of(read.port), CODES[name]
    coded = coded_stream(stream, code)
    if stream.element_shape[-1] % code.group and name == "3:4":
        raise InputError(
            "token-not-in-fours", "a token's outputs do not come in fours", where=read.tensor_name,
            demand=stream.element_shape[-1], unit="outputs", hints=["take the scheme 'ternary'", "take other tiles"],
        )  # fmt: skip
    if prod(coded.full_shape) * stream.token_elements != prod(stream.full_shape) * coded.token_elements:
        raise InputError("code-order", "tokens of a parameter overlap", where=read.tensor_name)
    properties = {key: kept for key in ("folded", "queue", "card") if (kept := read.properties.get(key)) is not None}
    read.properties.pop("folded", None)
    made = df.DmaReadOp(operands=[list(read.sources), []], result_types=[[coded]], properties=dict(read.properties))
    made.properties["code"] = StringAttr(name)
    if read.beat_bits is not None:
        made.properties["layout"] = df.IntListAttr.of(packed_layout(coded, read.beat_bits.value.data))
    decoder = df.GatherOp(
        operands=[[made.streams[0]], []], result_types=[[stream]], properties={**properties, "code": StringAttr(name)}
    )
    decoder.streams[0].name_hint, made.streams[0].name_hint = read.port.name_hint, f"{read.tensor_name}_code"
    Rewriter.insert_op([made, decoder], InsertPoint.before(read))
    read.port.replace_all_uses_with(decoder.streams[0])
    Rewriter.erase_op(read)
