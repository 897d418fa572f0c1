"""Every study of this distribution: its file is true, its program is found, and its papers are of the catalog."""

import json
from pathlib import Path

import pytest

from sttest.core.closure import Closures, FolderTree, as_imported, program_files
from sttest.core.extensions import has_systems
from sttest.studies.catalog import catalog_names, load_entry
from sttest.studies.folders import studies, study_file
from sttest.studies.tables import programs

ROOT = Path(__file__).parents[3]
FOLDERS = sorted(path.parent for path in ROOT.glob("extensions/systems/sttest_systems/*/study.yaml"))
NAMES = [folder.name.replace("_", "-") for folder in FOLDERS]


def test_each_folder_is_a_study_that_is_offered():
    assert has_systems(), "pip install --editable extensions/systems"
    assert NAMES
    assert {*NAMES} <= studies().keys()
    assert {*NAMES} <= programs().keys()


@pytest.mark.parametrize("name", NAMES)
def test_its_file_says_what_is_there(name):
    study = studies()[name]
    assert study_file(name).parent in FOLDERS
    manifest = json.loads((ROOT / "results" / name / "manifest.json").read_text(encoding="utf-8"))
    assert manifest.get("taken_over") or study.seconds == round(manifest["wall_s"])
    assert f"sttest reproduce {name}" in (ROOT / study.page).read_text(encoding="utf-8")
    assert study.systems.keys() <= {*catalog_names()}
    assert all(load_entry(each).command == study.command for each in study.systems)


@pytest.mark.parametrize("name", NAMES)
def test_its_program_is_known_to_the_file(name):
    module = programs()[name].module
    files = program_files(module)
    assert {f"{module.replace('.', '/')}.py", "sttest/core/results.py"} <= files.keys()
    assert not [file for file in files if file.startswith(("sttest/cli/", "experiments/"))]


def test_files_have_the_same_names_in_a_checkout_and_installed(tmp_path):
    for folder in ("extensions/systems/sttest_own", "sttest_other"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").write_text("")
        (tmp_path / folder / "made.py").write_text(f"import {Path(folder).name}.table\n")
        (tmp_path / folder / "table.py").write_text("x = 1\n")
    closures = Closures(FolderTree(tmp_path))
    for package in ("sttest_own", "sttest_other"):
        found = closures.of([f"{package}.made"])
        assert list(found) == [f"{package}/{name}.py" for name in ("__init__", "made", "table")]
    assert as_imported("extensions/systems/tests/test_x.py") == "extensions/systems/tests/test_x.py"
