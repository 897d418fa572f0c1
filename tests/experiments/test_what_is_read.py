"""What a run imports and opens is what its result is said to depend on: nothing goes by undeclared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sttest.core.closure import as_imported, program_files
from sttest.studies.tables import programs

ROOT = Path(__file__).parents[2]
DRAWING = (
    "experiments/panels.py",
    "sttest/studies/drawn.py",
    "sttest/studies/__init__.py",
    "sttest/studies/figures.py",
    "sttest/studies/whatif/figure.py",
)
"""A figure is drawn from the rows, which do not depend on it."""
NAMES = (
    "sttest_systems/__init__.py",
    "sttest_systems/extension.py",
    *(f"sttest_systems/{name}/{file}.py" for name in ("low_rank", "state_space") for file in ("__init__", "family")),
    "sttest_systems/state_space/models.py",
)
"""What installed extensions offer is listed wherever a name is looked up, and each family is asked whether a model is
its own; what is used of them is declared."""
_WATCHED = """
import sys
from sttest.core import closure
closure.tree_hash = lambda: "0" * 16  # what is kept on this machine is named by a hash that reads all files
opened = set()
sys.addaudithook(lambda event, given: opened.add(str(given[0])) if event == "open" else None)
import json
from pathlib import Path
{work}
root = Path({root!r})
loaded = [module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
files = [each for each in opened if each[:1] not in "<0123456789" and not each.endswith(".py")]  # those are hashed
paths = {{Path(each).resolve() for each in (*files, *loaded)}}
installed = Path(sys.prefix).resolve(), root / "sttest.egg-info"  # an environment may lie in the clone
own = sorted(path.relative_to(root).as_posix() for path in paths
             if path.is_relative_to(root) and not any(map(path.is_relative_to, installed)) and path.is_file())
print(json.dumps([each for each in own if "__pycache__" not in each]))
"""
_STUDY = """
from sttest.core.results import PointStore
from sttest.studies.whatif.outcome import campaign
from sttest.studies.whatif.report import StudyReport
from sttest.studies.whatif.study import load_study
Path("tiny.yaml").write_text("title: tiny\\nbase: {model: small-gpt2, context: 32, launch: 0}\\n"
                             "axes: {board: [u55c, u280]}\\n")
study = load_study(Path("tiny.yaml"))
found = campaign(study, Path("."), "maxplus", PointStore("store"))
StudyReport("tiny", study, "maxplus", found.run(found.campaign.in_processes(1))).write(Path("out"))
"""


def read_by(work, folder):
    """Files of the program that were imported or opened."""
    command = [sys.executable, "-c", _WATCHED.format(work=work, root=str(ROOT))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "extensions" / "systems")))}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [as_imported(file) for file in json.loads(done.stdout.splitlines()[-1]) if ".egg-info/" not in file]


def reproduced(name):
    return f"import {programs()[name].module} as experiment\nexperiment.reproduce(Path('out'), jobs=1)\n"


def check(work, maker, folder):
    read = read_by(work, folder)
    assert len(read) > 15
    assert [file for file in read if file not in (*program_files(maker), *DRAWING, *NAMES)] == []


@pytest.mark.parametrize("name", ["hida", "memory", "peers"])
def test_experiments_read_what_they_depend_on(name, tmp_path):
    check(reproduced(name), programs()[name].module, tmp_path)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "name", ["cards", "duplex", "entropy", "experts", "lookup-products", "memory-tiers", "spatten"]
)
def test_longer_ones_do(name, tmp_path):
    check(reproduced(name), programs()[name].module, tmp_path)


def test_a_study_reads_what_it_depends_on(tmp_path):
    check(_STUDY, "sttest.studies.whatif.report", tmp_path)


def test_a_simulation_reads_what_it_depends_on(tmp_path):
    design = "sttest/testing/data/designs/circular_dependency_live.json"
    work = (
        "from sttest.sim import read_timed_graph\nfrom sttest.sim.sizing_cost import sizing_cost\n"
        f"sizing_cost(read_timed_graph(Path({str(ROOT / design)!r})))\n"
    )
    read = read_by(work, tmp_path)
    assert [file for file in read if file not in (*program_files("sttest.sim.sizing_cost"), design)] == []


@pytest.mark.daily
def test_what_is_not_declared_would_be_noticed(tmp_path):
    work = f"open({str(ROOT / 'sttest' / 'boards' / 'data' / 'u55c.yaml')!r})\nimport experiments.hida\n"
    assert {"sttest/boards/data/u55c.yaml"} <= {*read_by(work, tmp_path)} - program_files("experiments.hida").keys()
