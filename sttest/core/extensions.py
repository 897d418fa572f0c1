"""What can be added to sttest without a change in it, and who adds it.

An installed distribution names, under the entry-point group ``sttest.extensions``, an :class:`Extension`: what it
offers, at which door, and where it is.  What sttest brings itself, ``sttest.built_in``, is one, too.  Nothing that
is offered is imported before it is asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from sttest.core.errors import InputError, note

__depends__ = ()  # each door's module says which offers of sttest/built_in it asks

GROUP = "sttest.extensions"
BUILT_IN = "sttest.built_in"
SYSTEMS = "systems"
"""The extension with studies of published systems that comes beside sttest, as the distribution ``sttest-systems``."""
HOW_TO_INSTALL = "sttest-systems, which is not installed: pip install extensions/systems of a clone"
"""A hint of messages about what stands in the distribution of extensions beside sttest."""
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Offer:
    """One thing at one door.

    Args:
        door: what it is one of, such as ``verbs`` or ``formats``; the page on extensions has all doors.
        name: what people call it by, once per door.
        target: where it is, as ``package.module:attribute``, or for a file ``package:folder/file.suffix``.
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
        """What is offered; its module is imported now.  Of a file it is the path.

        Raises:
            InputError: the module has no such attribute, or the package no such file.
        """
        attribute = self.target.partition(":")[2]
        if "." in attribute:
            return self._file(self.module, attribute)
        try:
            return getattr(import_module(self.module), attribute)
        except AttributeError as error:
            what = f"{self.name} is to be '{attribute}' of {self.module}, which has none"
            raise InputError("broken-extension", what, where=self.door) from error

    def _file(self, package: str, name: str) -> Path:
        path = Path(str(import_module(package).__file__)).parent / name
        if not path.is_file():
            what = f"{self.name} is to be '{name}' of {package}, which has no such file"
            raise InputError("broken-extension", what, where=self.door)
        return path


@dataclass(frozen=True)
class Extension:
    """What one distribution offers."""

    name: str
    offers: tuple[Offer, ...]

    def at(self, door: str) -> tuple[Offer, ...]:
        """What it offers at a door."""
        return tuple(each for each in self.offers if each.door == door)


class BuiltIn(Extension):
    """What sttest itself offers; a door's list is read when somebody asks at that door."""

    def __init__(self) -> None:
        object.__setattr__(self, "name", "sttest")

    @property
    def offers(self) -> tuple[Offer, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """All that it offers."""
        doors = sorted(each.name for each in iter_modules(import_module(BUILT_IN).__path__))
        return tuple(offer for door in doors for offer in self.at(door))

    def at(self, door: str) -> tuple[Offer, ...]:
        """What it offers at a door."""
        module = f"{BUILT_IN}.{door}"
        return import_module(module).OFFERS if find_spec(module) else ()


def offers(door: str) -> dict[str, Offer]:
    """What is offered at a door by name: what sttest brings first, then by distribution.

    A name that is taken stays with who has it, and a note says so; so does one of an extension that cannot be imported.
    """
    found: dict[str, Offer] = {}
    owner: dict[str, str] = {}
    for extension in extensions():
        for offer in extension.at(door):
            whose = owner.setdefault(offer.name, extension.name)
            if offer.name in found:
                told = f"'{offer.name}' of the extension {extension.name} is left out"
                note(f"{told}: {whose} has one of {door} so called")
            else:
                found[offer.name] = offer
    return found


def loaded(door: str, kind: type[Kind]) -> dict[str, Kind]:
    """What is offered at a door, each loaded: things of one kind, called by the names under which they are offered.

    What an extension offers in vain is left out, and a note says so.
    """
    own, found = extensions()[0].at(door), dict[str, Kind]()
    for name, offer in offers(door).items():
        try:
            found[name] = _of_kind(offer, kind)
        except Exception as error:  # whatever its module does
            if offer in own:
                raise
            note(f"'{name}' of an extension is left out: {type(error).__name__}: {error}")
    return found


def all_loaded(door: str, kind: type[Kind]) -> dict[str, Kind]:
    """As :func:`loaded`, but what is offered in vain is refused.

    Raises:
        InputError: what is offered is of another kind, or has another name.
    """
    return {name: _of_kind(offer, kind) for name, offer in offers(door).items()}


def _of_kind(offer: Offer, kind: type[Kind]) -> Kind:
    found = offer.load()
    if isinstance(found, kind) and getattr(found, "name", None) == offer.name:
        return found
    what = f"what is offered as '{offer.name}' is no {kind.__name__} so called"
    raise InputError("broken-extension", what, where=offer.door)


def offer_named(door: str, name: str) -> Offer | None:
    """What is offered under a name, if anything is; sttest's own is found without a look at what else is installed."""
    own = {each.name: each for each in BuiltIn().at(door)}
    return own.get(name) or offers(door).get(name)


def load_class(offer: Offer, base: type[Kind]) -> type[Kind]:
    """The class that is offered.

    Raises:
        InputError: it is none, not derived from ``base``, or cannot be imported.
    """
    try:
        found = offer.load()
    except ImportError as error:
        raise InputError("broken-extension", f"'{offer.name}' is left out: {error}", where=offer.door) from error
    if isinstance(found, type) and issubclass(found, base):
        return found
    what = f"what is offered as '{offer.name}' is no {base.__name__}"
    raise InputError("broken-extension", what, where=offer.door)


@cache
def extensions() -> tuple[Extension, ...]:
    """All that are installed, that of sttest first."""
    return tuple(_found())


def _found() -> Iterator[Extension]:
    yield BuiltIn()
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        extension = _loaded(entry)
        if extension is not None:
            yield extension


def has_systems() -> bool:
    """Whether the studies of published systems that come beside sttest are installed."""
    return any(each.name == SYSTEMS for each in extensions())


@cache
def extension_packages() -> dict[str, Path]:
    """Folders of the packages that installed extensions are in, by name; a namespace and a single file are none."""
    found: dict[str, Path] = {}
    for entry in entry_points(group=GROUP):
        package = entry.module.partition(".")[0]
        spec = find_spec(package)
        folders = spec.submodule_search_locations if spec is not None and spec.origin else None
        if folders and package != BUILT_IN.partition(".")[0]:
            found[package] = Path(folders[0])
    return found


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
