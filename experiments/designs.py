"""The blocks of whole generations of a model: one design per phase, its lanes chosen at the largest shape it serves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path

from experiments.blocks import BlockPoint, BlockRun, BlockTime, lanes_for, run_points
from experiments.calibration import constants, launch_choice, precision_choice
from experiments.generation import Overheads
from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.options import CompileOptions
from sttest.core.processes import process_pool
from sttest.core.results import PointStore

BOARD = "u55c"
STORE = Path("build/points/blocks")


@dataclass(frozen=True)
class ModelBlocks:
    """Simulated blocks of a model: prefill by tokens, decode by context."""

    prefill: dict[int, BlockTime]
    decode: dict[int, BlockTime]


@cache
def card() -> FpgaBoard:
    """The board that all designs are compiled for."""
    return require_hbm(load_board(BOARD))


@cache
def fitted_overheads() -> Overheads:
    """Launch and host as GPT-2's rows are composed with; nothing is fitted for other models."""
    launch = getattr(card().launch, launch_choice().name)
    return Overheads(launch.value, constants()["host_ms"].value)


def reproduced_options(precision: str | None = None) -> CompileOptions:
    """Defaults but for a scheme and the lanes fitted with it; by default what stands beside published designs."""
    lanes = int(constants(precision)["overall_unroll"].value)
    return CompileOptions(overall_unroll=lanes, precision=precision or precision_choice().name)


def simulate_models(
    models: Sequence[str],
    prompts: Sequence[int],
    contexts: Sequence[int],
    engine: str,
    jobs: int,
    say: Callable[[str], None],
    base: CompileOptions | None = None,
) -> dict[str, ModelBlocks]:
    """Compiles and simulates all blocks; finished ones of an earlier run are taken over.

    Args:
        models: by name.
        prompts: tokens of the prefill blocks.
        contexts: of the decode blocks.
        engine: simulation engine that computes the times.
        jobs: processes at a time.
        say: called with what has just been done.
        base: options, by default :func:`reproduced_options`.
    """
    largest = [shape for model in models for shape in _shapes(model, prompts[-1:], contexts[-1:])]
    options = _choose_lanes(largest, base or reproduced_options(), jobs, say)
    points = {
        shape: BlockPoint(shape, options[shape.model, shape.phase], BOARD, engine)
        for model in models
        for shape in _shapes(model, prompts, contexts)
    }
    times = run_points(list(points.values()), PointStore(STORE), jobs, lambda point: say(f"simulated {point.shape}"))
    return {model: _of_model(model, {shape: times[point] for shape, point in points.items()}) for model in models}


def _shapes(model: str, prompts: Sequence[int], contexts: Sequence[int]) -> list[BlockRun]:
    prefill = [BlockRun(model, "prefill", tokens) for tokens in prompts]
    return [*prefill, *(BlockRun(model, "decode", 1, context) for context in contexts)]


def _choose_lanes(
    largest: Sequence[BlockRun], options: CompileOptions, jobs: int, say: Callable[[str], None]
) -> dict[tuple[str, str], CompileOptions]:
    say("lowering from PyTorch")
    with process_pool(jobs) as pool:
        found = pool.map(lanes_for, largest, repeat(options))
        return {(shape.model, shape.phase): chosen for shape, chosen in zip(largest, found, strict=True)}


def _of_model(model: str, times: dict[BlockRun, BlockTime]) -> ModelBlocks:
    own = {shape: time for shape, time in times.items() if shape.model == model}
    return ModelBlocks(
        {shape.tokens: time for shape, time in own.items() if shape.phase == "prefill"},
        {shape.context: time for shape, time in own.items() if shape.phase == "decode"},
    )
