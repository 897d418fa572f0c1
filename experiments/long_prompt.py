"""Long prompts of Qwen2.5-0.5B on a U55C: blocks of queries over a cache in the HBM, in one pass.

A block of 16 tokens attends to all before it, whose keys and values are read from memory, and to itself.  A prompt is
as many launches as it has blocks.  Every block of 1,024 and 4,096 tokens is compiled and simulated at the cache that it
finds, in whole chunks; of 32,640 tokens every sixteenth chunk, and what is in between lies on straight lines.

Attention moves at least N^2 d^2 / S words between a memory of S words and a larger one (Saha and Ye, arXiv 2402.07443);
of causal attention half of the pairs.  Two memories stand beside what is moved: all that the design holds on chip, and
the queries (int8) and outputs (float32) of a block, which any schedule by blocks holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.lower_ahead import lower_ahead
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import compile_text, on_chip
from sttest.compile.options import CompileOptions
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort
from sttest.studies.steps import step_counter
from sttest.studies.workload import WorkloadShape, model_text

MODEL, BOARD = "qwen", "u55c"
BLOCKS = (16,)
PROMPTS = (1024, 4096, 32640)
LONGEST_EXACT = 4096
EVERY = 16
OPTIONS = {
    "precision": "w4a8",
    "attention": "one-pass",
    "attention_chunk": 128,
    "share": "all",
    "gemv_lanes": 4096,
    "overall_unroll": 2048,
    "vector_bits": 512,
}
# The cache of the first block: all of it is hidden.
_LEAST = 128


@dataclass(frozen=True)
class BlockRun:
    """A block behind so many positions."""

    cycles: float
    cache_bytes: float  # keys and values that it moves
    moved_bytes: float  # everything that it moves
    held_bytes: float  # bytes in FIFOs, converters and tiles of DMAs


@dataclass(frozen=True)
class Prompt:
    """A prompt in blocks."""

    tokens: int
    block: int
    runs: tuple[BlockRun, ...]
    simulated: int  # blocks that were simulated; the others are interpolated

    @property
    def layers(self) -> int:
        """Of the model."""
        return get_config(MODEL).layers

    @property
    def seconds(self) -> float:
        """All blocks of all layers, with launches and the host's gap between blocks: the time to the first token."""
        board = require_hbm(load_board(BOARD))
        launches = len(self.runs) * self.layers
        busy_us = self.layers * sum(run.cycles for run in self.runs) / board.clock_mhz.value
        return (
            busy_us + launches * board.launch.queued_us.value + len(self.runs) * board.launch.token_gap_us.value
        ) / 1e6

    @property
    def cache_bytes(self) -> float:
        """Keys and values that a layer moves."""
        return sum(run.cache_bytes for run in self.runs)

    @property
    def held_bytes(self) -> float:
        """The most that any block holds."""
        return max(run.held_bytes for run in self.runs)

    def least_bytes(self, held_bytes: float) -> float:
        """What attention of a layer moves at least with so much memory on chip; words are bytes."""
        config = get_config(MODEL)
        return config.heads * (self.tokens * config.head_dim) ** 2 / 2 / held_bytes

    @property
    def block_bytes(self) -> float:
        """Queries and outputs of a block, of all heads."""
        config = get_config(MODEL)
        return self.block * config.heads * config.head_dim * (1 + 4)


def _shape(block: int, context: int) -> WorkloadShape:
    return WorkloadShape("decode", block, context)


def run_block(key: Mapping[str, Any]) -> dict[str, float]:
    """Compiles and simulates a block.

    Args:
        key: ``block`` and ``context``, tokens.
    """
    options = CompileOptions(**OPTIONS)
    text = model_text(get_config(MODEL), _shape(key["block"], key["context"]))
    design = compile_text(text, f"{MODEL}-block", BOARD, options)
    cycles = simulate(design.graph).cycles
    if cycles is None:
        raise AssertionError(f"{key}: the design deadlocks")
    ports = {
        port.name: port.tokens * port.token_bytes for port in design.graph.processes if isinstance(port, MemoryPort)
    }
    caches = sum(size for name, size in ports.items() if "cache" in name)
    return {
        "cycles": cycles,
        "cache_bytes": caches,
        "moved_bytes": sum(ports.values()),
        "held_bytes": on_chip(design.module).total_bytes,
    }


def contexts(tokens: int, block: int) -> list[int]:
    """Cached positions that each block of a prompt finds, whole chunks of them."""
    return [max(_LEAST, -(-done // _LEAST) * _LEAST) for done in range(0, tokens, block)]


def simulated_contexts(tokens: int, block: int) -> list[int]:
    """Those that are simulated."""
    every = sorted(set(contexts(tokens, block)))
    return every if tokens <= LONGEST_EXACT else sorted({*every[::EVERY], every[-1]})


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Prompt]:
    """Prints the table and writes ``out``."""
    work = {
        (block, context): {"block": block, "context": context}
        for block in BLOCKS
        for tokens in PROMPTS
        for context in simulated_contexts(tokens, block)
    }
    lower_ahead([(get_config(MODEL), _shape(block, context)) for block, context in work], jobs, "long-prompt")
    say, found = step_counter(len(work)), {}
    for key, result in run_all(run_block, work, jobs, "long-prompt"):
        found[key] = result
        say(f"simulated a block of {key[0]} behind {key[1]}")
    prompts = [_prompt(tokens, block, found) for block in BLOCKS for tokens in PROMPTS]
    print_table(
        ("block", "prompt", "first token, s", "on chip, KiB", "K and V per layer, MB", "over the least", "simulated"),
        [
            (
                each.block,
                each.tokens,
                f"{each.seconds:,.2f}",
                f"{each.held_bytes / 1024:,.0f}",
                f"{each.cache_bytes / 1e6:,.1f}",
                f"{each.cache_bytes / each.least_bytes(each.block_bytes):.1f}",
                f"{each.simulated} of {len(each.runs)} blocks",
            )
            for each in prompts
        ],
        title="Prompts of Qwen2.5-0.5B in blocks (not published)",
    )
    with ResultFolder(
        out, made_by=__name__, config={"options": OPTIONS, "blocks": BLOCKS, "prompts": PROMPTS}
    ) as folder:
        for each in prompts:
            folder.add(*_rows(each, engine))
    return prompts


def _prompt(tokens: int, block: int, found: Mapping[tuple[int, int], Mapping[str, float]]) -> Prompt:
    places = simulated_contexts(tokens, block)
    asked = contexts(tokens, block)
    lines = {
        name: np.interp(asked, places, [found[block, place][name] for place in places])
        for name in ("cycles", "cache_bytes", "moved_bytes", "held_bytes")
    }
    runs = tuple(BlockRun(**{name: float(values[at]) for name, values in lines.items()}) for at in range(len(asked)))
    return Prompt(tokens, block, runs, sum(context in places for context in asked))


def _rows(each: Prompt, engine: str) -> Iterator[Row]:
    label, interpolated = f"[{each.tokens} tokens, blocks of {each.block}]", each.simulated < len(each.runs)
    note = f"{each.simulated} of {len(each.runs)} blocks simulated, the others interpolated" if interpolated else ""
    values: Sequence[tuple[str, float, str, Any]] = (
        ("time to first token", each.seconds, "s", "simulated"),
        ("held on chip", each.held_bytes, "bytes", "derived"),
        ("keys and values moved per layer", each.cache_bytes, "bytes", "simulated"),
        ("bytes moved per layer", sum(run.moved_bytes for run in each.runs), "bytes", "simulated"),
        ("least with all that is held", each.least_bytes(each.held_bytes), "bytes", "derived"),
        ("least with a block's queries and outputs", each.least_bytes(each.block_bytes), "bytes", "derived"),
        ("keys and values over that", each.cache_bytes / each.least_bytes(each.block_bytes), "ratio", "derived"),
    )
    for metric, value, unit, kind in values:
        yield Row(
            "long-prompt",
            f"{metric} {label}",
            value,
            unit,
            kind,
            model=MODEL,
            board=BOARD,
            phase="prefill",
            engine=engine,
            note=note,
        )
