"""The weight types of sttest."""

from sttest.core.extensions import Offer

OFFERS = tuple(
    Offer("weight_types", name, f"sttest.reference.weight_types:{attribute}")
    for name, attribute in (
        ("int4", "INT4"),
        ("int8", "INT8"),
        ("int3", "INT3"),
        ("int2", "INT2"),
        ("ternary", "TERNARY"),
        ("ternary-3:4", "TERNARY_3_OF_4"),
        ("fp16", "FP16"),
        ("none", "NONE"),
    )
)
