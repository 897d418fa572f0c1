"""Every number of every committed result stands on the page, once, with its provenance."""

import json
import re
from collections import Counter

import pytest

from tests.experiments.test_committed_results import FOLDERS, rows

TEXTS = ("experiment", "model", "board", "phase", "engine", "metric", "unit", "kind", "source", "note")
NUMBERS = ("value", "reference", "error")
MARK = re.compile(r"[SN]\d+")


def committed(folder):
    for row in rows(folder):
        numbers = (float(row[name]) if row[name] else None for name in NUMBERS)
        yield *(row[name] for name in TEXTS), *numbers


def told(record):
    return *(record[name] for name in TEXTS), *(record[name] for name in NUMBERS)


def as_number(text):
    return float(text.replace(",", "").replace("−", "-").removesuffix("\N{THIN SPACE}%"))


def is_rounded(text, value):
    """Whether the text shows the value to its last digit, and to at least two digits."""
    off = abs(as_number(text) - value)
    if "e" in text:
        return off <= 1e-3 * abs(value)
    decimals = len(text.partition(".")[2])
    return off <= 0.5000001 * 10**-decimals and off <= 0.05 * abs(value)


@pytest.fixture(scope="module")
def by_experiment(page):
    """Cells of the sections of experiments and of rejected hypotheses; the front page and boards have their own."""
    found = {folder.name: [] for folder in FOLDERS}
    for cell in page.cells:
        if re.match(r"[eh]\d", cell.section):
            found[page.record(cell.number)["origin"]].append(cell)
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_page_holds_what_the_table_holds(folder, page, by_experiment):
    shown = Counter(told(page.record(cell.number)) for cell in by_experiment[folder.name])
    assert shown == Counter(committed(folder))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_cells_show_value_reference_and_error(folder, page, by_experiment):
    for cell in by_experiment[folder.name]:
        record = page.record(cell.number)
        assert cell.kind == record["kind"], record
        for text, value in ((cell.text, record["value"]), (cell.reference, record["reference"])):
            assert is_rounded(text, value) if value is not None else text in ("–", ""), (text, record)
        if record["error"] is not None:
            assert as_number(cell.error) == pytest.approx(100 * record["error"], abs=0.51), record


def test_marks_name_the_source_and_the_note(page):
    footnotes = {mark: text.strip() for mark, text in re.findall(r"^([SN]\d+) (.*)$", page.text, re.MULTILINE)}
    for cell in page.cells:
        record = page.record(cell.number)
        texts = [footnotes[mark] for mark in MARK.findall(cell.marks)]
        told = [" ".join(record[name].split("\n")).strip() for name in ("source", "note") if record[name]]
        assert texts == told, record


def test_the_configuration_of_every_manifest_is_known(page):
    for folder in FOLDERS:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert page.ledger["hashes"][folder.name] == manifest["config_hash"]
        assert manifest["config_hash"] in page.text
        assert manifest["finished_utc"][:10] in page.text


def test_front_page_says_what_is_shown(page):
    total = sum(len(list(committed(folder))) for folder in FOLDERS)
    assert f"{total:,} numbers of {len(FOLDERS)} experiments" in page.text
