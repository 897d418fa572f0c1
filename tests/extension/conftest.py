"""The sample distribution, installed by pip into a folder of its own, and sttest run with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def pip_install(source: Path, target: Path) -> None:
    """Installs a distribution without its dependencies, and without an index."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--target",
        str(target),
        str(source),
    ]
    subprocess.run(command, check=True, timeout=300, capture_output=True, text=True)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Folder that holds the sample as pip puts it."""
    import shutil

    source = tmp_path_factory.mktemp("source") / "sample"
    shutil.copytree(HERE / "sample", source)  # a build leaves files beside it
    target = tmp_path_factory.mktemp("installed")
    pip_install(source, target)
    return target


@pytest.fixture
def with_sample(installed, tmp_path):
    """Runs sttest in a process that finds the sample."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])}
        command = [sys.executable, "-m", "sttest", *map(str, arguments)]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300)

    return run
