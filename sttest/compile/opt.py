"""Runs any passes on IR text: what `sttest opt` does."""

import time
from dataclasses import dataclass
from io import StringIO

from xdsl.context import Context
from xdsl.dialects import affine, arith, func, linalg, math, memref, scf, tensor
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from sttest.compile.dialects.sched import drop_schedules
from sttest.compile.ir.module_walk import all_of, parse_error, rule_error, set_target
from sttest.compile.ir.reader import read_module
from sttest.compile.linalg.fills import name_fills
from sttest.compile.linalg.plain_nests import make_plain
from sttest.compile.steps import parse_passes
from sttest.core.errors import InputError
from sttest.core.extensions import offers

__depends__ = ("sttest/built_in/ops.py", "sttest/compile/dialects/df.py")

# --- The xDSL context of sttest: its dialects, its passes, reading and printing IR text


_DIALECTS = (
    Builtin,
    affine.Affine,
    arith.Arith,
    func.Func,
    linalg.Linalg,
    math.Math,
    memref.MemRef,
    scf.Scf,
    tensor.Tensor,
)


def new_context() -> Context:
    """A context with every dialect that sttest reads; that of an extension is imported when a text has an op of it."""
    context = Context()
    for dialect in _DIALECTS:
        context.load_dialect(dialect)
    for name, offer in offers("ops").items():
        context.register_dialect(name, offer.load)
    return context


def parse(text: str, where: str, context: Context | None = None) -> ModuleOp:
    """Reads and verifies a module; generalized fills are fills again, and dead results go.

    Raises:
        InputError: the text does not parse or breaks a rule of its dialect; it shows the line and names op and rule.
    """
    try:
        module = read_module(context or new_context(), text, where)
    except ParseError as error:
        raise parse_error(error, text, where) from error
    except VerifyException as error:
        raise rule_error(error, text, where) from error
    try:
        module.verify()
    except VerifyException as error:
        raise rule_error(error, text, where, module) from error
    name_fills(module)
    make_plain(module)
    return module


def printed(module: ModuleOp) -> str:
    """The module as text that parses again.

    Raises:
        InputError: it nests so deeply that Python's stack ends; what is read nests less, but may name what nests too.
    """
    stream = StringIO()
    # xDSL prints several results of a generic in parentheses, which it does not read.
    several = any(len(op.results) > 1 for op in all_of(module, GenericOp))
    try:
        _Printer(stream, print_generic_format=several).print_op(module)
    except RecursionError:
        raise InputError("bad-ir", "nested too deeply to be printed", hints=["take aliases that name less"]) from None
    return f"{stream.getvalue()}\n"


_QUOTED = {at: f"\\{at:02X}" for at in range(256)} | {at: chr(at) for at in range(0x20, 0x7F) if at != ord('"')}
_QUOTED[ord("\\")] = "\\\\"


class _Printer(Printer):
    """xDSL's, but for texts in quotes, which it prints character by character: half of all that a module prints."""

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """A text in quotes, with what ends lines or quotes escaped, so that it is one piece of a line."""
        self.print_string(f'"{"".join(map(_QUOTED.__getitem__, bytestring))}"')


@dataclass(frozen=True)
class PassRun:
    """One pass: its command-line form, the IR after it and its seconds, where they were asked for."""

    spec: str
    text: str | None
    seconds: float | None


@dataclass(frozen=True)
class OptResult:
    """The IR after the last pass, and what each pass left."""

    text: str
    passes: tuple[PassRun, ...]


def run_opt(
    text: str,
    where: str,
    pipeline: str,
    *,
    board: str | None = None,
    print_after_all: bool = False,
    verify_each: bool = False,
    time_passes: bool = False,
) -> OptResult:
    """Applies a pass pipeline to IR text.

    Args:
        text: a module of any level, in MLIR's generic or custom form.
        where: name of the text, for errors.
        pipeline: ``pass,pass{option=value}``; nothing but reading and printing if empty.
        board: name or file of the board that the module is for, instead of its own target.
        print_after_all: keep the IR after every pass.
        verify_each: check the IR after every pass, not only after the last.
        time_passes: measure the passes.

    Raises:
        InputError: bad IR, an unknown pass or option, or IR that a pass cannot take.
        DoesNotFitError: a bound of the board or of a pass option is exceeded.
    """
    passes = parse_passes(pipeline)
    context = new_context()
    module = parse(text, where, context)
    if board is not None:
        set_target(module, board)
    runs = []
    for number, each in enumerate(passes, start=1):
        seconds = _apply(each, context, module, where)
        if verify_each or number == len(passes):
            _verify(module, f"{where} after {each.name}")
        runs.append(
            PassRun(str(each.spec()), printed(module) if print_after_all else None, seconds if time_passes else None)
        )
    return OptResult(printed(module), tuple(runs))


def _apply(each: ModulePass, context: Context, module: ModuleOp, where: str) -> float:
    """Seconds that the pass took."""
    began = time.perf_counter()
    drop_schedules(module)  # they are those of the nodes that the pass may change
    try:
        each.apply(context, module)
    except DiagnosticException as error:
        raise InputError("bad-ir", f"the pass cannot take this IR: {error}", where=f"{where}, {each.name}") from error
    return time.perf_counter() - began


def _verify(module: ModuleOp, where: str) -> None:
    try:
        module.verify()
    except VerifyException as error:
        raise rule_error(error, printed(module), where, module) from error
