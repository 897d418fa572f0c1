"""From a study to its points: every combination of the axes, each with its full configuration or its refusal."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import yaml

from sttest.boards.board import FpgaBoard
from sttest.compile.channels.memory_ports import channels_on, memory_rates
from sttest.compile.compiler import CompiledDesign, StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.core.closure import program_hash
from sttest.core.errors import DeadlockError, InputError, SttestError
from sttest.core.program import package_versions
from sttest.explore.choice import Chosen, chosen_design
from sttest.explore.found import NamedDesign
from sttest.explore.recipes import Block
from sttest.frontend.lowering import BlockRequest, linalg_texts
from sttest.frontend.shipped import SHIPPED_MODELS, SHIPPED_SHAPES, lowered_text
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase
from sttest.models.registry import SMALL, described_config, description, model_config
from sttest.sim import simulate
from sttest.sim.graph import TimedGraph
from sttest.sim.perturbation import gains
from sttest.studies.campaign import Plain, guarded
from sttest.studies.whatif.bounds import bounds, moved_bytes
from sttest.studies.whatif.settings import (
    BOARD,
    Configuration,
    Drafts,
    LaunchCost,
    acceptance,
    check_keys,
    configuration,
    drafts,
    launch_cost,
    model_of,
)
from sttest.studies.whatif.speculation import Acceptance
from sttest.studies.whatif.study import Study, Value
from sttest.studies.workload import is_file

MAX_POINTS = 100_000
# What the memories of a held design may be varied in without another design.
HELD = tuple(
    f"{BOARD}{path}"
    for path in (
        "hbm.bandwidth",
        "memory.hbm.sustained_gb_per_s_per_channel",
        "memory.hbm.kernel_read_ns",
        "memory.ddr.sustained_gb_per_s_per_channel",
        "memory.ddr.read_ns",
    )
)
# A combination that no model or scheme has is a row that says so; anything else wrong is an error of the study.
_ROW_REFUSALS = ("context-too-long", "no-such-precision", "layers-left", "no-found-design")


@dataclass(frozen=True)
class Point:
    """One combination of a study."""

    axes: Mapping[str, Value]  # the values that it differs from other points in, by axis
    settings: Mapping[str, Value]  # base and axes together
    block: Configuration | None  # the simulated block, or None where there is no such block
    launch: LaunchCost | None  # cost of a launch; None with ``block``
    refusal: str = ""  # then why
    draft: "Point | None" = None  # the model that drafts tokens of a step, where one does
    drafts: Drafts = field(default_factory=lambda: Drafts(0))  # tokens of a step that are drafted
    acceptance: Acceptance = field(default_factory=Acceptance)  # how many of them are accepted

    @property
    def made(self) -> float:
        """Tokens that a step makes, or that a prefill takes in."""
        if self.block is None:
            return 1.0
        tokens = self.acceptance.made(self.block.tokens) if self.drafts.count else self.block.tokens
        return tokens * self.block.batch

    @property
    def label(self) -> str:
        """What tells the point from the others, such as ``gpt2, context=64``."""
        return ", ".join(shown(axis, value) for axis, value in self.axes.items())

    @property
    def model(self) -> str:
        """Name of its model."""
        return model_of(self.settings)

    def launches(self, layers: int) -> int:
        """Launches per token of a design that runs so many layers in each; a text is all that runs."""
        return 1 if self.block is None or is_file(self.model) else model_config(self.model).layers // layers


def shown(axis: str, value: Value) -> str:
    """A value as labels show it; a bare number says of what it is."""
    bare = not value.label and not isinstance(value.value, str)
    return f"{axis.rpartition('.')[2]}={value}" if bare else str(value)


def points_of(study: Study, folder: Path) -> list[Point]:
    """All points, the last axis fastest.

    Args:
        study: the study.
        folder: folder of its file, which relative paths start from.

    Raises:
        InputError: a setting or value that there is not, or too many points.
    """
    axes = {key: Value(value=values[0].value) for key, values in study.setting_axes.items()}
    designs = {key: value for design in study.designs for key, value in design.settings.items()}
    check_keys({**study.base, **axes, **study.compiled_for, **designs}, "study")
    for key in study.compiled_for:
        if key not in HELD:
            what = f"'{key}' cannot be held while a design runs with another"
            hints = [f"choose among {', '.join(HELD)}"]
            raise InputError("not-held", what, where="study: compiled_for", hints=hints)
    count = prod(len(values) for values in study.axes.values())
    if count > MAX_POINTS:
        raise InputError("too-many-points", "too many points", where="study", demand=count, bound=MAX_POINTS)
    combinations = product(*study.axes.values())
    return [_point(study, dict(zip(study.axes, values, strict=True)), folder) for values in combinations]


def _point(study: Study, axes: dict[str, Value], folder: Path) -> Point:
    plain = {axis: value for axis, value in axes.items() if axis != study.best_of}
    design = axes[study.best_of].settings if study.best_of else {}
    settings = {**study.base, **plain, **design}
    return _point_of(axes, settings, study.compiled_for, folder)


def _point_of(axes: dict[str, Value], settings: dict[str, Value], held: Mapping[str, Value], folder: Path) -> Point:
    asked, draft = drafts(settings), None
    try:
        block = configuration(settings, held, folder)
        if asked.count and asked.model:
            draft = _point_of({}, {**settings, **asked.settings}, held, folder)
    except InputError as error:
        if error.code not in _ROW_REFUSALS:
            raise
        return Point(axes, settings, None, None, str(error))
    launch = launch_cost(settings, block.board)
    return Point(axes, settings, block, launch, draft=draft, drafts=asked, acceptance=acceptance(settings, folder))


def key_of(block: Configuration, engine: str) -> dict[str, Any]:
    """What a stored result is found by: the full configuration, the program's own text, and what it builds on."""
    return {**block.to_dict(), "engine": engine, "source": program_hash(__name__), "versions": package_versions()}


# --- One point: a block compiled and simulated from its full configuration, in whatever process or machine


# Designs that a process keeps: points that differ in what they run on share one.
_KEPT_DESIGNS = 8


def simulate_block(configuration: Mapping[str, Any]) -> Plain:
    """Compiles and simulates one block.

    Args:
        configuration: result of :meth:`sttest.studies.whatif.settings.Configuration.to_dict`, with the ``engine``.

    Returns:
        Plain data: cycles, their shares and bounds, and whether the design fits; or an error, see :func:`guarded`.
    """
    return guarded(_simulated, configuration)


def _simulated(configuration: Mapping[str, Any]) -> Plain:
    names = (
        "model",
        "phase",
        "tokens",
        "context",
        "batch",
        "config",
        "text",
        "design",
        "options",
        "scheme",
        "design_board",
    )
    asked = {name: configuration[name] for name in names if name in configuration}
    found, short = _design(json.dumps(asked, sort_keys=True))
    board = FpgaBoard.model_validate(configuration["board"])
    made = {"fit": found.fit.to_dict(), "design": found.to_text()}
    return {**block_result(found.design, short, board, configuration["engine"]), **made}


def block_result(design: CompiledDesign, short: CompiledDesign, board: FpgaBoard, engine: str) -> Plain:
    """Simulates a design as it runs with the memory of a board.

    Args:
        design: compiled, perhaps for another board.
        short: the same with fewer layers in a launch, whose gains stand for those of all (:func:`shortened`).
        board: board whose memory it runs with.
        engine: engine that computes the times.

    Returns:
        Plain data: cycles, gains and bounds.

    Raises:
        DeadlockError: the design deadlocks.
    """
    graph = _on(design, board)
    run = simulate(graph, engine=engine)
    if run.cycles is None:
        raise DeadlockError("deadlock", f"the design deadlocks: {run.to_text()}", where=design.name)
    return {
        "cycles": run.cycles,
        "clock_mhz": graph.clock_mhz,
        "layers": design.options.layers,
        "gains": gains(_on(short, board), memory_rates(board, graph.channels)),
        "bounds": asdict(bounds(design, graph, board)),
        "moved_bytes": moved_bytes(graph),
    }


def _on(design: CompiledDesign, board: FpgaBoard) -> TimedGraph:
    return design.graph if board == design.board else with_memory_of(design, board)


def shortened(compiler: StagedCompiler, design: CompiledDesign) -> CompiledDesign:
    """The design with at most three layers in a launch: all but the first and the last are alike."""
    if design.options.layers <= _SHORT or design.options.generate > 1:
        return design
    return compiler.design(design.options.with_(layers=_SHORT))


_SHORT = 3


def with_memory_of(design: CompiledDesign, board: FpgaBoard) -> TimedGraph:
    """The design as compiled, channel by channel, with the rate and latency that the channels of ``board`` have."""
    return replace(design.graph, channels=channels_on(board, design.graph.channels))


@lru_cache(maxsize=_KEPT_DESIGNS)
def _design(configuration: str) -> tuple[Chosen, CompiledDesign]:
    """A design and itself :func:`shortened`, which are the same at every point that shares it."""
    given = json.loads(configuration)
    name, text, block = given["model"], given.get("text"), None
    if text is None:
        request = _request(given)
        name, text = request.config.name, _text(request)
        block = Block(request.config, request.phase, request.tokens, request.context)
    board = FpgaBoard.model_validate(given["design_board"])
    choice = given["design"] if isinstance(given["design"], str) else NamedDesign.of(given["design"])
    with scheme_as_file(given["scheme"]) as precision:
        asked = CompileOptions(**{**given["options"], "precision": precision})
        compiler = StagedCompiler(text, f"{name}-{given['phase']}", board)
        found = chosen_design(compiler, asked, choice, block, lambda recipe: None)
        return found, shortened(compiler, found.design)


FLOATS = "fp32"
"""The scheme that changes nothing."""


@contextmanager
def scheme_as_file(scheme: Mapping[str, Any]) -> Iterator[str]:
    """A scheme as the compiler takes it, by name or file, from plain data; the file is deleted once it is done."""
    if scheme["name"] == FLOATS:
        yield scheme["name"]
        return
    with tempfile.TemporaryDirectory(prefix="sttest-scheme-") as folder:
        path = Path(folder) / "scheme.yaml"
        path.write_text(yaml.safe_dump({**scheme, "mixed": dict(scheme["mixed"])}), encoding="utf-8")
        yield str(path)


def block_text(config: DecoderConfig, phase: Phase, tokens: int, context: int, batch: int = 1, cards: int = 1) -> str:
    """Linalg text of a block: as shipped where there is such a shape, else lowered from PyTorch (cached).

    Raises:
        ToolMissingError: it has to be lowered, and the front end is not installed.
    """
    return _text(BlockRequest(config, phase, tokens, context, batch=batch, cards=cards))


def keep_texts(configurations: Iterable[Mapping[str, Any]]) -> None:
    """Lowers the blocks of all configurations in one process; what cannot be lowered is left to those that need it."""
    asked: dict[BlockRequest, None] = {}
    for given in configurations:
        if given.get("text") is not None:
            continue
        with suppress(InputError):
            request = _request(given)
            request.check()
            asked[request] = None
    with suppress(SttestError):
        linalg_texts([request for request in asked if not _is_shipped(request)])


def _request(given: Mapping[str, Any]) -> BlockRequest:
    """The block of a :class:`~sttest.studies.whatif.settings.Configuration` in plain data."""
    config = described_config(given["model"], given.get("config"))
    shape = given["phase"], given["tokens"], given["context"]
    return BlockRequest(config, *shape, batch=given.get("batch", 1), cards=given["options"].get("cards", 1))


def _text(request: BlockRequest) -> str:
    if not _is_shipped(request):
        return linalg_texts([request])[0]
    small, name = request.config.name.startswith(SMALL), request.config.name.removeprefix(SMALL)
    return lowered_text(name, request.phase, small=small)


def _is_shipped(request: BlockRequest) -> bool:
    config = request.config
    if config.name.removeprefix(SMALL) not in SHIPPED_MODELS or description(config) is not None:
        return False
    shapes = SHIPPED_SHAPES[config.name.startswith(SMALL)]
    return request.batch == request.cards == 1 and shapes[request.phase] == (request.tokens, request.context)
