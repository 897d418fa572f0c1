"""Feed-forward networks that all tokens share."""

from torch import Tensor, nn

from sttest.models.config import DecoderConfig
from sttest.models.layers import Gate, Linear, activation


class Mlp(nn.Module):
    """``fc2(act(fc1(x)))``."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.fc1 = Linear(config.hidden, config.ffn, bias=config.mlp_bias)
        self.act = activation(config.activation)
        self.fc2 = Linear(config.ffn, config.hidden, bias=config.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        """[n, hidden] to [n, hidden]."""
        return self.fc2(self.act(self.fc1(x)))


class GatedMlp(nn.Module):
    """``down(act(gate(x)) * up(x))`` (Shazeer, arXiv 2002.05202)."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.gate_proj = Linear(config.hidden, config.ffn, bias=config.mlp_bias)
        self.up_proj = Linear(config.hidden, config.ffn, bias=config.mlp_bias)
        self.act = Gate(activation(config.activation))
        self.down_proj = Linear(config.ffn, config.hidden, bias=config.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        """[n, hidden] to [n, hidden]."""
        return self.down_proj(self.act(self.gate_proj(x), self.up_proj(x)))
