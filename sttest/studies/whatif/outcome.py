"""What a study came to: the speed of each point, what takes its time, what the formulas say; knees between points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any, Literal, Self, get_args

from sttest.compile.resources.fit import Fit, together
from sttest.core.results import PointStore
from sttest.sim.perturbation import THINGS
from sttest.studies.campaign import StudyRun, campaign_of, refusal_text
from sttest.studies.whatif.bounds import Bounds
from sttest.studies.whatif.points import Point, keep_texts, key_of, points_of, shown, simulate_block
from sttest.studies.whatif.study import Study, Value

Lever = Literal["bandwidth", "ports", "lanes", "latency", "launch", "clock", "draft"]
LEVERS: tuple[Lever, ...] = ("bandwidth", "ports", "lanes", "latency", "launch", "clock")
"""What a design is given a tenth more of: see :mod:`sttest.sim.perturbation`; launches and drafted tokens cost less.

Drafted tokens are there in speculative decoding only.
"""
A_TENTH = 0.1
LEAST_USE = 0.01
"""A lever that makes a design less than 1 % faster is of no use by itself."""
BINDS = 0.05
"""A lever that makes a design at least 5 % faster, half of what it could, is said to bind it."""
PERCENTILES = (50, 95, 99)
"""Those of latencies that are distributed: where a step of the same kind takes each time as long, there are none."""


def _saved(gain: float) -> float:
    """The part of its time that something saves which becomes so much faster."""
    return 1 - 1 / (1 + gain)


@dataclass(frozen=True)
class Speeds:
    """Speed of all layers, what takes their time and what the formulas say, from one simulated launch."""

    result: Mapping[str, Any] | None  # result of the launch (``points.block_result``); None where there is none
    launches: int  # one after the other; each runs one layer, or as many as the design has
    tokens: float  # tokens that these make or, in a prefill, take
    launch_us: float  # launches of all layers, microseconds
    draft_us: float = 0.0  # tokens that are drafted for a step, and what they and the step wait for each other

    @property
    def simulated(self) -> Mapping[str, Any]:
        """The result, where there is one."""
        assert self.result is not None
        return self.result

    @property
    def bounds(self) -> Bounds:
        """What the formulas say of one launch."""
        return Bounds(**self.simulated["bounds"])

    @property
    def block_us(self) -> float:
        """Simulated time of one launch: a block, or as many as a launch runs."""
        return self.simulated["cycles"] / self.simulated["clock_mhz"]

    @cached_property
    def gains(self) -> dict[Lever, float]:
        """How much faster a tenth more of each thing makes all layers with their launches: 0.1 is 10 %."""
        blocks_us = self.launches * self.block_us
        found: dict[str, float] = self.simulated["gains"]  # in another order where it was stored
        saved: dict[Lever, float] = {lever: blocks_us * _saved(found[lever]) for lever in THINGS if lever in found}
        saved["launch"] = self.launch_us * _saved(A_TENTH)
        if self.draft_us:
            saved["draft"] = self.draft_us * _saved(A_TENTH)
        # In one order, whether the point was simulated now or was kept, which sorts names.
        return {
            lever: self.total_us / (self.total_us - saved[lever]) - 1 for lever in get_args(Lever) if lever in saved
        }

    @property
    def helps_most(self) -> Lever:
        """What alone makes it fastest; the clock, which moves several things at once, where nothing alone is of use."""
        alone: dict[Lever, float] = {lever: gain for lever, gain in self.gains.items() if lever != "clock"}
        best = max(alone, key=lambda lever: alone[lever])
        return best if alone[best] >= LEAST_USE else "clock"

    @property
    def total_us(self) -> float:
        """All layers, launches included: a token of each sequence of a decode, or all prompts."""
        return self.launches * self.block_us + self.launch_us + self.draft_us

    @property
    def speed(self) -> float:
        """Tokens per second: generated ones in a decode, those of the prompt in a prefill."""
        return self._tokens_per_s(self.total_us)

    @property
    def roofline_speed(self) -> float:
        """What bandwidth and lanes allow if neither ever waits."""
        return self._tokens_per_s(self.launches * self.bounds.roofline_us + self.draft_us)

    @property
    def formula_speed(self) -> float:
        """What the formulas say, launches included."""
        return self._tokens_per_s(self.launches * self.bounds.formula_us + self.launch_us + self.draft_us)

    def _tokens_per_s(self, duration_us: float) -> float:
        return 1e6 * self.tokens / duration_us


@dataclass(frozen=True, kw_only=True)
class StudyOutcome(Speeds):
    """A point with its result, or with the reason why there is none."""

    point: Point
    refusal: str = ""
    fit: Fit | None = None  # fit of the design, and of that which drafts; None where there is no result
    chosen: str = ""  # name of the fastest of some designs

    @property
    def fits(self) -> bool:
        """Whether it fits the board, with all that is on it."""
        return self.fit is not None and self.fit.fits

    @property
    def label(self) -> str:
        """The point's label; of the fastest of some designs, with its name."""
        if not self.chosen:
            return self.point.label
        names = (
            f"{value} ({self.chosen})" if value.value == BEST else shown(axis, value)
            for axis, value in self.point.axes.items()
        )
        return ", ".join(names)

    @property
    def axes(self) -> dict[str, str | float]:
        """The value of each axis."""
        return {axis: value.value for axis, value in self.point.axes.items()}

    @property
    def token_ms(self) -> Mapping[float, float]:
        """Percentiles over tokens of a step's time per token that it makes; none where all steps make as many."""
        point = self.point
        if not point.drafts.count or point.block is None or len(point.acceptance.chances(point.block.tokens)) == 1:
            return {}
        shares = point.acceptance.token_shares(point.block.tokens, PERCENTILES)
        return {percent: share * self.total_us / 1e3 for percent, share in shares.items()}

    @property
    def wait(self) -> str:
        """What :attr:`total_us` is for every sequence: its time to first token, or per token."""
        is_prefill = self.point.block is not None and self.point.block.phase == "prefill"
        return "time to first token" if is_prefill else "time per token"

    @classmethod
    def of(cls, point: Point, result: Mapping[str, Any], draft: Mapping[str, Any] | None = None) -> Self:
        """The outcome of a point, from the plain data of its simulation, and of that of the model that drafts."""
        layers = result.get("layers") or (point.block.options.layers if point.block else 1)
        launches = point.launches(layers)
        launch_us = point.launch.per_token_us(launches) if point.launch else 0.0
        drafting = cls.of(point.draft, draft) if point.draft is not None and draft is not None else None
        refusal = point.refusal or refusal_text(result) or (drafting.refusal if drafting else "")
        each_us = point.drafts.us if drafting is None or drafting.refusal else drafting.total_us
        draft_us = point.drafts.count * each_us + (point.drafts.link_us if point.drafts.count else 0.0)
        if refusal:
            return cls(None, launches, point.made, launch_us, draft_us, point=point, refusal=refusal)
        fits = [each for each in (Fit.of(result.get("fit")), drafting.fit if drafting else None) if each is not None]
        fit = together(fits) if fits else None
        return cls(result, launches, point.made, launch_us, draft_us, point=point, fit=fit)


def campaign(study: Study, folder: Path, engine: str, store: PointStore) -> StudyRun[Point, StudyOutcome]:
    """What a study asks for, and how much of it is stored; points that differ in the launch alone share a simulation.

    Raises:
        InputError: the study asks for what there is not.
    """
    points = points_of(study, folder)
    keys = {number: key_of(point.block, engine) for number, point in enumerate(points) if point.block is not None}
    drafting = {
        number: key_of(point.draft.block, engine)
        for number, point in enumerate(points)
        if point.draft is not None and point.draft.block is not None
    }
    found = campaign_of([*keys.values(), *drafting.values()], simulate_block, store, keep_texts)

    def outcome(number: int) -> StudyOutcome:
        draft = found.result(drafting[number]) if number in drafting else {}
        return StudyOutcome.of(points[number], found.result(keys[number]) if number in keys else {}, draft)

    return StudyRun(points, found, outcome)


BEST = "best"


def fastest(outcomes: Sequence[StudyOutcome], study: Study) -> list[StudyOutcome]:
    """The fastest of a study's designs that fit, for each value of all other axes; none for a study without designs.

    Where none fits it is the fastest of all, and says so.
    """
    if not study.best_of:
        return []
    grouped: dict[str, list[StudyOutcome]] = {}
    for outcome in outcomes:
        others = (shown(axis, value) for axis, value in outcome.point.axes.items() if axis != study.best_of)
        grouped.setdefault(", ".join(others), []).append(outcome)
    simulated = ([each for each in group if each.result is not None] for group in grouped.values())
    return [_as_best(group, study) for group in simulated if group]


def _as_best(group: Sequence[StudyOutcome], study: Study) -> StudyOutcome:
    fitting = [each for each in group if each.fits]
    best = max(fitting or group, key=lambda each: each.speed)
    name = str(best.point.axes[study.best_of])
    said = f"the fastest of those that fit, {len(fitting)} of {len(group)}: {name}"
    if not fitting:
        said = f"none of {len(group)} fits; the fastest: {name}"
    axes = {**best.point.axes, study.best_of: Value(value=BEST, source=said)}
    return replace(best, point=replace(best.point, axes=axes), chosen=name)


@dataclass(frozen=True)
class Series:
    """Points that differ in the x axis alone, in its order."""

    label: str
    outcomes: tuple[StudyOutcome, ...]


@dataclass(frozen=True)
class Knee:
    """A lever that begins or ceases to bind: the two points of the x axis around it, and where its gain crosses 5 %.

    ``at`` lies on the line between the two points with x in logarithms; None where x is no number above 0.
    """

    series: str
    lever: Lever
    begins: bool  # whether it binds from there on, or up to there
    low: str
    high: str
    at: float | None


def series_of(outcomes: Sequence[StudyOutcome], study: Study) -> list[Series]:
    """The outcomes, by all axes but x."""
    grouped: dict[str, list[StudyOutcome]] = {}
    for outcome in outcomes:
        others = [shown(axis, value) for axis, value in outcome.point.axes.items() if axis != study.x_axis]
        grouped.setdefault(", ".join(others), []).append(outcome)
    return [Series(label, tuple(found)) for label, found in grouped.items()]


def x_value(outcome: StudyOutcome, study: Study) -> float | None:
    """The number on the x axis, if it is one."""
    value = outcome.point.axes[study.x_axis].value
    return None if isinstance(value, str) else float(value)


def knees(series: Series, study: Study) -> list[Knee]:
    """Every lever that begins or ceases to bind along the simulated points of a series."""
    simulated = [outcome for outcome in series.outcomes if outcome.result is not None]
    return [
        Knee(
            series.label,
            lever,
            high.gains[lever] >= BINDS,
            str(low.point.axes[study.x_axis]),
            str(high.point.axes[study.x_axis]),
            _crossing(low, high, lever, study),
        )
        for low, high in pairwise(simulated)
        for lever in low.gains
        if lever in high.gains
        if (low.gains[lever] >= BINDS) != (high.gains[lever] >= BINDS)
    ]


def _crossing(low: StudyOutcome, high: StudyOutcome, lever: Lever, study: Study) -> float | None:
    x_low, x_high = x_value(low, study), x_value(high, study)
    if x_low is None or x_high is None or min(x_low, x_high) <= 0:
        return None
    part = (BINDS - low.gains[lever]) / (high.gains[lever] - low.gains[lever])
    return exp(log(x_low) + part * (log(x_high) - log(x_low)))
