"""Blocks with round numbers, for experiments whose arithmetic is tested without simulating."""

from __future__ import annotations

from dataclasses import asdict

from experiments.blocks import BlockTime
from experiments.designs import ModelBlocks
from sttest.boards.energy import Activity


def block(microseconds: float, hbm_bits: float = 1e6) -> BlockTime:
    """A block at 250 MHz that moves so many bits and does nothing else."""
    cycles = round(250 * microseconds)
    done = asdict(Activity(microseconds / 1e6, hbm_bits=hbm_bits))
    return BlockTime(cycles, cycles, 250.0, {"compute": cycles}, 100, 10, 8, 3, 1, 1.0, done)


def model_blocks() -> ModelBlocks:
    """Prefill of 1 ms at 32 tokens, in proportion at others; decode of 200 us at every context."""
    prefill = {tokens: block(1000 * tokens / 32) for tokens in (32, 64, 128)}
    return ModelBlocks(prefill, {context: block(200) for context in (32, 256)})
