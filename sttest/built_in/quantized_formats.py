"""The formats of quantized checkpoints of sttest."""

from sttest.core.extensions import Offer

OFFERS = (
    Offer("quantized_formats", "gptq", "sttest.models.quant.released.gptq:GPTQ"),
    Offer("quantized_formats", "awq", "sttest.models.quant.released.awq:AWQ"),
    Offer(
        "quantized_formats", "compressed-tensors", "sttest.models.quant.released.compressed_tensors:COMPRESSED_TENSORS"
    ),
)
