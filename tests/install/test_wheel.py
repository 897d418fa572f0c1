"""The wheel holds what the tree holds, by every way to make one, and its verbs work outside of a checkout."""

import re
import subprocess
import tomllib
import zipfile

import pytest
from bare import ROOT, copy_sources

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
FOR_DEVELOPERS = {"dev", "docs"}


def tree(*git):
    listed = subprocess.run(["git", *git, "sttest"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {*listed.stdout.split("\n")} - {""}


def contents(wheel):
    return {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sttest/")}


# --- What it holds


def test_every_file_of_the_tree_is_package_data():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["sttest"]
    package = ROOT / "sttest"
    listed = {str(path.relative_to(ROOT)) for pattern in patterns for path in package.glob(pattern)}
    there = {name for name in tree("ls-files", "--cached", "--others", "--exclude-standard") if (ROOT / name).exists()}
    assert {name for name in there if not name.endswith(".py")} - listed == set()


def test_every_folder_with_modules_is_a_package():
    folders = {path.parent for path in (ROOT / "sttest").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_extras_that_are_named_exist_and_are_described():
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^\| `(\w+)` \|", page, re.M)} == EXTRAS.keys() - FOR_DEVELOPERS
    for path in (*(ROOT / "sttest").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"):
        for found in re.findall(r"sttest\[([\w,]+)\]", path.read_text(encoding="utf-8")):
            assert {*found.split(",")} <= EXTRAS.keys(), path


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_all_ways_make_the_same_wheel(wheel, installed, tmp_path):
    assert contents(wheel) == {name for name in tree("ls-files", "-co", "--exclude-standard") if (ROOT / name).exists()}

    # By `python -m build`: an archive of the sources, then the wheel from that.
    source = copy_sources(tmp_path / "source")
    done = installed.run(f"pip install -q build && python -m build --outdir {tmp_path}/built {source}", tmp_path)
    assert done.exit_code == 0, done.stdout + done.stderr
    (built,) = (tmp_path / "built").glob("*.whl")
    assert contents(built) == contents(wheel)

    # From git: what is committed.
    done = installed.run(f"pip wheel -q --no-deps -w {tmp_path}/git git+file://{ROOT}", tmp_path)
    assert done.exit_code == 0, done.stdout + done.stderr
    (cloned,) = (tmp_path / "git").glob("*.whl")
    assert contents(cloned) == tree("ls-tree", "-r", "--name-only", "HEAD")


# --- What works without anything else
