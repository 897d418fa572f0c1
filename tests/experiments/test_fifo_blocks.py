"""What FIFOs of full decode blocks cost, as committed: against another engine, and in the order that cannot be else."""

from __future__ import annotations

import pytest

from experiments.fifo_blocks import SIZINGS, SPEEDS, slowed
from experiments.fifo_tables import fifo_cycles, fifo_sizings
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import compile_text
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate

MODELS = ("gpt2", "qwen", "llama", "gemma")


@pytest.mark.parametrize("model", MODELS)
def test_without_full_fifos_a_block_is_no_slower_and_slower_memory_makes_none_faster(model: str) -> None:
    cycles = [fifo_cycles(model, f"memory at {speed:g}") for speed in SPEEDS]
    assert cycles == sorted(cycles)
    assert cycles[0] == fifo_cycles(model, "own")
    assert all(
        fifo_cycles(model, f"memory at {speed:g}, no FIFO ever full") <= at
        for speed, at in zip(SPEEDS, cycles, strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1, 0.25])
def test_the_figures_of_a_block_are_simpys(speed: float) -> None:
    board = slowed(require_hbm(load_board("u55c")), speed)
    graph = compile_text(lowered_text("gpt2", "decode", small=False), "block", board, SIZINGS["own"]).graph
    assert simulate(graph, engine="simpy").cycles == fifo_cycles("gpt2", f"memory at {speed:g}")


def test_a_deadlock_stands_in_the_table_as_one() -> None:
    gpt2 = next(line for line in fifo_sizings("gpt2").splitlines() if line.startswith("| gpt2"))
    assert gpt2.count("deadlock") == 2
