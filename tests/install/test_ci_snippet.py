"""The workflow that the page about deadlock tests offers is valid, and its commands work in a project of a user's."""

import re
import shutil

import pytest
import yaml
from doc_pages import ROOT, blocks

PAGE = ROOT / "docs" / "fix-a-deadlock" / "deadlock-test.md"
PROJECT = ROOT / "examples" / "residual-block"


def workflow():
    (block,) = [block for block in blocks(PAGE) if block.title.startswith(".github/workflows/")]
    return yaml.safe_load(block.text)


def commands():
    return [step["run"] for job in workflow()["jobs"].values() for step in job["steps"] if "run" in step]


def test_it_is_a_workflow():
    found = workflow()
    assert found[True] == ["push", "pull_request"]  # YAML takes a bare "on" for true, GitHub doesn't
    for job in found["jobs"].values():
        assert {"runs-on", "timeout-minutes", "steps"} <= job.keys()
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert "uses" not in step or re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])
    assert len(commands()) == 2


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_its_commands_work_in_a_project(installed, wheel, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    for line in commands():
        done = installed.run(line, project, PIP_FIND_LINKS=str(wheel.parent))
        assert done.exit_code == 0, done.stdout + done.stderr
    assert 'failures="0"' in (project / "deadlocks.xml").read_text(encoding="utf-8")
    assert "plugins: sttest" in done.stdout

    # What the workflow is for: a FIFO that became too shallow fails it.
    design = project / "designs" / "block.json"
    text = design.read_text(encoding="utf-8")
    shallow = re.sub(r'("name": "residual"[^}]*"depth": )\d+', r"\g<1>2", text)
    assert shallow != text
    design.write_text(shallow, encoding="utf-8")
    done = installed.run(commands()[-1], project)
    assert done.exit_code == 1
    assert "deadlock" in done.stdout
