"""`sttest crosscheck`: a model's block through every engine, in one table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.against import AskedComparison, HeldAgainst, check_alone, run_against
from sttest.cli.cases import VALUE_OPTIONS, CheckedBlock, asked_of, case_of
from sttest.cli.common import ApTypes, Board, Json, print_json, progress, takes_options
from sttest.cli.objects import takes_objects
from sttest.compile.options import CompileOptions
from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError, did_you_mean, todays_engine
from sttest.core.tables import print_table
from sttest.crosscheck.backends import backends
from sttest.crosscheck.crosscheck import Crosscheck, crosscheck
from sttest.crosscheck.engines import EngineResult
from sttest.crosscheck.padding import PoisonedCase
from sttest.package import DesignPackage
from sttest.studies.compile_request import compile_package
from sttest.targets.csim import ap_types_folder

_BOARD = "u55c"


@dataclass(frozen=True)
class AskedEngines:
    """Which engines run it, and for which board."""

    engines: Annotated[
        str, typer.Option(help="As in torch,reference,csim; or all [all but rtl, whose build takes minutes].")
    ] = ""
    board: Board = _BOARD
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None
    ap_types: ApTypes = None
    poison_padding: Annotated[
        bool, typer.Option("--poison-padding", help="Put garbage where no token is; results must stay the same.")
    ] = False


@takes_options(*VALUE_OPTIONS)
@takes_objects
def crosscheck_verb(
    model: Annotated[
        str,
        typer.Argument(
            help="A name (see sttest models), small-NAME, a config.json, its folder, a .mlir, or FILE.py:NAME."
        ),
    ],
    block: CheckedBlock,
    climb: AskedEngines,
    other: HeldAgainst,
    *,
    options: CompileOptions,
    as_json: Json = False,
) -> None:
    """Run one block through every engine, from PyTorch to the card; exit code 6 where two disagree, 3 on a deadlock.

    With --against it compiles nothing: every layer of a checkpoint is held against that of transformers.

    Examples:

      sttest crosscheck gpt2 --phase decode

      sttest crosscheck small-qwen --phase prefill --tokens 27 --engines torch,reference,csim,rtl

      sttest crosscheck ./my-model --against transformers:my-model --precision w8a8

      sttest crosscheck gpt2 --phase decode --attention one-pass --attention-chunk 16

      sttest crosscheck gpt2 --batch 4

      sttest crosscheck small-qwen --context 27 --batch 3 --poison-padding

      sttest crosscheck small-gpt2 --cards 2

      sttest crosscheck small-gpt2 --rank 25%

      sttest crosscheck block.mlir --checkpoint block.safetensors

      sttest crosscheck my-module.py:make --precision w8a8

      sttest crosscheck --layer transformers:FalconForCausalLM config.json --phase prefill --small --precision fp32

      sttest crosscheck small-gpt2 --phase decode --kernels kernels.yaml

      sttest crosscheck small-llama --board u280 --tier "mlp.*=ddr"
    """
    if other.against is not None:
        check_alone(_of_a_design(block, climb), options)
        run_against(AskedComparison(model, other, block.checkpoint, block.tokens, block.seed, options), as_json=as_json)
    if other.text is not None:
        hints = ["give --against, too", "leave it out"]
        raise InputError("text-of-a-block", "a block's inputs are no text", where="--text", hints=hints)
    chosen = _engines(climb.engines)
    types = None if climb.ap_types is None else ap_types_folder(climb.ap_types)
    asked = asked_of("crosscheck", model, block, climb.board, options, climb.work_dir)
    with progress(f"compiling {asked.model}") as step:
        compile_package(asked, step)
    folder = asked.folder
    with progress(f"cross-checking {folder.name}") as step:
        package = DesignPackage.read(folder)
        step("torch")
        case = case_of(package, asked, block.weights)
        if climb.poison_padding:
            case = PoisonedCase(case, package.reference_graph, block.seed)
        found = crosscheck(package, case, folder.parent / "csim", chosen, step, types)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    if found.disagreements:
        raise typer.Exit(EnginesDisagreeError.exit_code)
    raise typer.Exit(DeadlockError.exit_code if found.is_dead else 0)


def _of_a_design(block: CheckedBlock, climb: AskedEngines) -> dict[str, bool]:
    """Options that say something of a design, and whether they are given."""
    return {
        "--layer": block.layer is not None,
        "--phase": block.phase == "decode",
        "--context": block.context is not None,
        "--batch": block.batch is not None,
        "--small": block.small,
        "--engines": bool(climb.engines),
        "--board": climb.board != _BOARD,
        "--work-dir": climb.work_dir is not None,
        "--parameters": block.parameters is not None,
    }


def _engines(text: str) -> Sequence[str]:
    if not text or text == "all":
        return [name for name, each in backends().items() if each.is_asked or text == "all"]
    names = [todays_engine(name) for name in text.split(",")]
    for name in names:
        if name not in backends():
            hints = [did_you_mean(name, backends())]
            raise InputError("unknown-engine", f"no engine '{name}'", where="--engines", hints=hints)
    return names


def _print(found: Crosscheck) -> None:
    print(_headline(found))
    for line in found.disagreements:
        print(f"  disagree: {line}")
    print_table(
        ["engine", "verdict", "cycles", "latency_us", "error", "error/max", "int8 off", "seconds", "note"],
        [_cells(rung) for rung in found.rungs],
        shown=("engine", "verdict", "cycles", "error", "note"),
    )
    if found.integer_types not in ("", "sttest"):
        print(f"  csim: built with the integer types of {found.integer_types}")
    for comparison in found.results.values():
        if comparison.engine != comparison.golden:
            print(f"  {comparison}")
    if found.streams is not None:
        print(f"  {found.streams}")
    if found.padding is not None:
        print(f"  {found.padding}")
    if found.sqnr_db is not None:
        print(f"  the main result against the same in floating point: SQNR {found.sqnr_db:.1f} dB")


def _headline(found: Crosscheck) -> str:
    """Whether the engines that ran agree, and on how many cycles."""
    ran = [rung for rung in found.rungs if rung.verdict in ("done", "deadlock")]
    agree = f"{len(found.disagreements)} disagreements" if found.disagreements else "all agree"
    cycles = next((f"{rung.cycles:,} cycles" for rung in ran if rung.cycles is not None), "")
    told = ", ".join(filter(None, ["deadlock" if found.is_dead else cycles]))
    return f"{found.name}: {len(ran)} engines ran, {agree}{f'; {told}' if told else ''}"


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
