"""An ablation as people write it: parts (what runs, with what in common), lines (what each does differently)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sttest.boards.load import load_board
from sttest.compile.options import CompileOptions, renamed, todays_option_keys
from sttest.core.closure import program_hash
from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_csv, read_yaml
from sttest.core.program import package_versions
from sttest.core.validation import validated
from sttest.models.program import Phase, check_shape
from sttest.models.registry import model_config
from sttest.studies.whatif.study import STUDIES

__depends__ = ("sttest/studies/data/ablation_figures.csv",)

ABLATIONS = STUDIES / "ablations"
FIGURES = STUDIES / "ablation_figures.csv"
"""Table of ``experiments/data`` with the published figures that comparisons name."""

Cut = Literal["block", "halves", "operators", "tasks"] | int
"""Where kernels end: nowhere; between attention and MLP; at the model's operators; at every task; or in KiB the on-chip
memory that fusion may fill."""
Lanes = Literal["shared", "own"]
Overlay = dict[str, Any]
"""Values of the compiler's options by name."""

_OPTIONS = {*CompileOptions.model_fields, *renamed()}


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    _todays = model_validator(mode="before")(todays_option_keys)

    @field_validator("options", "step_options", "scales", mode="after", check_fields=False)
    @classmethod
    def _known(cls, given: Any) -> Any:
        for overlay in given if isinstance(given, tuple) else (given,):
            for key in overlay.keys() - _OPTIONS:
                raise ValueError(f"'{key}' is no option; {did_you_mean(key, _OPTIONS)}")
        return given


class AblationPart(_Form):
    """A workload and the options that all its rows have."""

    name: str = Field(min_length=1)  # name of the part
    # model, phase, tokens, context: model and shape as ``sttest compile`` takes them
    model: str = "gpt2"
    phase: Phase = "decode"
    tokens: int = 1
    context: int = 0
    options: Overlay = Field(default_factory=dict)  # compile options
    # instead, where a decode step has several tokens: its tasks have a loop more
    step_options: Overlay = Field(default_factory=dict)
    # options of larger and larger designs, for lines that take the fastest that fits; one, if not given
    scales: tuple[Overlay, ...] = ({},)
    lines: tuple[str, ...] = ()  # names of the lines that run here; all, if not given


class AblationLine(_Form):
    """What a row does differently."""

    name: str = Field(min_length=1)  # name of the row
    options: Overlay = Field(default_factory=dict)  # options that go over those of the part
    tokens: int | None = None  # tokens of a decode step, instead of the part's
    head: bool = False  # the launch also runs what follows the last layer
    # cut, lanes: cuts between kernels, and the design that their lanes are taken from
    cut: Cut = "block"
    lanes: Lanes = "shared"
    note: str = ""  # caveats that a reader must know

    @model_validator(mode="after")
    def _cut_alone(self) -> "AblationLine":
        if self.cut != "block" and (self.head or self.options.get("layers", 1) != 1 or "share" in self.options):
            raise ValueError("a block that is cut runs one layer, without head and shared engines")
        return self


class PublishedComparison(_Form):
    """A published speed-up beside ours."""

    figure: str  # name of the figure in ``studies/data/ablation_figures.csv``
    part: str  # part that our value is taken from
    # fast, slow: names of lines; ours is the time of ``slow`` over that of ``fast``
    fast: str
    slow: str


class Ablation(_Form):
    """Every line in every part, as ratio to the part's reference."""

    title: str = Field(min_length=1)  # title of tables and figures
    note: str = ""  # caveats that a reader must know before using the numbers
    board: str = "u55c"  # name of the board
    reference: str  # name of the line that ratios are taken over
    options: Overlay = Field(default_factory=dict)  # compile options of all parts
    buffers: bool = False  # tell what FIFOs and converters keep of attention, too
    parts: tuple[AblationPart, ...] = Field(min_length=1)
    lines: tuple[AblationLine, ...] = Field(min_length=1)
    differs: str = ""  # differences between this setting and that of the published figures
    published: tuple[PublishedComparison, ...] = ()

    @model_validator(mode="after")
    def _said(self) -> "Ablation":
        if self.published and not self.differs:
            raise ValueError("published figures stand beside ours, and 'differs' does not say what differs")
        return self

    def lines_of(self, part: AblationPart) -> list[AblationLine]:
        """The lines that run in a part, in the order of the form."""
        return [line for line in self.lines if not part.lines or line.name in part.lines]


def ablation_names() -> list[str]:
    """Names of the ablations that come with sttest, sorted."""
    return sorted(path.stem for path in ABLATIONS.glob("*.yaml"))


def is_ablation(path: Path) -> bool:
    """Whether a file is an ablation rather than a study; what can't be read is neither."""
    return path.is_file() and {"parts", "lines"} <= read_yaml(path).keys()


def load_ablation(path: Path) -> Ablation:
    """The ablation of a file.

    Raises:
        InputError: unreadable, not an ablation, or a name in it that nothing has.
    """
    found = validated(Ablation, read_yaml(path), str(path))
    lines, parts = [line.name for line in found.lines], [part.name for part in found.parts]
    _refuse_twice(lines, str(path))
    _refuse_twice(parts, str(path))
    for part in found.parts:
        for name in part.lines:
            _require(name, lines, str(path))
        _require(found.reference, [line.name for line in found.lines_of(part)], f"{path}: {part.name}")
    figures = [figure["figure"] for figure in published_figures()]
    for comparison in found.published:
        _require(comparison.figure, figures, f"{path}: published")
        _require(comparison.part, parts, f"{path}: published")
        part = found.parts[parts.index(comparison.part)]
        for name in (comparison.fast, comparison.slow):
            _require(name, [line.name for line in found.lines_of(part)], f"{path}: published")
    return found


@cache
def published_figures() -> tuple[dict[str, str], ...]:
    """The rows of ``studies/data/ablation_figures.csv``: published speed-ups, each with its range and its source."""
    return tuple(read_csv(FIGURES))


def _require(name: str, known: list[str], where: str) -> None:
    if name not in known:
        raise InputError("unknown-name", f"there is no '{name}'", where=where, hints=[did_you_mean(name, known)])


def _refuse_twice(names: list[str], where: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError("name-twice", f"'{name}' is there twice", where=where, hints=["give another name"])


# --- From an ablation to its designs: every line of every part, at every scale that it may have


@dataclass(frozen=True)
class Candidate:
    """One design of a row."""

    scale: Overlay  # the options in which it differs from other candidates of the row
    key: dict[str, Any]  # everything that its result depends on


@dataclass(frozen=True)
class RowPoint:
    """A line in a part with its candidates, smallest first."""

    part: AblationPart
    line: AblationLine
    candidates: tuple[Candidate, ...]

    @property
    def label(self) -> str:
        """The line's label, such as ``decode: dataflow``."""
        return f"{self.part.name}: {self.line.name}"

    @property
    def tokens(self) -> int:
        """Tokens that enter a block."""
        return self.line.tokens or self.part.tokens

    @property
    def layers(self) -> int:
        """Layers that one launch runs."""
        return int({**self.part.options, **self.line.options}.get("layers", 1))

    @property
    def generated(self) -> int:
        """Tokens that one launch makes, one after the other."""
        return int({**self.part.options, **self.line.options}.get("generate", 1))


def points_of(ablation: Ablation, engine: str) -> list[RowPoint]:
    """All rows of an ablation.

    Raises:
        InputError: a model, shape, board or option that there is not.
    """
    return [
        RowPoint(part, line, tuple(_candidates(ablation, part, line, engine)))
        for part in ablation.parts
        for line in ablation.lines_of(part)
    ]


def _candidates(ablation: Ablation, part: AblationPart, line: AblationLine, engine: str) -> Iterator[Candidate]:
    tokens = line.tokens or part.tokens
    check_shape(model_config(part.model), part.phase, tokens, part.context)
    content = load_board(ablation.board).model_dump(mode="json", exclude_none=True)
    common = part.step_options if part.step_options and tokens > 1 and part.phase == "decode" else part.options
    for scale in part.scales:
        key = {
            "model": part.model,
            "phase": part.phase,
            "tokens": tokens,
            "context": part.context,
            "head": line.head,
            "board": ablation.board,
            "board_content": content,
            "options": _options({**ablation.options, **common, **scale, **line.options}, part),
            "cut": line.cut,
            "lanes": line.lanes,
            "engine": engine,
            "source": program_hash("sttest.studies.ablation.measure"),
            "versions": package_versions(),
        }
        yield Candidate(scale, key)


def _options(given: Overlay, part: AblationPart) -> dict[str, Any]:
    options = validated(CompileOptions, given, part.name)
    # As of `sttest compile`: a launch of several tokens adds learned positions itself.
    positions = options.generate > 1 and model_config(part.model).rope_theta is None
    return options.with_(positions=positions).model_dump()
