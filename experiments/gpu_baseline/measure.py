"""One point of the plan, measured: its rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from experiments.gpu_baseline.meter import NoMeter, NvmlMeter, Samples
from experiments.gpu_baseline.points import CACHE_LEN, WARM_UP_S, Point
from experiments.gpu_baseline.windows import Spread, Window, Work, measure_idle, measure_window, warm_up

if TYPE_CHECKING:
    from experiments.gpu_baseline.modes import Session

_PER = {"prefill": "prefill", "decode": "token"}


@dataclass(frozen=True)
class Subject:
    """What a row is about: a point of the plan, or the idle device.

    Attributes:
        point: name of the point, as in ``qwen/eager-bf16/decode-512/energy``.
        cache_len: positions of the static cache, all of which are attended.
    """

    point: str
    model: str
    mode: str
    phase: str
    length: int
    cache_len: int


@dataclass(frozen=True)
class Measurement(Subject):
    """One line of the table of raw rows: median, lowest and highest of the repeats.

    Attributes:
        value: None where the point failed or was dropped; then ``metric`` says which and ``note`` why.
        window_s: the shortest window behind the figure; 0 where there is none.
        iterations: runs in the shortest window.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    repeats: int
    window_s: float
    iterations: int
    note: str = ""


def measure(point: Point, session: Session, meter: NvmlMeter | NoMeter, idle_w: float | None) -> list[Measurement]:
    """The rows of one point.

    Args:
        idle_w: power of the idle device with the program's context on it, for the net figures.
    """
    if point.phase == "generation":
        return list(_generation(_subject(point, CACHE_LEN), point, session))
    prefill = point.phase == "prefill"
    work = session.prefill_work(point.length) if prefill else session.decode_work(point.length)
    subject = _subject(point, session.cache_len(point.length))
    estimate_s = warm_up(work, WARM_UP_S)
    if point.energy:
        with meter.sampling() as samples:
            windows = [measure_window(work, point.window_s, estimate_s, meter) for _ in range(point.repeats)]
        return [
            *time_rows(subject, windows),
            *energy_rows(subject, windows, idle_w),
            *_sampled(subject, windows, samples),
        ]
    windows = [measure_window(work, point.window_s, estimate_s, NoMeter()) for _ in range(point.repeats)]
    rows = time_rows(subject, windows)
    if point.phase == "decode" and point.length == CACHE_LEN and session.technique != "eager":
        rows.append(_single(subject, "logit_error", session.logit_error(point.length), "ratio", "against op by op"))
    return rows


def measure_idle_rows(
    name: str, seconds: float, repeats: int, meter: NvmlMeter | NoMeter, sleep: Callable[[float], None] = time.sleep
) -> list[Measurement]:
    """Power of the device with nothing to do; no rows where nothing counts energy."""
    with meter.sampling() as samples:
        windows = [measure_idle(seconds, meter, sleep) for _ in range(repeats)]
    watts = [window.watts for window in windows if window.watts is not None]
    if not watts:
        return []
    subject = Subject(name, "", "", "idle", 0, 0)
    return [_row(subject, "idle_power", watts, "W", windows), *_sampled(subject, windows, samples)]


def set_up(point: Point, seconds: float) -> Measurement:
    """The row that says how long a model took to be built in a mode, quantizing included, compiling not."""
    subject = Subject(f"{point.model}/{point.mode}/set-up", point.model, point.mode, "set-up", 0, 0)
    return _single(subject, "time", seconds, "s", "")


def failed(point: Point, error: Exception) -> Measurement:
    """The row of a point that could not be measured."""
    return _empty(_subject(point, 0), "error", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")


def dropped(point: Point) -> Measurement:
    """The row of a point for which no time was left."""
    return _empty(_subject(point, 0), "dropped", "no device time left")


def time_rows(subject: Subject, windows: Sequence[Window]) -> list[Measurement]:
    """Time per run, and for decoding tokens/s."""
    times = [window.ms_per_iteration for window in windows]
    rows = [_row(subject, "time", times, f"ms/{_PER[subject.phase]}", windows)]
    if subject.phase == "decode":
        rows.append(_row(subject, "speed", [1e3 / ms for ms in times], "tokens/s", windows))
    return rows


def energy_rows(subject: Subject, windows: Sequence[Window], idle_w: float | None) -> list[Measurement]:
    """Gross energy per run, power, and the energy net of the idle power where that is known."""
    per = _PER[subject.phase]
    gross = [joules for window in windows if (joules := window.joules_per_iteration) is not None]
    watts = [power for window in windows if (power := window.watts) is not None]
    if not gross:
        return [_empty(subject, "error", "no energy counter")]
    rows = [_row(subject, "energy_gross", gross, f"J/{per}", windows), _row(subject, "power", watts, "W", windows)]
    if idle_w is not None:
        net = [joules for window in windows if (joules := window.net_joules_per_iteration(idle_w)) is not None]
        rows.append(_row(subject, "energy_net", net, f"J/{per}", windows, f"gross less {idle_w:.2f} W idle"))
    return rows


def _sampled(subject: Subject, windows: Sequence[Window], samples: Samples) -> list[Measurement]:
    """What was sampled while the windows ran; the counter, not these, is what energy comes from."""
    seen = {
        "sm_clock": (samples.sm_mhz, "MHz"),
        "memory_clock": (samples.memory_mhz, "MHz"),
        "sampled_power": (samples.watts, "W"),
        "temperature": (samples.celsius, "degC"),
    }
    return [
        _row(subject, metric, values, unit, windows, "samples while the windows ran")
        for metric, (values, unit) in seen.items()
        if values
    ]


def _generation(subject: Subject, point: Point, session: Session) -> Iterator[Measurement]:
    """A prompt of ``length`` tokens and as many decode steps; only the first token is waited for."""
    begin, go_on = session.generation_parts(point.length)
    warm_up(Work(begin, session.synchronize), 0.0)
    warm_up(Work(go_on, session.synchronize), 0.0)
    ttft_ms, decode_ms = [], []
    for _ in range(point.repeats):
        session.synchronize()
        start = time.perf_counter()
        begin()
        session.synchronize()
        first = time.perf_counter()
        for _ in range(point.length):
            go_on()
        session.synchronize()
        end = time.perf_counter()
        ttft_ms.append(1e3 * (first - start))
        decode_ms.append(1e3 * (end - first))
    latency_ms = [one + other for one, other in zip(ttft_ms, decode_ms, strict=True)]
    windows = [Window(1, ms / 1e3, None) for ms in latency_ms]
    yield _row(subject, "ttft", ttft_ms, "ms", windows)
    yield _row(subject, "latency", latency_ms, "ms", windows)
    yield _row(subject, "speed", [1e3 * point.length / ms for ms in decode_ms], "tokens/s", windows)


def _subject(point: Point, cache_len: int) -> Subject:
    return Subject(point.name, point.model, point.mode, point.phase, point.length, cache_len)


def _row(
    subject: Subject, metric: str, values: Sequence[float], unit: str, windows: Sequence[Window], note: str = ""
) -> Measurement:
    spread = Spread.of(values)
    return Measurement(
        **vars(subject),
        metric=metric,
        value=spread.median,
        low=spread.low,
        high=spread.high,
        unit=unit,
        repeats=spread.repeats,
        window_s=round(min(window.seconds for window in windows), 6),
        iterations=min(window.iterations for window in windows),
        note=note,
    )


def _single(subject: Subject, metric: str, value: float, unit: str, note: str) -> Measurement:
    return _without_windows(subject, metric, Spread(value, value, value, 1), unit, note)


def _empty(subject: Subject, metric: str, note: str) -> Measurement:
    return _without_windows(subject, metric, None, "-", note)


def _without_windows(subject: Subject, metric: str, spread: Spread | None, unit: str, note: str) -> Measurement:
    value, low, high, repeats = (None, None, None, 0) if spread is None else astuple(spread)
    return Measurement(
        **vars(subject),
        metric=metric,
        value=value,
        low=low,
        high=high,
        unit=unit,
        repeats=repeats,
        window_s=0.0,
        iterations=repeats,
        note=note,
    )
