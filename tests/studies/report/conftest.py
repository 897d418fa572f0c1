"""The page of all committed results, built once."""

from pathlib import Path

import pytest
from parsed_page import ParsedPage

from sttest.studies.report import build_report

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    build_report(RESULTS, path, say=lambda _: None)
    return path


@pytest.fixture(scope="session")
def page(page_file):
    return ParsedPage.read(page_file)
