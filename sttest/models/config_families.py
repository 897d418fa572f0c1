"""The fields of each family of Hugging Face that decide values, with the defaults of transformers 5.

Each class is a ``configuration_*.py`` of transformers: what it lacks is passed over or refused by
:mod:`sttest.models.config_file`.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sttest.core.errors import InputError
from sttest.models.config import Activation, DecoderConfig, Family, Norm
from sttest.models.config_learned import (
    Context,
    Count,
    Eps,
    Gpt2,
    Opt,
    Positive,
    Size,
    Vocab,
    activation_named,
    head_dim_of,
)
from sttest.models.layer_types import FULL, SLIDING, every, layer_types, window_fields
from sttest.models.rope_fields import Rope, RopeFields

Window = Annotated[int, Field(ge=2, le=2**20)]
_SILU: dict[str, Activation] = {"silu": "silu", "swish": "silu"}
_GEMMA_ACTIVATIONS: dict[str, Activation] = {"gelu_pytorch_tanh": "gelu_tanh"}
# The released configurations of the first Gemma say "gelu" and mean the tanh form (transformers, GemmaConfig).
_GEMMA_1_ACTIVATIONS: dict[str, Activation] = {"gelu": "gelu_tanh", **_GEMMA_ACTIVATIONS}


class _Rotary(RopeFields):
    """A block with RMSNorm, a gated feed-forward network and rotary positions."""

    doubles: ClassVar[dict[str, str]] = {}
    never_null: ClassVar[tuple[str, ...]] = ()
    reads_layer_types: ClassVar[bool] = False
    """Whether transformers reads ``layer_types`` of the family."""
    heads_divide: ClassVar[bool] = False
    """Whether transformers wants a width that heads divide even where ``head_dim`` is given."""

    vocab_size: Vocab = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "silu"
    rms_norm_eps: Eps = 1e-6
    tie_word_embeddings: bool = False
    layer_types: list[Literal["full_attention", "sliding_attention"]] | None = None

    def config(self, name: str, path: str, where: str) -> DecoderConfig:
        """What the fields mean; ``where`` is the place for errors."""
        heads = self.num_attention_heads
        if self.heads_divide:
            head_dim_of(self.hidden_size, heads, where)
        rope = self.rope(where)
        return DecoderConfig(
            name,
            public_name=name,
            layers=self.num_hidden_layers,
            hidden=self.hidden_size,
            heads=heads,
            kv_heads=self.num_key_value_heads or heads,
            head_dim=self.head_dim or head_dim_of(self.hidden_size, heads, where),
            vocab=self.vocab_size,
            max_context=self.max_position_embeddings,
            eps=self.rms_norm_eps,
            rope_theta=rope.theta,
            rope_scaling=rope.scaling,
            local_rope_theta=rope.local_theta,
            tied_embeddings=self.tie_word_embeddings,
            source=path,
            **{"ffn": self.intermediate_size, **self._layers(where), **self._family(where)},
        )

    def _family(self, where: str) -> dict[str, Any]:
        raise NotImplementedError

    def _of(self, family: Family, where: str, norm: Norm = "rmsnorm") -> dict[str, Any]:
        return {"family": family, "norm": norm, "activation": self._activation(where)}

    def _activation(self, where: str) -> Activation:
        return activation_named(_SILU, self.hidden_act, f"{where}: hidden_act")

    def _window(self) -> int | None:
        """Positions that layers with a sliding window see."""
        return None

    def _types(self, window: int | None) -> list[str]:
        """Types of layers where the file says nothing."""
        return [FULL if window is None else SLIDING] * self.num_hidden_layers

    def _layers(self, where: str) -> dict[str, Any]:
        window = self._window()
        kinds = layer_types(self.layer_types, self._types(window), where, reads=self.reads_layer_types)
        return window_fields(kinds, window, where)


class _Llama(_Rotary):
    heads_divide: ClassVar[bool] = True

    attention_bias: bool = False
    mlp_bias: bool = False

    def _family(self, where: str) -> dict[str, Any]:
        bias = {"qkv_bias": self.attention_bias, "o_bias": self.attention_bias, "mlp_bias": self.mlp_bias}
        return {**self._of("llama", where), **bias}


class _Mistral(_Rotary):
    doubles: ClassVar[dict[str, str]] = {"sliding_window_size": "sliding_window"}
    never_null: ClassVar[tuple[str, ...]] = ("num_key_value_heads",)

    intermediate_size: Size = 14336
    num_key_value_heads: Count | None = 8
    max_position_embeddings: Context = 131072
    sliding_window: Window | None = 4096

    def _family(self, where: str) -> dict[str, Any]:
        return self._of("mistral", where)

    def _window(self) -> int | None:
        return self.sliding_window


class _Phi3(_Mistral):
    never_null: ClassVar[tuple[str, ...]] = ("head_dim", "partial_rotary_factor")
    rope_kinds: ClassVar[tuple[str, ...]] = ("default",)

    vocab_size: Vocab = 32064
    hidden_size: Size = 3072
    intermediate_size: Size = 8192
    num_key_value_heads: Count | None = None
    max_position_embeddings: Context = 4096
    original_max_position_embeddings: Context = 4096
    rms_norm_eps: Eps = 1e-5
    sliding_window: Window | None = None
    attention_bias: Literal[False] = False

    def _family(self, where: str) -> dict[str, Any]:
        return self._of("phi3", where)


class _Qwen2(_Rotary):
    doubles: ClassVar[dict[str, str]] = {"sliding_window_size": "sliding_window"}
    never_null: ClassVar[tuple[str, ...]] = ("head_dim",)
    reads_layer_types: ClassVar[bool] = True

    vocab_size: Vocab = 151936
    intermediate_size: Size = 22016
    num_key_value_heads: Count | None = 32
    max_position_embeddings: Context = 32768
    use_sliding_window: bool = False
    sliding_window: Window | None = 4096
    max_window_layers: Annotated[int, Field(ge=0)] = 28

    def _family(self, where: str) -> dict[str, Any]:
        return {**self._of("qwen2", where), "qkv_bias": True}

    def _window(self) -> int | None:
        return self.sliding_window if self.use_sliding_window else None

    def _types(self, window: int | None) -> list[str]:
        if window is None:
            return super()._types(window)
        return [FULL if n < self.max_window_layers else SLIDING for n in range(self.num_hidden_layers)]


class _Qwen3(_Qwen2):
    head_dim: Size | None = 128
    attention_bias: bool = False

    def _family(self, where: str) -> dict[str, Any]:
        bias = {"qkv_bias": self.attention_bias, "o_bias": self.attention_bias}
        return {**self._of("qwen3", where), "qk_norm": True, **bias}


class _Qwen3Moe(_Qwen3):
    never_null: ClassVar[tuple[str, ...]] = ("num_key_value_heads", "head_dim")
    reads_layer_types: ClassVar[bool] = False

    head_dim: Size | None = None
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 4
    moe_intermediate_size: Size = 768
    num_experts_per_tok: Count = 8
    num_experts: Count | None = None
    num_local_experts: Count | None = None  # another name for it, under which transformers 5 writes it
    norm_topk_prob: Literal[True]
    decoder_sparse_step: Literal[1] = 1

    def _types(self, window: int | None) -> list[str]:
        return [FULL if window is None else SLIDING] * self.num_hidden_layers

    def _family(self, where: str) -> dict[str, Any]:
        if None not in (self.num_experts, self.num_local_experts) and self.num_experts != self.num_local_experts:
            what = f"{self.num_local_experts} experts, and {self.num_experts} by num_experts"
            raise InputError("bad-value", what, where=f"{where}: num_local_experts", hints=["delete one of them"])
        count = self.num_experts or self.num_local_experts or 128
        experts = {"experts": count, "experts_per_token": self.num_experts_per_tok}
        return {**super()._family(where), "family": "qwen3_moe", "ffn": self.moe_intermediate_size, **experts}


class _Mixtral(_Mistral):
    doubles: ClassVar[dict[str, str]] = {**_Mistral.doubles, "num_experts": "num_local_experts"}
    default_theta: ClassVar[float] = 1_000_000.0

    num_experts_per_tok: Count = 2
    num_local_experts: Count = 8
    rms_norm_eps: Eps = 1e-5
    sliding_window: Window | None = None

    def _family(self, where: str) -> dict[str, Any]:
        experts = {"experts": self.num_local_experts, "experts_per_token": self.num_experts_per_tok}
        return {**super()._family(where), "family": "mixtral", **experts}


class _Gemma(_Rotary):
    never_null: ClassVar[tuple[str, ...]] = ("num_key_value_heads", "head_dim", "hidden_act")

    vocab_size: Vocab = 256000
    hidden_size: Size = 3072
    intermediate_size: Size = 24576
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = 16
    head_dim: Size | None = 256
    hidden_act: str | None = None  # pyright: ignore[reportIncompatibleVariableOverride] - one of two names for it
    hidden_activation: str | None = None
    reads_activation: ClassVar[str] = "hidden_act"
    """Which of both names transformers reads."""
    max_position_embeddings: Context = 8192
    tie_word_embeddings: bool = True
    attention_bias: bool = False
    use_bidirectional_attention: Literal[False] | None = None

    def _family(self, where: str) -> dict[str, Any]:
        return self._gemma("gemma", where)

    def _gemma(self, family: Family, where: str) -> dict[str, Any]:
        bias = {"qkv_bias": self.attention_bias, "o_bias": self.attention_bias}
        return {**self._of(family, where, "rmsnorm_plus_one"), **bias}

    def _activation(self, where: str) -> Activation:
        for name in ("hidden_act", "hidden_activation"):
            known = _GEMMA_ACTIVATIONS if name == self.reads_activation == "hidden_activation" else _GEMMA_1_ACTIVATIONS
            activation_named(known, getattr(self, name) or "gelu_pytorch_tanh", f"{where}: {name}")
        return "gelu_tanh"


class _Gemma2(_Gemma):
    doubles: ClassVar[dict[str, str]] = {"sliding_window_size": "sliding_window"}
    never_null: ClassVar[tuple[str, ...]] = ("num_key_value_heads", "head_dim", "hidden_activation")
    reads_layer_types: ClassVar[bool] = True
    reads_activation: ClassVar[str] = "hidden_activation"
    heads_divide: ClassVar[bool] = True

    hidden_size: Size = 2304
    intermediate_size: Size = 9216
    num_hidden_layers: Count = 26
    num_attention_heads: Count = 8
    num_key_value_heads: Count | None = 4
    query_pre_attn_scalar: Annotated[int, Field(ge=1, lt=2**31)] = 256
    sliding_window: Window | None = 4096
    final_logit_softcapping: Positive | None = 30.0
    attn_logit_softcapping: Positive | None = 50.0

    def _family(self, where: str) -> dict[str, Any]:
        return {
            **self._gemma("gemma2", where),
            "post_norms": True,
            "query_scalar": None if self.query_pre_attn_scalar == self.head_dim else self.query_pre_attn_scalar,
            "attention_cap": self.attn_logit_softcapping,
            "logit_cap": self.final_logit_softcapping,
        }

    def _window(self) -> int | None:
        return self.sliding_window

    def _types(self, window: int | None) -> list[str]:
        return every(2, self.num_hidden_layers)


class _Gemma3(_Gemma2):
    never_null: ClassVar[tuple[str, ...]] = (*_Gemma2.never_null, "rope_local_base_freq")
    vocab_size: Vocab = 262208
    max_position_embeddings: Context = 131072
    final_logit_softcapping: Positive | None = None
    attn_logit_softcapping: None = None  # pyright: ignore[reportIncompatibleVariableOverride] - nothing reads it
    sliding_window_pattern: Count = 6

    def rope(self, where: str) -> Rope:
        """Rotary positions of global layers, and the base of local ones."""
        return self.rope_by_kind(where, global_theta=1_000_000.0, local_theta=10_000.0)

    def _family(self, where: str) -> dict[str, Any]:
        return {**super()._family(where), **self._gemma("gemma3_text", where), "qk_norm": True}

    def _types(self, window: int | None) -> list[str]:
        return every(self.sliding_window_pattern, self.num_hidden_layers)


FAMILIES: dict[str, type[Gpt2] | type[Opt] | type[_Rotary]] = {
    "gpt2": Gpt2,
    "opt": Opt,
    "llama": _Llama,
    "mistral": _Mistral,
    "qwen2": _Qwen2,
    "qwen3": _Qwen3,
    "gemma": _Gemma,
    "gemma2": _Gemma2,
    "gemma3_text": _Gemma3,
    "phi3": _Phi3,
    "qwen3_moe": _Qwen3Moe,
    "mixtral": _Mixtral,
}
