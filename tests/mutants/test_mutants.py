"""The nightly run of mutants in small: faults are made, noticed or told, and the tree stays as it is."""

import csv
import random
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

import mutant_faults
import mutant_trial
import run
from mutant_trial import Outcome

SOURCE = "def least(a: int, b: int) -> int:\n    return a if a < b else b\n"
TEST = "from sttest.least import least\n\n\ndef test_it():\n    assert least(1, 2) == {}\n"
FILE = "sttest/least.py"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    root = tmp_path / "root"
    empty = ("sttest/__init__.py", "conftest.py", "pyproject.toml", "benchmarks/x", "tests/x")
    for name, text in ((FILE, SOURCE), *((name, "") for name in empty)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(mutant_faults, "ROOT", root)
    return root


def told(tree, capsys, test: str, *options: str) -> str:
    (tree / "tests/test_least.py").write_text(test)
    assert run.main([FILE, "--tests", "tests/test_least.py", "--minutes", "5", "--verbose", *options]) == 0
    assert (tree / FILE).read_text() == SOURCE
    return capsys.readouterr().out


def test_faults_change_one_place_each(tree):
    texts = [each.text() or "" for each in mutant_faults.mutants([FILE])]
    assert "def least(a: int, b: int) -> int:\n    return a if a > b else b\n" in texts
    assert len(texts) > 3
    assert not any(" is " in text for text in texts)
    assert (tree / FILE).read_text() == SOURCE


def test_a_seed_draws_the_same_places_of_a_file_whatever_the_others(tree):
    (tree / "sttest/other.py").write_text(SOURCE.replace("a < b", "a + 1 < b * 2"))
    alone = list(mutant_faults.sample([FILE], 3))
    both = list(mutant_faults.sample(["sttest/other.py", FILE], 3))
    assert [each for each in both if each.file == FILE] == alone
    assert len({each.number for each in alone}) <= len(alone) == 2  # the comparison, and `not` before it
    assert len(list(mutant_faults.sample(["sttest/other.py", FILE], 3, 1))) == 2
    assert {each.file for each in both[:2]} == {"sttest/other.py", FILE}


@pytest.mark.slow
@pytest.mark.parametrize(("expected", "survivors"), [("1", 0), ("least(1, 2)", 2)])
def test_what_no_test_notices_is_told(tree, capsys, expected, survivors):
    said = told(tree, capsys, TEST.format(expected), "--seed", str(_seed_of("a > b")))
    assert said.count("survived:") == survivors
    assert ("-    return a if a < b else b\n    +    return a if a > b else b" in said) == bool(survivors)


def _seed_of(change: str) -> int:
    """A seed that draws a change."""
    return next(
        seed for seed in range(100) if any(change in each.change()[2] for each in mutant_faults.sample([FILE], seed))
    )


KINDS = {
    "assertion": ("a if a > b else b", TEST.format("1")),
    "error": ("a / 0", TEST.format("1")),
    "timeout": ("[0 for _ in iter(int, 1)]", TEST.format("1")),
    "crash": ("__import__('os').abort()", TEST.format("1")),
    "import": ("a if", TEST.format("1")),
    "survived": ("a if a <= b else b", TEST.format("1")),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_how_a_fault_is_noticed_is_told(tree, tmp_path, monkeypatch, kind):
    """A loop for ever is ended by a timer of the processor, and counts apart from what a test said."""
    changed, test = KINDS[kind]
    (tree / "tests/test_least.py").write_text(test)
    place = mutant_trial.Workplace.made_in(tmp_path / "place")
    assert place.is_sound(["tests/test_least.py"])
    mutant = next(mutant_faults.sample([FILE], 1))
    outcome = place.outcome(mutant, SOURCE.replace("a if a < b else b", changed), ["tests/test_least.py"])
    assert outcome.kind == kind
    assert (place.folder / FILE).read_text() == SOURCE
    assert place.outcome(mutant, SOURCE, ["tests/test_least.py"]).kind == "survived"


def test_compiled_code_is_kept_unless_it_is_of_the_changed_file(tree, tmp_path):
    """Of what imports the changed file, at any depth, nothing is kept: it would hide the change."""
    for name, text in (("a", ""), ("b", "from sttest.a import x\n"), ("c", "from sttest import b\n"), ("d", "")):
        (tree / f"sttest/{name}.py").write_text(text)
    place = mutant_trial.Workplace.made_in(tmp_path / "place")
    for name in "abcd":
        (place.cache / "sttest_0").mkdir(exist_ok=True)
        (place.cache / "sttest_0" / f"{name}.f-1.py311.nbi").write_text(name)
    kept = {}
    for changed in "abcd":
        folder = tmp_path / changed
        place.keep_others(folder, f"sttest/{changed}.py")
        kept[changed] = {path.name[0] for path in folder.rglob("*.nbi")}
    assert kept == {"a": {"d"}, "b": {"a", "d"}, "c": {"a", "b", "d"}, "d": {"a", "b", "c"}}


def test_shares_leave_out_what_cannot_be_run():
    kinds = ["assertion", "timeout", "compile", "import", "survived", "survived", "crash"]
    mutants = [mutant_faults.Mutant(FILE, f"core/{number}", 0) for number in range(len(kinds))]
    outcomes = [(mutant, Outcome(kind)) for mutant, kind in zip(mutants, kinds, strict=True)]
    rows = mutant_trial.table(outcomes, mutants[4:5])
    assert [row["file"] for row in rows] == [FILE, "all"]
    assert (rows[0]["tried"], rows[0]["survived"], rows[0]["equivalent"]) == (7, 2, 1)
    assert (rows[0]["score"], rows[0]["score_without_equivalent"]) == ("0.600", "0.750")


@pytest.mark.nightly
def test_a_survivor_that_is_known_is_told_with_its_reason(tree, capsys, monkeypatch):
    known = tree / "survivors.csv"
    known.write_text(
        "file,function,before,after,verdict,why\n"
        f"{FILE},least,return a if a < b else b,return a if a <= b else b,same,as small\n"
    )
    monkeypatch.setattr(run, "SURVIVORS", known)
    said = told(tree, capsys, TEST.format("1"), "--seed", str(_seed_of("a <= b")))
    assert "(same: as small)" in said
    score = tree / "score.csv"
    told(tree, capsys, TEST.format("1"), "--seed", str(_seed_of("a <= b")), "--record", str(score))
    assert [row["file"] for row in csv.DictReader(score.open())] == [FILE, "all"]
    monkeypatch.setattr(run, "SCORE", score)
    assert "score.csv: the same" in told(tree, capsys, TEST.format("1"), "--seed", str(_seed_of("a <= b")))
    score.write_text(score.read_text().replace("0.500", "0.400"))
    assert "0.400 of 2 before, 0.500 of 2" in told(tree, capsys, TEST.format("1"), "--seed", str(_seed_of("a <= b")))


@pytest.mark.slow
def test_tests_that_fail_by_themselves_are_told(tree, capsys):
    (tree / "tests/test_least.py").write_text(TEST.format("2"))
    assert run.main([FILE, "--tests", "tests/test_least.py"]) == 1
    assert "fail without any fault" in capsys.readouterr().out


def test_recorded_survivors_are_changes_that_can_be_made():
    """A reason is kept by the changed lines: one whose line is gone says nothing any more."""
    rows = list(csv.DictReader(run.SURVIVORS.open(encoding="utf-8")))
    assert rows
    for row in random.Random(0).sample(rows, min(len(rows), 10)):
        assert row["verdict"] in ("same", "slower", "effort", "open")
        assert row["why"]
        source = (mutant_faults.ROOT / row["file"]).read_text(encoding="utf-8")
        assert row["before"] in " ".join(line.strip() for line in source.splitlines()), row
