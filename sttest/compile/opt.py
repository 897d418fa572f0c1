"""Runs any passes on IR text: what `sttest opt` does."""

from __future__ import annotations

import time
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from sttest.compile.context import new_context, parse, printed
from sttest.compile.ir.diagnosis import rule_error
from sttest.compile.pass_spec import parse_passes
from sttest.errors import InputError


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
    print_after_all: bool = False,
    verify_each: bool = False,
    time_passes: bool = False,
) -> OptResult:
    """Applies a pass pipeline to IR text.

    Args:
        text: a module of any level, in MLIR's generic or custom form.
        where: name of the text, for errors.
        pipeline: ``pass,pass{option=value}``; nothing but reading and printing if empty.
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
