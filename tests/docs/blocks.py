"""The blocks of a page: headings, paragraphs, list items, rows of tables, code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

_SHOWN = 90


@dataclass(frozen=True)
class Block:
    """A block of a page, as its source or its HTML says."""

    kind: str
    """``h1`` to ``h6``, ``paragraph``, ``bullet``, ``number``, ``row`` or ``code``."""
    depth: int
    """Lists that it is in."""
    text: str
    """Its text; cells are separated by ``|``."""

    @property
    def letters(self) -> tuple[str, int, str]:
        """What source and HTML have in common: markup and spaces are left out."""
        text = "".join(filter(str.isalnum, self.text))
        return self.kind, self.depth, f"{self.text.count('|')} {text}" if self.kind == "row" else text

    def __str__(self) -> str:
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[: _SHOWN // 2]} … {self.text[-_SHOWN // 2 :]}"
        return f"{self.kind}{f' in {self.depth} lists' if self.depth else ''}: {text}"


def differences(meant: Sequence[Block], shown: Sequence[Block]) -> list[str]:
    """Where two lists of blocks differ, a line per block that one has and the other has not."""
    matcher = SequenceMatcher(None, [each.letters for each in meant], [each.letters for each in shown], autojunk=False)
    lines = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        pairs = zip_longest(meant[a:b], shown[c:d])
        lines += [f"{ours or 'nothing'}\n    is shown as {theirs or 'nothing'}" for ours, theirs in pairs]
    return lines
