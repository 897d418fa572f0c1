"""Fields of a ``config.json`` of families with learned positions, and what those of all families share."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError
from sttest.models.config import Activation, DecoderConfig, Family

Size = Annotated[int, Field(ge=1, le=2**20)]
Count = Annotated[int, Field(ge=1, le=4096)]
Vocab = Annotated[int, Field(ge=2, lt=2**24)]
Context = Annotated[int, Field(ge=2, le=2**31)]
Eps = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[float, Field(gt=0, lt=2**31)]


class FamilyFields(BaseModel):
    """Fields of a family; :meth:`config` is what they mean."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    doubles: ClassVar[dict[str, str]] = {}
    """Other names that files have for a field, which must say the same."""
    never_null: ClassVar[tuple[str, ...]] = ()
    """Fields that transformers takes left out, but not as null."""

    def config(self, name: str, path: str, where: str) -> DecoderConfig:
        """What the fields mean; ``where`` is the place for errors.

        Raises:
            InputError: values that no block can have.
        """
        raise NotImplementedError


_GPT_ACTIVATIONS: dict[str, Activation] = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "relu": "relu",
}


def activation_named(known: dict[str, Activation], name: str | None, where: str) -> Activation:
    """Our name of an activation.

    Raises:
        InputError: it is not among the known ones.
    """
    if name not in known:
        what = f"no block has the activation {name!r:.40}"
        raise InputError("unknown-activation", what, where=where, hints=[f"known: {', '.join(known)}"])
    return known[name]


class Gpt2(FamilyFields):
    """GPT2Config."""

    doubles: ClassVar[dict[str, str]] = {
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }
    vocab_size: Vocab = 50257
    n_positions: Context = 1024
    n_embd: Size = 768
    n_layer: Count = 12
    n_head: Count = 12
    n_inner: Size | None = None
    activation_function: str = "gelu_new"
    layer_norm_epsilon: Eps = 1e-5
    scale_attn_weights: Literal[True] = True
    scale_attn_by_inverse_layer_idx: Literal[False] = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True

    def config(self, name: str, path: str, where: str) -> DecoderConfig:
        """See :class:`FamilyFields`."""
        return _learned(
            name,
            path,
            "gpt2",
            layers=self.n_layer,
            hidden=self.n_embd,
            ffn=self.n_inner or 4 * self.n_embd,
            heads=self.n_head,
            vocab=self.vocab_size,
            max_context=self.n_positions,
            eps=self.layer_norm_epsilon,
            activation=activation_named(_GPT_ACTIVATIONS, self.activation_function, f"{where}: activation_function"),
            tied_embeddings=self.tie_word_embeddings,
        )


class Opt(FamilyFields):
    """OPTConfig."""

    vocab_size: Vocab = 50272
    hidden_size: Size = 768
    num_hidden_layers: Count = 12
    ffn_dim: Size = 3072
    max_position_embeddings: Context = 2048
    do_layer_norm_before: Literal[True] = True
    remove_final_layer_norm: Literal[False] = Field(False, alias="_remove_final_layer_norm")
    word_embed_proj_dim: Size | None = None
    num_attention_heads: Count = 12
    activation_function: str = "relu"
    enable_bias: Literal[True] = True
    layer_norm_elementwise_affine: Literal[True] = True
    tie_word_embeddings: bool = True

    def config(self, name: str, path: str, where: str) -> DecoderConfig:
        """See :class:`FamilyFields`."""
        if self.word_embed_proj_dim not in (None, self.hidden_size):
            raise InputError(
                "bad-value",
                "no block has embeddings of another width than the layers",
                where=f"{where}: word_embed_proj_dim",
                hints=["take a model whose widths are one"],
            )
        return _learned(
            name,
            path,
            "opt",
            layers=self.num_hidden_layers,
            hidden=self.hidden_size,
            ffn=self.ffn_dim,
            heads=self.num_attention_heads,
            vocab=self.vocab_size,
            max_context=self.max_position_embeddings,
            eps=1e-5,
            activation=activation_named(_GPT_ACTIVATIONS, self.activation_function, f"{where}: activation_function"),
            tied_embeddings=self.tie_word_embeddings,
        )


def _learned(name: str, path: str, family: Family, *, hidden: int, heads: int, **facts: Any) -> DecoderConfig:
    """A block with LayerNorm, biases and learned positions."""
    return DecoderConfig(
        name,
        public_name=name,
        family=family,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=head_dim_of(hidden, heads, path),
        norm="layernorm",
        gated=False,
        qkv_bias=True,
        o_bias=True,
        mlp_bias=True,
        source=path,
        **facts,
    )


def head_dim_of(hidden: int, heads: int, where: str) -> int:
    """Width of a head.

    Raises:
        InputError: heads do not divide the width.
    """
    if hidden % heads:
        raise InputError(
            "bad-value", f"{heads} heads do not divide a width of {hidden}", where=where, hints=["correct one of them"]
        )
    return hidden // heads
