"""What the nodes of sttest compute."""

from sttest.core.extensions import Offer

OFFERS = tuple(
    Offer("values", kind, f"sttest.reference.{function}")
    for kind, function in (
        ("fork", "engine:copied"),
        ("concat", "engine:join"),
        ("gather", "engine:gather_slices"),
        ("converter", "engine:convert"),
        ("task", "task:run_task"),
    )
)
