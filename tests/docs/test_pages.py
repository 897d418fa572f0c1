"""Figures of the pages come from results, and whatever the pages name is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import get_args

import pytest
from doc_pages import PAGES, ROOT

from experiments import pages as filler
from sttest.core.results import Kind
from sttest.studies.ablation.form import ablation_names
from sttest.studies.whatif.study import study_names
from sttest.targets.doctor import Status
from sttest.targets.xrt.contract import XRT_RELEASE
from sttest.targets.xrt.emulator import ON_A_CARD
from sttest.testing.corpus import case, cases

DOCS = ROOT / "docs"
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_SOURCE = re.compile(r"`((?:sttest|experiments|tests|benchmarks|examples|docs)/[\w./-]+)`")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_figures_are_those_of_the_results(page):
    assert filler.filled(text_of(page), page.name) == text_of(page), "python -m experiments.pages fills in the pages"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page):
    for link in _LINK.findall(_FENCED.sub("", text_of(page))):
        if link.startswith(("http", "mailto")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in _anchors(target), link


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", _FENCED.sub("", text_of(page)), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_files_that_are_named_are_there(page):
    missing = [path for path in _SOURCE.findall(_FENCED.sub("", text_of(page))) if not (ROOT / path).exists()]
    assert missing == []


def test_pages_that_the_code_names_are_there():
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = {
        (file, found)
        for file in listed.split()
        if (ROOT / file).exists()
        for found in re.findall(r"docs/[\w/-]+\.md", text_of(ROOT / file))
    }
    assert [each for each in sorted(named) if not (ROOT / each[1]).exists()] == []


# --- Tables that list what the program has


def codes(page: str) -> dict[str, str]:
    return dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \|", text_of(DOCS / page), re.M))


def test_every_design_of_the_corpus_is_listed_with_its_fix():
    page = text_of(DOCS / "fix-a-deadlock" / "deadlocks.md")
    for name in cases():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert all(f"`{fifo}` {depth}" in row for fifo, depth in case(name).fix.items())


def test_every_misuse_is_listed_with_what_a_card_does():
    listed = codes("reference/xrt.md")
    assert {code: told for code, told in listed.items() if code in ON_A_CARD} == ON_A_CARD
    assert XRT_RELEASE in text_of(DOCS / "reference" / "xrt.md")


def test_every_status_is_explained():
    assert set(get_args(Status)) <= codes("hardware/run-on-a-card.md").keys()


def test_every_kind_is_explained():
    assert [code for code in codes("reference/boards.md") if code in get_args(Kind)] == list(get_args(Kind))


def test_every_shipped_study_is_described():
    described = codes("what-if/shipped-studies.md").keys()
    assert {*study_names(), *ablation_names()} <= described
