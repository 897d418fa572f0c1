"""Designs that a search found, as files of knobs: what a study may take a design from."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_yaml
from sttest.core.validation import validated
from sttest.models.program import Phase
from sttest.studies.whatif.study import STUDIES

FOUND = STUDIES / "best"
"""The designs that were found for a U55C, ``MODEL-PHASE-BUDGET.yaml`` (docs/explanation/best.md)."""
_BUDGETS = get_args(BudgetName)


class KnobsFile(BaseModel):
    """A design as a file: all knobs with the lanes of every task, and what they were found for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # model, phase, budget, board, tokens, context: what it was found for
    model: str = ""
    phase: Phase = "decode"
    budget: BudgetName = "tight"
    board: str = ""
    tokens: Annotated[int, Field(ge=1)] = 1
    context: Annotated[int, Field(ge=0)] = 0
    head: bool = False  # the LM head is in the launch
    text_sha256: str = ""
    found: dict[str, str | int] = Field(default_factory=dict)  # how
    knobs: dict[str, Any]

    def options(self, where: str) -> CompileOptions:
        """The compile options; lanes may be a mapping, and hold for a design with other tasks, too.

        Raises:
            InputError: an option that there is not, or a value that it can't have.
        """
        lanes = self.knobs.get("lanes", ())
        listed = [f"{name}:{count}" for name, count in lanes.items()] if isinstance(lanes, Mapping) else lanes
        return validated(CompileOptions, {**self.knobs, "lanes": listed, "adapt_lanes": True}, f"{where}: knobs")


@cache
def read_knobs(path: Path) -> KnobsFile:
    """The file; many points of a study have the same.

    Raises:
        InputError: unreadable, or not a design.
    """
    return validated(KnobsFile, read_yaml(path), str(path))


def found_path(name: str, model: str, phase: Phase, folder: Path) -> Path:
    """The file that a study names.

    Args:
        name: a budget, which means the design found within it for the model and phase, or the path of a file.
        model: name of the point's model.
        phase: phase of the point.
        folder: folder that relative paths start from.

    Raises:
        InputError: ``no-found-design``: none was found for this model; or neither budget nor file.
    """
    if name.endswith((".yaml", ".yml")):
        return folder / name
    if name not in _BUDGETS:
        hints = [did_you_mean(name, _BUDGETS), "name a YAML file with knobs"]
        raise InputError("bad-value", f"knobs_from is {name!r}", where="study", hints=hints)
    path = FOUND / f"{model}-{phase}-{name}.yaml"
    if not path.is_file():
        what = f"no design was found for {model}, {phase}, within the budget {name}"
        known = sorted(each.stem for each in FOUND.glob(f"*-{phase}-{name}.yaml"))
        hints = [f"found are {', '.join(known)}" if known else "name a YAML file with knobs"]
        raise InputError("no-found-design", what, where="knobs_from", hints=hints)
    return path
