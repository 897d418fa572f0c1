"""The base under each Python that the classifiers name, as far as it is here: imports, a design, a run, quick tests."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from bare import ROOT, BareEnvironment

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
VERSIONS = [found[1] for found in map(CLASSIFIER.fullmatch, PROJECT["classifiers"]) if found]
FOR_TESTS = ("pytest", "hypothesis", "filecheck", "tree-sitter", "optuna", "distributed")
ROOMS = "tests/core tests/boards tests/sim tests/package tests/reference tests/testing"


def interpreter(version):
    """A program of that version: on PATH, or one that pyenv installed; None where there is none."""
    named = shutil.which(f"python{version}")
    own = Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")
    for each in (*([named] if named else []), *map(str, own)):
        told = subprocess.run([each, "--version"], capture_output=True, text=True, check=False).stdout
        if told.startswith(f"Python {version}."):
            return each
    return None


def test_classifiers_name_what_is_required():
    assert PROJECT["requires-python"] == f">={VERSIONS[0]}"
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert f"Python {VERSIONS[0]} to {VERSIONS[-1]}" in page


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_base_works_under(version, wheel, tmp_path):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    environment = BareEnvironment.beside(tmp_path)
    tools = " ".join(f"'{line}'" for line in PROJECT["optional-dependencies"]["dev"] if line.startswith(FOR_TESTS))
    lines = (
        f"{python} -m venv venv",
        f"pip install -q {wheel} {tools}",
        "python -W error -m compileall -qf venv/lib/*/*/sttest",
        "sttest compile small-gpt2 --phase decode --context 32 -o small",
        "sttest simulate small",
    )
    for line in lines:
        done = environment.run(line, tmp_path)
        assert done.exit_code == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert "1,189 cycles" in done.stdout
    done = environment.run(f"python -m pytest -q --quick -p no:cacheprovider {ROOMS}", ROOT)
    assert done.exit_code == 0, done.stdout[-5000:]
