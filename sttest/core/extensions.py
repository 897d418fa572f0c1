"""What can be added to sttest without a change in it, and who adds it.

An installed distribution names, under the entry-point group ``sttest.extensions``, an :class:`Extension`: what it
offers, at which door, and where it is.  What sttest brings itself, ``sttest/built_in.py``, is one, too.  Nothing that
is offered is imported before it is asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sttest.core.errors import InputError, note

__depends__ = ("sttest/built_in.py",)

GROUP = "sttest.extensions"
BUILT_IN = "sttest.built_in:EXTENSION"


@dataclass(frozen=True)
class Offer:
    """One thing at one door.

    Args:
        door: what it is one of, such as ``verbs`` or ``formats``; the page on extensions has all doors.
        name: what people call it by, once per door.
        target: where it is, as ``package.module:attribute``.
        summary: one line for lists.
        heading: what lists put it under, where they have headings.
    """

    door: str
    name: str
    target: str
    summary: str = ""
    heading: str = ""

    @property
    def module(self) -> str:
        """The module that it is in."""
        return self.target.partition(":")[0]

    def load(self) -> Any:
        """What is offered; its module is imported now.

        Raises:
            InputError: the module has no such attribute.
        """
        attribute = self.target.partition(":")[2]
        try:
            return getattr(import_module(self.module), attribute)
        except AttributeError as error:
            what = f"{self.name} is to be '{attribute}' of {self.module}, which has none"
            raise InputError("broken-extension", what, where=self.door) from error


@dataclass(frozen=True)
class Extension:
    """What one distribution offers."""

    name: str
    offers: tuple[Offer, ...]


def offers(door: str) -> dict[str, Offer]:
    """What is offered at a door by name: what sttest brings first, then by distribution.

    A name that is taken stays with who has it, and a note says so; so does one of an extension that cannot be imported.
    """
    found: dict[str, Offer] = {}
    owner: dict[str, str] = {}
    for extension in extensions():
        for offer in (each for each in extension.offers if each.door == door):
            whose = owner.setdefault(offer.name, extension.name)
            if offer.name in found:
                told = f"'{offer.name}' of the extension {extension.name} is left out"
                note(f"{told}: {whose} has one of {door} so called")
            else:
                found[offer.name] = offer
    return found


@cache
def extensions() -> tuple[Extension, ...]:
    """All that are installed, that of sttest first."""
    return tuple(_found())


def _found() -> Iterator[Extension]:
    module, _, attribute = BUILT_IN.partition(":")
    yield getattr(import_module(module), attribute)
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        extension = _loaded(entry)
        if extension is not None:
            yield extension


def _loaded(entry: EntryPoint) -> Extension | None:
    """None where it is broken: one extension does not take the others, nor sttest, along."""
    whose = f"the extension {entry.name} of {entry.dist.name if entry.dist else 'nobody'}"
    try:
        found = entry.load()
    except Exception as error:  # whatever its module does
        note(f"{whose} is left out: {type(error).__name__}: {error}")
        return None
    if isinstance(found, Extension):
        return found
    note(f"{whose} is left out: {entry.value} is no sttest.core.extensions.Extension")
    return None
