"""A model in another basis of its residual stream, in which no few channels are large (QuaRot, SpinQuant).

Everything that writes the stream is multiplied by one orthogonal matrix, everything that reads it by the transposed
one, and the values of a head by another: the rotations R1 and R2 of Liu et al., arXiv 2405.16406, drawn at random as
by Ashkboos et al., arXiv 2404.00456.  They are in the weights, so no operation is added; in floating point the model
stays the same but for rounding.  Rotations that a design would have to compute (R3, R4) are not made.
"""

import copy
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.config import OF_FAMILIES, DecoderConfig
from sttest.models.language_model import LanguageModel
from sttest.models.layers import Linear, RMSNorm, TiedHead

SEED = 0


@torch.no_grad()
def rotated(model: LanguageModel, seed: int = SEED) -> LanguageModel:
    """A copy of a model that computes the same; its head is no longer tied to the embedding.

    Args:
        model: model with weights, in floating point.
        seed: of the matrices that are drawn.

    Raises:
        InputError: a model whose norms are no root mean squares or stand behind its layers' outputs, or of experts,
            states or ranks.
    """
    config = model.config
    _refuse_other_norms(model)
    generator = torch.Generator().manual_seed(seed)
    stream, values = (_orthogonal(width, generator) for width in (config.hidden, config.head_dim))
    made = LanguageModel(replace(config, tied_embeddings=False))
    made.load_state_dict(copy.deepcopy(model.state_dict()), strict=False)
    head = model.embedding.tokens.T if isinstance(model.head, TiedHead) else model.head.get_parameter("weight")
    cast(Linear, made.head).weight = nn.Parameter(head.detach().clone())
    made.embedding.tokens.copy_(_times(made.embedding.tokens, stream))
    for block in made.layers:
        _rotate(block, config, stream, values)
    _read([cast(Linear, made.head)], cast(RMSNorm, made.norm), stream)
    return made


def _refuse_other_norms(model: LanguageModel) -> None:
    config = model.config
    plain = not any(getattr(config, each) for each in OF_FAMILIES)
    if plain and isinstance(model.norm, RMSNorm) and not config.post_norms and config.gated:
        return
    raise InputError(
        "not-rotated",
        "a rotation passes gated networks behind norms of root mean squares, and no norm behind a layer's output",
        where=config.name,
        hints=["take --method smooth or gptq"],
    )


def _orthogonal(width: int, generator: torch.Generator) -> Tensor:
    """A matrix [width, width] in float64, of those that are orthogonal each as likely as any other."""
    drawn = torch.randn(width, width, generator=generator, dtype=torch.float64)
    q, r = torch.linalg.qr(drawn)
    return q * torch.sign(torch.diagonal(r))


def _times(left: Tensor, right: Tensor) -> Tensor:
    return (left.double() @ right).float()


def _rotate(block: nn.Module, config: DecoderConfig, stream: Tensor, values: Tensor) -> None:
    linears = {name: module for name, module in block.named_modules() if isinstance(module, Linear)}
    attention = [linears[f"attn.{name}_proj"] for name in "qkv"]
    _read(attention, cast(RMSNorm, block.get_submodule("attn_norm")), stream)
    _read([linears["mlp.gate_proj"], linears["mlp.up_proj"]], cast(RMSNorm, block.get_submodule("mlp_norm")), stream)
    _write(linears["attn.v_proj"], torch.block_diag(*[values] * config.kv_heads))
    heads = torch.block_diag(*[values] * config.heads)
    linears["attn.o_proj"].weight.copy_(_times(heads.T, linears["attn.o_proj"].weight.double()))
    for name in ("attn.o_proj", "mlp.down_proj"):
        _write(linears[name], stream)


def _read(linears: list[Linear], norm: RMSNorm, stream: Tensor) -> None:
    """Layers behind a norm take its gains, and a stream that is rotated."""
    gains = 1.0 + norm.weight if norm.plus_one else norm.weight
    for linear in linears:
        linear.weight.copy_((stream.T @ (gains.double().unsqueeze(-1) * linear.weight.double())).float())
    norm.weight.fill_(0.0 if norm.plus_one else 1.0)


def _write(linear: Linear, rotation: Tensor) -> None:
    linear.weight.copy_(_times(linear.weight, rotation))
    if linear.bias is not None:
        linear.bias.copy_(_times(linear.bias, rotation))
