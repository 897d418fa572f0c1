"""Results that another program made, or a checkout with changes, are marked; a sample of them is made again."""

import hashlib
import json
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sttest.core.results import ResultFolder, Row
from sttest.studies.report import build_report
from sttest.studies.report.overview import staleness
from sttest.studies.report.read import read_results
from sttest.studies.whatif.study import study_names

RESULTS = Path(__file__).parents[3] / "results"
STUDIES = sorted({*study_names()} & {path.name for path in RESULTS.iterdir()})


@pytest.fixture
def made(tmp_path):
    """A folder of results, and what its manifest is changed to."""
    with ResultFolder(tmp_path / "results" / "mine", made_by="sttest.core.results", config={}) as folder:
        folder.add(Row("mine", "speed", 1.0, "tokens/s", "simulated"))
    manifest = tmp_path / "results" / "mine" / "manifest.json"

    def change(**values):
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **values}))
        page = build_report(manifest.parents[1], tmp_path / "page.html", say=lambda _: None)
        return page.stale, (tmp_path / "page.html").read_text(encoding="utf-8")

    return change


CLEAN = {"commit": "0" * 40, "changed": False}


def test_what_this_program_made_from_a_clean_checkout_is_not_stale(made):
    stale, page = made(git=CLEAN)
    assert stale == {}
    assert "stale:" not in page


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"program": "0" * 16}, f"made by program {'0' * 16}, which is "),
        ({"git": {**CLEAN, "changed": True}}, "made from a checkout with changes"),
        ({"program": None}, "what it depends on is not recorded"),
        ({"program_of": None}, "what it depends on is not recorded"),
        ({"program_of": None, "program": None, "config": {"program": "1" * 16}}, "what it depends on is not recorded"),
        ({"program_of": ["experiments.gone"]}, "experiments.gone is not part of this program, so it can"),
    ],
)
def test_what_another_program_made_is_marked(made, changed, why):
    stale, page = made(**{"git": CLEAN, **changed})
    assert why in stale["mine"]
    assert "stale: " + why in page


@pytest.mark.nightly
def test_no_committed_result_is_stale():
    """Nightly, since an edit of what all depend on makes hours of results stale until they are made again."""
    stale = {found.name: why for found in read_results(RESULTS) if (why := staleness(found.manifest))}
    assert stale == {}


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_sample_of_committed_studies_comes_out_the_same_again(sttest, tmp_path, monkeypatch):
    """Two studies, other ones every day, without points that are stored."""
    monkeypatch.chdir(tmp_path)
    day = datetime.now(UTC).date().isoformat()
    for name in random.Random(hashlib.sha256(day.encode()).digest()).sample(STUDIES, 2):
        outcome = sttest("whatif", name, "-o", tmp_path / name)
        assert outcome.exit_code == 0, outcome.stderr
        for table in ("table.csv", "table.md"):
            assert (tmp_path / name / table).read_bytes() == (RESULTS / name / table).read_bytes(), f"{name} on {day}"
        shutil.rmtree(tmp_path / name)
