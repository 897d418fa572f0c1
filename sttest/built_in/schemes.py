"""The schemes of quantization of sttest."""

from sttest.core.extensions import Offer

OFFERS = tuple(
    Offer("schemes", name, f"sttest.models.quant.schemes:{name.upper().replace('-', '_')}")
    for name in (
        "w4a8",
        "w4a8-channel",
        "w4a8-static",
        "w4a8-position",
        "w4a8-g64",
        "w4a8-g32",
        "w8a8",
        "w8a8-static",
        "w4a8kv4",
        "w4a8bfp4",
        "w4a4kv4",
        "w3a8",
        "w2a8",
        "ternary",
        "ternary-3of4",
        "w4a16",
        "fp16",
        "fp32",
    )
)
