"""Verbs that make designs and look at them."""

from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.app import app
from sttest.cli.choices import Board, Json, Phase, takes_options
from sttest.compile.options import CompileOptions


@app.command("compile")
@takes_options()
def compile_verb(
    model: Annotated[str, typer.Argument(help="gpt2, qwen, llama, llama-3.2-1b, gemma, small-…, or a .mlir file.")],
    phase: Annotated[Phase | None, typer.Option(help="prefill needs --tokens, decode needs --context.")] = None,
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [decode: 1, up to 16].")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens in the cache; 0 in prefill.")] = None,
    board: Board = "u55c",
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None,
    *,
    options: CompileOptions,
    lanes_from: Annotated[Path | None, typer.Option(help="Take the lanes of this package instead.")] = None,
    head: Annotated[
        bool, typer.Option("--head", help="Final norm, LM head and choice of the token behind the last layer; decode.")
    ] = False,
    check_resources: Annotated[
        bool, typer.Option("--check-resources", help="Refuse what does not fit the board; place the rest on its SLRs.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compile one decoder block to a design package.

    Resources are always reported; with --check-resources exit code 4 where a budget is exceeded.

    Examples:

      sttest compile gpt2 --phase decode --context 64

      sttest compile qwen --phase prefill --tokens 128 -o build/qwen-128

      sttest compile gpt2 --phase decode --context 256 --tokens 4 --gemv-lanes 1024

      sttest compile block.mlir --board my-board.yaml --tile 32

      sttest compile gpt2 --phase decode --context 64 --beat-bits 256 --check-resources

      sttest compile gpt2 --phase decode --context 64 --share weights --prefetch-kib 4096 --layers 24

      sttest compile gpt2 --phase decode --context 256 --gemv-lanes 1024 --share all --layers 24 --head

      sttest compile gpt2 --phase prefill --tokens 256 --share weights --own-unit 'mlp_fc2+mlp_fc2_groups'

      sttest compile gpt2 --phase prefill --tokens 256 --fabric attn_scores --fabric attn_mix

      sttest compile gpt2 --phase decode --context 256 --gemv-lanes 1024 --share all --layers 24 --head --generate 16

      sttest compile gpt2 --phase decode --context 768 --attention one-pass --attention-chunk 128
    """
    from sttest.verbs.compile import Request, run

    request = Request(model, phase, tokens, context, board, options, head, work_dir, lanes_from, check_resources)
    run(request, as_json=as_json)


@app.command()
def opt(
    file: Annotated[Path, typer.Argument(help="IR text of any level; - is standard input.")],
    pipeline: Annotated[str, typer.Option("--passes", "-p", help="As in pass,pass{option=value}.")] = "",
    board: Annotated[
        str | None, typer.Option(help="A board's name, or a YAML file, instead of the one that the module names.")
    ] = None,
    print_after_all: Annotated[
        bool, typer.Option("--print-after-all", help="The IR after every pass, on stderr.")
    ] = False,
    verify_each: Annotated[bool, typer.Option("--verify-each", help="Verify after every pass.")] = False,
    time_passes: Annotated[bool, typer.Option("--time-passes", help="Milliseconds per pass, on stderr.")] = False,
) -> None:
    """Run passes on IR text and print the result; without passes, read, verify and print.

    Examples:

      sttest opt block.mlir -p quantize{scheme=w8a8},linalg-to-kernels{tile-size=32}

      sttest opt build/gpt2-decode-u55c/ir/03_fuse-kernels.mlir -p materialize-converters --time-passes

      sttest opt streams.mlir --board u280 -p size-fifos

      sttest opt - -p fold-dma --verify-each < kernels.mlir
    """
    from sttest.verbs.opt import run

    run(file, pipeline, board, print_after_all=print_after_all, verify_each=verify_each, time_passes=time_passes)


@app.command()
def dot(
    path: Annotated[Path, typer.Argument(help="A design package, or a timed-graph JSON.")],
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    all_depths: Annotated[int | None, typer.Option(metavar="N", help="One depth for all FIFOs.")] = None,
) -> None:
    """Print a design as Graphviz text; where it deadlocks, the cycle of waits is red.

    Example:

      sttest dot graph.json --all-depths 2 | dot -Tsvg > graph.svg
    """
    from sttest.verbs.dot import run
    from sttest.verbs.simulate import Depths

    raise typer.Exit(run(path, Depths(all_depths, depth or ())))


@app.command()
def models(as_json: Json = False) -> None:
    """List the models that are known by name.

    Example:

      sttest models
    """
    from sttest.verbs.models import run

    run(as_json=as_json)


@app.command()
def board(name: Annotated[str, typer.Argument(help="A board's name, or a YAML file.")], as_json: Json = False) -> None:
    """Show a board: each quantity with unit, kind and source, and a check of its memory bandwidth.

    Examples:

      sttest board u55c

      sttest board what-if.yaml --json
    """
    from sttest.verbs.board import run

    run(name, as_json=as_json)
