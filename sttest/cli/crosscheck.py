"""`sttest crosscheck`: a model's block through every engine, in one table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.common import (
    ApTypes,
    Batch,
    Board,
    Json,
    Parameters,
    Phase,
    names_of,
    print_json,
    progress,
    takes_options,
)
from sttest.cli.layers import Layer, layer_reference, naming_layers
from sttest.cli.objects import takes_objects
from sttest.compile.options import CompileOptions
from sttest.compile.own_kernels import define_values
from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError, did_you_mean, todays_engine
from sttest.core.files import read_text
from sttest.core.tables import print_table
from sttest.crosscheck.backends import backends
from sttest.crosscheck.case import Case, WeightSource, require_torch
from sttest.crosscheck.crosscheck import Crosscheck, crosscheck
from sttest.crosscheck.engines import EngineResult
from sttest.crosscheck.text_case import make_module_case, package_case
from sttest.frontend.module_source import ModuleSource, is_module_reference
from sttest.package import DesignPackage
from sttest.studies.compile_request import Request, compile_package, with_default_shape
from sttest.studies.workload import is_file
from sttest.targets.csim import ap_types_folder


@dataclass(frozen=True)
class CheckedBlock:
    """The block and its weights."""

    layer: Layer = None
    phase: Annotated[Phase | None, typer.Option(help="Of a model's block [decode]; a text has none.")] = None
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [prefill: 32].")] = None
    context: Annotated[int | None, typer.Option(help="Tokens in the cache [decode: 64, small models 32].")] = None
    batch: Batch = None
    small: Annotated[bool, typer.Option("--small", help="The family at test sizes.")] = False
    seed: Annotated[int, typer.Option(min=0, help="Of random weights and inputs.")] = 0
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Weights: a folder's first layer; for a .mlir file, a .safetensors file by argument name."),
    ] = None


@dataclass(frozen=True)
class AskedEngines:
    """Which engines run it, and for which board."""

    engines: Annotated[
        str, typer.Option(help="As in torch,reference,csim; or all [all but rtl, whose build takes minutes].")
    ] = ""
    board: Board = "u55c"
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None
    ap_types: ApTypes = None
    parameters: Parameters = None


@takes_options(
    "precision",
    "attention",
    "attention_maximum",
    "attention_chunk",
    "kernels",
    "tiers",
    "cards",
    "links",
    "link_credits",
    "ranks",
    "passes",
)
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
    *,
    options: CompileOptions,
    as_json: Json = False,
) -> None:
    """Run one block through every engine, from PyTorch to the card; exit code 6 where two disagree, 3 on a deadlock.

    Examples:

      sttest crosscheck gpt2 --phase decode

      sttest crosscheck small-qwen --phase prefill --tokens 27 --engines torch,reference,csim,rtl

      sttest crosscheck gpt2 --phase decode --attention one-pass --attention-chunk 16

      sttest crosscheck gpt2 --batch 4

      sttest crosscheck small-gpt2 --cards 2

      sttest crosscheck small-gpt2 --rank 25%

      sttest crosscheck block.mlir --checkpoint block.safetensors

      sttest crosscheck my-module.py:make --precision w8a8

      sttest crosscheck --layer transformers:FalconForCausalLM config.json --phase prefill --small --precision fp32

      sttest crosscheck small-gpt2 --phase decode --kernels kernels.yaml

      sttest crosscheck small-llama --board u280 --tier "mlp.*=ddr"
    """
    if block.layer is not None:
        model = layer_reference(
            block.layer, model, block.phase or "decode", block.tokens, block.context, small=block.small, seed=block.seed
        )
        block = replace(block, phase=None, tokens=None, context=None, small=False)
    asked = Request(
        model,
        block.phase,
        block.tokens,
        block.context,
        climb.board,
        options,
        work_dir=climb.work_dir,
        parameters=names_of(climb.parameters),
        batch=block.batch,
    )
    chosen = _engines(climb.engines)
    types = None if climb.ap_types is None else ap_types_folder(climb.ap_types)
    require_torch()
    if options.kernels is not None:
        define_values(Path(options.kernels))
    with naming_layers("crosscheck", model):
        asked = with_default_shape(asked, small=block.small)
        folder = asked.folder
    if is_module_reference(model):
        if block.checkpoint is not None:
            hints = ["leave it out", f"load the weights in {model}"]
            raise InputError("checkpoint-of-a-module", "a module has its weights", where="--checkpoint", hints=hints)
        asked = replace(asked, module=ModuleSource.load(model))
    with progress(f"compiling {asked.model}") as step:
        compile_package(asked, step)
    with progress(f"cross-checking {folder.name}") as step:
        package = DesignPackage.read(folder)
        step("torch")
        case = _case(package, asked, WeightSource(block.seed, block.checkpoint))
        found = crosscheck(package, case, folder.parent / "csim", chosen, step, types)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    if found.disagreements:
        raise typer.Exit(EnginesDisagreeError.exit_code)
    raise typer.Exit(DeadlockError.exit_code if found.is_dead else 0)


def _case(package: DesignPackage, asked: Request, weights: WeightSource) -> Case:
    if asked.module is not None:
        return make_module_case(package, asked.module)
    text = read_text(Path(asked.model), hints=["name a .mlir file"]) if is_file(asked.model) else None
    return package_case(package, weights, text)


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
