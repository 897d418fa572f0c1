"""The dialects of sttest whose operations are nodes of a design, and what these compute."""

from sttest.core.extensions import Offer

OPS = (Offer("ops", "df", "sttest.compile.dialects.df:DF"),)

VALUES = tuple(
    Offer("values", kind, f"sttest.reference.{function}")
    for kind, function in (
        ("fork", "engine:copied"), ("concat", "engine:join"), ("gather", "engine:gather_slices"),
        ("converter", "engine:convert"), ("task", "task:run_task"),
    )
)  # fmt: skip
