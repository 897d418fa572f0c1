"""What designs are looked for: a decode step and a prompt of every model."""

from __future__ import annotations

from dataclasses import dataclass

from sttest.compile.options import CompileOptions
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase
from sttest.models.registry import get_config
from sttest.studies.workload import WorkloadShape, model_text

BOARD = "u55c"
MODELS = ("gpt2", "qwen", "llama", "gemma")
PHASES: tuple[Phase, ...] = ("decode", "prefill")
LENGTH = 256
"""Tokens in the cache of a decode step, and of a prompt."""


@dataclass(frozen=True)
class Case:
    """A phase of a model.

    Attributes:
        model, phase: what is run.
    """

    model: str
    phase: Phase

    @property
    def name(self) -> str:
        """As in ``gpt2-decode``."""
        return f"{self.model}-{self.phase}"

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
    """Every model in both phases."""
    return [Case(model, phase) for model in MODELS for phase in PHASES]


def bases(case: Case) -> dict[str, CompileOptions]:
    """Options, but for the lanes, that a search starts from, by name: lanes of products, lanes of all other tasks."""
    if case.phase == "prefill":
        shared = CompileOptions(share="all", vector_bits=512)
        found = {f"lanes-{lanes}": shared.with_(overall_unroll=lanes) for lanes in (2048, 4096, 6144)}
        # The last product of the MLP can work while the one before it does, and those of k and v while that of q does.
        last = "mlp_down*" if case.config.gated else "mlp_fc2*"
        two = shared.with_(tile_size=32, first_lanes=8, own_units=(f"attn_[kv]_proj*+{last}",))
        return found | {f"two-engines-{lanes}": two.with_(overall_unroll=lanes) for lanes in (9216, 10240)}
    shared = CompileOptions(share="all", vector_bits=1024, layers=case.config.layers)
    found: dict[str, CompileOptions] = {}
    for products in (1024, 2048, 4096):
        own = shared.with_(gemv_lanes=products, overall_unroll=2048)
        wide = own.with_(tiles=(_wide_scores(case.config),))
        found |= {f"products-{products}": own, f"products-{products}-wide": wide}
        if products < 4096:
            # Tasks of few lanes read their caches through few ports.
            found[f"products-{products}-lean"] = wide.with_(overall_unroll=1152)
            found[f"products-{products}-together"] = wide.with_(channels="together")
        else:
            narrow = wide.with_(orders=_columns_first(case), vector_bits=512)
            found |= {
                f"products-{products}-columns-{lanes}": narrow.with_(overall_unroll=lanes)
                for lanes in (1536, 2048, 3072)
            }
            # Both caches in long bursts, and room for the weights that come while attention is at work.
            rows = (_wide_scores(case.config), _wide_mix(case.config))
            found[f"products-{products}-rows-ahead"] = narrow.with_(tiles=rows, prefetch_kib=8192)
    return found


def _columns_first(case: Case) -> tuple[str, ...]:
    """Products that give their results evenly, so that what follows takes them with an eighth of the lanes."""
    return ("*_proj:0,1,2", *(("mlp_fc?:0,1,2",) if not case.config.gated else ()))


def _wide_scores(config: DecoderConfig) -> str:
    """A tile of 64 tokens of the cache by all points of a head, for all query heads that share it."""
    return f"attn_scores:{'x'.join([*_heads_of_tile(config), '64', str(config.head_dim)])}"


def _wide_mix(config: DecoderConfig) -> str:
    """The same of the other cache."""
    return f"attn_mix:{'x'.join([*_heads_of_tile(config), str(config.head_dim), '64'])}"


def _heads_of_tile(config: DecoderConfig) -> list[str]:
    return ["1"] * (config.kv_heads > 1) + [str(config.group)] * (config.group > 1)
