"""A page as the standard library reads it: cells, ids, and whatever would be loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

VOID = {"wbr", "meta", "link", "img", "input", "br", "hr"}
LOADING = {"src", "href", "srcset", "data", "action", "poster", "xlink:href"}


@dataclass
class Shown:
    """A number as it stands on the page, with what stands beside it."""

    section: str
    number: int
    kind: str
    text: str = ""
    marks: str = ""
    reference: str = ""
    error: str = ""


@dataclass
class ParsedPage(HTMLParser):
    """What a page holds; ``loads``: (tag, attribute, value) of every address."""

    ids: list[str] = field(default_factory=list)
    loads: list[tuple[str, str, str]] = field(default_factory=list)
    cells: list[Shown] = field(default_factory=list)
    lines: list[tuple[str, list[str]]] = field(default_factory=list)  # section, and the texts of a line of a table
    handlers: list[str] = field(default_factory=list)
    script_texts: list[str] = field(default_factory=list)
    styles: str = ""
    text: str = ""
    picture_text: str = ""  # of the picture at the top, a text a line

    def __post_init__(self):
        super().__init__(convert_charrefs=True)
        self._open = []
        self._sections = []
        self._into = None
        self._reference = ""
        self._in_cell = False

    @classmethod
    def read(cls, path: Path) -> ParsedPage:
        page = cls()
        page.feed(path.read_text(encoding="utf-8"))
        page.close()
        assert page._open == [], "every element is closed"
        return page

    @cached_property
    def ledger(self) -> dict:
        """What the tooltips are made of."""
        return json.loads(self.script_texts[0])

    def record(self, number: int) -> dict:
        """What the tooltip of a number says."""
        ledger = self.ledger
        columns, texts = ledger["columns"], ledger["texts"]
        values = zip(columns, ledger["numbers"][number], strict=True)
        return {name: value if name in ("value", "reference", "error") else texts[value] for name, value in values}

    def handle_starttag(self, tag, attributes):
        found = {name: value or "" for name, value in attributes}
        if tag not in VOID:
            self._open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        self.handlers += [name for name in found if name.startswith("on")]
        self.loads += [(tag, name, found[name]) for name in LOADING & found.keys()]
        if tag == "section":
            self._sections.append(found.get("id", ""))
        if tag == "tr":
            self.lines.append((self._sections[-1] if self._sections else "", []))
        if tag in ("td", "th") and self.lines:
            self.lines[-1][1].append("")
            self._in_cell = True
        if tag == "td":
            self._start_cell(found)
        if tag == "sup":
            self._into = "marks"
        if tag in ("script", "style"):
            self._into = tag
            if tag == "script":
                self.script_texts.append("")

    def _start_cell(self, found):
        classes = found.get("class", "").split()
        if "n" in classes:
            kind = next(name.removeprefix("k-") for name in classes if name.startswith("k-"))
            section = self._sections[-1] if self._sections else ""
            self.cells.append(Shown(section, int(found["data-n"]), kind, reference=self._reference))
            self._into, self._reference = "text", ""
        else:
            self._into = classes[0] if classes and classes[0] in ("reference", "error") else None

    def handle_endtag(self, tag):
        closed = self._open.pop() if self._open else None
        assert closed == tag, f"</{tag}> closes {closed}"
        if tag == "section":
            self._sections.pop()
        if tag == "sup":
            self._into = "text"
        if tag in ("td", "th", "script", "style"):
            self._into, self._in_cell = None, False

    def handle_data(self, data):
        if self._into == "script":
            self.script_texts[-1] += data
        elif self._into == "style":
            self.styles += data
        else:
            self.text += data
            if self._open[-1:] == ["text"] and not self._sections:
                self.picture_text += f"{data}\n"
            if self._in_cell and self._into != "marks":
                self.lines[-1][1][-1] += data.strip()
            if self._into == "reference":
                self._reference += data
            elif self._into is not None:
                setattr(self.cells[-1], self._into, getattr(self.cells[-1], self._into) + data)
