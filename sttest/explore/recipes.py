"""Recipes: sets of compile options for a block of a model, in the order of their promise, largest first.

A decode step's products have so many lanes that they read weights as fast as a U55C's memory brings them; a prompt is a
pipeline of rows through all tasks, none of which takes longer than the largest product.  A search starts from them
(``experiments/best``), and the design that ``sttest compile`` takes by default is the first that fits
(:mod:`sttest.explore.fitting`).
"""

from dataclasses import dataclass

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions, Sharing
from sttest.explore.assumptions import LEAST_STEPS
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase


@dataclass(frozen=True)
class Block:
    """A block of a model in a phase."""

    config: DecoderConfig  # configuration of the model
    phase: Phase
    tokens: int  # tokens that enter the block, of a sequence
    context: int  # tokens in the cache

    @property
    def weights(self) -> int:
        """Weights of its products; of a block of experts, of one expert."""
        one = self.config
        of_heads = one.hidden * one.head_dim * 2 * (one.heads + one.kv_heads)
        return of_heads + one.hidden * one.ffn * (3 if one.gated else 2)

    @property
    def keys(self) -> int:
        """Positions that a token attends to at most."""
        return self.tokens + self.context


@dataclass(frozen=True)
class Recipe:
    """Compile options, and rules for the lanes that they do not name."""

    options: CompileOptions  # lanes that they do not name are the compiler's
    attention: int = 0  # lanes of the products of attention; 0 for the compiler's
    others: int = 0  # most lanes of tasks that are no products, twice as many for those that quantize; 0: no bound
    norms: int = 0  # lanes of the unit that quantizes what norms give; 0 for those of the others that quantize
    # if not 0, every task has the fewest lanes with which it keeps pace with the largest product on so many
    paced: int = 0
    layers: int = 0  # layers of a launch, where its lanes are looked for in a launch of fewer; 0: as the options say


def recipes(block: Block, base: CompileOptions) -> dict[str, Recipe]:
    """The recipes of a block by name, over the options of a base, whose budget decides which they are.

    Args:
        block: what is compiled.
        base: budget, flow, precision and whatever else a recipe does not decide.
    """
    return _prefill_recipes(block, base) if block.phase == "prefill" else _decode_recipes(block, base)


def ladder(block: Block, base: CompileOptions) -> dict[str, Recipe]:
    """The recipes of a block and smaller ones, fastest first: what a design that fits is looked for on.

    Lanes that would go through all weights in a few steps are left out: filling and draining takes longer then.
    """
    if block.phase == "prefill":
        return _prefill_ladder(block, base)
    sizes = [each for each in (*_DECODE_SIZES[base.budget], *_SMALL_SIZES) if _is_worth(block, each.products)]
    return {each.name: _decode_recipe(block, base, each) for each in sizes or _SMALL_SIZES[-1:]}


def _is_worth(block: Block, lanes: int) -> bool:
    return lanes * LEAST_STEPS <= block.weights


def any_text_ladder(base: CompileOptions) -> dict[str, Recipe]:
    """The same for text of which nothing is known: tasks with hardware of their own, then units that tasks share."""
    return {
        f"{share}-{lanes}-first-{first}-bits-{bits}": Recipe(
            base.with_(share=share, overall_unroll=lanes, first_lanes=first, vector_bits=bits)
        )
        for share, lanes, first, bits in _ANY_TEXT
    }


_ANY_TEXT: tuple[tuple[Sharing, int, int, int], ...] = (
    ("none", 4096, 16, 4096), ("none", 4096, 16, 512), ("none", 2048, 8, 512), ("none", 1024, 4, 256),
    ("all", 2048, 8, 512), ("all", 1024, 4, 256), ("all", 512, 4, 128), ("all", 256, 2, 128), ("all", 128, 1, 128),
    ("all", 64, 1, 64),
)  # fmt: skip

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
    norms: int = 0  # lanes that quantize what norms give; 0 for as many as of the others

    @property
    def name(self) -> str:
        """As the recipe is called."""
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


def _decode_recipes(block: Block, base: CompileOptions) -> dict[str, Recipe]:
    return {sizes.name: _decode_recipe(block, base, sizes) for sizes in _DECODE_SIZES[base.budget]}


_SMALL_SIZES = (
    _Sizes(1024, 256, 8, 128), _Sizes(1024, 128, 8, 128, 0), _Sizes(512, 128, 8, 128, 0), _Sizes(256, 64, 4, 128, 0),
    _Sizes(128, 32, 2, 128, 0), _Sizes(64, 16, 1, 64, 0),
)  # fmt: skip


def _decode_recipe(block: Block, base: CompileOptions, sizes: _Sizes) -> Recipe:
    options = base.with_(
        share="all", overall_unroll=4096, product_units=4, orders=_columns_first(block), buffer_rereads_kib=16,
        gemv_lanes=sizes.products, tiles=attention_tiles(block, sizes.attention), vector_bits=sizes.bits,
        prefetch_kib=sizes.ahead_kib, seldom_bursts=sizes.seldom if base.flow == "rtl" else 0,
    )  # fmt: skip
    return Recipe(options, sizes.attention, sizes.others, sizes.norms)


def _columns_first(block: Block) -> tuple[str, ...]:
    """Products that give their results evenly, so that what follows takes them with an eighth of the lanes."""
    return ("*_proj:0,1,2", *(("mlp_fc?:0,1,2",) if not block.config.gated else ()))


def attention_tiles(block: Block, lanes: int) -> tuple[str, str]:
    """Tiles of both products of attention, of so many points for all query heads that share a cache.

    Both are some tokens of the cache by all points of a head.
    """
    config = block.config
    heads = ["1"] * (config.kv_heads > 1) + [str(config.group)] * (config.group > 1)
    # Lanes are a power of two, so that they cannot all go over a number of heads that is none.
    shared, tokens = config.group if config.group.bit_count() == 1 else 1, 1
    while 2 * tokens * shared * config.head_dim <= lanes and block.context % (2 * tokens) == 0:
        tokens *= 2
    size = str(config.head_dim)
    return "attn_scores:" + "x".join([*heads, str(tokens), size]), "attn_mix:" + "x".join([*heads, size, str(tokens)])


# --- A prompt: a pipeline of rows through all tasks, none of which takes longer than the largest product

_WIDE_PRODUCTS = ((4096, 1), (2048, 1), (1024, 1))
_PREFILL_LANES: dict[BudgetName, tuple[tuple[int, int], ...]] = {
    "tight": ((2048, 2), (1024, 1), (512, 1)), "published": _WIDE_PRODUCTS, "all": _WIDE_PRODUCTS,
}  # fmt: skip
"""Lanes of the largest product and the units that it is split into, in the order of their promise."""
_SMALL_LANES = ((256, 1), (128, 1), (64, 1))
_ROWS = (8, 4)
"""Rows that a weight is used for when it has come from memory, where the whole tensor is not kept on the chip."""
_MOST_KEPT_KIB = 1024
"""The largest weight of attention that is kept beside others."""
_ATTENTION_TILE = 64
"""Points of a tile's side in the products of attention."""


def _prefill_recipes(block: Block, base: CompileOptions) -> dict[str, Recipe]:
    config = block.config
    found: dict[str, Recipe] = {}
    # As many as make no more FIFO accesses than a run may have.
    layers = 2 if config.gated else config.layers // 4
    for lanes, units in _PREFILL_LANES[base.budget]:
        split = base.with_(product_units=units)
        if not config.gated:
            found[f"rows-{lanes}-kept"] = Recipe(_rows_kept(block, split), paced=lanes, layers=config.layers)
        keeps = _keeps_attention(block)
        for rows in _ROWS:
            # Where two units read weights again, they read the input, too: in two orders, which no loop of layers can.
            of_launch = layers if keeps or units == 1 else 1
            name = f"rows-{lanes}-{'attention-kept' if keeps else 'again'}-{rows}"
            found[name] = Recipe(_rows_by(block, split, rows), paced=lanes, layers=of_launch)
    return found


def _prefill_ladder(block: Block, base: CompileOptions) -> dict[str, Recipe]:
    """Few rows at a time are in the pipeline soonest; more rows and wider tokens are fewer tokens of a long prompt."""
    found: dict[str, Recipe] = {}
    sizes = [each for each in (*_PREFILL_LANES[base.budget], *_SMALL_LANES) if _is_worth(block, each[0])]
    for lanes, units in sizes or _SMALL_LANES[-1:]:
        split = base.with_(product_units=units)
        found[f"rows-{lanes}-by-4"] = Recipe(_rows_by(block, split, 4), paced=lanes)
        long = _rows_again(block, split, 8).with_(vector_bits=512)
        found[f"rows-{lanes}-by-8-bits-512"] = Recipe(long, paced=lanes)
    return found


def _rows_by(block: Block, base: CompileOptions, rows: int) -> CompileOptions:
    """Weights come for so many rows at a time; those of attention are kept on the chip where they are small."""
    return (_rows_attention_kept if _keeps_attention(block) else _rows_again)(block, base, rows)


def _keeps_attention(block: Block) -> bool:
    config = block.config
    return config.hidden * config.heads * config.head_dim // 2 <= _MOST_KEPT_KIB * 1024


def _rows_kept(block: Block, base: CompileOptions) -> CompileOptions:
    """All weights of a layer are kept on the chip, and every row meets them one by one."""
    return _rows(block, base, ("attn_?_proj:1x128x1x128", f"{_mlp(block)}:1x128x1x128"), 4096)


def _rows_attention_kept(block: Block, base: CompileOptions, rows: int) -> CompileOptions:
    """Those of attention are kept; those of the MLP, which are the larger ones, come again for every few rows."""
    return _rows(block, base, ("attn_?_proj:1x128x1x128", f"{_mlp(block)}:{rows}x32x1x128"), _MOST_KEPT_KIB)


def _rows_again(block: Block, base: CompileOptions, rows: int) -> CompileOptions:
    """All weights come again for every few rows."""
    return _rows(block, base, tuple(f"{name}:{rows}x32x1x128" for name in ("attn_?_proj", _mlp(block))), 300)


def _mlp(block: Block) -> str:
    return "mlp_*_proj" if block.config.gated else "mlp_fc?"


def _rows(block: Block, base: CompileOptions, products: tuple[str, ...], kept_kib: int) -> CompileOptions:
    config = block.config
    sizes = ("1x128", "1", "1x128") if config.norm != "layernorm" else ("1x128", "1x128", "1", "1x128")
    norms = (f"{part}_norm{f'_{number}' if number > 1 else ''}:{size}"
             for part in ("attn", "mlp") for number, size in enumerate(sizes, 1))  # fmt: skip
    rows = ["1"] * (config.kv_heads > 1) + ["1"] + ["1"] * (config.group > 1)
    keys, size = str(_side(block.keys)), str(_side(config.head_dim))
    dims = ",".join(str(dim) for dim in range(len(rows) + 2))
    return base.with_(
        share="none", vector_bits=256, buffer_rereads_kib=kept_kib, flatten_bottleneck_loops=True,
        tiles=(*norms, *products, f"attn_scores:{'x'.join([*rows, keys, size])}",
               f"attn_mix:{'x'.join([*rows, size, keys])}"),
        orders=(f"attn_scores:{dims}", f"attn_mix:{dims}"),
    )  # fmt: skip


def _side(points: int) -> int:
    """The largest power of two up to 64 that divides a loop.

    >>> _side(48), _side(256)
    (16, 64)
    """
    return min(_ATTENTION_TILE, points & -points)
