"""What TAPA's tasks do, which stands in no graph: loops with their tokens per stream, from YAML and HLS reports.

    clock_mhz: 300
    tasks:
      Add: {iterations: 1024, interval: 1, latency: 8, streams: {left: 1, right: 1, sum: {every: 4}}}
      Control:
        loops:
        - {iterations: 8, interval: 1, latency: 3, streams: {requests: 1}}
        - {iterations: 8, interval: 2, latency: 5, streams: {responses: 1}}
    instances:
      Load_1: {iterations: 512, interval: 1, latency: 70, streams: {elements: 1}}

A task's loops run one after the other.  A stream takes or gives so many tokens in every iteration, or in some: the
first of ``every`` four for a read, the last of them for a write.  What a synthesis report says of a loop may be left
out: its iterations where they are fixed, its interval, its latency.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_yaml
from sttest.core.validation import validated
from sttest.importers.hls.csynth_report import LoopReport
from sttest.sim.graph import MAX_CYCLES, MAX_EVENTS, When

MAX_LOOPS_PER_TASK = 1000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StreamRate(_Strict):
    """Tokens on a stream: so many in every ``every``-th iteration from ``first`` to ``last``."""

    tokens: int = Field(default=1, ge=1, le=MAX_EVENTS)
    every: int = Field(default=1, ge=1, le=MAX_CYCLES)
    first: int = Field(default=0, ge=0, le=MAX_CYCLES)
    last: int | None = Field(default=None, ge=0, le=MAX_CYCLES)

    def when(self, op: str, iterations: int, where: str) -> tuple[When, ...]:
        """The iterations in which a token is read or written.

        Raises:
            InputError: there are none.
        """
        first = self.first + (self.every - 1 if op == "write" else 0)
        last = iterations - 1 if self.last is None else self.last
        if not first <= last < iterations:
            what = f"no access in any of {iterations} iterations"
            raise InputError("no-access", what, where=where, hints=["give first, last and every within them"])
        return () if (first, last, self.every) == (0, iterations - 1, 1) else ((first, last, self.every),)


class LoopRates(_Strict):
    """A pipelined loop; a number that is left out has to be in a report."""

    iterations: int | None = Field(default=None, ge=1, le=MAX_CYCLES)
    interval: int | None = Field(default=None, ge=1, le=MAX_CYCLES)
    latency: int | None = Field(default=None, ge=1, le=MAX_CYCLES)
    streams: Mapping[str, StreamRate]


class TaskRates(_Strict):
    """The loops of a task, in order; in a file the keys of a single one may stand for themselves."""

    loops: tuple[LoopRates, ...] = Field(min_length=1, max_length=MAX_LOOPS_PER_TASK, strict=False)


class Rates(_Strict):
    """A file of rates: by task, and for instances that differ from the others of their task."""

    clock_mhz: float | None = Field(default=None, gt=0, le=1e5, strict=False)
    tasks: Mapping[str, TaskRates] = {}
    instances: Mapping[str, TaskRates] = {}


def read_rates(path: Path) -> Rates:
    """The rates of a YAML file.

    Raises:
        InputError: it cannot be read, or a key is unknown or has an impossible value.
    """
    content = read_yaml(path)
    for kind in ("tasks", "instances"):
        if isinstance(content.get(kind), dict):
            content[kind] = {name: _spelled_out(each) for name, each in content[kind].items()}
    return validated(Rates, content, str(path))


def _spelled_out(task: Any) -> Any:
    """A task's entry with its loop in a list and each rate as a mapping, where people write less."""
    if not isinstance(task, dict):
        return task
    entry = cast("dict[str, Any]", task)
    loops = entry.get("loops", [entry])
    if not isinstance(loops, list):
        return entry
    spelled = [_with_rates(cast("dict[str, Any]", loop)) if isinstance(loop, dict) else loop for loop in loops]
    return {**(entry if "loops" in entry else {}), "loops": spelled}


def _with_rates(loop: dict[str, Any]) -> dict[str, Any]:
    streams = loop.get("streams")
    if not isinstance(streams, dict):
        return loop
    rates = {name: {"tokens": rate} if isinstance(rate, int) else rate for name, rate in streams.items()}
    return {**loop, "streams": rates}


def check_names(rates: Rates, tasks: Sequence[str], instances: Sequence[str], where: str) -> None:
    """Refuses rates of what is not in the design.

    Raises:
        InputError: naming it, and the nearest.
    """
    for kind, given, known in (("task", rates.tasks, tasks), ("instance", rates.instances, instances)):
        for name in given:
            if name not in known:
                raise InputError(
                    f"unknown-{kind}", f"no {kind} '{name:.80}'", where=where, hints=[did_you_mean(name, known)]
                )


def completed(rates: TaskRates, reported: Sequence[LoopReport] | None, where: str) -> tuple[LoopRates, ...]:
    """The loops with the numbers that were left out taken from a report.

    Args:
        rates: what was stated.
        reported: innermost loops of the report, in order; None without a report.
        where: the task.

    Raises:
        InputError: a number is in neither, or the loops are not those of the report.
    """
    if reported is not None and len(reported) != len(rates.loops) and _lacks(rates):
        what = f"{len(rates.loops)} loops are stated, its report has {len(reported)}"
        raise InputError("other-loops", what, where=where, hints=["state every number of its loops"])
    loops: list[LoopRates] = []
    for number, loop in enumerate(rates.loops):
        report = reported[number] if reported is not None and len(reported) == len(rates.loops) else None
        known = (
            {} if report is None else {"iterations": report.trips, "interval": report.interval, "latency": report.depth}
        )
        missing = [name for name in _NUMBERS if getattr(loop, name) is None and not known.get(name)]
        if missing:
            what = f"{' and '.join(missing)} of loop {number} stand in no report and are not stated"
            raise InputError("no-rates", what, where=where, hints=["state them in the file of rates"])
        loops.append(loop.model_copy(update={n: known[n] for n in _NUMBERS if getattr(loop, n) is None}))
    return tuple(loops)


_OPEN = "TODO"
_NUMBERS = ("iterations", "interval", "latency")


def _lacks(rates: TaskRates) -> bool:
    return any(getattr(loop, name) is None for loop in rates.loops for name in _NUMBERS)


def rates_template(tasks: Mapping[str, Sequence[str]], reported: Mapping[str, Sequence[LoopReport]]) -> str:
    """A file of rates to fill in, as YAML text.

    Args:
        tasks: streams by task, those of an array by its name.
        reported: innermost loops by task, of those that have a report.
    """
    lines = [
        "# Put numbers where TODO stands, for one run of the design; see docs/your-design/import-tapa-finn.md.",
        "tasks:",
    ]
    for task, streams in tasks.items():
        loops = [_loop_template(streams, loop) for loop in reported.get(task, ())] or [_loop_template(streams, None)]
        lines += [f"  {_quoted(task)}:", "    loops:", *(f"    - {loop}" for loop in loops)]
    return "\n".join(lines) + "\n"


def _loop_template(streams: Sequence[str], report: LoopReport | None) -> str:
    known = (report.trips, report.interval, report.depth) if report else (None, None, None)
    numbers = ", ".join(f"{name}: {value or _OPEN}" for name, value in zip(_NUMBERS, known, strict=True))
    return f"{{{numbers}, streams: {{{', '.join(f'{_quoted(name)}: {_OPEN}' for name in streams)}}}}}"


def _quoted(name: str) -> str:
    """A name as a key of YAML."""
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()
    return name if plain and name.lower() not in _WORDS else "'" + cast("str", name).replace("'", "''") + "'"


_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
"""What YAML 1.1 takes for something else than text."""
