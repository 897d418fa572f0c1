"""The nightly run of mutants in small: faults are made, noticed or told, and the tree stays as it is."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

import run

SOURCE = "def least(a: int, b: int) -> int:\n    return a if a < b else b\n"
TEST = "from sttest.least import least\n\n\ndef test_it():\n    assert least(1, 2) == {}\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    root = tmp_path / "root"
    for name, text in (("sttest/least.py", SOURCE), ("pyproject.toml", ""), ("benchmarks/x", ""), ("tests/x", "")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(run, "ROOT", root)
    return root


def test_faults_change_one_place_each(tree):
    texts = [each.text() for each in run.mutants(["sttest/least.py"])]
    assert "def least(a: int, b: int) -> int:\n    return a if a > b else b\n" in texts
    assert len(texts) > 3
    assert (tree / "sttest/least.py").read_text() == SOURCE


@pytest.mark.slow
@pytest.mark.parametrize(("expected", "survivors"), [("1", 1), ("least(1, 2)", 5)])
def test_what_no_test_notices_is_told(tree, capsys, expected, survivors):
    """`<=` for `<` gives the same least number, so that one survives all tests."""
    (tree / "tests/test_least.py").write_text(TEST.format(expected))
    assert run.main(["sttest/least.py", "--tests", "tests/test_least.py", "--minutes", "5"]) == 0
    told = capsys.readouterr().out
    assert told.count("survived:") >= survivors
    assert "-    return a if a < b else b\n    +    return a if a <= b else b" in told
    assert (tree / "sttest/least.py").read_text() == SOURCE


@pytest.mark.slow
def test_tests_that_fail_by_themselves_are_told(tree, capsys):
    (tree / "tests/test_least.py").write_text(TEST.format("2"))
    assert run.main(["sttest/least.py", "--tests", "tests/test_least.py"]) == 1
    assert "fail without any fault" in capsys.readouterr().out
