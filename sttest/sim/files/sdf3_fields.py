"""Elements and attributes of SDF3 files, each refused with one clear line where it is not what it should be."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from sttest.errors import InputError, did_you_mean
from sttest.sim.checks import MAX_PHASES, check_whole

_ATTRIBUTES = {
    "actor": ("name", "type"),
    "port": ("name", "type", "rate"),
    "channel": ("name", "srcActor", "srcPort", "dstActor", "dstPort", "initialTokens"),
}
_MAX_DIGITS = 18


def only(parent: Element, tag: str, where: str) -> Element:
    """The one child with a tag."""
    found = parent.findall(tag)
    if len(found) != 1:
        what = f"{len(found)} elements '{tag}' in '{parent.tag:.40}', not one"
        raise InputError("sdf3-structure", what, where=where)
    return found[0]


def children(parent: Element, tag: str, known: tuple[str, ...], where: str) -> Iterator[Element]:
    """The children called ``tag``, with known attributes only."""
    for child in parent:
        if child.tag not in known:
            what = f"unknown element '{child.tag:.40}' in '{parent.tag:.40}'"
            raise InputError("unknown-element", what, where=where, levers=[did_you_mean(child.tag, known)])
        for name in child.attrib if child.tag == tag else ():
            if name not in _ATTRIBUTES[tag]:
                what = f"unknown attribute '{name:.40}' of a {tag}"
                raise InputError("unknown-attribute", what, where=where, levers=[did_you_mean(name, _ATTRIBUTES[tag])])
        if child.tag == tag:
            yield child


def by_name(elements: Iterator[Element], where: str) -> dict[str, Element]:
    """Elements by their attribute ``name``, in order."""
    named: dict[str, Element] = {}
    for element in elements:
        name = attribute(element, "name", f"{where}: {element.tag}")
        if name in named:
            raise InputError("duplicate-name", f"two {element.tag} elements are called '{name:.80}'", where=where)
        named[name] = element
    return named


def attribute(element: Element, name: str, where: str) -> str:
    """The value of an attribute that must be there."""
    value = element.get(name)
    if value is None:
        raise InputError("missing-attribute", f"attribute '{name}' is missing", where=where)
    return value


def sequence(text: str, where: str, most: int) -> list[int]:
    """``1,0,2`` or ``2*1,0`` (which is ``1,1,0``)."""
    values: list[int] = []
    for part in text.split(","):
        times, star, value = part.rpartition("*")
        repeat = whole(times, "repetition", where, MAX_PHASES) if star else 1
        check_whole(len(values) + repeat, "number of phases", where, 1, MAX_PHASES)
        values += [whole(value, "number", where, most)] * repeat
    return values


def whole(text: str, what: str, where: str, most: int) -> int:
    """A number of digits only, from 0 to ``most``."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MAX_DIGITS:
        raise InputError("not-whole", f"{what} is '{text:.40}', not a whole number", where=where)
    return check_whole(int(digits), what, where, 0, most)
