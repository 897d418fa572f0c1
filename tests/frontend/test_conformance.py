"""What is kept of the layers of transformers that were tried, and that it is still so."""

import re

import pytest
from conformance import CASES, LEAST_DB, PAGE, measured, rows

KEPT = {row.key: row for row in rows()}


def test_every_case_is_kept_once():
    assert [row.key for row in rows()] == [(case.family, phase) for case in CASES for phase in case.phases]
    assert {row.model for row in rows()} == {case.model for case in CASES}
    assert len({case.family.split(",")[0] for case in CASES}) >= 35


def test_none_is_wrong():
    assert {row.outcome for row in rows()} <= {"right", "refused"}
    assert all(float(row.decibels) >= LEAST_DB for row in rows() if row.outcome == "right")


def test_refusals_say_why_and_where():
    for row in rows():
        if row.outcome == "refused":
            assert re.match(r"[a-z-]+: \S.*; .*\S+\.py:\d+", row.cause), row


def test_the_page_has_a_line_for_each_family():
    text = PAGE.read_text(encoding="utf-8")
    for case in CASES:
        assert f"| {case.family} | `{case.model}` |" in text


@pytest.mark.nightly
@pytest.mark.torch
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("case", "phase"), [(case, phase) for case in CASES for phase in case.phases])
def test_layers_are_as_they_are_kept(case, phase):
    pytest.importorskip("torch_mlir")
    pytest.importorskip("transformers")
    kept, found = KEPT[case.family, phase], measured(case, phase)
    assert (found.outcome, found.cause) == (kept.outcome, kept.cause)
