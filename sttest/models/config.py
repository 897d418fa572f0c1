"""What a decoder-only language model is made of, as far as one of its blocks shows."""

from dataclasses import dataclass
from typing import Literal

from sttest.core.errors import InputError

Activation = Literal["gelu_tanh", "silu", "relu"]
Norm = Literal["layernorm", "rmsnorm", "rmsnorm_plus_one"]
LayerKind = Literal["global", "local"]
Family = Literal[
    "gpt2",
    "opt",
    "llama",
    "mistral",
    "qwen2",
    "qwen3",
    "gemma",
    "gemma2",
    "gemma3_text",
    "phi3",
    "qwen3_moe",
    "mixtral",
    "mamba2",
]

Maximum = Literal["chunk", "running"]
"""What the softmax weights of a chunk of positions are under: their own maximum, or the running one."""


@dataclass(frozen=True)
class Llama3Scaling:
    """Llama 3 frequency scaling (Llama-3.1 model card, ``rope_scaling`` of its configuration).

    Wavelengths above ``original_context / low`` positions are stretched by
    ``factor``, those below ``original_context / high`` are kept, and those
    between are blended.
    """

    factor: float
    low: float
    high: float
    original_context: int
    kind: Literal["llama3"] = "llama3"


@dataclass(frozen=True)
class LinearScaling:
    """Every wavelength is stretched by ``factor`` (Chen et al., arXiv 2306.15595)."""

    factor: float
    kind: Literal["linear"] = "linear"


@dataclass(frozen=True)
class YarnScaling:
    """YaRN (Peng et al., arXiv 2309.00071), as transformers computes it.

    Components that turn fewer than ``slow`` times over ``original_context`` positions are stretched by ``factor``,
    those that turn more than ``fast`` times are kept, and those between are blended; all rotations are scaled by
    ``attention_factor``.
    """

    factor: float
    original_context: int
    attention_factor: float
    fast: float = 32.0
    slow: float = 1.0
    truncate: bool = True
    kind: Literal["yarn"] = "yarn"


OF_FAMILIES = ("experts", "state", "ranks")
"""Fields that are 0 or empty where a block has attention and one network behind it; a family knows each."""


@dataclass(frozen=True)
class DecoderConfig:
    """One decoder family at one size; sizes count elements, contexts count tokens.

    Args:
        name: the name by which commands know it.
        public_name: the name under which it is published.
        family: ``model_type`` of Hugging Face, whose tensor names a checkpoint has.
        hidden: width of the residual stream.
        ffn: width inside the feed-forward network, or of each expert's, ``ffn_padding`` zeros included.
        heads: query heads; ``kv_heads`` of them have keys and values of their own.
        gated: whether the feed-forward network multiplies by an up projection.
        norm: ``rmsnorm_plus_one`` scales by 1 + weight.
        post_norms: whether attention and feed-forward outputs are normalized before they are added.
        rope_theta: base of the rotary embedding, None where positions are learned.
        local_rope_theta: base on layers with a sliding window, where it is another one; ``rope_scaling`` is not theirs.
        sliding_window: positions that a local layer sees, itself included.
        global_every: every so-manieth layer is global, the others local; 0 is none.
        layer_kinds: the kind of each layer, where they do not alternate so; empty where they do.
        query_scalar: attention scores are multiplied by its inverse square root; None is ``head_dim``.
        attention_cap: bound of attention scores, which ``cap * tanh(score / cap)`` approaches; None is none.
        logit_cap: the same of logits.
        experts: feed-forward networks of which a router chooses ``experts_per_token`` for each token; 0 is one network
            for all tokens.
        state: width of a state-space block's state; 0 is a block with attention.  ``heads`` are those of the state,
            each ``head_dim`` wide, and ``kv_heads`` the groups of them that share ``B`` and ``C``; ``ffn`` is 0.
        conv_kernel: tokens that the convolution of a state-space block reaches over, its own included.
        ranks: linear layers of the block in two factors, by name, and the rank of each.
        source: where the numbers come from.
    """

    name: str
    public_name: str
    family: Family
    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    max_context: int
    activation: Activation
    norm: Norm
    eps: float
    source: str
    gated: bool = True
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    post_norms: bool = False
    rope_theta: float | None = None
    local_rope_theta: float | None = None
    rope_scaling: Llama3Scaling | LinearScaling | YarnScaling | None = None
    sliding_window: int | None = None
    global_every: int = 1
    layer_kinds: tuple[LayerKind, ...] = ()
    query_scalar: float | None = None
    attention_cap: float | None = None
    logit_cap: float | None = None
    tied_embeddings: bool = True
    ffn_padding: int = 0
    experts: int = 0
    experts_per_token: int = 0
    state: int = 0
    conv_kernel: int = 0
    ranks: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if self.experts and not 1 <= self.experts_per_token <= self.experts:
            raise InputError(
                "bad-config",
                f"a token cannot have {self.experts_per_token} of {self.experts} experts",
                where=self.name,
                hints=[f"make experts_per_token 1 to {self.experts}"],
            )
        if self.experts and (self.mlp_bias or not self.gated):
            raise InputError(
                "bad-config",
                "experts are gated and have no biases",
                where=self.name,
                hints=["set gated to true and mlp_bias to false"],
            )
        if self.state and (self.conv_kernel < 2 or self.ffn or self.experts):
            raise InputError(
                "bad-config",
                "a state-space block has a convolution over 2 tokens or more, and no network behind it",
                where=self.name,
                hints=["set conv_kernel to 2 or more, ffn and experts to 0"],
            )
        if self.layer_kinds and len(self.layer_kinds) < self.layers:
            raise InputError(
                "bad-config",
                f"{len(self.layer_kinds)} kinds for {self.layers} layers",
                where=self.name,
                hints=["give layer_kinds one for each layer, or none"],
            )
        if self.heads % self.kv_heads:
            raise InputError(
                "bad-config",
                f"{self.heads} query heads cannot share {self.kv_heads} key-value heads evenly",
                where=self.name,
                hints=["make heads a multiple of kv_heads"],
            )
        if self.rope_theta is not None and self.head_dim % 2:
            raise InputError(
                "bad-config",
                f"a rotary embedding needs an even head_dim, not {self.head_dim}",
                where=self.name,
                hints=["make head_dim even"],
            )

    @property
    def group(self) -> int:
        """Query heads per key-value head."""
        return self.heads // self.kv_heads

    @property
    def score_scale(self) -> float:
        """What attention scores are multiplied by."""
        return (self.query_scalar or self.head_dim) ** -0.5

    def layer_kind(self, layer: int) -> LayerKind:
        """Whether ``layer``, counted from 0, sees everything or only its window.

        Raises:
            InputError: there is no such layer.
        """
        if not 0 <= layer < self.layers:
            raise InputError(
                "no-such-layer",
                f"layer {layer} asked for",
                where=self.name,
                hints=[f"choose a layer from 0 to {self.layers - 1}"],
            )
        if self.sliding_window is not None and self.layer_kinds:
            return self.layer_kinds[layer]
        if self.sliding_window is None or (self.global_every and (layer + 1) % self.global_every == 0):
            return "global"
        return "local"

    @property
    def inputs_per_layer(self) -> tuple[str, ...]:
        """Names of a block's inputs that are not the same for all layers: masks, and rotary tables of two bases.

        >>> from sttest.models.registry import get_config
        >>> get_config("gemma").inputs_per_layer, get_config("llama").inputs_per_layer
        (('mask', 'mask_new', 'rope'), ())
        """
        if len({self.layer_kind(number) for number in range(self.layers)}) == 1:
            return ()
        return ("mask", "mask_new", *(("rope",) if self.local_rope_theta is not None else ()))
