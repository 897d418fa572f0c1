"""Serving GPT-2 Medium on a U55C: waits against the rate of requests, by batch and by whose turn is next.

Requests are made up: Poisson arrivals, lengths of prompts and answers from log-normal distributions.  Nothing is
published for this board and model; what can be held against a law, a queue of constant service, is in
`tests/studies/serving`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.drawing import write_figure
from sttest import api
from sttest.core.progress import tell
from sttest.core.results import PointStore, ResultFolder, Row
from sttest.core.tables import print_table
from sttest.studies.campaign import STORES
from sttest.studies.serving.outcome import Outcome, ServiceObjective
from sttest.studies.serving.requests import Request, poisson
from sttest.studies.serving.scheduler import Card, Limits, Policy
from sttest.studies.serving.step_times import StepPlan, pages_of
from sttest.studies.steps import step_counter

MODEL, BOARD = "gpt2", "u55c"
BATCHES = (1, 8)
RATES = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
POLICIES: tuple[Policy, ...] = ("first-come", "shortest")
REQUESTS, SEED, PAGE_TOKENS = 2000, 1, 16
OBJECTIVE = ServiceObjective(first_ms=1000.0, token_ms=20.0)
# One unit of 4,096 lanes for all products with weights, as in the study `batch`.
OPTIONS = {"precision": "w4a8", "share": "all", "gemv_lanes": 4096, "overall_unroll": 1536, "vector_bits": 512}
CONTEXT = 512
SHOWN_PERCENTS = (50, 95, 99)
SHOWN = (
    "speed",
    *(f"time {what}, p{percent}" for what in ("to first token", "per token") for percent in SHOWN_PERCENTS),
    "time per token, mean",
    "within the objective",
    "goodput",
    "share of time busy",
    "sequences per decode step, mean",
    "energy per token",
)


@dataclass(frozen=True)
class Served:
    """A rate of requests on a design."""

    batch: int
    policy: Policy
    rate: float
    outcome: Outcome

    @property
    def label(self) -> str:
        """Of its rows."""
        return f"batch {self.batch}, {self.policy}, {self.rate:g}/s"

    def value(self, metric: str) -> float:
        """A figure."""
        return next(value for name, value, *_ in self.outcome.figures() if name == metric and value is not None)


def lengths() -> list[tuple[int, int]]:
    """Tokens of prompts and answers."""
    source = np.random.default_rng(SEED)
    prompts = source.lognormal(np.log(96), 0.6, REQUESTS).clip(8, 384)
    answers = source.lognormal(np.log(48), 0.7, REQUESTS).clip(1, 127)
    return [(int(prompt), int(answer)) for prompt, answer in zip(prompts, answers, strict=True)]


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Served]:
    """Prints the table and writes ``out``."""
    say = step_counter(len(BATCHES) * len(POLICIES) * len(RATES))
    found: list[Served] = []
    for batch in BATCHES:
        plan = _plan(batch, jobs)
        for policy in POLICIES:
            for rate in RATES:
                served = Served(batch, policy, rate, _serve(plan, policy, poisson(REQUESTS, rate, lengths(), SEED)))
                found.append(served)
                say(f"served {served.label}")
    print_table(
        ("batch", "policy", "requests/s", "tokens/s", "first token p50, ms", "p95, ms", "p99, ms", "per token p50, ms",
         "p95, ms", "p99, ms", "good"),
        [
            (each.batch, each.policy, f"{each.rate:g}", f"{each.value('speed'):,.0f}",
             *(f"{each.value(f'time to first token, p{percent}'):,.0f}" for percent in SHOWN_PERCENTS),
             *(f"{each.value(f'time per token, p{percent}'):.1f}" for percent in SHOWN_PERCENTS),
             f"{each.value('within the objective'):.0%}")
            for each in found
        ],
        title="Serving GPT-2 Medium on a U55C (requests made up)",
    )  # fmt: skip
    config = {"options": OPTIONS, "batches": BATCHES, "rates": RATES, "requests": REQUESTS, "context": CONTEXT}
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        for each in found:
            folder.add(*_rows(each, engine))
        write_figure(folder)
    return found


def _plan(batch: int, jobs: int) -> StepPlan:
    folder = Path("build") / "serving" / f"{MODEL}-b{batch}"
    design = api.compile(MODEL, phase="decode", context=CONTEXT, batch=batch, board=BOARD, **OPTIONS)
    design.save(folder)
    longest = max(prompt + answer for prompt, answer in lengths())
    plan = StepPlan.of([folder], longest, longest, batch, PointStore(STORES / "serve"))
    runner = plan.campaign.in_processes(jobs)
    plan.campaign.finish(runner, lambda done, total: tell(f"{done} of {total} designs of batch {batch} simulated"))
    return plan


def _serve(plan: StepPlan, policy: Policy, requests: Sequence[Request]) -> Outcome:
    batch, pages = plan.tokens.package.batch, pages_of(plan.tokens, PAGE_TOKENS)
    limits = Limits(batch, pages, PAGE_TOKENS, policy, chunk=1, rides=True)
    card = Card(requests, plan.steps(), limits)
    return Outcome(card.run(), card.steps, limits, plan.tokens.board, OBJECTIVE)


def _rows(each: Served, engine: str) -> Iterator[Row]:
    for metric, value, unit, note in each.outcome.figures():
        if metric in SHOWN:
            yield Row(
                "serving",
                f"{metric} [{each.label}]",
                value,
                unit,
                "simulated",
                model=MODEL,
                board=BOARD,
                phase="decode",
                engine=engine,
                note=note,
            )
