"""Families of blocks, types of weights and schemes of quantization of sttest."""

from sttest.core.extensions import Offer

WEIGHT_TYPES = tuple(
    Offer("weight_types", name, f"sttest.reference.weight_types:{attribute}")
    for name, attribute in (
        ("int4", "INT4"), ("int8", "INT8"), ("int3", "INT3"), ("int2", "INT2"), ("ternary", "TERNARY"),
        ("ternary-3:4", "TERNARY_3_OF_4"), ("fp16", "FP16"), ("none", "NONE"),
    )
)  # fmt: skip
SCHEMES = tuple(
    Offer("schemes", name, f"sttest.models.quant.schemes:{name.upper().replace('-', '_')}")
    for name in (
        "w4a8", "w4a8-channel", "w4a8-static", "w4a8-position", "w4a8-g64", "w4a8-g32", "w8a8", "w4a8kv4",
        "w4a8bfp4", "w4a4kv4", "w3a8", "w2a8", "ternary", "ternary-3of4", "w4a16", "fp16", "fp32",
    )
)  # fmt: skip

FAMILIES = (
    Offer("families", "dense", "sttest.models.families:DENSE"),
    Offer("families", "experts", "sttest.models.experts_family:EXPERT_FAMILY"),
    Offer("families", "state-space", "sttest.models.state_space_family:STATE_SPACE"),
    Offer("families", "low-rank", "sttest.models.low_rank_family:LOW_RANK"),
)
