"""`sttest explore`: searches the design spaces of a block, and makes designs of a Pareto set again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.core.files import check_output_folder
from sttest.core.program import program_hash
from sttest.core.results import RESULTS_SCHEMA, ResultFolder
from sttest.core.tables import print_table
from sttest.explore.evaluate import Evaluator
from sttest.explore.objectives import METRICS, Target
from sttest.explore.proposals import Tried
from sttest.explore.report import (
    PLACED,
    Ablated,
    SearchReport,
    ablation,
    read_record,
    rebuild,
    text_hash,
    write_records,
)
from sttest.explore.search import Search
from sttest.explore.search import run as run_search
from sttest.explore.space import parse_only
from sttest.explore.storage import require_optuna
from sttest.models.program import Phase, check_shape
from sttest.models.registry import model_config
from sttest.studies.workload import WorkloadShape, model_text, model_workload
from sttest.verbs.explore_figure import draw
from sttest.verbs.output import print_json, progress

# Blocks are padded as the compiler's default tile asks; other tiles take the largest divisor.
_PAD_TILE = 16
_STORE = Path("build/explore")


@dataclass(frozen=True)
class ExploreRequest:
    """What is asked for."""

    # model, phase, tokens, context: the block
    model: str
    phase: Phase
    tokens: int | None
    context: int | None
    # board, precision: board and quantization scheme
    board: str
    precision: str
    # objectives, knobs: names, and ``NAME=V,V`` for other choices
    objectives: tuple[str, ...]
    knobs: tuple[str, ...]
    # trials, jobs, seed: points in all, processes, of random numbers
    trials: int
    jobs: int
    seed: int
    storage: str | None  # URL or file; None for one below ``build``
    out: Path | None  # folder of results; None for ``results/explore-NAME``
    # resume, ablation, check_resources, dry_run: switches
    resume: bool
    ablation: bool
    check_resources: bool
    dry_run: bool


def run(request: ExploreRequest, *, as_json: bool) -> None:
    """Searches, or goes on with a search, and writes its tables.

    Raises:
        SttestError: bad input, no Optuna, a folder or database that can't be written.
    """
    require_optuna()
    target = _target(request)
    out = request.out or Path("results") / f"explore-{request.model}-{request.phase}"
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    search = _search(request, target)
    if request.dry_run:
        _print_plan(search, request, as_json=as_json)
        return
    # Refused before anything is made: objectives, knobs and their values.
    evaluator = search.evaluator()
    space = search.space(evaluator)
    if "://" not in search.storage:
        Path(search.storage).parent.mkdir(parents=True, exist_ok=True)
    with progress(search.name) as say:
        tried = run_search(
            search, request.trials, request.jobs, _teller(say, search, request.trials), resume=request.resume
        )
        report = _finished(
            search, evaluator, SearchReport(out.name, search, space, tried), say, ablate=request.ablation
        )
    _write(report, out)
    _print_report(report, out, as_json=as_json)


def run_rebuild(path: Path, point: int, *, as_json: bool) -> None:
    """Makes one design of a file of points again and compares all its numbers.

    Raises:
        SttestError: no such point, another text than was searched, or other numbers.
    """
    record = read_record(path, point)
    fields = dict(record.target)
    shape = WorkloadShape(fields["phase"], fields["tokens"], fields["context"])
    config = model_config(fields["model"])
    check_shape(config, shape.phase, shape.tokens, shape.context)
    text = model_text(config, shape)
    if text_hash(text) != record.text_sha256:
        raise InputError(
            "other-text", "the block is lowered to another text than the one that was searched", where=f"point {point}",
            hints=["take the version of sttest and of its front end that made the row"],
        )  # fmt: skip
    # Only what was held against the board has been placed.
    evaluator = Evaluator(Target(text, **fields), (), check_resources=PLACED in record.figures)
    with progress(f"point {point}"):
        found = rebuild(record, evaluator)
    if as_json:
        print_json({"schema": "sttest.explore-rebuild/1", "point": point, "same": True, "figures": dict(found)})
        return
    print_table(("metric", "value"), [(name, found[name]) for name in record.figures], title=f"point {point}")
    print("same as in the row, all of them")


def _target(request: ExploreRequest) -> Target:
    """The block that is asked for, padded as the compiler's default tile asks."""
    board = require_hbm(load_board(request.board))
    config = model_config(request.model)
    asked = WorkloadShape.asked(request.model, request.phase, request.tokens, request.context)
    workload, shape = model_workload(config, asked, _PAD_TILE)
    with progress(workload.name) as say:
        say("lowering")
        text = model_text(config, shape)
    return Target(
        text, request.model, shape.phase, shape.tokens, shape.context, request.board, request.precision, config.layers,
        board.launch.queued_us.value,
    )  # fmt: skip


def _search(request: ExploreRequest, target: Target) -> Search:
    only = tuple(sorted(parse_only(request.knobs).items()))
    name = f"{target.name}-{Path(request.board).stem}-{'+'.join(request.objectives)}-seed{request.seed}"
    storage = request.storage or str(_STORE / f"{name}.db")
    return Search(target, request.objectives, only, request.seed, request.check_resources, storage, program_hash())


def _teller(say: Callable[[str], None], search: Search, trials: int) -> Callable[[dict[int, Tried]], None]:
    first = search.chosen[0]

    def watch(tried: dict[int, Tried]) -> None:
        simulated = [each.evaluation for each in tried.values() if each.evaluation.status == "simulated"]
        best = min((each.losses[0] for each in simulated), default=None)
        told = "" if best is None else f", best {first.metric} {abs(best):.4g} {METRICS[first.metric].unit}"
        say(f"{len(tried)} of {trials} points, {len(simulated)} simulated{told}")

    return watch


def _finished(
    search: Search, evaluator: Evaluator, report: SearchReport, say: Callable[[str], None], *, ablate: bool
) -> SearchReport:
    """The report with what is computed once the search is done: placed designs, the ablation."""
    placed = {}
    for each in report.pareto if search.check_resources else ():
        say(f"placing point {each.slot}")
        assert each.evaluation.knobs is not None
        placed[each.slot] = evaluator.placed_cycles(each.evaluation.knobs)
    ablated = []
    # Held to the budget for lanes alone: what memories and ports take is the same for all ways.
    unchecked = Evaluator(search.target, search.chosen, check_resources=False)
    for each in ablation(unchecked, report.space) if ablate else ():
        say(f"ablation: {each.way}, {each.budget_percent} %")
        ablated.append(each)
    return replace(report, placed=placed, ablated=ablated)


def _write(report: SearchReport, out: Path) -> None:
    search = report.search
    config: dict[str, Any] = {**search.definition, "points": len(report.tried)}
    config["target"] = {**config["target"], "text": text_hash(search.target.text)}
    with ResultFolder(out, config=config, seed=search.seed) as folder:
        folder.add(*report.rows())
        write_records(folder.file("pareto.csv"), report.records())
        report.write_points(folder.file("points.csv"))
        if report.pareto:
            for suffix in ("png", "svg"):
                draw(report, folder.file(f"figure.{suffix}"))


def _print_plan(search: Search, request: ExploreRequest, *, as_json: bool) -> None:
    space = search.space(search.evaluator())
    if as_json:
        print_json({
            "schema": "sttest.explore-plan/1", "name": search.name, "storage": search.storage, "trials": request.trials,
            "objectives": list(search.objectives),
            "knobs": [{"name": each.name, "level": each.level, "unit": each.unit, "choices": list(each.choices)}
                      for each in space],
        })  # fmt: skip
        return
    print_table(
        ("knob", "level", "choices", "unit"),
        [(each.name, each.level, ", ".join(map(str, each.choices)), each.unit) for each in space],
        title=f"{search.name}: {request.trials} points for {', '.join(search.objectives)}",
    )


def _print_report(report: SearchReport, out: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.counts.most_common())
    print_table(report.columns, report.lines(), title=f"Pareto set of {report.search.name}")
    print(f"points: {counts}")
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
