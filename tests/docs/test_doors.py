"""The pages stand behind nine doors; a door's page names all that is behind it, and the site's menu has every page."""

import re
import subprocess
from pathlib import Path

import pytest
from doc_pages import ROOT, blocks, commands

DOCS = ROOT / "docs"
DOORS = (
    "fix-a-deadlock",
    "what-if",
    "your-model",
    "your-design",
    "hardware",
    "extend",
    "paper",
    "reference",
    "how-it-works",
)
OLD = ("explanation", "how-to")
"""Folders of addresses that are kept only because a committed result, or a source that it depends on, names them."""
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def linked(page: Path) -> set[Path]:
    links = _LINK.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / link).resolve() for link in links if not link.startswith("http")}


def pages(folder: Path) -> set[Path]:
    return set(folder.glob("*.md"))


def test_there_is_nothing_beside_the_doors():
    assert {path.name for path in DOCS.iterdir() if path.is_dir() and any(path.rglob("*.md"))} == {*DOORS, *OLD}
    assert {path.name for path in pages(DOCS)} == {"index.md", "install.md", "first-design.md"}


@pytest.mark.parametrize("start", ["docs/index.md", "README.md"])
def test_every_door_is_named_where_readers_come_in(start):
    assert {DOCS / door / "index.md" for door in DOORS} <= linked(ROOT / start)


@pytest.mark.parametrize("folder", [*DOORS, "paper/systems"])
def test_a_door_names_every_page_behind_it(folder):
    door = DOCS / folder / "index.md"
    assert pages(door.parent) - {door} - linked(door) == set()


@pytest.mark.parametrize("door", DOORS)
def test_a_door_begins_with_three_commands(door):
    page = DOCS / door / "index.md"
    first = next(iter(blocks(page)))
    assert len(commands(first)) == 3
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 50


def test_the_menu_has_every_page_once():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"[\w/-]+\.md", menu)
    there = [
        path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in OLD
    ]
    assert sorted(named) == sorted(there)


def test_an_old_address_leads_on_and_is_named_by_what_cannot_change():
    sources = ("sttest", "experiments", "results")
    listed = subprocess.run(["git", "ls-files", *sources], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    texts = [(ROOT / file).read_bytes() for file in listed.split() if (ROOT / file).is_file()]
    for page in (path for folder in OLD for path in pages(DOCS / folder)):
        new = linked(page)
        assert len(new) == 1
        assert all(path.exists() and path.relative_to(DOCS).parts[0] in DOORS for path in new)
        address = page.relative_to(ROOT).as_posix().encode()
        assert any(address in text for text in texts), f"nothing names {page}; it may go"
