"""The door of verbs: a function with typer's annotations and a parameter ``as_json``, offered under the verb's name.

    Offer("verbs", "hello", "my_package.verbs:hello", "Say hello.")

It has ``--json``, ``--csv`` and ``--wide``, errors and exit codes as all verbs have.
"""

from collections.abc import Callable
from functools import cache
from typing import ParamSpec

from sttest.built_in import verbs
from sttest.core.extensions import Offer, offers

P = ParamSpec("P")
VERBS = {offer.name: offer for offer in verbs.OFFERS}
"""Those of sttest, in the order of help; which verbs others bring takes longer to find out."""
OTHERS = "Extensions"


@cache
def all_verbs() -> dict[str, Offer]:
    """Those of installed extensions too, which help lists last."""
    return offers("verbs")


def verb_named(name: str) -> Offer:
    """The verb of a name.

    Raises:
        KeyError: there is none.
    """
    return VERBS[name] if name in VERBS else all_verbs()[name]


def without_table(verb: Callable[P, None]) -> Callable[P, None]:
    """Marks a verb that prints no table, and so has no ``--csv``."""
    verb.prints_no_table = True  # pyright: ignore[reportFunctionMemberAccess]
    return verb


def prints_table(verb: Callable[..., None]) -> bool:
    """Whether a verb prints one."""
    return not hasattr(verb, "prints_no_table")
