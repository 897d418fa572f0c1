"""The verb that searches."""

from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.app import app
from sttest.cli.choices import Board, Json, Phase, takes_options
from sttest.compile.options import CompileOptions


@app.command()
@takes_options("precision")
def explore(
    model: Annotated[str | None, typer.Argument(help="A model's name, see 'sttest models'.")] = None,
    phase: Annotated[Phase, typer.Option(help="prefill needs --tokens, decode needs --context.")] = "decode",
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block; 1 in decode.")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens in the cache; 0 in prefill.")] = None,
    board: Board = "u55c",
    *,
    options: CompileOptions,
    objective: Annotated[
        list[str] | None,
        typer.Option(
            metavar="latency|ttft|tokens-per-joule|area",
            help="What to improve; several make a Pareto set. [latency, area]",
        ),
    ] = None,
    knob: Annotated[
        list[str] | None, typer.Option(metavar="NAME=V,V", help="Other choices for a knob; --dry-run lists them.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Points in all, those of earlier runs included.")] = 200,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes on this machine.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same points.")] = 0,
    storage: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="SQLite file or database URL [build/explore/NAME.db].")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with this search, or join in.")] = False,
    ablation: Annotated[bool, typer.Option("--ablation", help="Also HIDA's naive, IA, CA and IA+CA.")] = False,
    check_resources: Annotated[
        bool, typer.Option("--check-resources/--no-check-resources", help="Refuse what does not fit the board.")
    ] = True,
    rebuild: Annotated[
        Path | None, typer.Option(metavar="pareto.csv", help="Make a design of this file again and compare.")
    ] = None,
    point: Annotated[int | None, typer.Option(help="Which one, with --rebuild.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where results go [results/explore-MODEL-PHASE].")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the knobs and leave.")] = False,
    as_json: Json = False,
) -> None:
    """Search the design spaces of a block: tiles, lanes, sharing, FIFOs, under the board's resources.

    Several processes, on several machines, may work on one storage; a search that was stopped goes on with --resume.

    Examples:

      sttest explore gpt2 --phase decode --context 256 --trials 400 -j 2

      sttest explore gpt2 --phase prefill --tokens 256 --objective ttft --knob tile_size=8,16

      sttest explore --rebuild results/explore-gpt2-decode/pareto.csv --point 17
    """
    from sttest.verbs.explore import ExploreRequest, run, run_rebuild

    if rebuild is not None:
        if model is not None or point is None:
            raise typer.BadParameter("takes --point N and no model", param_hint="--rebuild")
        run_rebuild(rebuild, point, as_json=as_json)
        return
    if model is None:
        raise typer.BadParameter("name a model, or a file with --rebuild", param_hint="MODEL")
    request = ExploreRequest(
        model, phase, tokens, context, board, options.precision,
        tuple(objective or ("latency", "area")), tuple(knob or ()),
        trials, jobs, seed, storage, out, resume, ablation, check_resources, dry_run,
    )  # fmt: skip
    run(request, as_json=as_json)
