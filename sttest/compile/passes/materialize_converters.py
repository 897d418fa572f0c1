"""`materialize-converters`: gives each converter its buffer, shares equal ones, drops needless ones."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import converter_buffer, same_order
from sttest.compile.ir.module_walk import all_of


@dataclass(frozen=True)
class MaterializeConverters(ModulePass):
    """Infers the ping-pong buffer of every converter (streamtensor.md section 1.2)."""

    name = "materialize-converters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``buffer``, ``before_loop`` and ``blocks``; converters of one source and one order become one.

        One that gives tokens several times, to tasks that take turns, becomes one per task: what waits for a later turn
        is then kept once, before its converter.
        """
        shared: dict[tuple[SSAValue, Attribute], df.ConverterOp] = {}
        for converter in all_of(op, df.ConverterOp):
            if not converter.streams:
                continue
            source, result = converter.sources[0], converter.streams[0]
            if same_order(df.itensor_of(source), df.itensor_of(result)):
                _replace(converter, source)
                continue
            first = shared.setdefault((source, result.type), converter)
            if first is not converter:
                _replace(converter, first.streams[0])
        for converter in shared.values():
            for each in (converter, *_copies_for_turns(converter)):
                _set_buffer(each)


def _copies_for_turns(converter: df.ConverterOp) -> list[df.ConverterOp]:
    """A converter of its own for every task that takes a later turn on the engine of another reader."""
    given, taken = df.itensor_of(converter.streams[0]), df.itensor_of(converter.sources[0])
    if given.tokens * given.token_bits <= taken.tokens * taken.token_bits:
        return []
    engines: set[str] = set()
    copies: list[df.ConverterOp] = []
    for reader in _tasks_in_order(converter):
        if reader.engine is None:
            continue
        if reader.engine.data in engines:
            copy = converter.clone()
            Rewriter.insert_op(copy, InsertPoint.before(reader))
            for index, source in enumerate(reader.sources):
                if source is converter.streams[0]:
                    reader.operands[index] = copy.streams[0]
            copies.append(copy)
        engines.add(reader.engine.data)
    return copies


def _tasks_in_order(converter: df.ConverterOp) -> list[df.TaskOp]:
    readers = {use.operation for use in converter.streams[0].uses}
    block = converter.parent_block()
    return [op for op in block.ops if isinstance(op, df.TaskOp) and op in readers] if block is not None else []


def _set_buffer(converter: df.ConverterOp) -> None:
    buffer = converter_buffer(df.itensor_of(converter.sources[0]), df.itensor_of(converter.streams[0]))
    converter.properties["buffer"] = df.IntListAttr.of(buffer.shape)
    converter.properties["before_loop"] = df.i64_attr(buffer.before_loop)
    converter.properties["blocks"] = df.i64_attr(buffer.blocks)


def _replace(converter: df.ConverterOp, value: SSAValue) -> None:
    converter.streams[0].replace_all_uses_with(value)
    Rewriter.erase_op(converter)
