"""Designs that were found, as files: all options, the lanes of every task, and what they were found from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from experiments.best.cases import BOARD, Case
from sttest.compile.options import CompileOptions, todays_option_keys
from sttest.core.errors import InputError
from sttest.core.files import read_yaml, write_text
from sttest.core.validation import validated
from sttest.explore.found import FOUND
from sttest.explore.report import text_hash

FOLDER = FOUND
IN_RESULTS = "options.yaml"
"""What a design's file is called in its folder of results."""
_HEAD = "# Written by 'python -m experiments.best find'; 'sttest reproduce best' makes the design again.\n"


@dataclass(frozen=True)
class Found:
    """A design.

    Attributes:
        case: whose it is.
        options: compile options with all lanes spelled out.
        base: name of the options that it was found from.
        text_sha256: of the block's text.
        cycles: of a launch, before registers between SLRs.
        designs: that were compiled and simulated to find it.
    """

    case: Case
    options: CompileOptions
    base: str
    text_sha256: str
    cycles: int
    designs: int

    @property
    def layers(self) -> int:
        """That one launch runs."""
        return self.options.layers

    @property
    def launches(self) -> int:
        """Of all layers."""
        return self.case.config.layers // self.layers

    @property
    def makes(self) -> int:
        """Tokens that one launch makes without the host, in decode."""
        return self.options.generate

    def to_yaml(self) -> str:
        """As a file."""
        lanes = dict(entry.rsplit(":", 1) for entry in self.options.lanes)
        options = self.options.model_dump(mode="json")
        data = {
            "model": self.case.model,
            "phase": self.case.phase,
            "budget": self.case.budget,
            "board": BOARD,
            "tokens": self.case.shape.tokens,
            "context": self.case.shape.context,
            "head": self.case.head,
            "text_sha256": self.text_sha256,
            "found": {"base": self.base, "designs": self.designs, "cycles": self.cycles},
            "options": {**options, "lanes": {name: int(count) for name, count in lanes.items()}},
        }
        return _HEAD + yaml.safe_dump(data, sort_keys=False)

    def block(self) -> str:
        """The text that the design was found for.

        Raises:
            InputError: the block is lowered to another one now.
        """
        text = self.case.text()
        if text_hash(text) != self.text_sha256:
            raise InputError(
                "other-text",
                "the block is lowered to another text than the one that was searched",
                where=self.case.name,
                hints=[f"search again: {search_command(self.case)}"],
            )
        return text


def search_command(case: Case) -> str:
    """What looks for a case's design."""
    return f"python -m experiments.best find {case.model} {case.phase} --budget {case.budget}"


def path_of(case: Case, folder: Path = FOLDER) -> Path:
    """Where a case's design is kept."""
    return folder / f"{case.name}.yaml"


def read_found(case: Case, folder: Path = FOLDER) -> Found:
    """The design that was found for a case.

    Raises:
        InputError: there is none, or the file is not one of ours.
    """
    path = path_of(case, folder)
    data = todays_option_keys(read_yaml(path))
    try:
        return _found(case, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            "bad-design",
            f"does not say how a design is made ({error})",
            where=str(path),
            hints=["take a file that 'python -m experiments.best find' wrote"],
        ) from error


def _found(case: Case, data: Mapping[str, Any]) -> Found:
    asked = (case.model, case.phase, case.budget, BOARD, case.shape.tokens, case.shape.context, case.head)
    said = tuple(data[name] for name in ("model", "phase", "budget", "board", "tokens", "context", "head"))
    if said != asked:
        raise ValueError(f"it is of {said}, not of {asked}")
    lanes = [f"{name}:{int(count)}" for name, count in data["options"]["lanes"].items()]
    options = validated(CompileOptions, {**data["options"], "lanes": lanes}, "options")
    if options.budget != case.budget:
        raise ValueError(f"its options are for the budget '{options.budget}'")
    how = data["found"]
    return Found(case, options, str(how["base"]), str(data["text_sha256"]), int(how["cycles"]), int(how["designs"]))


def write_found(found: Found, folder: Path = FOLDER) -> Path:
    """Keeps a design, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(found.case, folder)
    write_text(path, found.to_yaml())
    return path
