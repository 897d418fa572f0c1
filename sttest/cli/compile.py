"""`sttest compile` and `sttest opt`: from a model, or IR text, to a design package or other IR."""

import re
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sttest.cli.common import Batch, Board, Json, Parameters, Phase, names_of, print_json, progress, takes_options
from sttest.cli.layers import Layer, LayerSizes, layer_reference, naming_layers
from sttest.cli.objects import takes_objects
from sttest.cli.verbs import without_table
from sttest.compile.opt import run_opt
from sttest.compile.options import CompileOptions
from sttest.compile.steps import OWN, steps
from sttest.core.errors import InputError
from sttest.core.files import read_text
from sttest.core.tables import print_table
from sttest.explore.choice import read_choice
from sttest.frontend.module_source import ModuleSource, is_module_reference
from sttest.package import DesignPackage, check_target
from sttest.package.compiled import write_groups
from sttest.studies import kept_package, prepare
from sttest.studies.compile_request import LayersOf, Request, compile_package, with_layers_of, with_told_shape
from sttest.studies.kept_package import KeptPackage
from sttest.studies.package_summary import summarize, summary_text
from sttest.studies.workload import CompileRequest

if TYPE_CHECKING:
    from sttest.frontend.operations import SourceLine


@dataclass(frozen=True)
class AskedBlock:
    """Which block is compiled, for which board, and into which folder."""

    layer: Layer = None
    phase: Annotated[Phase | None, typer.Option(help="prefill needs --tokens, decode needs --context.")] = None
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [decode: 1, up to 128].")] = None
    context: Annotated[int | None, typer.Option(help="Tokens in the cache; 0 in prefill.")] = None
    batch: Batch = None
    board: Board = "u55c"
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None


@dataclass(frozen=True)
class AskedPackage:
    """How its design is found, and what becomes of it."""

    design: Annotated[
        str,
        typer.Option(
            "--design",
            metavar="best|default|FILE.yaml",
            help="best: the fastest known or found that fits; default: the options' defaults; or a file of options. "
            "Options that are given hold over all; one of lanes leaves nothing to look for.",
        ),
    ] = "best"
    lanes_from: Annotated[Path | None, typer.Option(help="Take the lanes of this package instead.")] = None
    head: Annotated[
        bool, typer.Option("--head", help="Final norm, LM head and choice of the token behind the last layer; decode.")
    ] = False
    check_resources: Annotated[
        bool, typer.Option("--check-resources", help="Refuse what does not fit the board; place the rest on its SLRs.")
    ] = False
    layers_of: Annotated[
        LayersOf | None,
        typer.Option(help="One layer per launch, or all of the model; a decode of 64 cached tokens if not said."),
    ] = None
    groups: Annotated[
        bool,
        typer.Option("--groups", help="Where the design does not fuse into one kernel, make a package of several."),
    ] = False
    parameters: Parameters = None
    require_quantized: Annotated[
        bool, typer.Option("--require-quantized", help="Refuse a scheme's design with contractions in floating point.")
    ] = False
    print_after_all: Annotated[
        bool, typer.Option("--print-after-all", help="Keep the IR after every pass, not of the first and last alone.")
    ] = False
    operations: Annotated[
        bool, typer.Option("--operations", help="Only say of each line of a module how it is done, or why it is not.")
    ] = False


@takes_options()
@takes_objects
def compile_verb(
    model: Annotated[
        str,
        typer.Argument(
            help="A name (see sttest models), small-NAME, a config.json or its folder, a .mlir file, FILE.py:FUNCTION."
        ),
    ],
    block: AskedBlock,
    sizes: LayerSizes,
    *,
    options: CompileOptions,
    making: AskedPackage,
    as_json: Json = False,
) -> None:
    """Compile one decoder block to a design package.

    Resources are always reported, as shares of --budget; with --check-resources exit code 4 where it is exceeded.

    Examples:

      sttest compile gpt2 --phase decode --context 64

      sttest compile qwen --phase prefill --tokens 128 -o build/qwen-128

      sttest compile gpt2 --phase decode --context 64 --design default

      sttest compile gpt2 --phase decode --context 256 --tokens 4 --gemv-lanes 1024 --print-after-all

      sttest compile gpt2 --phase decode --context 256 --batch 4

      sttest compile qwen3-30b-a3b --layers-of one

      sttest compile block.mlir --board my-board.yaml --tile-size 32

      sttest compile block.mlir --precision w8a8 --parameters arg1,arg3 --require-quantized

      sttest compile my-module.py:make --precision fp32

      sttest compile my-module.py:make --operations

      sttest compile --layer transformers:FalconForCausalLM config.json --phase decode --context 64 --precision fp32

      sttest compile gpt2 --phase decode --context 64 --beat-bits 256 --check-resources --budget published

      sttest compile gpt2 --phase decode --context 64 --share weights --prefetch-kib 4096 --layers 24

      sttest compile gpt2 --phase decode --context 256 --gemv-lanes 1024 --share all --layers 24 --head

      sttest compile gpt2 --phase prefill --tokens 256 --share weights --own-unit 'mlp_fc2+mlp_fc2_groups'

      sttest compile gpt2 --phase prefill --tokens 256 --fabric attn_scores --fabric attn_mix

      sttest compile gpt2 --phase decode --context 256 --gemv-lanes 1024 --share all --layers 24 --head --generate 16

      sttest compile gpt2 --phase decode --context 768 --attention one-pass --attention-chunk 128

      sttest compile small-gpt2 --phase prefill --tokens 32 --c-max-bytes 30000 --groups

      sttest compile gpt2 --phase decode --context 64 --rank 50% --rank "attn.?_proj=256"
    """
    sizes.check(block.layer)
    if block.layer is not None:
        model = layer_reference(
            block.layer, model, block.phase, block.tokens, block.context, small=sizes.small, seed=sizes.seed
        )
        block = replace(block, phase=None, tokens=None, context=None)
    with naming_layers("compile", model):
        _compile(model, block, options, making, as_json=as_json)


def _compile(model: str, block: AskedBlock, options: CompileOptions, making: AskedPackage, *, as_json: bool) -> None:
    if making.operations:
        _report_operations(model, as_json=as_json)
        return
    request = Request(
        model,
        block.phase,
        block.tokens,
        block.context,
        block.board,
        options,
        making.head,
        block.work_dir,
        making.lanes_from,
        making.check_resources,
        keep_ir="all" if making.print_after_all else "ends",
        parameters=names_of(making.parameters),
        require_quantized=making.require_quantized,
        batch=block.batch,
        choice=read_choice(making.design),
    )
    if making.layers_of is not None:
        request = with_layers_of(request, making.layers_of)
    request = with_told_shape(request)
    if making.groups:
        _compile_groups(request, as_json=as_json)
        return
    summary = _compiled(request)
    if as_json:
        print_json(summary)
    else:
        print(summary_text(summary))


@without_table
def opt_verb(
    file: Annotated[Path, typer.Argument(help="IR text of any level; - is standard input.")] = Path("-"),
    pipeline: Annotated[str, typer.Option("--passes", "-p", help="As in pass,pass{option=value}.")] = "",
    board: Annotated[
        str | None, typer.Option(help="A board's name, or a YAML file, instead of the one that the module names.")
    ] = None,
    print_after_all: Annotated[
        bool, typer.Option("--print-after-all", help="The IR after every pass, on stderr.")
    ] = False,
    verify_each: Annotated[bool, typer.Option("--verify-each", help="Verify after every pass.")] = False,
    time_passes: Annotated[bool, typer.Option("--time-passes", help="Milliseconds per pass, on stderr.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="Only list the passes in the order of the pipeline, with their options.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run passes on IR text and print the result; without passes, read, verify and print.

    Examples:

      sttest opt block.mlir -p quantize{scheme=w8a8},linalg-to-kernels{tile-size=32}

      sttest opt build/gpt2-decode-u55c/ir/00_quantize.mlir -p linalg-to-kernels,assign-lanes --time-passes

      sttest opt streams.mlir --board u280 -p size-fifos

      sttest opt - -p fold-dma --verify-each < kernels.mlir

      sttest opt --list
    """
    if listed:
        _list_passes(as_json=as_json)
        return
    text = read_text(file, hints=["name a .mlir file, or - for standard input"])
    where = "standard input" if file == Path("-") else str(file)
    result = run_opt(
        text,
        where,
        pipeline,
        board=board,
        print_after_all=print_after_all,
        verify_each=verify_each,
        time_passes=time_passes,
    )
    if as_json:
        passes = [{"pass": str(each.spec), "seconds": each.seconds, "text": each.text} for each in result.passes]
        print_json({"schema": "sttest.opt/1", "passes": passes, "text": result.text})
        return
    for each in result.passes:
        if each.text is not None:
            print(f"// IR after {each.spec}\n{each.text}", file=sys.stderr)
    for each in result.passes:
        if each.seconds is not None:
            print(f"{1e3 * each.seconds:10.2f} ms  {each.spec}", file=sys.stderr)
    sys.stdout.write(result.text)


def _list_passes(*, as_json: bool) -> None:
    rows = [(name, step.after, "" if name in OWN else "extension", step.options) for name, step in steps().items()]
    if as_json:
        keys = ("pass", "after", "of", "options")
        print_json({"schema": "sttest.passes/1", "passes": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    print_table(("pass", "of", "options"), [(name, of, options) for name, _, of, options in rows])


def _report_operations(model: str, *, as_json: bool) -> None:
    """Prints the operations of a module by source line; exit code 2 where one is refused."""
    if not is_module_reference(model):
        hints = ["give FILE.py:FUNCTION"]
        raise InputError("not-a-module", "--operations is of a module", where=model, hints=hints)
    with progress(f"reading {model}"):
        source = ModuleSource.load(model)
        found = source.operations()
        if not any(each.state == "refused" for each in found):
            found = [*found, *_refused_by_the_compiler(source, model)]
    if as_json:
        print_json({"schema": "sttest.operations/1", "lines": [asdict(line) for line in found]})
    else:
        rows = [(_short(each.place), ", ".join(each.operations), each.state, each.hint) for each in found]
        print_table(("line", "operations", "done", "instead"), rows)
    if any(each.state == "refused" for each in found):
        raise typer.Exit(InputError.exit_code)


def _refused_by_the_compiler(source: ModuleSource, model: str) -> "list[SourceLine]":
    """What of a module gets through the front end, and no further."""
    from sttest.frontend.operations import SourceLine

    try:
        CompileRequest(model, options=CompileOptions(precision="fp32"), module=source).design()
    except InputError as error:
        place = re.search(r"\S+:\d+", error.where or "")
        return [SourceLine(place[0] if place else "", "", (error.what,), "refused", "; ".join(error.hints))]
    return []


def _short(place: str) -> str:
    return "/".join(place.rsplit("/", 2)[-2:]) if place.startswith("/") else place


def _compiled(request: Request) -> dict[str, Any]:
    """Writes the package, as it is compiled, was prepared or was made by an earlier compile; what it holds."""
    check_target(request.folder)
    request = request.with_lanes()
    with progress(f"compiling {request.model}") as step:
        name, kept = None, prepare.recall(request)
        if kept is None and (name := kept_package.place(request, request.check_resources, step)) is not None:
            kept = kept_package.recall(name)
        if kept is not None:
            kept.write(request.folder)
            return {**kept.summary, "package": str(request.folder), "kept": True}
        design = compile_package(request, step).design
    summary = summarize(design, DesignPackage.read(request.folder))
    if name is not None:
        kept_package.keep(name, KeptPackage.of(request.folder, summary))
    return {**summary, "kept": False}


def _compile_groups(request: Request, *, as_json: bool) -> None:
    with progress(f"compiling {request.model}") as step:
        package = write_groups(request.grouped(step), request.folder)
    if as_json:
        print_json(package.content.model_dump(mode="json", by_alias=True) | {"package": str(package.folder)})
        return
    handed = sum(each.total_bytes for each in package.content.tensors)
    print(f"package        {package.folder}")
    print(f"groups         {len(package.groups)}, a design package each")
    print(f"handed on      {len(package.content.tensors)} tensors, {handed:,} bytes")
    print(f"next           sttest simulate {package.folder}")
