"""The blocks that the author of a page means, read from its lines, without a renderer.

Comments are no text.  Blank lines separate blocks; a list begins behind a blank line, or within an item.  What
renderers make of a page is compared with this.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from blocks import Block

_COMMENT_LINES = re.compile(r"^[ \t]*(?:<!--(?:(?!-->)[\s\S])*-->[ \t]*)+\n", re.M)
_COMMENT = re.compile(r"<!--.*?-->|</?span>", re.S)
_FENCE = re.compile(r"(^ *```[^`\n]*\n[\s\S]*?^ *```[ \t]*$)", re.M)
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_ITEM = re.compile(r"( *)(?:[-*+]|(\d{1,9})[.)]) +(.*)")
_RULE = re.compile(r"\|[|\s:-]*-[|\s:-]*")
_CODE_SPAN = re.compile(r"(?s)(`+)(.+?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_TARGET = re.compile(r"\]\([^)]*\)")


def source_blocks(text: str) -> list[Block]:
    """The blocks of a page's Markdown."""
    reader = _Reader()
    for part in _FENCE.split(text):
        if _FENCE.fullmatch(part):
            reader.code(part)
            continue
        for line in _COMMENT.sub("", _COMMENT_LINES.sub("", part)).splitlines():
            reader.line(line)
    reader.end_paragraph()
    return reader.blocks


@dataclass
class _Reader:
    """Reads a page line by line."""

    blocks: list[Block] = field(default_factory=list)
    _lists: list[int] = field(default_factory=list)
    """Indentation of the markers of the lists around."""
    _open: tuple[str, int, list[str]] | None = None
    """Kind, depth and lines of the paragraph or item that goes on."""
    _goes_on: bool = False
    """Whether the last block is indented code."""

    def line(self, line: str) -> None:
        indent, text = len(line) - len(line.lstrip()), line.strip()
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        if not text:
            self.end_paragraph()
            return
        if self._open is None and not self._lists and indent >= 4:
            self._indented(text)
            return
        self._goes_on = False
        if heading:
            self._leave(0)
            self._add(f"h{len(heading[1])}", _plain(heading[2]))
        elif text.startswith("|"):
            self._leave(indent)
            if not _RULE.fullmatch(text):
                self._add("row", _row(text))
        elif item and self._begins_item(indent, item[2]):
            self._leave(indent)
            self._lists.append(indent)
            self._open = ("number" if item[2] else "bullet", len(self._lists), [item[3]])
        elif self._open:
            self._open[2].append(text)
        else:
            self._leave(indent)
            self._open = ("paragraph", len(self._lists), [text])

    def _begins_item(self, indent: int, number: str | None) -> bool:
        """A number at the start of a line of text begins no list, unless one goes on there or it is the first."""
        return self._open is None or indent in self._lists or (bool(self._lists) and number in (None, "1"))

    def code(self, fenced: str) -> None:
        """A fenced block of code."""
        first, *lines, _ = fenced.splitlines()
        self._leave(len(first) - len(first.lstrip()))
        self._add("code", " ".join(lines))

    def _indented(self, text: str) -> None:
        """A line of a block of code that is indented; blank lines don't end it."""
        before = self.blocks.pop().text if self._goes_on else ""
        self._add("code", f"{before} {text}".strip())
        self._goes_on = True

    def _leave(self, indent: int) -> None:
        """Ends what is open, and the lists whose markers are not left of an indentation."""
        self.end_paragraph()
        self._lists = [each for each in self._lists if each < indent]

    def end_paragraph(self) -> None:
        if self._open:
            kind, depth, lines = self._open
            self._open = None
            text = _plain(" ".join(lines))
            if text:  # a picture alone has none
                self.blocks.append(Block(kind, depth, text))

    def _add(self, kind: str, text: str) -> None:
        self.blocks.append(Block(kind, len(self._lists), text))


def _row(line: str) -> str:
    cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
    return "|".join(_plain(cell).replace("|", "") for cell in cells)


def _plain(markdown: str) -> str:
    """Text as it is read: without images and targets of links, but for those in code."""
    return " ".join("".join(_pieces(markdown)).split())


def _pieces(markdown: str) -> Iterator[str]:
    end = 0
    for code in _CODE_SPAN.finditer(markdown):
        yield _prose(markdown[end : code.start()])
        yield code[2]
        end = code.end()
    yield _prose(markdown[end:])


def _prose(markdown: str) -> str:
    return html.unescape(_TARGET.sub("]", _IMAGE.sub("", markdown)))
