"""The printed forms of those operations of mlir-aie that say what moves (https://github.com/Xilinx/mlir-aie).

Of ``AIEOps.td`` and ``AIEX.td``, versions of 2024 to 2026: an object FIFO, its links, acquire and release, cores,
and the runtime sequence with its transfers.  What only configures hardware is passed over.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, StringAttr, SymbolRefAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser

from sttest.importers.mlir.data_operations import end_of_operation
from sttest.importers.mlir.text import PrintedForm

DYNAMIC = -(1 << 63)
"""What stands in an array of sizes for one that is an operand."""
_I32 = 32
_EMPTY = re.compile(r"\[\s*\]")


def _skip_brackets(parser: Parser) -> None:
    """Passes over one bracketed list of anything."""
    content = parser.lexer.input.content
    depth, place = 0, parser.pos
    while place < len(content):
        depth += (content[place] in "([{<") - (content[place] in ")]}>")
        place += 1
        if depth == 0:
            break
    parser._resume_from(place)


def _device(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.device(npu2) @main { ... }``."""
    parser.parse_punctuation("(")
    device = parser.parse_identifier()
    parser.parse_punctuation(")")
    stated: dict[str, Attribute] = {"device": StringAttr(device)}
    if (name := parser.parse_optional_symbol_name()) is not None:
        stated["sym_name"] = name
    region = parser.parse_region()
    return cls.create(regions=[region], attributes={**parser.parse_optional_attr_dict(), **stated})


def _tile(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.tile(0, 2)``."""
    parser.parse_punctuation("(")
    column = parser.parse_integer()
    parser.parse_punctuation(",")
    row = parser.parse_integer()
    parser.parse_punctuation(")")
    place = {"col": IntegerAttr(column, _I32), "row": IntegerAttr(row, _I32)}
    return cls.create(result_types=[IndexType()], attributes={**parser.parse_optional_attr_dict(), **place})


def _logical_tile(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.logical_tile<CoreTile>(?, 2)``."""
    parser.parse_punctuation("<")
    stated: dict[str, Attribute] = {"tile_type": StringAttr(parser.parse_identifier())}
    parser.parse_punctuation(">")
    parser.parse_punctuation("(")
    for name in ("col", "row"):
        if parser.parse_optional_punctuation("?") is None:
            stated[name] = IntegerAttr(parser.parse_integer(), _I32)
        parser.parse_optional_punctuation(",")
    parser.parse_punctuation(")")
    return cls.create(result_types=[IndexType()], attributes={**parser.parse_optional_attr_dict(), **stated})


def _tile_operand(parser: Parser, keyword: str) -> tuple[SSAValue, bool]:
    """A tile, and whether data are put into another order there."""
    tile = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
    if parser.parse_optional_keyword(keyword) is None:
        return tile, False
    shaped = not _EMPTY.match(parser.lexer.input.content, parser.pos)
    _skip_brackets(parser)
    return tile, shaped


def _object_fifo(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.objectfifo @of(%a dimensionsToStream [..], {%b, %c}, 2 : i32) {..} : !aie.objectfifo<memref<16xi32>>``."""
    name = parser.parse_symbol_name()
    parser.parse_punctuation("(")
    producer, to_stream = _tile_operand(parser, "dimensionsToStream")
    parser.parse_punctuation(",")
    consumers = parser.parse_comma_separated_list(
        parser.Delimiter.BRACES, lambda: _tile_operand(parser, "dimensionsFromStream")
    )
    parser.parse_punctuation(",")
    depth = parser.parse_attribute()
    parser.parse_punctuation(")")
    stated = dict(parser.parse_optional_attr_dict())
    parser.parse_punctuation(":")
    stated |= {"sym_name": name, "elemNumber": depth, "elemType": parser.parse_type()}
    if to_stream or any(shaped for _, shaped in consumers):
        stated["shaped"] = StringAttr("yes")
    if parser.parse_optional_punctuation("->") is not None:
        stated["consumerElemType"] = parser.parse_type()
    if parser.parse_optional_punctuation("=") is not None:
        stated["initValues"] = parser.parse_attribute()
    return cls.create(operands=[producer, *(tile for tile, _ in consumers)], attributes=stated)


def _link(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.objectfifo.link [@a] -> [@b, @c] ([] [0, 128])``."""
    ins = parser.parse_attribute()
    parser.parse_punctuation("->")
    outs = parser.parse_attribute()
    parser.parse_punctuation("(")
    stated: dict[str, Attribute] = {"fifoIns": ins, "fifoOuts": outs}
    stated["src_offsets"], stated["dst_offsets"] = parser.parse_attribute(), parser.parse_attribute()
    parser.parse_punctuation(")")
    return cls.create(attributes={**parser.parse_optional_attr_dict(), **stated})


def _access(parser: Parser) -> dict[str, Attribute]:
    """``@of(Consume, 1)``; newer text has no number, which is that of the results."""
    stated: dict[str, Attribute] = dict(parser.parse_optional_attr_dict())
    stated["objFifo_name"] = SymbolRefAttr(parser.parse_symbol_name().data)
    parser.parse_punctuation("(")
    port = parser.parse_identifier()
    stated["port"] = IntegerAttr(int(port == "Consume"), _I32)
    if parser.parse_optional_punctuation(",") is not None:
        stated["size"] = IntegerAttr(parser.parse_integer(), _I32)
    parser.parse_punctuation(")")
    return stated


def _acquire(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.objectfifo.acquire @of(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>``."""
    stated = _access(parser)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return cls.create(result_types=types, attributes=stated)


def _release(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.objectfifo.release @of(Consume, 1)``."""
    return cls.create(attributes=_access(parser))


def _subview(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>``."""
    view = parser.parse_unresolved_operand()
    _skip_brackets(parser)
    stated = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(view, parser.parse_type())
    parser.parse_punctuation("->")
    return cls.create(operands=[operand], result_types=[parser.parse_type()], attributes=stated)


def _core(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.core(%tile) { ... } {stack_size = 1024 : i32}``."""
    parser.parse_punctuation("(")
    tile = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
    parser.parse_punctuation(")")
    region = parser.parse_region()
    stated = parser.parse_optional_attr_dict()
    return cls.create(operands=[tile], result_types=[IndexType()], regions=[region], attributes=stated)


def _sequence(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.runtime_sequence @sequence(%a: memref<64xi32>) { ... }``."""
    name = parser.parse_optional_symbol_name()
    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_argument())
    region = parser.parse_region(arguments)
    stated: dict[str, Attribute] = {} if name is None else {"sym_name": name}
    return cls.create(regions=[region], attributes={**parser.parse_optional_attr_dict(), **stated})


def _numbers(parser: Parser) -> tuple[list[int], list[SSAValue]]:
    """``[1, %n, 64]``: the numbers, and the operands that stand for the others."""
    numbers: list[int] = []
    operands: list[SSAValue] = []

    def entry() -> None:
        number = parser.parse_optional_integer()
        if number is None:
            operands.append(parser.resolve_operand(parser.parse_unresolved_operand(), i64))
        numbers.append(DYNAMIC if number is None else number)

    parser.parse_comma_separated_list(parser.Delimiter.SQUARE, entry)
    return numbers, operands


def _copy(cls: type[Operation], parser: Parser) -> Operation:
    """``aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @of} : memref<64xi32>``."""
    parser.parse_punctuation("(")
    while parser.parse_optional_integer() is not None:  # the tile, in texts of 2024
        parser.parse_punctuation(",")
    memory = parser.parse_unresolved_operand()
    parts = [_numbers(parser) for _ in range(3)]
    if parser.parse_optional_punctuation(",") is not None:
        parser.parse_keyword("packet")
        parser.parse_punctuation("=")
        _skip_brackets(parser)
    parser.parse_punctuation(")")
    stated = dict(parser.parse_optional_attr_dict())
    parser.parse_punctuation(":")
    operands = [parser.resolve_operand(memory, parser.parse_type())]
    for name, (numbers, dynamic) in zip(("static_offsets", "static_sizes", "static_strides"), parts, strict=True):
        stated[name] = DenseArrayBase.from_list(i64, numbers)
        operands += dynamic
    segments = [1, *(len(dynamic) for _, dynamic in parts)]
    stated["operandSegmentSizes"] = DenseArrayBase.from_list(i64, segments)
    return cls.create(operands=operands, attributes=stated)


def _configure(cls: type[Operation], parser: Parser) -> Operation:
    """``aiex.dma_configure_task_for @of { aie.dma_bd(...) } {issue_token = true}``."""
    name = parser.parse_symbol_name()
    region = parser.parse_region()
    stated = {**parser.parse_optional_attr_dict(), "alloc": SymbolRefAttr(name.data)}
    return cls.create(result_types=[IndexType()], regions=[region], attributes=stated)


_MEMORY = re.compile(r"\s*\(\s*%[\w$.]+\s*:\s*(memref<[^<>]*(?:<[^<>]*>[^<>]*)*>)")
_LENGTH = re.compile(r"\s*,[^,]+,\s*()(?=[%\d])|.*?\blen\s*=\s*()", re.DOTALL)


def _descriptor(cls: type[Operation], parser: Parser) -> Operation:
    """``aie.dma_bd(%a : memref<64xi32>, 0, 64)``, since 2026 ``(%a : memref<64xi32> offset = 0 len = 64)``."""
    content = parser.lexer.input.content
    end = end_of_operation(content, parser.pos)
    memory = _MEMORY.match(content, parser.pos)
    stated: dict[str, Attribute] = {}
    operands: list[SSAValue] = []
    if memory is not None:
        stated["memory_type"] = StringAttr(memory[1])
        length = _LENGTH.match(content, memory.end(), end)
        if length is not None:
            parser._resume_from(length.end())
            number = parser.parse_optional_integer()
            if number is None:
                operands.append(parser.resolve_operand(parser.parse_unresolved_operand(), i32))
            else:
                stated["len"] = IntegerAttr(number, _I32)
    parser._resume_from(end)
    return cls.create(operands=operands, attributes=stated)


def _of_task(cls: type[Operation], parser: Parser) -> Operation:
    """``aiex.dma_start_task(%t)``."""
    parser.parse_punctuation("(")
    task = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
    parser.parse_punctuation(")")
    return cls.create(operands=[task], attributes=parser.parse_optional_attr_dict())


def _stated_only(cls: type[Operation], parser: Parser) -> Operation:
    """``aiex.npu.dma_wait {symbol = @of}``."""
    return cls.create(attributes=parser.parse_optional_attr_dict())


def _configuration(results: int) -> PrintedForm:
    """What configures hardware and moves nothing, to the end of its text."""

    def form(cls: type[Operation], parser: Parser) -> Operation:
        parser._resume_from(end_of_operation(parser.lexer.input.content, parser.pos))
        return cls.create(result_types=[IndexType()] * results)

    return form


def _named(results: int, *names: str) -> dict[str, PrintedForm]:
    return {name: _configuration(results) for name in names}


_FORMS: Mapping[str, Callable[[Any, Parser], Operation]] = {
    "aie.device": _device, "aie.tile": _tile, "aie.logical_tile": _logical_tile, "aie.objectfifo": _object_fifo,
    "aie.objectfifo.link": _link, "aie.objectfifo.acquire": _acquire, "aie.objectfifo.release": _release,
    "aie.objectfifo.subview.access": _subview, "aie.core": _core, "aie.end": _stated_only,
    "aie.runtime_sequence": _sequence, "aiex.runtime_sequence": _sequence, "aiex.npu.dma_memcpy_nd": _copy,
    "aiex.npu.dma_wait": _stated_only, "aiex.dma_configure_task_for": _configure, "aie.dma_bd": _descriptor,
    "aiex.dma_start_task": _of_task, "aiex.dma_await_task": _of_task, "aiex.dma_free_task": _of_task,
}  # fmt: skip
AIE_FORMS: Mapping[str, PrintedForm] = {
    **_FORMS,
    **_named(1, "aie.switchbox", "aie.shim_mux"),
    **_named(
        0, "aie.shim_dma_allocation", "aie.packet_flow", "aie.flow", "aie.objectfifo.register_external_buffers",
        "aie.objectfifo.allocate", "aie.trace", "aiex.npu.rtp_write", "aiex.npu.write32", "aiex.npu.maskwrite32",
        "aiex.npu.load_pdi", "aie.cascade_flow", "aie.configure_cascade",
    ),
}  # fmt: skip
"""By name; ``func.call`` is xDSL's."""


def depths_of(stated: Attribute | None) -> tuple[int, ...]:
    """The depth that an object FIFO states: one number, or one for the producer and each consumer."""
    if isinstance(stated, IntegerAttr):
        return (stated.value.data,)
    if isinstance(stated, ArrayAttr):
        return tuple(each.value.data for each in stated.data if isinstance(each, IntegerAttr))
    return ()
