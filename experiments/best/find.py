"""Looks for the best design of a case: the bases in the order of their promise, lanes by descent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.best.cases import BOARD, Case, bases
from experiments.best.design import long_launches
from experiments.best.found import FOLDER, Found, path_of, read_found
from sttest.boards.resources import Resources
from sttest.compile.compiler import StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.placement import place
from sttest.core.closure import program_hash
from sttest.core.errors import DeadlockError, DoesNotFitError, InputError, SttestError, did_you_mean
from sttest.core.results import PointStore
from sttest.explore.descent import Descent, DescentStep, Judged, Lanes, Profile, descend
from sttest.explore.lane_judge import LaneJudge
from sttest.explore.recipes import Recipe
from sttest.explore.report import text_hash
from sttest.explore.start_lanes import start_lanes

STORE = Path("build/points/best")
FOUND = "found"
"""The base that is the design found before, lanes and all."""
_RANKING_PRICE = 0.1

Say = Callable[[str], None]


@dataclass(frozen=True)
class Search:
    """What is looked through.

    Attributes:
        case: the block.
        names: of the bases; all of them if empty.
        tries: bases, of those that begin best, to descend from to a design that fits.
        most_designs: per descent.
    """

    case: Case
    names: tuple[str, ...] = ()
    tries: int = 2
    most_designs: int = 60


class StoredJudge:
    """A judge whose answers are kept, so that a search that was stopped goes on where it was.

    Args:
        judge: judge of designs.
        key: names the block, the board and the program.
        store: of answers.
    """

    def __init__(self, judge: LaneJudge, key: Mapping[str, Any], store: PointStore) -> None:
        self._judge, self._key, self._store = judge, key, store

    def judge(self, lanes: Lanes) -> Judged | None:
        """See :class:`LaneJudge`."""
        found = self._kept("judge", lanes, lambda: _plain(self._judge.judge(lanes)))
        if not found:
            return None
        return Judged(found["cycles"], Resources(**found["shares"]))

    def fits(self, lanes: Lanes) -> bool:
        """See :class:`LaneJudge`."""
        return self._kept("fits", lanes, lambda: {"fits": self._judge.fits(lanes)})["fits"]

    def profile(self, lanes: Lanes) -> Profile:
        """See :class:`LaneJudge`."""
        found = self._kept("profile", lanes, lambda: asdict(self._judge.profile(lanes)))
        return Profile({name: Resources(**each) for name, each in found["shares"].items()}, found["cycles"])

    def _kept(self, what: str, lanes: Lanes, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        return self._store.point(
            {**self._key, "options": self._judge.options(lanes).model_dump(), "what": what}, compute
        )


def _plain(judged: Judged | None) -> dict[str, Any]:
    return {} if judged is None else asdict(judged)


@long_launches()
def find(search: Search, say: Say, *, store: Path = STORE, folder: Path = FOLDER) -> Found:
    """The best design of a case.

    Raises:
        DoesNotFitError: no design that fits was found from any base.
        InputError: no such base.
    """
    text = search.case.text()
    compiler = StagedCompiler(text, search.case.name, BOARD)
    kept = PointStore(store)
    key = {
        "text": text_hash(text),
        "board": compiler.board.model_dump(mode="json"),
        "source": program_hash("sttest.explore.lane_judge"),
    }
    ends: list[tuple[str, LaneJudge, Descent]] = []
    for name, judge, start in _begun(search, compiler, key, kept, folder, say):
        if sum(end.fits for *_, end in ends) >= search.tries:
            break
        stored = StoredJudge(judge, key, kept)
        end = descend(
            stored, judge.choices, start, most_designs=search.most_designs, watch=lambda step: say(_told(step))
        )
        if end is not None:
            say(f"{name}: {_shown(end.judged)}, {'fits' if end.fits else 'does not fit'}, {end.designs} designs")
            ends.append((name, judge, end))
    fitting = [each for each in ends if each[2].fits]
    if not fitting:
        raise DoesNotFitError(
            "no-design",
            "no design that fits was found",
            where=search.case.name,
            demand=len(ends),
            bound=0,
            unit="descents",
            hints=["name another base with --base", "raise --most-designs"],
        )
    name, judge, best = min(fitting, key=lambda each: each[2].judged.cycles)
    designs = sum(end.designs for *_, end in ends)
    options, cycles = judge.options(best.lanes), best.judged.cycles
    layers = _chosen(search, folder)[name].layers
    if layers > options.layers:
        options = options.with_(layers=layers)
        cycles = _cycles(compiler, options)
        say(f"{name}: {cycles:,} cycles with {layers} layers")
    if name == FOUND:
        name = read_found(search.case, folder).base
    return Found(search.case, options, name, text_hash(text), cycles, designs)


def _cycles(compiler: StagedCompiler, options: CompileOptions) -> int:
    """Of a launch that may be longer than those that were searched.

    Raises:
        DoesNotFitError: with its layers it no longer fits.
        DeadlockError: it does not finish.
    """
    cycles = place(compiler.design(options)).cycles[0]
    if cycles is None:
        raise DeadlockError("deadlock", "deadlocks with all layers of a launch", where=f"{options.layers} layers")
    return cycles


def _begun(
    search: Search, compiler: StagedCompiler, key: Mapping[str, Any], kept: PointStore, folder: Path, say: Say
) -> list[tuple[str, LaneJudge, Lanes]]:
    """The bases with their lanes: those first that fit, and then by how good they are.

    Those from which nothing can be made are left out.
    """
    scores: list[tuple[bool, float, str, LaneJudge, Lanes]] = []
    for name, base in _chosen(search, folder).items():
        try:
            judge = LaneJudge(compiler, base.options)
            start, stored = start_lanes(compiler, judge, base), StoredJudge(judge, key, kept)
            judged = stored.judge(start)
            fits = judged is not None and judged.overfull == 0 and stored.fits(start)
        except SttestError as error:
            say(f"{name}: {error.what}")
            continue
        say(f"{name}: {'deadlock' if judged is None else _shown(judged)}, {'fits' if fits else 'does not fit'}")
        if judged is not None:
            # What is beyond a budget can be trimmed.
            scores.append((not fits, judged.score(_RANKING_PRICE, overfull_cost=0), name, judge, start))
    return [(name, judge, start) for _, _, name, judge, start in sorted(scores, key=lambda each: each[:3])]


def _chosen(search: Search, folder: Path) -> dict[str, Recipe]:
    known = bases(search.case)
    if path_of(search.case, folder).is_file():
        options = read_found(search.case, folder).options
        searched = min((base.options.layers for base in known.values()), default=options.layers)
        known = {FOUND: Recipe(options.with_(layers=searched), layers=options.layers), **known}
    unknown = sorted(set(search.names) - set(known))
    if unknown:
        raise InputError(
            "unknown-base", f"no base '{unknown[0]}'", where="--base", hints=[did_you_mean(unknown[0], known)]
        )
    return {name: known[name] for name in search.names} if search.names else known


def _told(step: DescentStep) -> str:
    return f"{step.engine} {step.lanes} lanes: {_shown(step.judged)}"


def _shown(judged: Judged) -> str:
    shares: Sequence[tuple[str, float]] = (("LUT", judged.shares.lut), ("DSP", judged.shares.dsp))
    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares)
    over = f", {judged.overfull:.2f} over" if judged.overfull else ""
    return f"{judged.cycles:,} cycles, {told}{over}"
