"""What designs are looked for: a decode step and a prompt of every model, under a budget of the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions
from sttest.explore.recipes import Block, Recipe, recipes
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase
from sttest.models.registry import get_config
from sttest.studies.workload import WorkloadShape, model_text

BOARD = "u55c"
MODELS = ("gpt2", "qwen", "llama", "gemma", "llama-3.2-1b", "llama-3.1-8b", "qwen3-8b")
PHASES: tuple[Phase, ...] = ("decode", "prefill")
BUDGETS: tuple[BudgetName, ...] = get_args(BudgetName)
LENGTH = 256
"""Tokens in the cache of a decode step, and of a prompt."""
FLOW = "rtl"
"""What is counted against the budgets: SystemVerilog."""


@dataclass(frozen=True)
class Case:
    """A phase of a model under a budget.

    Attributes:
        model, phase: what is run.
        budget: how much of the board may be filled.
    """

    model: str
    phase: Phase
    budget: BudgetName = "tight"

    @property
    def name(self) -> str:
        """As in ``gpt2-decode-tight``."""
        return f"{self.model}-{self.phase}-{self.budget}"

    @property
    def config(self) -> DecoderConfig:
        """Of the model."""
        return get_config(self.model)

    @property
    def head(self) -> bool:
        """Whether the LM head is in the launch; of a prompt only the last token's logits are asked for."""
        return self.phase == "decode"

    @property
    def tokens(self) -> int:
        """That enter the block."""
        return LENGTH if self.phase == "prefill" else 1

    @property
    def shape(self) -> WorkloadShape:
        """Of the block."""
        return WorkloadShape(self.phase, self.tokens, 0 if self.phase == "prefill" else LENGTH, self.head)

    def text(self) -> str:
        """Linalg text of the block.

        Raises:
            ToolMissingError: no front end.
        """
        return model_text(self.config, self.shape)


def all_cases() -> list[Case]:
    """Every model in both phases under every budget."""
    return [Case(model, phase, budget) for phase in PHASES for model in MODELS for budget in BUDGETS]


def bases(case: Case) -> dict[str, Recipe]:
    """What the searches of a case start from, by name; a decode step is one launch of all layers."""
    block = Block(case.config, case.phase, case.shape.tokens, case.shape.context)
    layers = case.config.layers if case.phase == "decode" else 1
    return recipes(block, CompileOptions(precision="w4a8", flow=FLOW, budget=case.budget, layers=layers))
