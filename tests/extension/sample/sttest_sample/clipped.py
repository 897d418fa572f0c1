"""How the sample's weights become integers; needs PyTorch, which compiling does not."""

from torch import Tensor

from sttest.models.quant.quantizers import QuantizedTensor, symmetric


def clipped(columns: Tensor, most: int) -> QuantizedTensor:
    """The nearest integers under three quarters of each column's peak: few weights lie above."""
    peak = 0.75 * columns.abs().amax(-1, keepdim=True)
    return symmetric(columns.clamp(-peak, peak), most)
