"""Which design of a block is compiled: the best that is known or found, the documented defaults, or that of a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from sttest.compile.compiler import CompiledDesign, StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.fit import Fit, fit_of
from sttest.core.errors import InputError, did_you_mean
from sttest.explore.fitting import Fitting, Rung, Say, fitting_design, made_by
from sttest.explore.found import NamedDesign, known_design, read_design_file
from sttest.explore.recipes import Block, Recipe, any_text_ladder, ladder
from sttest.explore.remembered import Remembered, keep, place, recall

Named = Literal["best", "default"]
Choice = Named | NamedDesign
"""The fastest design that is known or found and fits, the documented defaults of all options, or that of a file."""
CHOICES: tuple[Named, ...] = get_args(Named)
OWN_DESIGN_OPTIONS = ("gemv_lanes", "overall_unroll", "first_lanes", "most_lanes", "lanes", "tiles", "orders")
"""Whoever gives one of these decides lanes or tiles of tasks, so that no design is looked for."""
FLOW = "rtl"
"""What a design that is looked for is emitted as, unless its user says so: SystemVerilog takes less than C++."""
_OF_THE_REQUEST = ("layers", "generate", "positions")
"""Options of a design's file that say what was asked for."""

Origin = Literal["found", "recipe", "default", "options", "file"]


@dataclass(frozen=True)
class Chosen:
    """A compiled design, where it comes from, and whether it fits."""

    design: CompiledDesign
    fit: Fit
    origin: Origin
    choice: str  # what was asked for: ``best``, ``default``, or the name of a file
    name: str  # name of the design that was found, of the recipe, or of the file; empty for options
    tried: int = 1  # designs that were compiled

    @property
    def facts(self) -> dict[str, str | int]:
        """Where the design comes from, as a package keeps it."""
        return {"choice": self.choice, "origin": self.origin, "name": self.name, "tried": self.tried}

    def to_text(self) -> str:
        """Where the design comes from, in words."""
        counted = f"{self.tried} design{'s' if self.tried > 1 else ''} tried"
        return {
            "found": f"best known: {self.name}",
            "recipe": f"best found by rule: {self.name}, {counted}",
            "default": "default options",
            "options": "lanes as asked for",
            "file": self.name,
        }[self.origin]


def read_choice(text: str) -> Choice:
    """What a user calls a design: ``best``, ``default``, or the path of a YAML file with options.

    Raises:
        InputError: none of these, or the file is not one of a design.
    """
    if text == "best" or text == "default":
        return text
    if text.endswith((".yaml", ".yml")):
        return NamedDesign(text, read_design_file(Path(text)))
    hints = [did_you_mean(text, CHOICES), "name a YAML file with options"]
    raise InputError("unknown-design", f"no design is called '{text}'", where="design", hints=hints)


def decides_design(options: CompileOptions) -> bool:
    """Whether the user of some options decides lanes or tiles of tasks by them."""
    return any(name in options.given for name in OWN_DESIGN_OPTIONS)


def chosen_design(
    compiler: StagedCompiler, asked: CompileOptions, choice: Choice, block: Block | None, say: Say
) -> Chosen:  # fmt: skip
    """Compiles the design that is chosen.

    Args:
        compiler: compiler of the text.
        asked: options; those that are given hold whatever is chosen.
        choice: which design.
        block: what the text is a block of; None where that is not known.
        say: callback that gets what is tried, before it is.

    Raises:
        SttestError: bad options or files, or nothing can be made of the text.
    """
    if isinstance(choice, NamedDesign):
        design = made_by(compiler, _recipe_of(choice, asked), asked)
        return Chosen(compiler.documented(design), fit_of(design), "file", choice.name, choice.name)
    if choice == "default" or decides_design(asked):
        design = compiler.design(asked)
        origin: Origin = "options" if decides_design(asked) else "default"
        return Chosen(compiler.documented(design), fit_of(design), origin, choice, "")
    asked = asked if "flow" in asked.given else asked.with_(flow=FLOW)
    known = [] if block is None else _known(asked, block)
    base = CompileOptions(budget=asked.budget, flow=asked.flow)
    of_block = [] if block is None else [*known, *ladder(block, base).items()]
    found = _found(compiler, asked, block, [of_block, [*any_text_ladder(base).items()]], say)
    origin = "found" if any(found.recipe == name for name, _ in known) else "recipe"
    return Chosen(compiler.documented(found.design), found.fit, origin, choice, found.recipe, found.tried)


def _found(
    compiler: StagedCompiler, asked: CompileOptions, block: Block | None, ladders: Sequence[Sequence[Rung]], say: Say
) -> Fitting:  # fmt: skip
    """The design of the recipe that an earlier compile took; without one, that which is found, to be remembered."""
    kept = place(compiler, asked, block)
    earlier = recall(kept)
    for name, recipe in (rung for rungs in ladders for rung in rungs):
        if earlier is not None and name == earlier.recipe:
            say(name)
            return Fitting(made_by(compiler, recipe, asked), earlier.fit, name, earlier.tried)
    found = fitting_design(compiler, asked, ladders, say)
    keep(kept, Remembered(recipe=found.recipe, fit=found.fit, tried=found.tried))
    return found


def _known(asked: CompileOptions, block: Block) -> list[Rung]:
    """The design that was found for a block of this model in this phase within the budget, be it for another board."""
    found = known_design(block.config.name, block.phase, asked.budget)
    return [] if found is None else [(found.name, _recipe_of(found, asked, without=("precision",)))]


def _recipe_of(named: NamedDesign, asked: CompileOptions, without: Sequence[str] = ()) -> Recipe:
    """A design's file as a recipe: what it says of how a design is made, not of what was asked for."""
    options = named.file.compile_options(named.name)
    kept = {name: value for name, value in options.given.items() if name not in (*_OF_THE_REQUEST, *without)}
    if asked.flow == "hls" and "flow" in asked.given:
        kept["seldom_bursts"] = 0
    return Recipe(CompileOptions(**kept))
