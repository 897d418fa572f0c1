"""What serving came to: waits, speed, queue, memory and energy, as a table, a figure and a trace."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sttest.boards.board import FpgaBoard
from sttest.boards.energy import energy, idle
from sttest.core.files import csv_text, write_text
from sttest.core.results import Kind, ResultFolder, Row
from sttest.studies.drawing import drawer
from sttest.studies.serving.scheduler import CardStep, Limits, Served

SCHEMA = "sttest.serve/1"
MAKERS = ("sttest.studies.serving.step_times", "sttest.studies.serving.outcome")
"""What the rows are computed by."""
PERCENTILES = (50, 90, 95, 99)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ServiceObjective:
    """What a request may wait at most to count as served well (SLO); None for no bound."""

    first_ms: float | None = None  # time to first token
    token_ms: float | None = None  # mean time per token behind the first

    @property
    def is_set(self) -> bool:
        """Whether there is any bound."""
        return self.first_ms is not None or self.token_ms is not None


@dataclass(frozen=True)
class Outcome:
    """Requests that were served, and the steps that served them."""

    served: Sequence[Served]
    steps: Sequence[CardStep]
    limits: Limits
    board: FpgaBoard
    objective: ServiceObjective = ServiceObjective()

    @cached_property
    def end_s(self) -> float:
        """When the last request is done; the first arrives after 0."""
        return max(each.end_s for each in self.served)

    @cached_property
    def first_ms(self) -> Floats:
        """Time to first token of each request."""
        return np.array([1e3 * (each.first_s - each.request.arrival_s) for each in self.served])

    @cached_property
    def token_ms(self) -> Floats:
        """Mean time per token behind the first, of each request that has one."""
        return np.array([_per_token_ms(each) for each in self.served if each.request.output > 1])

    @cached_property
    def whole_ms(self) -> Floats:
        """Time from arrival to the last token."""
        return np.array([1e3 * (each.end_s - each.request.arrival_s) for each in self.served])

    @property
    def made(self) -> int:
        """Tokens that were made."""
        return sum(each.made for each in self.served)

    @property
    def well_served(self) -> int:
        """Requests within the objective."""
        return sum(self._is_well_served(each) for each in self.served)

    def _is_well_served(self, each: Served) -> bool:
        first_ms, token_ms = self.objective.first_ms, self.objective.token_ms
        if first_ms is not None and 1e3 * (each.first_s - each.request.arrival_s) > first_ms:
            return False
        return token_ms is None or each.request.output == 1 or _per_token_ms(each) <= token_ms

    @cached_property
    def busy_s(self) -> float:
        """Time in steps."""
        return sum(step.end_s - step.begin_s for step in self.steps)

    @cached_property
    def joules(self) -> float:
        """Energy of all steps, and of the loaded card while it waits or is configured."""
        waits = energy(idle(max(self.end_s - self.busy_s, 0.0)), self.board.energy_costs)
        return sum(step.joules for step in self.steps) + waits.total_j

    def over_time(self, name: str) -> float:
        """The mean of a figure of steps, each for as long as it lasts."""
        return sum((step.end_s - step.begin_s) * getattr(step, name) for step in self.steps) / self.busy_s

    def rows(self, name: str, model: str, engine: str) -> Iterator[Row]:
        """Every number, with unit and kind."""
        for metric, value, unit, note in self.figures():
            yield Row(
                name,
                metric,
                value,
                unit,
                _KINDS.get(metric, "simulated"),
                model=model,
                board=self.board.name,
                engine=engine,
                note=note,
            )

    def figures(self) -> Iterator[tuple[str, float | None, str, str]]:
        """Metric, value, unit and note of every number."""
        yield "requests", float(len(self.served)), "count", ""
        yield "duration", self.end_s, "s", ""
        yield "speed", self.made / self.end_s, "tokens/s", "of all sequences together"
        yield "requests per second", len(self.served) / self.end_s, "1/s", ""
        if self.objective.is_set:
            yield "goodput", self.well_served / self.end_s, "1/s", "requests within the objective"
            yield "within the objective", self.well_served / len(self.served), "ratio", ""
        for metric, values in (
            ("time to first token", self.first_ms),
            ("time per token", self.token_ms),
            ("time to last token", self.whole_ms),
        ):
            if not len(values):
                yield metric, None, "ms", "no request has a second token"
                continue
            yield f"{metric}, mean", float(values.mean()), "ms", ""
            for percent in PERCENTILES:
                yield f"{metric}, p{percent}", float(np.percentile(values, percent)), "ms", ""
        decodes = [step for step in self.steps if step.phase == "decode"]
        yield "share of time busy", self.busy_s / self.end_s, "ratio", ""
        yield "share of time in prefill", 1 - _duration_s(decodes) / self.busy_s, "ratio", "of the time in steps"
        yield "reconfigurations", float(sum(step.reconfigure_s > 0 for step in self.steps)), "count", ""
        if decodes:
            batch = sum(len(each.sequences) for each in decodes) / len(decodes)
            yield "sequences per decode step, mean", batch, "count", ""
        yield "requests waiting, mean", self.over_time("waiting"), "count", "while the card works"
        yield "requests waiting, most", float(max(step.waiting for step in self.steps)), "count", ""
        yield "memory of keys and values, mean", self.over_time("pages") / self.limits.pages, "ratio", "of the pages"
        yield "memory of keys and values, most", max(step.pages for step in self.steps) / self.limits.pages, "ratio", ""
        yield "preemptions", float(sum(each.preempted for each in self.served)), "count", ""
        yield "energy per token", self.joules / self.made, "J", "with waits and prefills"
        yield "power, mean", self.joules / self.end_s, "W", ""

    def write(self, out: Path, config: Mapping[str, object], model: str, engine: str, seed: int | None) -> None:
        """``table.csv``, ``requests.csv``, ``figure.png``, ``figure.svg`` and a manifest, whole or not at all."""
        with ResultFolder(out, made_by=MAKERS, config=config, seed=seed) as folder:
            folder.add(*self.rows(out.name, model, engine))
            write_text(folder.file("requests.csv"), csv_text(REQUEST_COLUMNS, map(_line, self.served)))
            drawer("serving").draw_beside(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """The figures for programs."""
        figures = [
            {"metric": metric, "value": value, "unit": unit, "note": note}
            for metric, value, unit, note in self.figures()
        ]
        return {"schema": SCHEMA, "figures": figures}


_KINDS: Mapping[str, Kind] = {"requests": "assumed"}
REQUEST_COLUMNS = ("arrival_s", "prompt_tokens", "output_tokens", "first_token_s", "last_token_s", "preemptions")


def _line(each: Served) -> tuple[object, ...]:
    request = each.request
    times = (f"{time:.9f}" for time in (each.first_s, each.end_s))
    return (f"{request.arrival_s:.9f}", request.prompt, request.output, *times, each.preempted)


def _per_token_ms(each: Served) -> float:
    return 1e3 * (each.end_s - each.first_s) / (each.request.output - 1)


def _duration_s(steps: Sequence[CardStep]) -> float:
    return sum(step.end_s - step.begin_s for step in steps)


# --- Steps as a trace that ui.perfetto.dev opens


def write_trace(outcome: Outcome, path: Path) -> None:
    """Steps on a track per phase, and counters of requests that wait and of pages that are taken."""
    write_text(path, json.dumps({"traceEvents": list(_events(outcome)), "displayTimeUnit": "ms"}))


def _events(outcome: Outcome) -> Iterator[dict[str, Any]]:
    tracks = {"prefill": 1, "decode": 2}
    for phase, track in tracks.items():
        yield {"ph": "M", "pid": 1, "tid": track, "name": "thread_name", "args": {"name": phase}}
    for step in outcome.steps:
        begin_us = 1e6 * step.begin_s
        count = len(step.sequences)
        name = (
            f"{step.tokens} tokens of request {step.sequences[0]}" if step.phase == "prefill" else f"batch of {count}"
        )
        yield {
            "ph": "X",
            "pid": 1,
            "tid": tracks[step.phase],
            "name": name,
            "ts": begin_us,
            "dur": 1e6 * (step.end_s - step.begin_s),
            "args": {"requests": list(step.sequences)},
        }
        for counter, value in (("Requests waiting", step.waiting), ("pages", step.pages)):
            yield {"ph": "C", "pid": 1, "name": counter, "ts": begin_us, "args": {"count": value}}
