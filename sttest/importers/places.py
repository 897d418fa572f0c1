"""Where a design's processes and FIFOs stand in files that people wrote: what a diagnosis points at.

A format that knows lines gives them by ``places(source, **options)`` of its module.  Of files that sttest reads itself,
and of those that only name what they hold, :func:`named_lines` finds the lines by the text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A line of a file, from 1."""

    file: Path
    line: int


Access = tuple[str, str, str]
"""Process, ``read`` or ``write``, and FIFO."""


@dataclass(frozen=True)
class DesignPlaces:
    """What is known of where a design stands.

    Attributes:
        fifos: where each is declared, by name.
        processes: where each is called or defined, by name.
        accesses: the first statement that reads or writes a FIFO.
    """

    fifos: Mapping[str, Place] = field(default_factory=dict[str, Place])
    processes: Mapping[str, Place] = field(default_factory=dict[str, Place])
    accesses: Mapping[Access, Place] = field(default_factory=dict[Access, Place])

    def of_access(self, process: str, op: str, fifo: str) -> Place | None:
        """The statement of an access, or else where its process stands; None where nothing is known."""
        return self.accesses.get((process, op, fifo)) or self.processes.get(process)


def named_lines(file: Path, text: str, pattern: str) -> dict[str, Place]:
    """The line of each name that a pattern finds, of several the first.

    Args:
        file: the file that the text is of.
        text: all of it.
        pattern: a regular expression, with the name in the group ``name``.

    >>> {name: place.line for name, place in named_lines(Path("g"), "a: 1\\nb: 2", r"^(?P<name>\\w+):").items()}
    {'a': 1, 'b': 2}
    """
    found: dict[str, Place] = {}
    line, at = 1, 0
    for match in re.finditer(pattern, text, re.MULTILINE):
        line += text.count("\n", at, match.start("name"))
        at = match.start("name")
        found.setdefault(match["name"], Place(file, line))
    return found
