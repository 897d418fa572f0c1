"""C++ in several files, as one text: what a file includes by a relative name is put in its place."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_INCLUDE = re.compile(r'^#include "([\w.]+)"$')


class PlacedLine(NamedTuple):
    """A line of a text that was made of files."""

    text: str
    file: str
    line: int  # number of the line in its file, from 1


def placed_lines(name: str, files: Mapping[str, str]) -> list[PlacedLine]:
    """The lines of a file with those of what it includes, each file once; what is not among the files stays an include.

    Args:
        name: name of the file.
        files: texts by name.
    """
    seen: set[str] = set()

    def lines(name: str) -> list[PlacedLine]:
        seen.add(name)
        found: list[PlacedLine] = []
        for number, line in enumerate(files[name].splitlines(), start=1):
            included = _INCLUDE.match(line)
            if included is None or included[1] not in files:
                found += [PlacedLine(line, name, number)] if line != "#pragma once" else []
            elif included[1] not in seen:
                found += lines(included[1])
        return found

    return lines(name)


def one_text(name: str, files: Mapping[str, str]) -> str:
    """A file with what it includes as one text; see :func:`placed_lines`.

    >>> one_text("b.cpp", {"a.h": "#pragma once\\nint a;\\n", "b.cpp": '#include "a.h"\\nint b;\\n'})
    'int a;\\nint b;\\n'
    """
    return "\n".join([*(each.text for each in placed_lines(name, files)), ""])
