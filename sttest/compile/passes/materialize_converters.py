"""`materialize-converters`: gives each converter its buffer, shares equal ones, drops needless ones."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.compile.dialects.df import ConverterOp, IntListAttr, i64_attr, itensor_of
from sttest.compile.module_walk import all_of
from sttest.compile.stream_order import converter_buffer, same_order


@dataclass(frozen=True)
class MaterializeConverters(ModulePass):
    """Infers the ping-pong buffer of every converter (streamtensor.md section 1.2)."""

    name = "materialize-converters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``buffer``, ``before_loop`` and ``blocks``; converters of one source and one order become one."""
        shared: dict[tuple[SSAValue, Attribute], ConverterOp] = {}
        for converter in all_of(op, ConverterOp):
            if not converter.streams:
                continue
            source, result = converter.sources[0], converter.streams[0]
            if same_order(itensor_of(source), itensor_of(result)):
                _replace(converter, source)
                continue
            first = shared.setdefault((source, result.type), converter)
            if first is not converter:
                _replace(converter, first.streams[0])
                continue
            _set_buffer(converter)


def _set_buffer(converter: ConverterOp) -> None:
    buffer = converter_buffer(itensor_of(converter.sources[0]), itensor_of(converter.streams[0]))
    converter.properties["buffer"] = IntListAttr.of(buffer.shape)
    converter.properties["before_loop"] = i64_attr(buffer.before_loop)
    converter.properties["blocks"] = i64_attr(buffer.blocks)


def _replace(converter: ConverterOp, value: SSAValue) -> None:
    converter.streams[0].replace_all_uses_with(value)
    Rewriter.erase_op(converter)
