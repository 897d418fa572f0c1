"""What committed results depend on, held against today's program with the help of git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from experiments import stamp
from sttest.core import closure
from sttest.core.closure import Closures, FolderTree, as_imported, program_files
from sttest.studies.report.read import read_results

ROOT = Path(__file__).parents[2]
RESULTS = list(read_results(ROOT / "results"))


def git(root, *arguments):
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@y", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with a program of two modules and a file, and a result of it."""
    files = {
        "sttest/maker.py": '"""Makes."""\n\nfrom sttest.one import x\n\nprint(open(__file__))\n',
        "sttest/one.py": "x = 1\n",
        "sttest/two.py": "x = 1\n",
        "experiments/__init__.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    folder = tmp_path / "results" / "mine"
    folder.mkdir(parents=True)
    manifest = {"git": {"commit": git(tmp_path, "rev-parse", "HEAD"), "changed": False}, "experiment": "mine"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    # From now on the maker declares, which is no change of it.
    (tmp_path / "sttest" / "maker.py").write_text(files["sttest/maker.py"] + "\n__depends__ = ()\n")
    monkeypatch.setattr(stamp, "makers_of", lambda name, manifest: manifest.get("program_of") or ("sttest.maker",))
    monkeypatch.setattr(stamp, "program_files", lambda *makers: Closures(FolderTree(tmp_path)).of(makers))
    return tmp_path


def held(checkout):
    from types import SimpleNamespace

    manifest = json.loads((checkout / "results" / "mine" / "manifest.json").read_text())
    (found,) = stamp.held([SimpleNamespace(name="mine", manifest=manifest)], checkout)
    return found


def test_a_result_whose_files_are_those_of_its_commit_is_fresh_once_it_is_stamped(checkout):
    (checkout / "sttest" / "two.py").write_text("x = 2\n")
    (checkout / "sttest" / "one.py").write_text("x = 1  # one\n")
    found = held(checkout)
    assert (found.changed, found.why_not, found.is_recorded) == ((), "", False)
    manifest = checkout / "results" / "mine" / "manifest.json"
    stamp.stamp(manifest, found)
    content = json.loads(manifest.read_text())
    assert content["program"] == closure.hash_of(Closures(FolderTree(checkout)).of(["sttest.maker"]))
    assert content["program_of"] == ["sttest.maker"]
    assert content["stamped"]["commit"] == content["git"]["commit"]
    assert content["experiment"] == "mine"
    assert held(checkout).is_recorded


def test_one_whose_files_changed_is_stamped_with_those_of_its_commit_and_stays_stale(checkout):
    (checkout / "sttest" / "one.py").write_text("x = 2\n")
    (checkout / "sttest" / "maker.py").write_text("import sttest.two\nimport sttest.one\n")
    found = held(checkout)
    assert found.changed == ("sttest/maker.py", "sttest/one.py", "sttest/two.py")
    (checkout / "sttest" / "maker.py").write_text("")
    assert held(checkout).changed == ("sttest/maker.py",)
    assert found.program != closure.hash_of(Closures(FolderTree(checkout)).of(["sttest.maker"]))


def test_a_maker_that_the_commit_does_not_have_yet_is_a_change(checkout):
    manifest = checkout / "results" / "mine" / "manifest.json"
    content = json.loads(manifest.read_text()) | {"program_of": ["sttest.new", "sttest/new.csv"]}
    manifest.write_text(json.dumps(content))
    (checkout / "sttest" / "new.py").write_text("")
    (checkout / "sttest" / "new.csv").write_text("")
    assert held(checkout).changed == ("sttest/new.csv", "sttest/new.py")


@pytest.mark.parametrize(
    ("git_facts", "why"),
    [
        (None, "its commit is not recorded"),
        ({"commit": "0" * 40, "changed": True}, "made from a checkout with changes"),
        ({"commit": "0" * 40, "changed": False}, "git has no such commit"),
    ],
)
def test_what_git_cannot_tell_is_said_and_not_stamped(checkout, git_facts, why):
    manifest = checkout / "results" / "mine" / "manifest.json"
    manifest.write_text(json.dumps({"git": git_facts}))
    assert why in held(checkout).why_not


@pytest.mark.parametrize("found", RESULTS, ids=lambda found: found.name)
def test_every_committed_result_has_makers_whose_files_are_known(found):
    files = program_files(*stamp.makers_of(found.name, found.manifest))
    assert "sttest/core/results.py" in files
    assert not [file for file in files if file.startswith(("sttest/cli/", "sttest/studies/report/"))]


def _programs():
    return [path for place in ("experiments", "extensions") for path in (ROOT / place).rglob("*.py")]


def test_whoever_writes_a_result_is_part_of_what_it_depends_on():
    """A module with a folder of results is in the closure of the makers of some result."""
    known = {file for found in RESULTS for file in program_files(*stamp.makers_of(found.name, found.manifest))}
    writers = [
        as_imported(path.relative_to(ROOT).as_posix())
        for path in _programs()
        if "with ResultFolder(" in path.read_text(encoding="utf-8")
    ]
    assert len(writers) > 25
    assert [file for file in writers if file not in known] == []
