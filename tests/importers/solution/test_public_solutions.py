"""The program that holds public solution folders against their co-simulation, on a repository that is made here."""

import subprocess

import pytest
from solution_folders import Loop, Stages, write_latency, write_solution, write_vectors
from test_import_solution import COUNTER, OUTLINED

from experiments.cosimulation import ImportedFolder, imported, repositories, solutions, summary
from sttest.core.errors import InputError


def commit(repository, text):
    """Commits all that is there."""
    for line in (["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", text]):
        subprocess.run(["git", "-C", str(repository), *line], check=True)


def test_each_bitcode_and_latency_of_a_history_is_imported_once(tmp_path):
    repository = tmp_path / "owner+name"
    repository.mkdir()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    folder = write_solution(repository / "project" / "s", COUNTER, {"top": Stages(*OUTLINED, [Loop((1, 2), 1, 3)])})
    write_vectors(folder, "in", "n", [32])
    write_latency(folder, 33)
    commit(repository, "as it was measured")
    (folder / "notes.txt").write_text("of no use")
    commit(repository, "the same")
    (folder / "sim" / "report" / "verilog" / "lat.rpt").write_text('$MAX_LATENCY = "66"\n')
    commit(repository, "measured again")
    ((name, git),) = repositories(tmp_path)
    found = [imported(each) for each in solutions(name, git)]
    assert {(each.repository, each.cycles, each.cosimulated) for each in found} == {(name, 33, 33), (name, 33, 66)}
    assert all("project/s" in each.name for each in found)
    refused = next(each for each in found if each.code)
    assert (refused.code, refused.error) == ("does-not-agree", -0.5)
    assert "co-simulation 66, this graph 33" in refused.refusal
    assert "2 of 1 repositories ran" in summary(found)[1]
    assert "1 exact, 1 of 1 repositories within 2% (50%); 1 are refused, 0 are off and not refused" in summary(found)[1]


def test_what_is_off_and_not_refused_is_counted():
    told = summary([ImportedFolder("a/b@1/s", cycles=3, cosimulated=9)])
    assert "0 are refused, 1 are off and not refused" in told[1]


def test_a_folder_without_repositories_is_refused(tmp_path):
    with pytest.raises(InputError, match="no repository is there"):
        list(repositories(tmp_path))
