"""What designs are looked for: a decode step and a prompt of every model, under a budget of the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase
from sttest.models.registry import get_config
from sttest.studies.workload import WorkloadShape, model_text

BOARD = "u55c"
MODELS = ("gpt2", "qwen", "llama", "gemma", "llama-3.1-8b", "qwen3-8b")
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


@dataclass(frozen=True)
class Base:
    """What a search starts from.

    Attributes:
        knobs: compile options; lanes that they do not name are the compiler's.
        attention: lanes of the products of attention; 0 for the compiler's.
        others: most lanes of the tasks that are no products, twice as many for those that quantise; 0 for no bound.
        norms: lanes of the unit that quantises what norms give; 0 for those of the others that quantise.
        paced: if not 0, every task has the fewest lanes with which it keeps pace with the largest product on so many.
        layers: of a launch, where its lanes are looked for in a launch of fewer; 0 for those of the knobs.
    """

    knobs: CompileOptions
    attention: int = 0
    others: int = 0
    norms: int = 0
    paced: int = 0
    layers: int = 0


def bases(case: Case) -> dict[str, Base]:
    """What the searches of a case start from, by name."""
    return _prefill_bases(case) if case.phase == "prefill" else _decode_bases(case)


# --- A decode step: products of 4,096 lanes read weights as fast as the board's memory brings them


@dataclass(frozen=True)
class _Sizes:
    """Lanes of products and attention, most lanes of others, bits of a token, room to read ahead, and small ports."""

    products: int
    attention: int
    others: int
    bits: int
    ahead_kib: int = 8192
    # bursts in flight of ports of small parameters, whose words then need no block RAM; 0 for as many as of others
    seldom: int = 0
    norms: int = 0  # lanes that quantise what norms give; 0 for as many as of the others

    @property
    def name(self) -> str:
        """As a base is called."""
        ahead = f"-ahead-{self.ahead_kib}" if self.ahead_kib else ""
        seldom = "-seldom" if self.seldom else ""
        lanes = f"products-{self.products}-attention-{self.attention}-others-{self.others}"
        norms = f"-norms-{self.norms}" if self.norms else ""
        return f"{lanes}-bits-{self.bits}{ahead}{seldom}{norms}"


_WIDE = (_Sizes(4096, 2048, 32, 512), _Sizes(4096, 1024, 32, 512), _Sizes(4096, 512, 16, 512))
_DECODE_SIZES: dict[BudgetName, tuple[_Sizes, ...]] = {
    "tight": (
        _Sizes(4096, 512, 8, 128), _Sizes(4096, 512, 8, 128, 8192, 1), _Sizes(4096, 512, 8, 128, 0),
        _Sizes(4096, 512, 8, 128, 0, norms=64),
        _Sizes(4096, 256, 16, 128, 0), _Sizes(4096, 256, 8, 128), _Sizes(4096, 256, 8, 128, 8192, 1),
        _Sizes(4096, 256, 8, 128, 0), _Sizes(4096, 128, 8, 128, 0), _Sizes(4096, 256, 4, 128, 0),
        _Sizes(2048, 512, 8, 256), _Sizes(2048, 256, 8, 128),
    ),
    "published": _WIDE,
    "all": _WIDE,
}  # fmt: skip


def _decode_bases(case: Case) -> dict[str, Base]:
    shared = CompileOptions(
        flow=FLOW, budget=case.budget, share="all", layers=case.config.layers, overall_unroll=4096, product_units=4,
        orders=_columns_first(case), buffer_rereads_kib=16,
    )  # fmt: skip
    found: dict[str, Base] = {}
    for sizes in _DECODE_SIZES[case.budget]:
        knobs = shared.with_(
            gemv_lanes=sizes.products, tiles=attention_tiles(case.config, sizes.attention), vector_bits=sizes.bits,
            prefetch_kib=sizes.ahead_kib, seldom_bursts=sizes.seldom,
        )  # fmt: skip
        found[sizes.name] = Base(knobs, sizes.attention, sizes.others, sizes.norms)
    return found


def _columns_first(case: Case) -> tuple[str, ...]:
    """Products that give their results evenly, so that what follows takes them with an eighth of the lanes."""
    return ("*_proj:0,1,2", *(("mlp_fc?:0,1,2",) if not case.config.gated else ()))


def attention_tiles(config: DecoderConfig, lanes: int) -> tuple[str, str]:
    """Tiles of both products of attention, of so many points for all query heads that share a cache.

    Both are some tokens of the cache by all points of a head.
    """
    heads = ["1"] * (config.kv_heads > 1) + [str(config.group)] * (config.group > 1)
    # Lanes are a power of two, so that they cannot all go over a number of heads that is none.
    shared, tokens = config.group if config.group.bit_count() == 1 else 1, 1
    while 2 * tokens * shared * config.head_dim <= lanes and tokens < LENGTH:
        tokens *= 2
    size = str(config.head_dim)
    return "attn_scores:" + "x".join([*heads, str(tokens), size]), "attn_mix:" + "x".join([*heads, size, str(tokens)])


# --- A prompt: a pipeline of rows through all tasks, none of which takes longer than the largest product

_PREFILL_LANES: dict[BudgetName, tuple[int, ...]] = {
    "tight": (1024, 512), "published": (4096, 2048, 1024), "all": (4096, 2048, 1024),
}  # fmt: skip
"""Lanes of the largest product, in the order of their promise."""
_ROWS = (8, 4)
"""Rows that a weight is used for when it has come from memory, where the whole tensor is not kept on the chip."""
_MOST_KEPT_KIB = 1024
"""The largest weight of attention that is kept beside others."""


def _prefill_bases(case: Case) -> dict[str, Base]:
    config = case.config
    found: dict[str, Base] = {}
    # As many as make no more FIFO accesses than a run may have.
    layers = 2 if config.gated else config.layers // 4
    for lanes in _PREFILL_LANES[case.budget]:
        if not config.gated:
            found[f"rows-{lanes}-kept"] = Base(_rows_kept(case), paced=lanes, layers=config.layers)
        for rows in _ROWS:
            if config.hidden * config.heads * config.head_dim // 2 <= _MOST_KEPT_KIB * 1024:
                kept = _rows_attention_kept(case, rows)
                found[f"rows-{lanes}-attention-kept-{rows}"] = Base(kept, paced=lanes, layers=layers)
            else:
                found[f"rows-{lanes}-again-{rows}"] = Base(_rows_again(case, rows), paced=lanes, layers=layers)
    return found


def _rows_kept(case: Case) -> CompileOptions:
    """All weights of a layer are kept on the chip, and every row meets them one by one."""
    return _rows(case, ("attn_?_proj:1x128x1x128", f"{_mlp(case)}:1x128x1x128"), 4096)


def _rows_attention_kept(case: Case, rows: int) -> CompileOptions:
    """Those of attention are kept; those of the MLP, which are the larger ones, come again for every few rows."""
    return _rows(case, ("attn_?_proj:1x128x1x128", f"{_mlp(case)}:{rows}x32x1x128"), _MOST_KEPT_KIB)


def _rows_again(case: Case, rows: int) -> CompileOptions:
    """All weights come again for every few rows."""
    return _rows(case, tuple(f"{name}:{rows}x32x1x128" for name in ("attn_?_proj", _mlp(case))), 300)


def _mlp(case: Case) -> str:
    return "mlp_*_proj" if case.config.gated else "mlp_fc?"


def _rows(case: Case, products: tuple[str, ...], kept_kib: int) -> CompileOptions:
    config = case.config
    sizes = ("1x128", "1", "1x128") if config.norm != "layernorm" else ("1x128", "1x128", "1", "1x128")
    norms = (f"{part}_norm{f'_{number}' if number > 1 else ''}:{size}"
             for part in ("attn", "mlp") for number, size in enumerate(sizes, 1))  # fmt: skip
    heads = ["1"] * (config.kv_heads > 1)
    attention = "x".join([*heads, "1", *(["1"] * (config.group > 1)), "64", "64"])
    dims = ",".join(str(dim) for dim in range(attention.count("x") + 1))
    return CompileOptions(
        flow=FLOW, budget=case.budget, share="none", vector_bits=256,
        buffer_rereads_kib=kept_kib, flatten_bottleneck_loops=True,
        tiles=(*norms, *products, f"attn_scores:{attention}", f"attn_mix:{attention}"),
        orders=(f"attn_scores:{dims}", f"attn_mix:{dims}"),
    )  # fmt: skip
