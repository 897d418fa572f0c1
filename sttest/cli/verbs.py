"""The door of verbs: a function with typer's annotations and a parameter ``as_json``, offered under the verb's name.

    Offer("verbs", "hello", "my_package.verbs:hello", "Say hello.")

It has ``--json``, ``--csv`` and ``--wide``, errors and exit codes as all verbs have.
"""

from collections.abc import Callable
from functools import cache
from pkgutil import iter_modules
from typing import ParamSpec

from sttest import built_in
from sttest.built_in import verbs
from sttest.core.errors import InputError, did_you_mean, note
from sttest.core.extensions import Offer, extensions, offers

P = ParamSpec("P")
VERBS = {offer.name: offer for offer in verbs.OFFERS}
"""Those of sttest, in the order of help; which verbs others bring takes longer to find out."""
OTHERS = "Extensions"


@cache
def all_verbs() -> dict[str, Offer]:
    """Those of installed extensions too, which help lists last; a note names what is offered where no door is."""
    doors = {*(each.name for each in iter_modules(built_in.__path__)), "models", "studies"}  # sttest has none of these
    for offer in (each for extension in extensions()[1:] for each in extension.offers if each.door not in doors):
        note(f"'{offer.name}' of an extension is left out: no door '{offer.door}', {did_you_mean(offer.door, doors)}")
    return offers("verbs")


def verb_named(name: str) -> Offer:
    """The verb of a name.

    Raises:
        KeyError: there is none.
    """
    return VERBS[name] if name in VERBS else all_verbs()[name]


def load_verb(name: str) -> Callable[..., None]:
    """The function of a verb.

    Raises:
        KeyError: there is none.
        InputError: an extension offers it, and cannot be imported or has no such function.
    """
    offer = verb_named(name)
    try:
        return offer.load()
    except Exception as error:  # whatever its module does
        if name in VERBS:
            raise
        what = f"the verb of an extension cannot be loaded: {type(error).__name__}: {error}"
        raise InputError("broken-extension", what, where=name) from error


def without_table(verb: Callable[P, None]) -> Callable[P, None]:
    """Marks a verb that prints no table, and so has no ``--csv``."""
    verb.prints_no_table = True  # pyright: ignore[reportFunctionMemberAccess]
    return verb


def prints_table(verb: Callable[..., None]) -> bool:
    """Whether a verb prints one."""
    return not hasattr(verb, "prints_no_table")
