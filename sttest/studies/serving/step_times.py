"""Times of the steps of a card: designs simulated at the shapes that occur, straight lines between them.

A package says a design: model, options, lanes.  The same is compiled and simulated for other lengths and for fewer
sequences, with the same lanes per task, as if its loop bounds were arguments of the kernel; what lies between two
simulated shapes is interpolated.  No time comes from a formula.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

from sttest.boards.board import FpgaBoard
from sttest.boards.energy import Activity, activity_of, energy, idle
from sttest.compile.compiler import StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.reports import activity_table
from sttest.core.closure import program_hash
from sttest.core.errors import DeadlockError, InputError
from sttest.core.program import package_versions
from sttest.core.results import PointStore
from sttest.explore.fitting import possible_options
from sttest.models.config import DecoderConfig
from sttest.models.registry import described_config
from sttest.package import ModelPackage
from sttest.package.compiled import read_design
from sttest.reference.graph import BITS
from sttest.sim import simulate
from sttest.sim.bursts import HBM, memory_and_number
from sttest.sim.graph import MemoryPort
from sttest.studies.campaign import Campaign, Plain, campaign_of, guarded, refusal_text
from sttest.studies.serving.scheduler import StepCost
from sttest.studies.whatif.points import scheme_as_file
from sttest.studies.workload import WorkloadShape, model_text

SHORTEST = 64
"""Tokens or cached positions below which a design is not simulated: it takes the time of so many."""


@dataclass(frozen=True)
class Cell:
    """A shape that is simulated: ``length`` are tokens of a prompt, or cached positions of a decode step."""

    sequences: int
    length: int


@dataclass(frozen=True)
class ServedDesign:
    """A package whose design takes steps."""

    package: ModelPackage

    @cached_property
    def board(self) -> FpgaBoard:
        """The board that it was compiled for."""
        return read_design(self.package).board

    @property
    def takes_prompts_whole(self) -> bool:
        """Whether a step takes all of a prompt."""
        return self.package.phase == "prefill"

    @property
    def launches(self) -> int:
        """Launches of a step."""
        return self.package.config.layers // self.package.layers

    def key(self, cell: Cell) -> Plain:
        """The full configuration of a shape."""
        package, configuration = self.package, self.package.manifest.configuration
        options = configuration.options.with_(lanes=tuple(package.lanes), adapt_lanes=True)
        whole = self.takes_prompts_whole
        return {
            "model": package.config.name,
            "config": configuration.workload.config,
            "phase": package.phase,
            "tokens": cell.length if whole else package.tokens,
            "context": 0 if whole else cell.length,
            "batch": cell.sequences,
            "head": package.head,
            "options": options.model_dump(),
            "scheme": asdict(package.scheme),
            "board": self.board.model_dump(mode="json", exclude_none=True),
            "program": program_hash(__name__),
            "versions": package_versions(),
        }

    def cells(self, longest: int, most: int) -> list[Cell]:
        """The shapes that steps of up to so many sequences and so long ones lie between."""
        bound = self.package.config.max_context - (0 if self.takes_prompts_whole else self.package.tokens)
        sequences = doubled(1, min(most, self.package.batch))
        return [Cell(each, length) for each in sequences for length in doubled(min(SHORTEST, bound), longest, bound)]


def doubled(first: int, last: int, bound: int | None = None) -> list[int]:
    """Numbers, each twice the one before, until ``last`` is reached, none above ``bound``.

    >>> doubled(1, 6), doubled(64, 1000, 1023)
    ([1, 2, 4, 6], [64, 128, 256, 512, 1023])
    """
    found = [first]
    while found[-1] < last:
        found.append(min(2 * found[-1], bound or last))
    return found


def simulate_step(configuration: Mapping[str, Any]) -> Plain:
    """Compiles and simulates a launch of a design at one shape.

    Args:
        configuration: result of :meth:`ServedDesign.key`.

    Returns:
        Plain data: cycles, clock and activity; or an error, see :func:`~sttest.studies.campaign.guarded`.
    """
    return guarded(_simulated, configuration)


def _simulated(asked: Mapping[str, Any]) -> Plain:
    config = described_config(asked["model"], asked["config"])
    options, board = CompileOptions(**asked["options"]), FpgaBoard.model_validate(asked["board"])
    shape = WorkloadShape(asked["phase"], asked["tokens"], asked["context"], asked["head"], asked["batch"])
    text = model_text(config, shape.padded(options.tile_size))
    with scheme_as_file(asked["scheme"]) as precision:
        # One bitstream serves many shapes: its tiles and lanes hold at the others as far as they can.
        compiler = StagedCompiler(text, f"{config.name}-{asked['phase']}", board)
        design = compiler.design(possible_options(compiler, options.with_(precision=precision)))
    run = simulate(design.graph)
    if run.cycles is None:
        raise DeadlockError("deadlock", f"the design deadlocks: {run.to_text()}", where=design.name)
    clock_mhz = design.graph.clock_mhz
    busy = {name: process.busy_cycles for name, process in run.breakdown.items()}
    done = activity_of(activity_table(design), busy, run.cycles, clock_mhz)
    return {"cycles": run.cycles, "clock_mhz": clock_mhz, "activity": asdict(done)}


@dataclass(frozen=True)
class Grid:
    """Costs of a design's steps at simulated shapes."""

    sequences: tuple[int, ...]  # ascending
    lengths: tuple[int, ...]  # ascending
    costs: Mapping[Cell, StepCost]
    _asked: dict[tuple[int, int], StepCost] = field(default_factory=dict, repr=False, compare=False)

    def at(self, sequences: int, length: int) -> StepCost:
        """The cost of a shape, on straight lines between the simulated ones around it."""
        if (sequences, length) not in self._asked:
            self._asked[sequences, length] = self._between(sequences, length)
        return self._asked[sequences, length]

    def _between(self, sequences: int, length: int) -> StepCost:
        lines = [
            _between(length, self.lengths, [self.costs[Cell(each, place)] for place in self.lengths])
            for each in self.sequences
        ]
        return _between(sequences, self.sequences, lines)


def _between(place: int, places: Sequence[int], costs: Sequence[StepCost]) -> StepCost:
    after = min(bisect_left(places, place), len(places) - 1)
    before = max(after - 1, 0)
    if before == after or place >= places[after]:
        return costs[after]
    share = max(0.0, (place - places[before]) / (places[after] - places[before]))
    pairs = zip(costs[before], costs[after], strict=True)
    return StepCost(*(low + share * (high - low) for low, high in pairs))


@dataclass(frozen=True)
class SimulatedSteps:
    """Times of the steps of one design, or of one for prompts and one for tokens."""

    prompts: ServedDesign
    tokens: ServedDesign
    grids: Mapping[ServedDesign, Grid]

    def prefill(self, tokens: int, context: int) -> StepCost:
        """See :class:`~sttest.studies.serving.scheduler.StepTimes`."""
        length = tokens if self.prompts.takes_prompts_whole else context
        return self.grids[self.prompts].at(1, length)

    def decode(self, sequences: int, context: int) -> StepCost:
        """See :class:`~sttest.studies.serving.scheduler.StepTimes`."""
        return self.grids[self.tokens].at(sequences, context)


@dataclass(frozen=True)
class StepPlan:
    """What has to be simulated before requests can be served."""

    prompts: ServedDesign
    tokens: ServedDesign
    cells: Mapping[ServedDesign, Sequence[Cell]]
    campaign: Campaign

    @classmethod
    def of(cls, folders: Sequence[Path], longest_prompt: int, longest: int, most: int, store: PointStore) -> "StepPlan":
        """The plan for packages.

        Args:
            folders: a decode's package alone, or with one for prompts: a prefill's, or a decode's of several tokens.
            longest_prompt: tokens of the longest prompt.
            longest: positions of the longest sequence.
            most: sequences of a step.
            store: finished simulations.

        Raises:
            InputError: packages that cannot serve together, or positions that the model does not have.
        """
        packages = [ModelPackage.read(folder) for folder in folders]
        for each in packages:
            each.require_one_card()
        prompts, tokens = roles([ServedDesign(each) for each in packages])
        _check_length(tokens.package.config, longest + 1)
        cells = {tokens: tokens.cells(longest, most)}
        if prompts is not tokens:
            cells[prompts] = prompts.cells(longest_prompt if prompts.takes_prompts_whole else longest, 1)
        keys = [design.key(cell) for design, each in cells.items() for cell in each]
        return cls(prompts, tokens, cells, campaign_of(keys, simulate_step, store))

    def steps(self) -> SimulatedSteps:
        """The times, once all simulations are finished.

        Raises:
            InputError: a shape that the design cannot have.
        """
        grids = {design: self._grid(design, cells) for design, cells in self.cells.items()}
        return SimulatedSteps(self.prompts, self.tokens, grids)

    def _grid(self, design: ServedDesign, cells: Iterable[Cell]) -> Grid:
        costs = {cell: self._cost(design, cell) for cell in cells}
        sequences, lengths = ({getattr(cell, name) for cell in costs} for name in ("sequences", "length"))
        return Grid(tuple(sorted(sequences)), tuple(sorted(lengths)), costs)

    def _cost(self, design: ServedDesign, cell: Cell) -> StepCost:
        found, board = self.campaign.result(design.key(cell)), design.board
        if "cycles" not in found:
            raise InputError(
                "no-such-step",
                f"no design for {cell.sequences} sequences of {cell.length}: {refusal_text(found)}",
                where=str(design.package.folder),
                hints=["compile it for other options"],
            )
        launches = design.launches
        between_s = (launches * board.launch.queued_us.value + board.launch.token_gap_us.value) / 1e6
        busy_s = launches * found["cycles"] / found["clock_mhz"] / 1e6
        done = Activity(**found["activity"]).times(launches) + idle(between_s)
        return StepCost(busy_s + between_s, energy(done, board.energy_costs).total_j)


def roles(designs: Sequence[ServedDesign]) -> tuple[ServedDesign, ServedDesign]:
    """The design that takes prompts, and the one that makes tokens; one may be both.

    Raises:
        InputError: packages that cannot serve together.
    """
    makers = [each for each in designs if each.package.phase == "decode"]
    if not makers or len(designs) > 2:
        raise InputError(
            "bad-designs",
            "a decode's package serves, alone or with one for prompts",
            where="--design",
            hints=["give one or two packages", "compile one with --phase decode"],
        )
    tokens = min(makers, key=lambda each: each.package.tokens)
    prompts = next((each for each in designs if each is not tokens), tokens)
    _check_alike(prompts.package, tokens.package)
    for each in {prompts, tokens}:
        if each.package.generates > 1 or each.package.config.layers % each.package.layers:
            raise InputError(
                "bad-designs",
                "a launch takes one token, of one layer or of all",
                where=str(each.package.folder),
                hints=["compile it without --generate", "compile it with one layer, or with all"],
            )
    return prompts, tokens


def _check_alike(one: ModelPackage, other: ModelPackage) -> None:
    if (one.config.name, one.scheme, one.board) != (other.config.name, other.scheme, other.board):
        raise InputError(
            "other-package",
            "packages of another model, precision or board",
            where=str(one.folder),
            hints=["name two packages of one model"],
        )


def _check_length(config: DecoderConfig, longest: int) -> None:
    if longest > config.max_context:
        raise InputError(
            "context-too-long",
            f"a request is longer than the context of {config.public_name}",
            where="requests",
            demand=longest,
            bound=config.max_context,
            unit="tokens",
            hints=["leave such requests out"],
        )


def pages_of(design: ServedDesign, page_tokens: int, memory_bytes: float | None = None) -> int:
    """Pages of keys and values in so much memory.

    Args:
        design: design that makes tokens.
        page_tokens: positions of a page.
        memory_bytes: memory for them; None for what its parameters leave of the memory that they are in.
    """
    package = design.package
    page_bytes = page_tokens * position_bytes(package)
    if memory_bytes is not None:
        return int(memory_bytes // page_bytes)
    parts = _cache_parts(package)
    free = {memory: design.board.tier(memory).size_bytes - weight_bytes(package, memory) for memory in parts}
    return min(free[memory] * parts.total() // (page_bytes * part) for memory, part in parts.items())


def cache_memory_bytes(design: ServedDesign) -> int:
    """Bytes of the memories that a design keeps keys and values in, whatever else is there."""
    return sum(design.board.tier(memory).size_bytes for memory in _cache_parts(design.package))


def _cache_parts(package: ModelPackage) -> Counter[str]:
    """Bits of a block's caches by the memory that they are in."""
    memories, parts = memory_of_arguments(package), Counter[str]()
    for each in package.reference_graph.arguments:
        if each.kind == "cache":
            parts[memories[each.name]] += prod(each.shape) * BITS[each.dtype]
    return parts


def memory_of_arguments(package: ModelPackage) -> dict[str, str]:
    """The memory of the card that each argument of a block is read from."""
    ports = (each for each in package.timed_graph.processes if isinstance(each, MemoryPort))
    memories = {port.name: memory_and_number(port.channels[0])[0] for port in ports}
    return {each.argument: memories[package.files.dma_of(each.name)] for each in package.reference_graph.loads}


def position_bytes(package: ModelPackage) -> int:
    """Bytes of the keys and values of a position, in all layers."""
    config, scheme = package.config, package.scheme
    scale_bytes = 2 if scheme.has_integer_cache else 0
    return 2 * config.layers * config.kv_heads * (config.head_dim * scheme.kv_bits // 8 + scale_bytes)


def weight_bytes(package: ModelPackage, memory: str) -> int:
    """Bytes of the parameters of all layers in one memory of the card, those of a head once."""
    total, memories = 0, memory_of_arguments(package)
    for each in package.reference_graph.arguments:
        if each.kind == "parameter" and memories.get(each.name, HBM) == memory:
            times = 1 if each.name.startswith("head.") else package.config.layers
            total += times * -(-prod(each.shape) * BITS[each.dtype] // 8)
    return total
