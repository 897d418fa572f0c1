"""Text of MLIR as xDSL operations, of which those that move no tokens need not be understood.

An operation of another compiler is known by its name alone: operands, results and regions of any number, attributes as
they are.  Its generic form (``"aie.tile"() <{col = 0 : i32}> : ...``) needs no more.  The form that its compiler prints
is read where a :data:`PrintedForm` for it is given.  What computes data (:data:`_DATA`) is passed over; anything else
whose printed form xDSL does not read is refused with the command that prints the generic one.  Nothing of what is read
runs.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects import affine, get_all_dialects
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, ModuleOp, StringAttr, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, var_operand_def, var_region_def, var_result_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from sttest.core.errors import InputError
from sttest.core.files import place_of, read_bytes
from sttest.importers.mlir.data_operations import LenientParser, pass_over

MAX_MLIR_BYTES = 8 << 20
"""Of a file; xDSL needs some seconds for so much."""
MAX_INTEGER_BITS = (1 << 24) - 1
"""As in MLIR."""
_WIDE_INTEGER = re.compile(r"(?<![\w%@.#$-])[su]?i(\d{7,20})(?!\w)")
_DIALECTS = ("builtin", "func", "scf", "arith", "affine", "cf")
_EXECUTED = ("scf", "arith", "affine")
_DATA = ("memref", "vector", "linalg", "tensor", "math", "aievec", "llvm", "index", "bufferization", "xllvm")
"""Dialects whose operations compute and move data, and take or give no token."""
_DATA_OPERATIONS = ("affine.load", "affine.store", "affine.vector_load", "affine.vector_store", "arith.extf")

_TAKEN_OR_COMMENT = re.compile(r'"(?:[^"\\\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+(?P<end>"?)|//.*')
"""As xDSL's lexer takes it, which tries every way to cut a text before it gives one up; ``end`` is empty of one that
is not closed."""
_DOTTED = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?:\.\w++)++")
_FORMATS = {"aie": "aie", "aiex": "aie", "allo": "allo"}
"""The format that reads a dialect."""

PrintedForm: TypeAlias = Callable[[Any, Parser], Operation]
"""Reads what follows the name of an operation, given the operation's class."""


def any_operation(name: str, form: PrintedForm) -> type[Operation]:
    """An operation of another compiler: of any shape, with its printed form."""
    fields: dict[str, Any] = {
        "__module__": __name__, "name": name, "values": var_operand_def(), "found": var_result_def(),
        "bodies": var_region_def(), "parse": classmethod(form),
    }  # fmt: skip
    return irdl_op_definition(type(name.replace(".", "_"), (IRDLOperation,), fields))


class _Lenient(Context):
    """Knows operations with a printed form of their own, and passes over those that compute data."""

    def __init__(self, forms: Mapping[str, PrintedForm]) -> None:
        super().__init__(allow_unregistered=True)
        self.forms: Mapping[str, PrintedForm] = {"affine.if": _affine_if, "arith.index_castui": _cast, **forms}
        self.ours: dict[str, type[Operation]] = {}

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        """The class of an operation: ours, else one that is passed over, else xDSL's."""
        for full in (name, *(f"{dialect}.{name}" for dialect in reversed(dialect_stack))):
            is_data = full in _DATA_OPERATIONS or full.split(".")[0] in _DATA
            if full not in self.ours and (is_data or full in self.forms):
                self.ours[full] = any_operation(full, self.forms.get(full, pass_over))
            if full in self.ours:
                return self.ours[full]
        return super().get_optional_op(name, dialect_stack=dialect_stack)


def read_mlir(path: Path, forms: Mapping[str, PrintedForm], generic_by: str) -> ModuleOp:
    """The module in a file.

    Args:
        path: MLIR text, in UTF-8.
        forms: by the name of an operation, how its printed form is read.
        generic_by: how the generic form is printed, for hints.

    Raises:
        InputError: it is not MLIR, or in a form that is not read.
    """
    where = place_of(path)
    hints = [f"print the generic form: {generic_by}"]
    try:
        text = read_bytes(path, most_bytes=MAX_MLIR_BYTES).decode()
    except UnicodeDecodeError as error:
        raise InputError("not-mlir", "it is no text in UTF-8", where=where, hints=["name a file of MLIR"]) from error
    _check_text(text, where)
    context = _Lenient(forms)
    known = get_all_dialects()
    for name in _DIALECTS:
        context.register_dialect(name, known[name])
    try:
        return _whole(LenientParser(context, text, str(path)).parse_module())
    except ParseError as error:
        raise _refusal(error, text, where, hints, forms) from error
    except RecursionError as error:
        raise InputError("not-mlir", "it is nested too deeply", where=where, hints=hints) from error
    except (DiagnosticException, VerifyException, ValueError, KeyError, OverflowError, AssertionError) as error:
        what = f"xDSL does not read it: {_first_line(str(error)) or type(error).__name__}"
        raise InputError("not-mlir", what, where=where, hints=hints) from error


def _whole(module: ModuleOp) -> ModuleOp:
    """The module, once all that is executed has the attributes and operands that its dialect asks for.

    Raises:
        VerifyException: something lacks one.
    """
    for op in module.walk():
        if op.name.split(".")[0] in _EXECUTED and not isinstance(op, UnregisteredOp):
            op.verify(verify_nested_ops=False)
    return module


def _check_text(text: str, where: str) -> None:
    """Refuses what would keep xDSL busy without end: quotes that it does not take, and integers too wide."""
    for wide in _WIDE_INTEGER.finditer(text):
        if int(wide[1]) > MAX_INTEGER_BITS:
            at = f"{where}:{text.count(chr(10), 0, wide.start()) + 1}"
            raise InputError("not-mlir", f"an integer of more than {MAX_INTEGER_BITS:,} bits", where=at)
    for number, line in enumerate(text.split("\n"), 1):
        if '"' in line and any(each["end"] == "" for each in _TAKEN_OR_COMMENT.finditer(line)):
            what = "text in quotes is not closed, or has an escape that MLIR does not have"
            raise InputError("not-mlir", what, where=f"{where}:{number}")


def _refusal(
    error: ParseError, text: str, where: str, hints: list[str], forms: Mapping[str, PrintedForm]
) -> InputError:
    """What is wrong, at its line; an operation in a form that is not read is named."""
    line = text.count("\n", 0, error.span.start) + 1
    at = f"{where}:{line}"
    if "does not have a custom format" in str(error):
        source = text.split("\n")[line - 1]
        found = _DOTTED.search(re.sub(r"[%@]\S+", "", source))
        name = found[0] if found else source.strip()
        other = _FORMATS.get(name.split(".")[0])
        if other is not None and f"{other}." not in " ".join(forms):
            hints = [f"import it with 'sttest import {other}'"]
        return InputError("mlir-form", f"the printed form of '{name:.80}' is not read", where=at, hints=hints)
    return InputError("not-mlir", f"xDSL does not read it: {_first_line(error.msg)}", where=at, hints=hints)


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"{lines[0]:.200}" if lines else ""


def _affine_if(cls: type[Operation], parser: Parser) -> Operation:
    """``affine.if #set(%i)[%n] { ... } else { ... }``, of which xDSL knows the generic form only."""
    condition = parser.parse_attribute()
    operands = [
        parser.resolve_operand(each, IndexType())
        for kind in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE)
        for each in parser.parse_optional_comma_separated_list(kind, parser.parse_unresolved_operand) or ()
    ]
    then = parser.parse_region()
    if not then.blocks:
        then.add_block(Block())
    other = parser.parse_region() if parser.parse_optional_keyword("else") is not None else Region()
    stated = parser.parse_optional_attr_dict()
    return affine.IfOp.create(
        operands=operands, regions=[then, other], properties={"condition": condition}, attributes=stated
    )


def _cast(cls: type[Operation], parser: Parser) -> Operation:
    """``arith.index_castui %x : i8 to index``, which xDSL does not know."""
    operand = parser.parse_unresolved_operand()
    stated = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    value = parser.resolve_operand(operand, parser.parse_type())
    parser.parse_keyword("to")
    return cls.create(operands=[value], result_types=[parser.parse_type()], attributes=stated)


# --- What an operation states


def name_of(op: Operation) -> str:
    """The name of an operation, also of one that is not registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def stated(op: Operation, name: str) -> Attribute | None:
    """A property or attribute; None where there is none."""
    return op.properties.get(name, op.attributes.get(name))


def whole(op: Operation, name: str) -> int | None:
    """An integer that an operation states."""
    found = stated(op, name)
    return found.value.data if isinstance(found, IntegerAttr) else None


def symbol(op: Operation, name: str) -> str:
    """A name that an operation states, as a string or as a reference; empty where there is none."""
    return symbol_of(stated(op, name))


def symbol_of(attribute: Attribute | None) -> str:
    """The name in a string or reference; empty for anything else."""
    if isinstance(attribute, SymbolRefAttr):
        nested = [each.data for each in attribute.nested_references.data]
        return "::".join([attribute.root_reference.data, *nested])
    return attribute.data if isinstance(attribute, StringAttr) else ""


def symbols(op: Operation, name: str) -> list[str]:
    """The names in an array that an operation states."""
    found = stated(op, name)
    return [symbol_of(each) for each in found.data] if isinstance(found, ArrayAttr) else []


def wholes(attribute: Attribute | None) -> tuple[int, ...] | None:
    """The integers of an array, dense or not; None where it is no such array."""
    if isinstance(attribute, ArrayAttr):
        numbers = [each.value.data for each in attribute.data if isinstance(each, IntegerAttr)]
        return tuple(numbers) if len(numbers) == len(attribute.data) else None
    values = getattr(attribute, "get_values", None)
    return tuple(int(each) for each in values()) if values is not None else None


def block_of(op: Operation, where: str, region: int = 0) -> Block:
    """The only block of a region of an operation.

    Raises:
        InputError: it has none, or branches between several.
    """
    blocks = op.regions[region].blocks if len(op.regions) > region else ()
    if len(blocks) != 1:
        what = f"'{name_of(op)}' has {len(blocks)} blocks, not one"
        hints = ["import the text before control is lowered to branches"]
        raise InputError("mlir-structure", what, where=where, hints=hints)
    return blocks[0]


def operand_of(op: Operation, where: str) -> SSAValue:
    """The first operand of an operation.

    Raises:
        InputError: it has none.
    """
    if not op.operands:
        raise InputError("mlir-structure", f"'{name_of(op)}' has no operand", where=where, hints=["mend the text"])
    return op.operands[0]


def result_of(op: Operation, where: str) -> SSAValue:
    """The first result of an operation.

    Raises:
        InputError: it has none.
    """
    if not op.results:
        raise InputError("mlir-structure", f"'{name_of(op)}' has no result", where=where, hints=["mend the text"])
    return op.results[0]


def operations_called(parent: Operation, names: Iterable[str]) -> list[Operation]:
    """The operations with one of these names anywhere below, in the order of the text."""
    wanted = set(names)
    return [op for op in parent.walk() if name_of(op) in wanted]


_SIZES = re.compile(r"memref<((?:\d{1,18}x)*)[a-z]*?(\d{1,9})\b")
_SIZE = re.compile(r"\s*()[a-z]*?(\d{1,9})\s*")


_TOLD_APART = 1 << 64
"""That are told apart, of one value."""


def bits_of(type_text: str) -> int:
    """Bits of a value whose type is written so, as in ``memref<16x32xbf16>``; 0 where that is not known."""
    found = _SIZES.search(type_text) or _SIZE.fullmatch(type_text)
    if found is None:
        return 64 if type_text.strip() == "index" else 0
    bits = int(found[2])
    for size in found[1].split("x")[:-1]:
        bits = min(bits * int(size), _TOLD_APART)
    return bits
