"""`sttest crosscheck`: a model's block through every engine, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError, did_you_mean, todays_engine
from sttest.core.tables import print_table
from sttest.crosscheck.case import WeightSource, make_case, require_torch
from sttest.crosscheck.crosscheck import crosscheck
from sttest.crosscheck.engines import DEFAULT_ENGINES, ENGINES
from sttest.models.registry import SMALL
from sttest.package import ModelPackage
from sttest.verbs.compile import Request, compile_package
from sttest.verbs.output import print_json, progress

if TYPE_CHECKING:
    from sttest.crosscheck.crosscheck import Crosscheck
    from sttest.crosscheck.engines import EngineResult

DEFAULT_TOKENS, DEFAULT_CONTEXT = 32, 64
"""Of a prefill, and of a decode: the shapes that are shipped lowered, so that they need no torch-mlir."""
DEFAULT_SMALL_CONTEXT = 32


@dataclass(frozen=True)
class CrosscheckRequest:
    """What the options ask for."""

    compile: Request  # what to compile; its work folder may be missing
    small: bool = False  # take the family at test sizes
    seed: int = 0  # seed of weights and inputs
    checkpoint: Path | None = None  # folder whose first layer is taken instead of random weights
    engines: str = ""  # names, separated by commas; empty for the default ones, ``all`` for all


def run(request: CrosscheckRequest, *, as_json: bool) -> int:
    """Compiles, runs every engine, compares, prints.

    Returns:
        The exit code: 0 all engines agree, 3 the design deadlocks, 6 engines disagree.

    Raises:
        SttestError: bad input, a design that does not fit, or no PyTorch.
    """

    engines = _engines(request.engines)
    require_torch()
    asked = with_default_shape(request)
    compile_package(asked)
    folder = asked.folder
    with progress(f"climbing with {folder.name}") as step:
        package = ModelPackage.read(folder)
        package.require_one_block()
        step("torch")
        source = WeightSource(request.seed, request.checkpoint)
        case = make_case(package.config, package.shape, package.scheme, source, package.chunk)
        found = crosscheck(package, case, folder.parent / "csim", engines, step)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    if found.disagreements:
        return EnginesDisagreeError.exit_code
    return DeadlockError.exit_code if found.is_dead else 0


def with_default_shape(request: CrosscheckRequest) -> Request:
    """The compilation, its model small if asked for, with the tokens or the context that it lacks.

    >>> asked = Request("gpt2", "decode")
    >>> with_default_shape(CrosscheckRequest(asked, small=True)).context
    32
    """
    asked = request.compile
    if request.small and not asked.model.startswith(SMALL):
        asked = replace(asked, model=f"{SMALL}{asked.model}")
    context = DEFAULT_SMALL_CONTEXT if asked.model.startswith(SMALL) else DEFAULT_CONTEXT
    if asked.phase == "prefill" and asked.tokens is None:
        return replace(asked, tokens=DEFAULT_TOKENS)
    if asked.phase == "decode" and asked.context is None:
        return replace(asked, context=context)
    return asked


def _engines(text: str) -> Sequence[str]:
    if not text:
        return DEFAULT_ENGINES
    if text == "all":
        return ENGINES
    names = [todays_engine(name) for name in text.split(",")]
    for name in names:
        if name not in ENGINES:
            hints = [did_you_mean(name, ENGINES)]
            raise InputError("unknown-engine", f"no engine '{name}'", where="--engines", hints=hints)
    return names


def _print(found: Crosscheck) -> None:
    print_table(
        ["engine", "verdict", "cycles", "latency_us", "error", "error/max", "int8 off", "seconds", ""],
        [_cells(rung) for rung in found.rungs],
        title=found.name,
    )
    for comparison in found.results.values():
        print(f"  {comparison}")
    if found.streams is not None:
        print(f"  {found.streams}")
    if found.sqnr_db is not None:
        print(f"  y against the block in floating point: SQNR {found.sqnr_db:.1f} dB")
    for line in found.disagreements:
        print(f"  disagree: {line}")


def _cells(rung: EngineResult) -> list[str]:
    return [
        rung.engine,
        rung.verdict,
        _cell(rung.cycles, ",d"),
        _cell(rung.latency_us, ",.1f"),
        _cell(rung.error, ".2g"),
        _cell(rung.relative_error, ".2g"),
        _cell(rung.integers, ",d"),
        _cell(rung.seconds, ".2f"),
        rung.note,
    ]


def _cell(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
