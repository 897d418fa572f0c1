"""Designs that a search found, as files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions, todays_option_keys
from sttest.core.errors import InputError
from sttest.core.files import read_yaml
from sttest.core.validation import validated
from sttest.models.program import Phase

__depends__ = ("sttest/explore/found_designs/*.yaml",)

FOUND = Path(__file__).parent / "found_designs"
"""The designs that were found for a U55C, ``MODEL-PHASE-BUDGET.yaml`` (docs/what-if/best.md)."""
BUDGETS: tuple[BudgetName, ...] = get_args(BudgetName)


class DesignFile(BaseModel):
    """A design as a file: all options with the lanes of every task, and what they were found for."""

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
    options: dict[str, Any]

    _todays = model_validator(mode="before")(todays_option_keys)

    def compile_options(self, where: str) -> CompileOptions:
        """The compile options; lanes may be a mapping, and hold for a design with other tasks, too.

        Raises:
            InputError: an option that there is not, or a value that it can't have.
        """
        lanes = self.options.get("lanes", ())
        listed = [f"{name}:{count}" for name, count in lanes.items()] if isinstance(lanes, Mapping) else lanes
        return validated(CompileOptions, {**self.options, "lanes": listed, "adapt_lanes": True}, f"{where}: options")

    @property
    def layers(self) -> int:
        """Layers that a launch runs."""
        return int(self.options.get("layers", 1))


@dataclass(frozen=True)
class NamedDesign:
    """A design as a file, and what messages call it."""

    name: str
    file: DesignFile

    def to_dict(self) -> dict[str, Any]:
        """Plain data; :meth:`of` reads it."""
        return {"name": self.name, "file": self.file.model_dump(mode="json")}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "NamedDesign":
        """From plain data."""
        return cls(given["name"], validated(DesignFile, given["file"], given["name"]))


@cache
def read_design_file(path: Path) -> DesignFile:
    """The file; many points of a study have the same.

    Raises:
        InputError: unreadable, or not a design.
    """
    return validated(DesignFile, read_yaml(path), str(path))


def known_design(model: str, phase: Phase, budget: BudgetName) -> NamedDesign | None:
    """The design that was found for a block of a model within a budget, if one was."""
    path = FOUND / f"{model}-{phase}-{budget}.yaml"
    return NamedDesign(path.stem, read_design_file(path)) if path.is_file() else None


def named_design(name: str, model: str, phase: Phase, folder: Path) -> NamedDesign:
    """The design that a study names.

    Args:
        name: a budget, which means the design found within it for the model and phase, or the path of a file.
        model: name of the point's model.
        phase: phase of the point.
        folder: folder that relative paths start from.

    Raises:
        InputError: ``no-found-design``: none was found for this model; or the file is not one of a design.
    """
    if name not in BUDGETS:
        return NamedDesign(name, read_design_file(folder / name))
    found = known_design(model, phase, name)
    if found is None:
        what = f"no design was found for {model}, {phase}, within the budget {name}"
        known = sorted(each.stem for each in FOUND.glob(f"*-{phase}-{name}.yaml"))
        hints = [f"found are {', '.join(known)}" if known else "name a YAML file with options"]
        raise InputError("no-found-design", what, where="design", hints=hints)
    return found
