"""Descent over lanes: on made-up engines against all designs there are, and on a small program."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import pytest

from sttest.boards.resources import Resources
from sttest.compile.compiler import StagedCompiler, choose_lanes, compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources, die_under
from sttest.explore.descent import DescentStep, Judged, Lanes, Profile, descend
from sttest.explore.lane_judge import LaneJudge
from sttest.sim import simulate
from tests.explore.tiny_searches import two_products

CHOICES = tuple(2**power for power in range(7))


@dataclass
class Chain:
    """Engines that work one after the other: cycles are the sum, LUTs what the lanes take.

    Attributes:
        work, luts: by engine; LUTs of one lane as a share of the budget.
        forbidden: lanes with which an engine has no place.
        asked: designs that were judged.
    """

    work: dict[str, int]
    luts: dict[str, float]
    forbidden: dict[str, int] = field(default_factory=dict)
    asked: list[Lanes] = field(default_factory=list)

    @property
    def choices(self) -> dict[str, tuple[int, ...]]:
        return dict.fromkeys(self.work, CHOICES)

    def judge(self, lanes: Lanes) -> Judged | None:
        self.asked.append(dict(lanes))
        taken = Resources(lut=sum(self.luts[name] * count for name, count in lanes.items()))
        return Judged(sum(self._cycles(name, count) for name, count in lanes.items()), taken)

    def fits(self, lanes: Lanes) -> bool:
        return all(lanes[name] != count for name, count in self.forbidden.items())

    def profile(self, lanes: Lanes) -> Profile:
        shares = {name: Resources(lut=self.luts[name] * count) for name, count in lanes.items()}
        return Profile(shares, {name: self._cycles(name, count) for name, count in lanes.items()})

    def _cycles(self, name: str, count: int) -> int:
        return -(-self.work[name] // count) + 10

    def best(self) -> int:
        """Of all designs that fit, the fewest cycles."""
        designs = (dict(zip(self.work, counts, strict=True)) for counts in product(CHOICES, repeat=len(self.work)))
        judged = [(self.judge(lanes), lanes) for lanes in designs]
        return min(one.cycles for one, lanes in judged if one and one.shares.lut <= 1 and self.fits(lanes))


def chain(**forbidden: int) -> Chain:
    work = {"large": 64_000, "middle": 16_000, "small": 2_000, "cheap": 8_000}
    return Chain(work, {"large": 0.02, "middle": 0.01, "small": 0.02, "cheap": 0.001}, forbidden)


@pytest.mark.parametrize("lanes", [1, 16, 64])
def test_it_ends_near_the_best_of_all_designs(lanes: int) -> None:
    judge = chain()
    end = descend(judge, judge.choices, dict.fromkeys(judge.work, lanes))
    assert end is not None
    assert end.fits
    assert end.judged.shares.lut <= 1
    assert end.judged == judge.judge(end.lanes)
    assert end.judged.cycles <= 1.1 * judge.best()
    assert end.designs < 100 < len(CHOICES) ** 4


def test_a_start_that_fits_only_gets_faster() -> None:
    judge, told = chain(), []
    start = dict.fromkeys(judge.work, 4)
    first = judge.judge(start)
    end = descend(judge, judge.choices, start, watch=told.append)
    assert first is not None
    assert end is not None
    assert end.steps == tuple(told)
    assert end.judged.cycles < first.cycles / 2
    assert end.judged.cycles == min(step.judged.cycles for step in told)
    assert all(step.judged.shares.lut <= 1 for step in told)


def test_what_has_no_place_is_not_kept() -> None:
    free, bound = chain(), chain(large=32)
    start = dict.fromkeys(free.work, 1)
    ends = [descend(judge, judge.choices, start) for judge in (free, bound)]
    assert ends[0] is not None
    assert ends[0].lanes["large"] == 32
    assert ends[1] is not None
    assert ends[1].fits
    assert ends[1].lanes["large"] < 32


@dataclass
class Resting(Chain):
    """A chain beside which others work that take their time only below ``needed`` lanes."""

    needed: dict[str, int] = field(default_factory=dict)

    def _cycles(self, name: str, count: int) -> int:
        return 0 if count >= self.needed.get(name, 1 << 20) else super()._cycles(name, count)


def test_lanes_that_nobody_waits_for_go_first_and_at_once() -> None:
    names = {"work": 64_000, "one": 8_000, "two": 8_000, "three": 8_000}
    judge = Resting(names, dict.fromkeys(names, 0.005), needed={"one": 1, "two": 8, "three": 32})
    told: list[DescentStep] = []
    end = descend(judge, judge.choices, dict.fromkeys(names, 64), watch=told.append)
    assert end is not None
    assert end.fits
    assert {name: end.lanes[name] for name in ("two", "three")} == {"two": 8, "three": 32}
    assert end.lanes["work"] == 64
    assert told[0].engine == "idle"
    assert told[0].lanes == 3
    assert told[0].judged.cycles == 1010


def test_no_more_designs_are_judged_than_asked_for() -> None:
    judge = chain()
    end = descend(judge, judge.choices, dict.fromkeys(judge.work, 64), most_designs=5)
    assert end is not None
    assert not end.fits
    assert end.designs == len(judge.asked) == 5


def test_engines_without_a_choice_keep_their_lanes() -> None:
    judge = chain()
    end = descend(judge, {"small": CHOICES}, dict.fromkeys(judge.work, 16))
    assert end is not None
    assert {name for name, count in end.lanes.items() if count != 16} <= {"small"}


def test_where_lanes_are_not_what_is_too_much_it_gives_up() -> None:
    judge = chain()
    judge.luts["fixed"], judge.work["fixed"] = 0.2, 10
    choices = {name: CHOICES for name in judge.work if name != "fixed"}
    end = descend(judge, choices, {**dict.fromkeys(choices, 1), "fixed": 8}, most_designs=1000)
    assert end is not None
    assert not end.fits
    assert end.designs < 100


class Impossible(Chain):
    def judge(self, lanes: Lanes) -> Judged | None:
        return None


def test_there_may_be_no_design_at_the_start() -> None:
    judge = Impossible({"only": 10}, {"only": 0.1})
    assert descend(judge, judge.choices, {"only": 1}) is None


def lane_judge(options: CompileOptions) -> LaneJudge:
    return LaneJudge(StagedCompiler(two_products(), "two", "u55c"), options)


def test_a_design_is_that_of_the_compiler_with_the_same_options() -> None:
    judge = lane_judge(CompileOptions(share="all", precision="fp32", overall_unroll=256))
    end = descend(judge, judge.choices, judge.start, most_designs=12)
    assert end is not None
    assert end.steps
    options = judge.options(end.lanes)
    design = compile_text(two_products(), "two", "u55c", options)
    taken = design_resources(design)
    shares = taken.total.shares_of(sum(die_under(design, taken).budgets, start=Resources()))
    assert simulate(design.graph).cycles == end.judged.cycles
    assert tuple(shares) == pytest.approx(tuple(end.judged.shares))
    assert dict(entry.rsplit(":", 1) for entry in options.lanes) == {
        task.sym_name.data: str(task.lane_count) for task in all_of(design.module, df.TaskOp)
    }


def test_a_search_starts_from_the_compilers_lanes() -> None:
    base = CompileOptions(share="all", precision="fp32", overall_unroll=256)
    judge = lane_judge(base)
    assert judge.options(judge.start).lanes == choose_lanes(two_products(), base)


def test_a_profile_covers_the_run() -> None:
    judge = lane_judge(CompileOptions(precision="fp32", overall_unroll=256))
    judged, profile = judge.judge(judge.start), judge.profile(judge.start)
    assert judged is not None
    assert 0 < sum(profile.cycles.values()) <= judged.cycles
    assert any(share.lut > 0 for share in profile.shares.values())
