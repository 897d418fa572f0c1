"""GPT-2 Medium on U55C, W4A8, 250 MHz: StreamTensor Tables 4 and 5, predicted by simulation.

One design per phase serves all rows: its lanes are chosen at the largest shape
of the table (a bitstream is built once) and held at the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from experiments.blocks import BlockPoint, BlockRun, BlockTime, lanes_for, run_points
from experiments.calibration import constants, fitted_precisions, launch_choice
from experiments.designs import ModelBlocks, reproduced_options
from experiments.generation import Generation, Overheads, compose
from experiments.gpt2_report import print_report, write_report
from experiments.gpt2_result import LaunchCase, PrecisionCase, Reproduction
from experiments.published import gpt2_row
from sttest.boards.load import load_board, require_hbm
from sttest.compile.options import CompileOptions
from sttest.core.progress import progress
from sttest.core.results import PointStore
from sttest.models.registry import get_config

MODEL = "gpt2"
BOARD = "u55c"
ROWS = ((32, 32), (64, 64), (128, 128), (256, 256))
CONTEXTS = (32, 64, 128, 256, 512)
LAUNCH_FIELDS = ("queued_us", "single_low_us", "back_to_back_us", "single_high_us")
_LARGEST_PROMPT = 256
_LARGEST_CONTEXT = 512


def prefill_point(tokens: int, options: CompileOptions, engine: str) -> BlockPoint:
    """A prefill block of the design that the largest prompt decides."""
    options = lanes_for(BlockRun(MODEL, "prefill", _LARGEST_PROMPT), options)
    return BlockPoint(BlockRun(MODEL, "prefill", tokens), options, BOARD, engine)


def decode_points(contexts: Sequence[int], options: CompileOptions, engine: str) -> dict[int, BlockPoint]:
    """Decode blocks, by context, of the design that the longest generation decides."""
    options = lanes_for(BlockRun(MODEL, "decode", 1, _LARGEST_CONTEXT), options)
    return {context: BlockPoint(BlockRun(MODEL, "decode", 1, context), options, BOARD, engine) for context in contexts}


def simulate_table(engine: str, jobs: int, store: PointStore) -> Reproduction:
    """Compiles and simulates every block of the table, under every scheme, and composes its rows."""
    chosen, *others = fitted_precisions()
    count, total = 0, (1 + len(others)) * (len(ROWS) + len(CONTEXTS))
    with progress("gpt2") as say:
        say("lowering from PyTorch")

        def done(point: BlockPoint) -> None:
            nonlocal count
            count += 1
            say(f"{count} of {total} blocks, simulated {point.shape}")

        blocks, *other_blocks = [_simulated(each, engine, jobs, store, done) for each in (chosen, *others)]
    launch = getattr(require_hbm(load_board(BOARD)).launch, launch_choice().name)
    return Reproduction(
        _fitted_rows(chosen, blocks, launch.value),
        blocks.prefill,
        blocks.decode,
        constants(),
        launch,
        [_launch_case(name, blocks.prefill, blocks.decode) for name in LAUNCH_FIELDS],
        [
            PrecisionCase(name, constants(name), _fitted_rows(name, found, launch.value))
            for name, found in zip(others, other_blocks, strict=True)
        ],
        chosen,
        engine,
    )


def _simulated(
    precision: str, engine: str, jobs: int, store: PointStore, done: Callable[[BlockPoint], None]
) -> ModelBlocks:
    options = reproduced_options(precision)
    prefill = {tokens: prefill_point(tokens, options, engine) for tokens, _ in ROWS}
    decode = decode_points(CONTEXTS, options, engine)
    times = run_points([*prefill.values(), *decode.values()], store, jobs, done)
    return ModelBlocks(
        {tokens: times[point] for tokens, point in prefill.items()},
        {context: times[point] for context, point in decode.items()},
    )


def _fitted_rows(precision: str, blocks: ModelBlocks, launch_us: float) -> list[Generation]:
    host_ms = constants(precision)["host_ms"].value
    return compose_rows(blocks.prefill, blocks.decode, Overheads(launch_us, host_ms))


def compose_rows(
    prefill: Mapping[int, BlockTime], decode: Mapping[int, BlockTime], overheads: Overheads
) -> list[Generation]:
    """All rows of the table from their blocks."""
    layers = get_config(MODEL).layers
    return [compose(n, m, layers, prefill[n], decode, overheads) for n, m in ROWS]


def fitted_host_ms(prefill: BlockTime, decode: Mapping[int, BlockTime], launch_us: float) -> float:
    """What the published decode time of the first row has left after its blocks and launches; may be negative."""
    tokens, outputs = ROWS[0]
    published = gpt2_row("streamtensor", tokens, outputs)
    free = compose(tokens, outputs, get_config(MODEL).layers, prefill, decode, Overheads(launch_us, 0.0))
    return outputs * published.decode_ms_per_token - free.decode_ms


def _launch_case(name: str, prefill: Mapping[int, BlockTime], decode: Mapping[int, BlockTime]) -> LaunchCase:
    launch = getattr(require_hbm(load_board(BOARD)).launch, name)
    host_ms = max(0.0, fitted_host_ms(prefill[ROWS[0][0]], decode, launch.value))
    return LaunchCase(name, launch, host_ms, compose_rows(prefill, decode, Overheads(launch.value, host_ms)))


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> None:
    """Prints the tables and writes ``out`` (table.csv, table.md, figures, manifest.json)."""
    reproduction = simulate_table(engine, jobs, PointStore(Path("build/points/gpt2")))
    print_report(reproduction)
    write_report(reproduction, out)
