"""Qwen, Llama and Gemma on U55C: tokens per joule against GPUs (StreamTensor Fig. 9), under three accounting rules.

Lanes, launch and host are GPT-2's (`calibration.yaml`); nothing is fitted here.
docs/paper/emerging.md discusses the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.designs import ModelBlocks, card, fitted_overheads, simulate_models
from experiments.emerging_asked import asked
from experiments.emerging_report import print_report, write_report
from experiments.emerging_result import Comparison, Emerging, OurGeneration
from experiments.emerging_rows import FIG9_QUANTITY
from experiments.emerging_what_ifs import what_ifs
from experiments.generation import Lengths, Overheads, compose
from experiments.generation_energy import compose_activity
from experiments.gpu_opponents import Opponent, a100_opponents, h200_opponents
from experiments.published import published_text
from sttest.boards.board import RULES, Rule, fpga_joules
from sttest.boards.energy import CASES, CostCase, Energy, energy
from sttest.models.registry import get_config
from sttest.studies.steps import step_counter

MODELS = ("qwen", "llama", "gemma")
LENGTHS = (32, 64, 128)
CONTEXTS = (32, 64, 128, 256)
SHAPES: tuple[Lengths, ...] = tuple((n, m) for n in LENGTHS for m in LENGTHS)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> Emerging:
    """Prints the tables and writes ``out``."""
    say = step_counter(1 + len(MODELS) * (len(LENGTHS) + len(CONTEXTS)))
    blocks = simulate_models(MODELS, LENGTHS, CONTEXTS, engine, jobs, say)
    opponents: list[Opponent] = [*a100_opponents(), *h200_opponents()]
    comparisons = [compare(model, blocks[model], opponents) for model in MODELS]
    times = [
        asked(model, blocks[model], SHAPES, opponents[0], published_text(FIG9_QUANTITY, model)) for model in MODELS
    ]
    found = Emerging(comparisons, opponents, what_ifs(blocks, SHAPES, opponents[0]), times, engine)
    print_report(found)
    write_report(found, out)
    return found


def compare(model: str, blocks: ModelBlocks, opponents: Sequence[Opponent]) -> Comparison:
    """All shapes of a model beside every opponent that has it."""
    overheads = fitted_overheads()
    ours = {shape: our_generation(model, blocks, shape, overheads) for shape in SHAPES}
    theirs = {
        each.name: {shape: run for shape in SHAPES if (run := each.generation(model, *shape)) is not None}
        for each in opponents
    }
    return Comparison(model, ours, theirs)


def our_generation(model: str, blocks: ModelBlocks, shape: Lengths, overheads: Overheads) -> OurGeneration:
    """Time and energy of one generation from its blocks."""
    n, m = shape
    board, layers = card(), get_config(model).layers
    time = compose(n, m, layers, blocks.prefill[n], blocks.decode, overheads)
    done = compose_activity(n, m, layers, blocks.prefill[n], blocks.decode, overheads)
    used: dict[CostCase, Energy] = {case: energy(done.whole, board.energy_costs, case) for case in CASES}
    decode: dict[CostCase, Energy] = {case: energy(done.decode, board.energy_costs, case) for case in CASES}
    joules: dict[Rule, float] = {rule: fpga_joules(board, used["central"], rule) for rule in RULES}
    return OurGeneration(time, used, decode, joules)
