"""The page is one file: it loads nothing, its ids are unique, and files can put nothing into it."""

import base64
import hashlib
import re
from pathlib import Path
from typing import get_args

import pytest
from parsed_page import ParsedPage

from sttest.core.errors import InputError
from sttest.core.results import Kind, ResultFolder, Row, config_hash
from sttest.studies.report import build_report
from sttest.studies.report.overview import KINDS

RESULTS = Path(__file__).parents[3] / "results"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7*7 }}"


def test_ids_are_unique_and_links_lead_somewhere(page):
    assert len(page.ids) == len(set(page.ids))
    inside = {value[1:] for tag, _, value in page.loads if value.startswith("#")}
    assert inside
    assert inside <= set(page.ids)


def test_nothing_is_loaded(page):
    outside = [(tag, value) for tag, _, value in page.loads if not value.startswith("#")]
    assert {tag for tag, _ in outside} <= {"a"}, "only links lead outside"
    assert not re.search(r"@import|url\((?!#)", page.styles)
    assert len(page.script_texts) == 2
    assert not re.search(r"https?:|import\(|fetch\(|XMLHttpRequest|WebSocket", page.script_texts[1])
    assert page.handlers == []


def test_policy_allows_our_script_alone(page_file, page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page_file.read_text(encoding="utf-8"))
    assert policy is not None
    digest = base64.b64encode(hashlib.sha256(page.script_texts[1].encode()).digest()).decode()
    rules = policy[1].replace("&#39;", "'").split("; ")
    assert "default-src 'none'" in rules
    assert f"script-src 'sha256-{digest}'" in rules


def test_same_results_make_the_same_page(page_file, tmp_path):
    again = tmp_path / "report.html"
    build_report(RESULTS, again, say=lambda _: None)
    assert again.read_bytes() == page_file.read_bytes()


@pytest.fixture
def hostile(tmp_path):
    """Results whose every text tries to get out."""
    with ResultFolder(
        tmp_path / "results" / "<b>bad",
        made_by="sttest.core.results",
        config={"name": HOSTILE, "study": {"title": HOSTILE}},
    ) as folder:
        for metric in (HOSTILE, f"x [{HOSTILE}]"):
            folder.add(
                Row(
                    "bad",
                    metric,
                    1.5,
                    "ms",
                    "measured",
                    model=HOSTILE,
                    board=HOSTILE,
                    phase=HOSTILE,
                    engine=HOSTILE,
                    reference=2,
                    source=f"https://example.org/?{HOSTILE} javascript:alert(1)",
                    note=HOSTILE,
                )
            )
    return tmp_path / "results"


def test_texts_of_files_stay_texts(hostile, tmp_path):
    build_report(hostile, tmp_path / "report.html", say=lambda _: None)
    page = ParsedPage.read(tmp_path / "report.html")
    assert len(page.script_texts) == 2
    assert page.handlers == []
    assert HOSTILE in page.text
    assert next(page.record(cell.number) for cell in page.cells if cell.section[0] == "e")["note"] == HOSTILE
    links = [value for tag, name, value in page.loads if tag == "a" and not value.startswith("#")]
    assert links
    assert set(links) == {"https://example.org/?"}, "an address ends where markup could begin"
    assert [tag for tag, _, _ in page.loads if tag != "a"] == []


def test_every_kind_has_a_mark_and_the_documentation_knows_it(page):
    assert set(KINDS) == set(get_args(Kind))
    doc = (RESULTS.parent / "docs" / "paper" / "report.md").read_text(encoding="utf-8")
    for kind, (mark, meaning) in KINDS.items():
        assert f"{mark} {kind}" in doc
        assert meaning in page.text
        assert f'.k-{kind} {{ --kind: var(--{kind}); --mark: "{mark}"; }}' in page.styles


def test_numbers_keep_the_configuration_of_their_own_folder(tmp_path):
    for name, value in (("new", 1.0), ("old", 2.0)):
        with ResultFolder(tmp_path / "results" / name, made_by="sttest.core.results", config={"which": name}) as folder:
            folder.add(Row("gpt2", "time", value, "ms", "measured"))
    build_report(tmp_path / "results", tmp_path / "report.html", say=lambda _: None)
    page = ParsedPage.read(tmp_path / "report.html")
    records = [page.record(cell.number) for cell in page.cells if cell.section[0] == "e"]
    origins = {record["value"]: record["origin"] for record in records}
    assert origins == {1.0: "new", 2.0: "old"}
    hashes = page.ledger["hashes"]
    assert {name: hashes[name] for name in ("new", "old")} == {
        name: config_hash({"which": name}) for name in ("new", "old")
    }


def test_more_numbers_than_a_page_holds_are_refused(tmp_path, monkeypatch):
    with ResultFolder(tmp_path / "results" / "many", made_by="sttest.core.results", config={}) as folder:
        folder.add(*(Row("many", f"time {number}", 1, "ms", "measured") for number in range(4)))
    monkeypatch.setattr("sttest.studies.report.page.MAX_NUMBERS", 3)
    with pytest.raises(InputError) as refusal:
        build_report(tmp_path / "results", tmp_path / "report.html", say=lambda _: None)
    assert refusal.value.code == "too-many-numbers"
    assert not (tmp_path / "report.html").exists()
