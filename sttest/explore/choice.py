"""Which design of a block is compiled: the best that is known or found, the documented defaults, or that of a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sttest.compile.compiler import Design, StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.fit import Fit, fit_of
from sttest.core.errors import InputError, did_you_mean
from sttest.explore.fitting import Rung, Say, fitting_design, made_by
from sttest.explore.found import FOUND, KnobsFile, read_knobs
from sttest.explore.recipes import Block, Recipe, any_text_ladder, ladder

BEST, DEFAULT = "best", "default"
CHOICES = (BEST, DEFAULT)
LANE_OPTIONS = ("gemv_lanes", "overall_unroll", "first_lanes", "most_lanes", "lanes")
"""Whoever gives one of these decides the lanes, so that no design is looked for."""
FLOW = "rtl"
"""What a design that is looked for is emitted as, unless its user says so: SystemVerilog takes less than C++."""
_OF_THE_REQUEST = ("layers", "generate", "positions", "lanes")
"""Options of a file of knobs that say what was asked for, and lanes, which depend on it."""

Origin = Literal["found", "recipe", "default", "options", "file"]


@dataclass(frozen=True)
class Chosen:
    """A compiled design, where it comes from, and whether it fits."""

    design: Design
    fit: Fit
    origin: Origin
    name: str  # of the design that was found, of the recipe, or of the file; empty for options
    tried: int = 1  # designs that were compiled

    def to_text(self) -> str:
        """Where the design comes from, in words."""
        counted = f"{self.tried} design{'s' if self.tried > 1 else ''} tried"
        return {
            "found": f"best known: {self.name}",
            "recipe": f"best found by rule: {self.name}, {counted}",
            "default": "default options",
            "options": "lanes as asked for",
            "file": f"from {self.name}",
        }[self.origin]


def check_choice(choice: str) -> None:
    """
    Raises:
        InputError: neither a name nor a YAML file.
    """
    if choice not in CHOICES and not choice.endswith((".yaml", ".yml")):
        hints = [did_you_mean(choice, CHOICES), "name a YAML file with knobs"]
        raise InputError("unknown-design", f"no design is called '{choice}'", where="--design", hints=hints)


def decides_lanes(options: CompileOptions) -> bool:
    """Whether the user of some options decides the lanes by them."""
    return any(name in options.given for name in LANE_OPTIONS)


def chosen_design(
    compiler: StagedCompiler, asked: CompileOptions, choice: str, block: Block | None, say: Say
) -> Chosen:  # fmt: skip
    """Compiles the design that is chosen.

    Args:
        compiler: compiler of the text.
        asked: options; those that are given hold whatever is chosen.
        choice: ``best``, ``default``, or the path of a YAML file with knobs.
        block: what the text is a block of; None where that is not known.
        say: callback that gets what is tried, before it is.

    Raises:
        SttestError: bad options or files, or nothing can be made of the text.
    """
    check_choice(choice)
    if choice not in CHOICES:
        design = made_by(compiler, _recipe_of(read_knobs(Path(choice)), asked, choice), asked)
        return _chosen(compiler, design, fit_of(design), "file", choice)
    if choice == DEFAULT or decides_lanes(asked):
        design = compiler.design(asked)
        return _chosen(compiler, design, fit_of(design), "options" if decides_lanes(asked) else "default", "")
    asked = asked if "flow" in asked.given else asked.with_(flow=FLOW)
    known = [] if block is None else _known(compiler, asked, block)
    base = CompileOptions(budget=asked.budget, flow=asked.flow)
    of_block = [] if block is None else [*known, *ladder(block, base).items()]
    found = fitting_design(compiler, asked, [of_block, [*any_text_ladder(base).items()]], say)
    origin: Origin = "found" if any(found.recipe == name for name, _ in known) else "recipe"
    return _chosen(compiler, found.design, found.fit, origin, found.recipe, found.tried)


def _chosen(
    compiler: StagedCompiler, design: Design, fit: Fit, origin: Origin, name: str, tried: int = 1
) -> Chosen:  # fmt: skip
    return Chosen(compiler.documented(design), fit, origin, name, tried)


def _known(compiler: StagedCompiler, asked: CompileOptions, block: Block) -> list[Rung]:
    """The design that was found for a block of this model in this phase within the budget, on this board."""
    name = f"{block.config.name}-{block.phase}-{asked.budget}"
    path = FOUND / f"{name}.yaml"
    if not path.is_file():
        return []
    file = read_knobs(path)
    return [(name, _recipe_of(file, asked, name))] if file.board == compiler.board.name else []


def _recipe_of(file: KnobsFile, asked: CompileOptions, where: str) -> Recipe:
    """A file of knobs as a recipe: what it says of how a design is made, not of what was asked for."""
    options = file.options(where)
    kept = {name: value for name, value in options.given.items() if name not in _OF_THE_REQUEST}
    if asked.flow == "hls":
        kept["seldom_bursts"] = 0
    parts = (entry.rpartition(":") for entry in options.lanes)
    return Recipe(CompileOptions(**kept), lanes={task: int(count) for task, _, count in parts})
