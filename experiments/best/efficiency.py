"""What a design makes of its DSPs, and its quotients over Allo and DFX as InTAR forms them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from experiments.best.cases import Case
from experiments.best.design import Made
from experiments.published import gpt2_rows, published_table
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of

__depends__ = ("experiments/data/gpt2_dsps.csv",)

PRODUCTS_PER_SLICE = 2
"""Products of int4 by int8, or of int8 by int8, that a DSP48E2 can do in a cycle where they share a factor (WP486)."""


def multiplications(case: Case) -> int:
    """Products of integers that the model asks for: weights once per token, attention without its masked half.

    Of the head, those of one token where it is in the launch.  A decoded token's own value is scaled in floating
    point.
    """
    config, tokens, context = case.config, case.tokens, case.shape.context
    attention = config.hidden * config.head_dim * (2 * config.heads + 2 * config.kv_heads)
    mlp = config.hidden * config.ffn * (3 if config.gated else 2)
    seen = tokens * context + tokens * (tokens + 1) // 2
    pairs = 2 * seen - (case.phase == "decode")
    head = config.hidden * config.vocab if case.head else 0
    return config.layers * (tokens * (attention + mlp) + pairs * config.heads * config.head_dim) + head


@dataclass(frozen=True)
class DspUse:
    """What DSPs do for a token in decode, or for a prompt."""

    products: float  # products that the model asks for, of those tasks that multiply in DSPs
    slots: float  # products that all DSP slices of the design could do while the card is at work

    @property
    def efficiency(self) -> float:
        """The share of the slots that do useful multiplications."""
        return self.products / self.slots


def dsp_use(made: Made) -> DspUse:
    """How a design uses its DSPs."""
    cycles = made.found.launches * made.cycles / made.found.makes
    slots = PRODUCTS_PER_SLICE * made.placed.taken.total.dsp * cycles
    return DspUse(multiplications(made.found.case) * _share_in_dsps(made), slots)


def _share_in_dsps(made: Made) -> float:
    """The part of a launch's products that is made in DSPs and not in LUTs."""
    in_fabric = {op.sym_name.data for op in all_of(made.design.module, df.TaskOp) if op.multiplies_in_fabric}
    macs = {row["element"]: float(row["macs"]) for row in made.counts if row["kind"] == "task"}
    return sum(count for name, count in macs.items() if name not in in_fabric) / sum(macs.values())


@dataclass(frozen=True)
class Rival:
    """GPT-2 Medium on the accelerator of others."""

    system: str
    dsps: float
    ttft_ms: float  # milliseconds to the first token of a prompt as long as ours
    tokens_per_s: float  # generated after such a prompt
    source: str

    def speed_up(self, made: Made) -> float:
        """Its time over ours."""
        if made.found.case.phase == "prefill":
            return self.ttft_ms / made.ms
        return made.tokens_per_s / self.tokens_per_s

    def dsp_efficiency(self, made: Made) -> float:
        """Its time times DSPs over ours."""
        return self.speed_up(made) * self.dsps / made.placed.taken.total.dsp


def rivals(length: int) -> Iterator[Rival]:
    """The systems that InTAR compares itself with, at a prompt and a generation of so many tokens each."""
    for row in published_table("gpt2_dsps").to_dict("records"):
        (at,) = (each for each in gpt2_rows(row["system"]) if each.input_len == each.output_len == length)
        source = f"{at.source}; DSPs: {row['source']}"
        yield Rival(at.system, float(row["dsp"]), at.ttft_ms, at.speed_tok_per_s, source)
