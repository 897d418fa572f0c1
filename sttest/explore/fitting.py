"""A design that fits its board, looked for along a ladder of recipes.

The recipes stand fastest first, and the ladder is looked through by halves: a design that fits is taken as a sign that
larger ones may, one that does not as a sign that only smaller ones can.  So a handful of designs is compiled, whatever
the machine's speed, and the same block always gets the same design.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sttest.compile.compiler import CompiledDesign, StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.fit import Fit, fit_of
from sttest.core.errors import DeadlockError, DoesNotFitError, InputError, SttestError
from sttest.explore.lane_judge import LaneJudge
from sttest.explore.recipes import Recipe
from sttest.explore.start_lanes import start_lanes

Say = Callable[[str], None]
Rung = tuple[str, Recipe]
_REFUSALS = (DoesNotFitError, InputError, DeadlockError)


@dataclass(frozen=True)
class Fitting:
    """A design of a ladder."""

    design: CompiledDesign
    fit: Fit
    recipe: str  # name of the recipe that it is made by
    tried: int  # designs that were compiled until then


def made_by(compiler: StagedCompiler, recipe: Recipe, asked: CompileOptions) -> CompiledDesign:
    """The design of a recipe, under the options that are asked for.

    Raises:
        SttestError: the options do not agree, or nothing can be made of the text with them.
    """
    options = possible_options(compiler, asked.over(recipe.options))
    if options.lanes:
        return compiler.design(options)
    judge = LaneJudge(compiler, options)
    return compiler.design(judge.options(start_lanes(compiler, judge, replace(recipe, options=options))))


def possible_options(compiler: StagedCompiler, options: CompileOptions) -> CompileOptions:
    """The options of another text, with those of their tiles and orders that the tasks of this one can have.

    Raises:
        SttestError: nothing can be made of the text with the other options.
    """
    try:
        compiler.tiled(options)
    except InputError:
        # To find out which takes a while.
        return compiler.adapted(options)
    return options


def fitting_design(
    compiler: StagedCompiler, asked: CompileOptions, ladders: Sequence[Sequence[Rung]], say: Say
) -> Fitting:  # fmt: skip
    """The largest design that fits of the first ladder that has one; else that which is beyond its budget by least.

    Args:
        compiler: compiler of the text.
        asked: options that hold over those of the recipes.
        ladders: recipes with their names, the fastest first, which is tried first.
        say: callback that gets the name of each recipe before it is tried.

    Raises:
        SttestError: nothing can be made of the text; what the last recipe was refused for.
    """
    search = _Search(compiler, asked, say)
    for rungs in ladders:
        found = search.climb(rungs)
        if found is not None:
            return found
    return search.nearest()


class _Search:
    """Designs that were compiled, and what the last one without a design was refused for."""

    def __init__(self, compiler: StagedCompiler, asked: CompileOptions, say: Say) -> None:
        self._compiler, self._asked, self._say = compiler, asked, say
        self._made: list[Fitting] = []
        self._refused: SttestError | None = None
        self._tried = 0

    def climb(self, rungs: Sequence[Rung]) -> Fitting | None:
        """The largest design that fits, by halves."""
        low, high, at, best = 0, len(rungs) - 1, 0, None
        while low <= high:
            made = self._try(*rungs[at])
            if made is not None and made.fit.fits:
                best, high = made, at - 1
            else:
                low = at + 1
            at = (low + high) // 2
        return best

    def _try(self, name: str, recipe: Recipe) -> Fitting | None:
        self._say(name)
        self._tried += 1
        try:
            design = made_by(self._compiler, recipe, self._asked)
            self._made.append(Fitting(design, fit_of(design), name, self._tried))
        except _REFUSALS as error:
            self._refused = error
            return None
        return self._made[-1]

    def nearest(self) -> Fitting:
        """The design that is beyond its budget by least.

        Raises:
            SttestError: there is none.
        """
        if not self._made:
            assert self._refused is not None
            raise self._refused
        found = min(self._made, key=lambda each: each.fit.short_share or float("inf"))
        return replace(found, tried=self._tried)
