"""The pages: their fenced blocks, and how the commands in these are run.

A comment before a block says when it is not simply run with the others of its page:

* ``<!-- run: with g++ -->``: only where these tools or packages are installed;
* ``<!-- run: nightly -->``: in the nightly run;
* ``<!-- run: never, REASON -->``: it needs hardware or hours; only its verbs and options are checked.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
_BLOCK = re.compile(r"(?:<!-- run: (?P<run>[^>]*) -->\n)?^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
_TITLE = re.compile(r'title="([^"]+)"')
_EXIT = re.compile(r"#.*exit code (\d)")


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    language: str
    title: str
    """Name of the file that the block is to be written to, if any."""
    text: str
    run: str
    """``always``, ``nightly`` or ``never``."""
    needs: tuple[str, ...]
    """Tools or packages without which it is not run."""


@dataclass(frozen=True)
class Command:
    """A command of a block, and what it prints where the page shows that."""

    line: str
    output: str

    @property
    def words(self) -> list[str]:
        """The command's words, without a comment behind it."""
        return shlex.split(self.line, comments=True)

    @property
    def exit_code(self) -> int:
        """The exit code that the comment behind the command names, else 0."""
        found = _EXIT.search(self.line)
        return int(found[1]) if found else 0


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        language, _, rest = found["info"].partition(" ")
        title = _TITLE.search(rest)
        run = found["run"] or "always"
        needs = re.search(r"with (.*)", run)
        when = next((each for each in ("never", "nightly") if run.startswith(each)), "always")
        needed = tuple(re.split(r",? ", needs[1])) if needs and when != "never" else ()
        yield Block(language, title[1] if title else "", found["text"], when, needed)


def commands(block: Block) -> list[Command]:
    """The commands of a ``sh`` block (a line each) or a ``console`` block (lines after ``$``, then their output)."""
    text = block.text.replace("\\\n", "")
    if block.language == "sh":
        lines = (line.strip() for line in text.splitlines())
        return [Command(line, "") for line in lines if line and not line.startswith("#")]
    if block.language == "console":
        parts = re.split(r"^\$ ", text, flags=re.M)[1:]
        return [Command(first.strip(), rest) for first, _, rest in (part.partition("\n") for part in parts)]
    return []


def inline_commands(page: Path) -> list[Command]:
    """Commands of sttest in the sentences of a page."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [Command(" ".join(found.split()), "") for found in re.findall(r"`(sttest [^`]+)`", text)]


def matches(shown: str, printed: str) -> bool:
    """Whether a command printed what a page shows, where ``…`` stands for anything."""
    parts = (re.escape(part) for part in re.sub(r"[ \t]+$", "", shown.strip(), flags=re.M).split("…"))
    return re.fullmatch("(?s:.*?)".join(parts), re.sub(r"[ \t]+$", "", printed.strip(), flags=re.M)) is not None
