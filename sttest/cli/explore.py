"""`sttest explore`: searches the design spaces of a block, and makes designs of a Pareto set again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.boards.load import load_board, require_hbm
from sttest.cli.common import Batch, Board, Json, Parameters, Phase, names_of, print_json, progress, takes_options
from sttest.cli.objects import takes_objects
from sttest.compile.options import CompileOptions
from sttest.core.closure import program_hash
from sttest.core.errors import InputError, note
from sttest.core.files import check_output_folder
from sttest.core.results import RESULTS_SCHEMA, ResultFolder
from sttest.core.tables import print_table
from sttest.explore.evaluate import Evaluator
from sttest.explore.objectives import METRICS, Target
from sttest.explore.proposals import Tried
from sttest.explore.report import MAKERS, PLACED, Ablated, SearchReport, read_record, rebuild, text_hash, write_records
from sttest.explore.report import ablation as run_ablation
from sttest.explore.search import Search
from sttest.explore.search import run as run_search
from sttest.explore.space import Domain, parse_only
from sttest.explore.storage import naming_storage, require_optuna
from sttest.models.program import check_shape
from sttest.models.registry import model_config, told_precision
from sttest.studies.figures import draw
from sttest.studies.searches import panels
from sttest.studies.workload import (
    TEXT_PHASE,
    WorkloadShape,
    file_workload,
    is_file,
    model_text,
    model_workload,
    refuse_parameters,
)


@dataclass(frozen=True)
class SearchedBlock:
    """The block whose designs are searched."""

    phase: Annotated[
        Phase | None, typer.Option(help="prefill needs --tokens, decode needs --context [of a model: decode].")
    ] = None
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block; 1 in decode.")] = None
    context: Annotated[int | None, typer.Option(help="Tokens in the cache; 0 in prefill.")] = None
    batch: Batch = None
    board: Board = "u55c"


@dataclass(frozen=True)
class SearchPlan:
    """What is searched, how long, by whom, and where it is kept."""

    parameters: Parameters = None
    objective: Annotated[
        list[str] | None,
        typer.Option(
            metavar="latency|ttft|tokens-per-joule|area",
            help="What to improve; several make a Pareto set. [latency, area]",
        ),
    ] = None
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=V,V", help="Other choices for an option; --dry-run lists them.")
    ] = None
    trials: Annotated[int, typer.Option(min=1, help="Points in all, those of earlier runs included.")] = 200
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes on this machine.")] = 2
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same points.")] = 0
    storage: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="SQLite file or database URL [build/explore/NAME.db].")
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Go on with this search, or join in.")] = False
    ablation: Annotated[bool, typer.Option("--ablation", help="Also HIDA's naive, IA, CA and IA+CA.")] = False
    check_resources: Annotated[
        bool, typer.Option("--check-resources/--no-check-resources", help="Refuse what does not fit the board.")
    ] = True
    rebuild: Annotated[
        Path | None, typer.Option(metavar="pareto.csv", help="Make a design of this file again and compare.")
    ] = None
    point: Annotated[int | None, typer.Option(help="Which one, with --rebuild.")] = None
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/explore-MODEL-PHASE].")] = (
        None
    )
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the options and leave.")] = False


@takes_options("precision", "budget", "flow", "kernels")
@takes_objects
def explore_verb(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A name (see sttest models), small-NAME, a config.json, its folder, a .mlir, or FILE.py:NAME."
        ),
    ] = None,
    *,
    block: SearchedBlock,
    options: CompileOptions,
    plan: SearchPlan,
    as_json: Json = False,
) -> None:
    """Search the design spaces of a block: tiles, lanes, sharing, FIFOs, under the board's resources.

    Several processes, on several machines, may work on one storage; a search that was stopped goes on with --resume.

    Examples:

      sttest explore gpt2 --phase decode --context 256 --trials 400 -j 2

      sttest explore gpt2 --phase decode --context 256 --batch 4 --trials 400

      sttest explore gpt2 --phase prefill --tokens 256 --objective ttft --option tile_size=8,16

      sttest explore block.mlir --trials 100

      sttest explore my-module.py:make --trials 100

      sttest explore --rebuild results/explore-gpt2-decode/pareto.csv --point 17
    """
    out = plan.out
    storage = plan.storage
    if plan.rebuild is not None:
        if model is not None or plan.point is None:
            raise typer.BadParameter("takes --point N and no model", param_hint="--rebuild")
        _rebuild(plan.rebuild, plan.point, names_of(plan.parameters), as_json=as_json)
        return
    if model is None:
        raise typer.BadParameter("name a model, or a file with --rebuild", param_hint="MODEL")
    require_optuna()
    if is_file(model):
        shape_options: dict[str, object] = {
            "--phase": block.phase,
            "--tokens": block.tokens,
            "--context": block.context,
            "--batch": block.batch,
        }
        target = _text_target(model, shape_options, block.board, options, names_of(plan.parameters))
        out = out or Path("results") / f"explore-{Path(model).stem}"
    else:
        refuse_parameters(model, names_of(plan.parameters))
        asked = WorkloadShape.asked(model, block.phase or "decode", block.tokens, block.context, batch=block.batch)
        target = _target(asked, model, block.board, options)
        out = out or Path("results") / f"explore-{model_config(model).name}-{asked.phase}"
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    objectives, only = (
        tuple(plan.objective or ("latency", "area")),
        tuple(sorted(parse_only(tuple(plan.option or ())).items())),
    )
    name = f"{target.name}-{Path(block.board).stem}-{'+'.join(objectives)}-seed{plan.seed}"
    storage = storage or str(_STORE / f"{name}.db")
    search = Search(target, objectives, only, plan.seed, plan.check_resources, storage, program_hash(*MAKERS))
    # Refused before anything is made: objectives, options and their values.
    evaluator = search.evaluator()
    space = search.space(evaluator)
    if plan.dry_run:
        _print_plan(search, space, plan.trials, as_json=as_json)
        return
    if "://" not in storage:
        Path(storage).parent.mkdir(parents=True, exist_ok=True)
    with progress(search.name) as say:
        tried = _searched(search, plan.trials, plan.jobs, _teller(say, search, plan.trials), resume=plan.resume)
        report = _finished(search, evaluator, SearchReport(out.name, search, space, tried), say, ablate=plan.ablation)
    _write(report, out)
    _print_report(report, out, as_json=as_json)


def _searched(search: Search, trials: int, jobs: int, watch: Callable[..., None], *, resume: bool) -> list[Tried]:
    """All points; whoever stops the search is told how it goes on."""
    try:
        with naming_storage(search.storage):
            return run_search(search, trials, jobs, watch, resume=resume)
    except KeyboardInterrupt:
        note(f"finished points are in {search.storage}, go on with --resume")
        raise


# Blocks are padded as the compiler's default tile asks; other tiles take the largest divisor.
_PAD_TILE = 16
_STORE = Path("build/explore")


def _rebuild(path: Path, point: int, parameters: Sequence[str], *, as_json: bool) -> None:
    """Makes one design of a file of points again and compares all its numbers.

    Raises:
        SttestError: no such point, another text than was searched, or other numbers.
    """
    record = read_record(path, point)
    fields = dict(record.target)
    text = _searched_text(fields, parameters)
    if text_hash(text) != record.text_sha256:
        raise InputError(
            "other-text",
            "the text is another than the one that was searched",
            where=f"point {point}",
            hints=["take the file, or the version of sttest and of its front end, that made the row"],
        )
    # Only what was held against the board has been placed.
    options = record.options
    target = Target(text, **fields, budget=options.budget, flow=options.flow, kernels=options.kernels)
    evaluator = Evaluator(target, (), check_resources=PLACED in record.figures)
    with progress(f"point {point}"):
        found = rebuild(record, evaluator)
    if as_json:
        print_json({"schema": "sttest.explore-rebuild/1", "point": point, "same": True, "figures": dict(found)})
        return
    print_table(("metric", "value"), [(name, found[name]) for name in record.figures], title=f"point {point}")
    print("same as in the row, all of them")


def _searched_text(fields: Mapping[str, Any], parameters: Sequence[str]) -> str:
    """The text that a row of points was made from."""
    if is_file(fields["model"]):
        return file_workload(fields["model"], {}, parameters)[1]
    shape = WorkloadShape(fields["phase"], fields["tokens"], fields["context"], batch=fields["batch"])
    config = model_config(fields["model"])
    check_shape(config, shape.phase, shape.tokens, shape.context, shape.batch)
    return model_text(config, shape)


def _text_target(
    path: str, shape_options: dict[str, object], board: str, options: CompileOptions, parameters: Sequence[str]
) -> Target:
    """A text: all that runs, in one launch."""
    queued_us = require_hbm(load_board(board)).launch.queued_us.value
    _, text = file_workload(path, shape_options, parameters)
    return Target(
        text,
        path,
        TEXT_PHASE,
        1,
        0,
        board,
        options.precision,
        1,
        queued_us,
        options.budget,
        options.flow,
        options.kernels,
    )


def _target(asked: WorkloadShape, model: str, board: str, options: CompileOptions) -> Target:
    """The block that is asked for, padded as the compiler's default tile asks."""
    queued_us = require_hbm(load_board(board)).launch.queued_us.value
    config = model_config(model)
    workload, shape = model_workload(config, asked, _PAD_TILE)
    with progress(workload.name) as say:
        say("lowering")
        text = model_text(config, shape)
    return Target(
        text,
        model,
        shape.phase,
        shape.tokens,
        shape.context,
        board,
        told_precision(model, options.given.get("precision")) or options.precision,
        config.layers,
        queued_us,
        options.budget,
        options.flow,
        options.kernels,
        shape.batch,
    )


def _teller(say: Callable[[str], None], search: Search, trials: int) -> Callable[[dict[int, Tried]], None]:
    first = search.chosen[0]

    def watch(tried: dict[int, Tried]) -> None:
        simulated = [each.evaluation for each in tried.values() if each.evaluation.status == "simulated"]
        best = min((each.losses[0] for each in simulated), default=None)
        told = "" if best is None else f", best {first.metric} {abs(best):.4g} {METRICS[first.metric].unit}"
        say(f"{len(tried):,} of {trials:,} points, {len(simulated):,} simulated{told}")

    return watch


def _finished(
    search: Search, evaluator: Evaluator, report: SearchReport, say: Callable[[str], None], *, ablate: bool
) -> SearchReport:
    """The report with what is computed once the search is done: placed designs, the ablation."""
    placed = {}
    for each in report.pareto if search.check_resources else ():
        say(f"placing point {each.slot}")
        assert each.evaluation.options is not None
        placed[each.slot] = evaluator.placed_cycles(each.evaluation.options)
    ablated = []
    # Held to the budget for lanes alone: what memories and ports take is the same for all ways.
    unchecked = Evaluator(search.target, search.chosen, check_resources=False)
    for each in run_ablation(unchecked, report.space) if ablate else ():
        say(f"ablation: {each.way}, {each.budget_percent} %")
        ablated.append(each)
    return replace(report, placed=placed, ablated=ablated)


def _write(report: SearchReport, out: Path) -> None:
    search = report.search
    config: dict[str, Any] = {**search.definition, "points": len(report.tried)}
    config["target"] = {**config["target"], "text": text_hash(search.target.text)}
    with ResultFolder(out, made_by=MAKERS, config=config, seed=search.seed) as folder:
        folder.add(*report.rows())
        write_records(folder.file("pareto.csv"), report.records())
        report.write_points(folder.file("points.csv"))
        if report.pareto:
            for suffix in ("png", "svg"):
                _draw(report, folder.file(f"figure.{suffix}"))


def _print_plan(search: Search, space: Sequence[Domain], trials: int, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "schema": "sttest.explore-plan/1",
                "name": search.name,
                "storage": search.storage,
                "trials": trials,
                "objectives": list(search.objectives),
                "options": [
                    {"name": each.name, "level": each.level, "unit": each.unit, "choices": list(each.choices)}
                    for each in space
                ],
            }
        )
        return
    print_table(
        ("option", "level", "choices", "unit"),
        [(each.name, each.level, ", ".join(map(str, each.choices)), each.unit) for each in space],
        title=f"{search.name}: {trials} points for {', '.join(search.objectives)}",
    )


def _print_report(report: SearchReport, out: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.counts.most_common())
    print(f"{report.search.name}: {report.headline()}")
    print(f"points: {counts}")
    print_table(report.columns, report.lines(), title="Pareto set")
    if report.ablated:
        _print_ablation(report.ablated)
    print(f"written: {out}; make a point again with 'sttest explore --rebuild {out / 'pareto.csv'} --point N'")


def _print_ablation(ablated: Sequence[Ablated]) -> None:
    """A line per budget, a column per way of handing out lanes."""
    ways = list(dict.fromkeys(each.way for each in ablated))
    cells: dict[int, dict[str, object]] = {}
    for each in ablated:
        shown = each.evaluation.figures.get("cycles", "refused")
        cells.setdefault(each.budget_percent, {})[each.way] = shown
    lines = [(budget, *(found[way] for way in ways)) for budget, found in cells.items()]
    print_table(("budget (%)", *ways), lines, title="Cycles by the way in which lanes are handed out")


def _draw(report: SearchReport, path: Path) -> None:
    """The figure, by the first two objectives, or by one and the area."""
    metrics = [each.metric for each in report.search.chosen]
    rest = [name for name in (*metrics[1:], "area", "latency") if name != metrics[0]]
    simulated = [each for each in report.tried if each.evaluation.status == "simulated"]
    tried, best = (
        [(each.evaluation.figures[metrics[0]], each.evaluation.figures[rest[0]]) for each in designs]
        for designs in (simulated, report.pareto)
    )
    title = f"{report.search.target.name} on {Path(report.search.target.board).stem}"
    draw(panels(tried, best, metrics[0], rest[0]), path, title)
