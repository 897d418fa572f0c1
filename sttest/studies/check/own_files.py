"""Timed graphs and SDF3 graphs as texts: on which line a FIFO or a process stands, and the same with other depths.

Only numbers of depths are changed, so that everything else stays as it was written.  What is changed is read again: a
text in which the depths are not those that were asked for is not given back.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast
from xml.sax.saxutils import quoteattr

from sttest.core.errors import InputError
from sttest.importers.places import DesignPlaces, Place, named_lines
from sttest.sim import TimedGraph
from sttest.sim.sdf3 import parse_sdf3

_SPACE = re.compile(r"[\s,]*")
_DEPTH = re.compile(r'(?<!\\)("depth"\s*:\s*)\d+')
_ELEMENT = r'<%s\b[^<>]*?\bname\s*=\s*["\'](?P<name>[^"\'<>]*)["\']'


def graph_places(path: Path, text: str) -> DesignPlaces:
    """Lines of a timed graph's FIFOs and processes."""
    fifos, processes = ({name: Place(path, line) for name, line in _lines(text, key)} for key in ("fifos", "processes"))
    return DesignPlaces(fifos, processes)


def sdf3_places(path: Path, text: str) -> DesignPlaces:
    """Lines of an SDF3 graph's channels and actors, those whose names have no escapes."""
    fifos, processes = (named_lines(path, text, _ELEMENT % tag) for tag in ("channel", "actor"))
    return DesignPlaces(fifos, processes)


def graph_with_depths(text: str, depths: Mapping[str, int], where: str) -> str:
    """The text of a timed graph with other depths.

    Raises:
        InputError: it is spelled in a way that is not understood here.
    """
    changed, at = list[str](), 0
    for start, end, element in _elements(text, "fifos"):
        name = _name(element)
        if name in depths:
            changed += [text[at:start], _DEPTH.sub(rf"\g<1>{depths[name]}", text[start:end], count=1)]
            at = end
    found = "".join([*changed, text[at:]])
    wanted = json.loads(text)
    for each in wanted["fifos"]:
        each["depth"] = depths.get(each["name"], each["depth"])
    if json.loads(found) != wanted:
        raise _not_understood(where)
    return found


def sdf3_with_depths(text: str, depths: Mapping[str, int], graph: TimedGraph, where: str) -> str:
    """The text of an SDF3 graph with other sizes of buffers.

    Args:
        text: all of the file.
        depths: by channel.
        graph: what the text was read as.
        where: name of the file in errors.

    Raises:
        InputError: it is spelled in a way that is not understood here.
    """
    found = text
    for name, depth in depths.items():
        properties = rf"<channelProperties\b[^>]*?\bchannel\s*=\s*{re.escape(quoteattr(name))}[^>]*>"
        size = r"(?:(?!</channelProperties>)[\s\S])*?<bufferSize\b[^>]*?\bsz\s*=\s*[\"']"
        found = re.sub(rf"({properties}{size})\d+", rf"\g<1>{depth}", found, count=1)
    if parse_sdf3(found.encode(), where).fifos != graph.with_depths(depths).fifos:
        raise _not_understood(where)
    return found


def _lines(text: str, key: str) -> Iterator[tuple[str, int]]:
    line, at = 1, 0
    for start, _, element in _elements(text, key):
        line, at = line + text.count("\n", at, start), start
        if name := _name(element):
            yield name, line


def _name(element: object) -> str:
    name = cast("dict[str, object]", element).get("name") if isinstance(element, dict) else None
    return name if isinstance(name, str) else ""


def _elements(text: str, key: str) -> Iterator[tuple[int, int, object]]:
    """Where each element of the list of a key begins and ends, and the element."""
    begin = re.search(rf'(?<!\\)"{key}"\s*:\s*\[', text)
    decoder, at = json.JSONDecoder(), begin.end() if begin else len(text)
    while at < len(text):
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        try:
            element, end = decoder.raw_decode(text, at)
        except ValueError:  # the end of the list
            return
        yield at, end, element
        at = end


def _not_understood(where: str) -> InputError:
    hints = ["write a file of its own with -o"]
    return InputError("no-way-back", "depths are spelled in a way that is not changed here", where=where, hints=hints)
