"""What is measured, in which order, and which points go first when device time is short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["eager-bf16", "graph-bf16", "compile-bf16", "compile-int4", "graph-int4", "compile-int8", "graph-fp16"]
Phase = Literal["prefill", "decode", "generation"]

MODELS = ("gpt2", "qwen", "llama", "gemma")
MODES: tuple[Mode, ...] = (
    *("eager-bf16", "graph-bf16", "compile-bf16", "compile-int4"),
    *("graph-int4", "graph-fp16", "compile-int8"),
)
LENGTHS = (32, 64, 128, 256)
CONTEXTS = (64, 128, 256, 512)
CACHE_LEN = 512
"""Positions of the static cache of generations and of the compiled step: it is compiled once."""

# Rough seconds on a data-center GPU; a plan is made with them before anything has run.
_STEP_S = {"eager": 0.014, "graph": 0.0015, "compile": 0.001}
_SETUP_S = {"eager": 4.0, "graph": 2.0, "compile": 40.0}
_CAPTURE_S = 0.3
WARM_UP_S = 0.2
_TIME_WINDOW_S = 0.2
_PROTOCOL_WINDOW_S = 10.0
_REPEATS = 5
_GENERATIONS = 3


@dataclass(frozen=True)
class Point:
    """Something that is measured by itself.

    Attributes:
        length: prompt tokens (prefill), attended positions (decode) or both prompt and new tokens (generation).
        window_s: shortest length of a window; a generation is its own window.
        energy: whether it is there for its energy; then clocks are sampled as well.
        priority: 0 is measured whatever happens; the highest are the first to be dropped.
    """

    model: str
    mode: Mode
    phase: Phase
    length: int
    window_s: float
    repeats: int
    energy: bool
    priority: int

    @property
    def name(self) -> str:
        """Unique in a plan, as in ``qwen/eager-bf16/decode-512/energy``."""
        return f"{self.model}/{self.mode}/{self.phase}-{self.length}/{'energy' if self.energy else 'time'}"

    @property
    def technique(self) -> str:
        """ "eager", "graph" or "compile"."""
        return _technique(self.mode)

    @property
    def estimate_s(self) -> float:
        """About how long it takes, without the set-up of its mode."""
        step_s = _STEP_S[self.technique]
        if self.phase == "generation":
            return self.repeats * (self.length + 1) * step_s + _CAPTURE_S
        return self.repeats * (self.window_s + step_s) + WARM_UP_S + _CAPTURE_S


def modes_of(points: Iterable[Point]) -> list[tuple[str, Mode]]:
    """Models and modes that the points need set up, in order."""
    return list(dict.fromkeys((point.model, point.mode) for point in points))


def setup_estimate_s(mode: Mode) -> float:
    """About how long a model takes to be ready in a mode."""
    return _SETUP_S[_technique(mode)]


def full_plan(scale: float = 1.0) -> list[Point]:
    """Every point, grouped by model and mode so that each is set up once.

    Args:
        scale: of all windows; below 1 for a trial run, which is then no protocol run.
    """
    return [point for model in MODELS for mode in MODES for point in _points(model, mode, scale)]


def select(points: Sequence[Point], only: Iterable[str]) -> list[Point]:
    """The points whose name begins with one of ``only`` ("qwen", "qwen/eager-bf16"); all of them without any."""
    prefixes = tuple(only)
    if not prefixes:
        return list(points)
    return [point for point in points if any(f"{point.name}/".startswith(f"{prefix}/") for prefix in prefixes)]


def admitted(points: Sequence[Point], budget_s: float) -> list[Point]:
    """As many points as fit in the budget by their estimates, most important first; order is kept."""
    kept: set[Point] = set()
    modes: set[tuple[str, Mode]] = set()
    spent = 0.0
    for point in sorted(points, key=lambda each: each.priority):
        group = (point.model, point.mode)
        cost = point.estimate_s + (0.0 if group in modes else setup_estimate_s(point.mode))
        if spent + cost > budget_s:
            continue
        spent += cost
        modes.add(group)
        kept.add(point)
    return [point for point in points if point in kept]


def total_estimate_s(points: Sequence[Point]) -> float:
    """About how long the points take, set-up included."""
    set_ups_s = sum(setup_estimate_s(mode) for _, mode in modes_of(points))
    return sum(point.estimate_s for point in points) + set_ups_s


def reserve_s(points: Sequence[Point], priority: int) -> float:
    """Seconds to be kept for those of ``points`` that are more important than ``priority``."""
    return total_estimate_s([point for point in points if point.priority < priority])


def _points(model: str, mode: Mode, scale: float) -> list[Point]:
    def timed(phase: Phase, lengths: Iterable[int], priority: int) -> list[Point]:
        window_s = _TIME_WINDOW_S * scale
        return [Point(model, mode, phase, length, window_s, _REPEATS, False, priority) for length in lengths]

    def energy(phase: Phase, length: int, window_s: float, priority: int) -> Point:
        return Point(model, mode, phase, length, window_s * scale, _REPEATS, True, priority)

    def generated(priority: int) -> list[Point]:
        return [Point(model, mode, "generation", length, 0.0, _GENERATIONS, False, priority) for length in LENGTHS]

    full = (CACHE_LEN,)
    match mode:
        case "eager-bf16":
            points = timed("prefill", LENGTHS, 1) + timed("decode", CONTEXTS, 1) + generated(1)
            return [*points, energy("decode", CACHE_LEN, _PROTOCOL_WINDOW_S, 0), energy("prefill", 128, 2.0, 4)]
        case "graph-bf16":
            points = timed("prefill", LENGTHS, 1) + timed("decode", CONTEXTS, 1) + generated(1)
            # Where the compiled step cannot run, the captured one takes its place and its time.
            return [*points, energy("prefill", 128, 2.0, 3), energy("decode", CACHE_LEN, _PROTOCOL_WINDOW_S, 6)]
        case "compile-bf16":
            return [*timed("decode", full, 0), *generated(1), energy("decode", CACHE_LEN, _PROTOCOL_WINDOW_S, 0)]
        case "compile-int4":
            points = timed("decode", full, 1) + timed("prefill", (128,), 2) + generated(2)
            return [*points, energy("decode", CACHE_LEN, 6.0, 2)]
        case "graph-int4" | "graph-fp16":
            return timed("decode", full, 4)
        case "compile-int8":
            return timed("decode", full, 5)


def _technique(mode: Mode) -> str:
    return mode.partition("-")[0]
