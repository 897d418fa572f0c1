"""`sttest serve`: requests over time on simulated designs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.common import Json, print_json, progress
from sttest.cli.objects import takes_objects
from sttest.core.errors import InputError
from sttest.core.files import check_output_folder
from sttest.core.plain_files import check_replaceable
from sttest.core.results import RESULTS_SCHEMA, PointStore
from sttest.core.tables import print_table
from sttest.studies.campaign import STORES, on_cluster
from sttest.studies.serving.outcome import Outcome, ServiceObjective, write_trace
from sttest.studies.serving.requests import Request, poisson, read_trace
from sttest.studies.serving.scheduler import Card, Limits, Policy
from sttest.studies.serving.step_times import StepPlan, cache_memory_bytes, pages_of

_PAGE_TOKENS = 16
"""Positions of a page: vLLM's default block (Kwon et al., arXiv 2309.06180)."""
_REQUESTS = 1000
_MOST_PAGE = 1 << 24
"""Positions of a page: more than any model's context has."""
_HOUR_MS = 3_600_000
"""Cards are configured in seconds."""


@dataclass(frozen=True)
class ServedLoad:
    """The requests that come."""

    trace: Annotated[
        Path | None,
        typer.Option(help="CSV of arrival_s,prompt_tokens,output_tokens, or of the Azure LLM inference traces."),
    ] = None
    rate: Annotated[
        float | None, typer.Option(help="Poisson arrivals per second, instead of the trace's, whose lengths are kept.")
    ] = None
    requests: Annotated[int | None, typer.Option(min=1, help=f"How many [all of a trace, else {_REQUESTS}].")] = None
    prompt_tokens: Annotated[int, typer.Option(min=1, help="Of each prompt, without a trace.")] = 64
    output_tokens: Annotated[int, typer.Option(min=1, help="Of each answer, without a trace.")] = 32


@dataclass(frozen=True)
class ServeOptions:
    """What limits a card, and what is good."""

    policy: Annotated[Policy, typer.Option(help="Whose turn is next.")] = "first-come"
    batch: Annotated[int | None, typer.Option(min=1, help="Sequences at a time [as compiled].")] = None
    page_tokens: Annotated[int, typer.Option(min=1, max=_MOST_PAGE, help="Positions of a page of keys and values.")] = (
        _PAGE_TOKENS
    )
    kv_gib: Annotated[float | None, typer.Option(help="Memory for keys and values [the HBM less weights], GiB.")] = None
    reconfigure_ms: Annotated[
        float | None, typer.Option(min=0, max=_HOUR_MS, help="From one design to the other; needed with two packages.")
    ] = None
    slo_ttft_ms: Annotated[float | None, typer.Option(min=0, help="Time to first token that is good.")] = None
    slo_token_ms: Annotated[float | None, typer.Option(min=0, help="Time per token that is good.")] = None


@dataclass(frozen=True)
class ServingRun:
    """How it is run, and where results go."""

    seed: Annotated[int, typer.Option(min=0, help="Of Poisson arrivals.")] = 0
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/serve-MODEL].")] = None
    perfetto: Annotated[Path | None, typer.Option(help="Write a trace of all steps for ui.perfetto.dev.")] = None
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that simulate designs.")] = 2
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a dask cluster, as in tcp://host:8786, instead.")
    ] = None


@takes_objects
def serve_verb(
    packages: Annotated[list[Path] | None, typer.Argument(help="A decode's package, and one for prompts.")] = None,
    design: Annotated[list[Path] | None, typer.Option("--design", help="The same; may be repeated.")] = None,
    *,
    load: ServedLoad,
    given: ServeOptions,
    run: ServingRun,
    as_json: Json = False,
) -> None:
    """Serve requests over time on simulated designs: waits, speed, queue, memory and energy of continuous batching.

    Times of steps are those of the packages' designs, simulated at the shapes that occur and interpolated between
    them. A decode's package takes prompts, too: as many tokens in a step as it was compiled for. A run that was
    stopped goes on where it was.

    Examples:

      sttest serve build/gpt2-decode-u55c --rate 2 --requests 500

      sttest serve --trace requests.csv --design build/gpt2-decode-u55c --policy shortest

      sttest serve build/decode build/prefill --rate 1 --reconfigure-ms 400 --slo-ttft-ms 2000
    """
    out = run.out
    folders = [*(packages or ()), *(design or ())]
    if not folders:
        hints = ["name a decode's package", "compile one, see 'sttest compile --help'"]
        raise InputError("missing-option", "no design is named", where="serve", hints=hints)
    asked = _requests(load.trace, load.rate, load.requests, (load.prompt_tokens, load.output_tokens), run.seed)
    longest = max(each.positions for each in asked)
    store = PointStore(STORES / "serve")
    plan = StepPlan.of(folders, max(each.prompt for each in asked), longest, given.batch or 1 << 30, store)
    limits = _limits(plan, given)
    model = plan.tokens.package.config.name
    out = out or Path("results") / f"serve-{model}"
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    if run.perfetto is not None:
        check_replaceable(run.perfetto)
    with progress("serve") as say:
        runner = (
            plan.campaign.in_processes(run.jobs)
            if run.scheduler is None
            else partial(on_cluster, simulate=plan.campaign.simulate, address=run.scheduler)
        )
        plan.campaign.finish(runner, lambda done, total: say(f"{done} of {total} designs simulated"))
        card = Card(asked, plan.steps(), limits)
        served = card.run(lambda done: say(f"{done:,} of {len(asked):,} requests served"))
        outcome = Outcome(
            served, card.steps, limits, plan.tokens.board, ServiceObjective(given.slo_ttft_ms, given.slo_token_ms)
        )
        config = {
            "designs": [each.package.name for each in plan.cells],
            "limits": asdict(limits),
            "requests": str(load.trace) if load.trace else f"{load.prompt_tokens} and {load.output_tokens} tokens",
            "rate_per_s": load.rate,
        }
        outcome.write(out, config, model, "maxplus", run.seed if load.rate is not None else None)
        if run.perfetto is not None:
            write_trace(outcome, run.perfetto)
    if as_json:
        print_json({**outcome.to_dict(), "out": str(out)})
        return
    _print(outcome, plan, out)


def _requests(
    trace: Path | None, rate: float | None, count: int | None, lengths: tuple[int, int], seed: int
) -> Sequence[Request]:
    if trace is None:
        if rate is None:
            raise InputError(
                "missing-option",
                "nothing says when requests arrive",
                where="serve",
                hints=["give --rate", "give --trace"],
            )
        return poisson(count or _REQUESTS, rate, [lengths], seed)
    found = read_trace(trace, count)
    if rate is None:
        return found
    return poisson(count or len(found), rate, [(each.prompt, each.output) for each in found], seed)


def _limits(plan: StepPlan, asked: ServeOptions) -> Limits:
    """What the card allows.

    Raises:
        InputError: more sequences than the design takes, no memory, or two designs and no time between them.
    """
    most = plan.tokens.package.batch
    if asked.batch is not None and asked.batch > most:
        raise InputError(
            "no-room",
            "more sequences than a step of the design takes",
            where="--batch",
            demand=asked.batch,
            bound=most,
            unit="sequences",
            hints=[f"compile it with --batch {asked.batch}"],
        )
    two = plan.prompts is not plan.tokens
    if two and asked.reconfigure_ms is None:
        raise InputError(
            "missing-option",
            "nothing says how long one design takes to follow the other",
            where="--reconfigure-ms",
            hints=["give milliseconds, 0 if both are on the card", "give a decode's package alone"],
        )
    memory = None if asked.kv_gib is None else asked.kv_gib * 2**30
    most_memory = cache_memory_bytes(plan.tokens)
    if memory is not None and memory > most_memory:
        raise InputError(
            "no-room",
            "more memory than the card has where keys and values are",
            where="--kv-gib",
            demand=asked.kv_gib,
            bound=round(most_memory / 2**30, 3),
            unit="GiB",
            hints=["give less", "compile it for a board with more"],
        )
    pages = pages_of(plan.tokens, asked.page_tokens, memory)
    if pages < 1:
        raise InputError("no-room", "no memory is left for keys and values", where="serve", hints=["give --kv-gib"])
    chunk = None if plan.prompts.takes_prompts_whole else plan.prompts.package.tokens
    return Limits(
        min(asked.batch or most, most),
        pages,
        asked.page_tokens,
        asked.policy,
        chunk,
        rides=not two and chunk == 1,
        reconfigure_s=(asked.reconfigure_ms or 0.0) / 1e3 if two else 0.0,
    )


def _print(outcome: Outcome, plan: StepPlan, out: Path) -> None:
    figures = {metric: value for metric, value, *_ in outcome.figures()}
    wait = [f"{figures[f'time to first token, p{percent}'] or 0:,.4g} ms (p{percent})" for percent in (50, 99)]
    print(
        f"{plan.tokens.package.config.name}: {len(outcome.served):,} requests at {figures['speed']:,.4g} tokens/s, "
        f"first token after {' and '.join(wait)}"
    )
    rows = [
        (metric, "" if value is None else f"{value:,.4g}", unit, note)
        for metric, value, unit, note in outcome.figures()
    ]
    print_table(("metric", "value", "unit", "note"), rows)
    shapes = sum(len(cells) for cells in plan.cells.values())
    print(f"times of steps: {shapes} shapes simulated, interpolated between them")
    if not plan.tokens.package.head:
        print("note: the design has no head; final norm, head and choice of the token are not in these times")
    print(f"written: {out}")
