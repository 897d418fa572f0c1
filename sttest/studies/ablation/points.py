"""From an ablation to its designs: every line of every part, at every scale that it may have."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sttest.boards.load import load_board
from sttest.compile.options import CompileOptions
from sttest.core.program import package_versions, program_hash
from sttest.core.validation import validated
from sttest.models.program import check_shape
from sttest.models.registry import model_config
from sttest.studies.ablation.form import Ablation, AblationLine, AblationPart, Overlay


@dataclass(frozen=True)
class Candidate:
    """One design of a row."""

    scale: Overlay  # the knobs in which it differs from other candidates of the row
    key: dict[str, Any]  # everything that its result depends on


@dataclass(frozen=True)
class RowPoint:
    """A line in a part with its candidates, smallest first."""

    part: AblationPart
    line: AblationLine
    candidates: tuple[Candidate, ...]

    @property
    def label(self) -> str:
        """As in ``decode: dataflow``."""
        return f"{self.part.name}: {self.line.name}"

    @property
    def tokens(self) -> int:
        """That enter a block."""
        return self.line.tokens or self.part.tokens

    @property
    def layers(self) -> int:
        """That one launch runs."""
        return int({**self.part.knobs, **self.line.knobs}.get("layers", 1))

    @property
    def generated(self) -> int:
        """Tokens that one launch makes, one after the other."""
        return int({**self.part.knobs, **self.line.knobs}.get("generate", 1))


def points_of(ablation: Ablation, engine: str) -> list[RowPoint]:
    """All rows.

    Raises:
        InputError: a model, shape, board or knob that there is not.
    """
    return [
        RowPoint(part, line, tuple(_candidates(ablation.board, part, line, engine)))
        for part in ablation.parts
        for line in ablation.lines_of(part)
    ]


def _candidates(board: str, part: AblationPart, line: AblationLine, engine: str) -> Iterator[Candidate]:
    tokens = line.tokens or part.tokens
    check_shape(model_config(part.model), part.phase, tokens, part.context)
    content = load_board(board).model_dump(mode="json", exclude_none=True)
    common = part.step_knobs if part.step_knobs and tokens > 1 and part.phase == "decode" else part.knobs
    for scale in part.scales:
        key = {
            "model": part.model, "phase": part.phase, "tokens": tokens, "context": part.context, "head": line.head,
            "board": board, "board_content": content, "knobs": _knobs({**common, **scale, **line.knobs}, part),
            "cut": line.cut, "lanes": line.lanes, "engine": engine,
            "source": program_hash(), "versions": package_versions(),
        }  # fmt: skip
        yield Candidate(scale, key)


def _knobs(given: Overlay, part: AblationPart) -> dict[str, Any]:
    knobs = validated(CompileOptions, given, part.name)
    # As of `sttest compile`: a launch of several tokens adds learned positions itself.
    positions = knobs.generate > 1 and model_config(part.model).rope_theta is None
    return knobs.with_(positions=positions).model_dump()
