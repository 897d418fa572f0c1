"""Of the folder in which a command is called nothing is run, by whatever way Python or a package would find it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOREIGN = "print('FOREIGN CODE RAN')"


def run(folder, code, *options):
    command = [sys.executable, *(options or ["-P"]), "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert not done.returncode, done.stderr
    assert "FOREIGN" not in done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("first", ["", "sys.argv[0] = '/usr/bin/sttest'; "])
def test_a_relative_name_on_the_path_is_dropped_before_anything_is_imported(tmp_path, first):
    """As that which setuptools puts there; `subprocess` imports `msvcrt`, and `pickle` `org.python`."""
    hook = tmp_path / "__editable__.sttest-0.1.0.finder.__path_hook__"
    hook.mkdir()
    for name in ("msvcrt", "_winapi", "org"):
        (hook / f"{name}.py").write_text(FOREIGN)
    code = f"import sys; sys.path.append({hook.name!r}); {first}import sttest, sttest.cli.app, subprocess, pickle"
    run(tmp_path, code, *(["-X", "utf8"] if first else []))


def test_a_program_of_somebody_else_keeps_its_path(tmp_path):
    code = f"import sys; sys.path[:0] = ['own', {str(ROOT)!r}]; import sttest; print(sys.path[0])"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "own\n"


def test_an_editable_installation_needs_no_relative_name():
    """Setuptools adds one where a folder without code counts as a package, so none does, and none has code."""
    for project, package in ((ROOT, "sttest"), (ROOT / "extensions/systems", "sttest_systems")):
        settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
        assert settings["tool"]["setuptools"]["packages"]["find"]["namespaces"] is False
        folders = {path.parent for path in (project / package).rglob("*.py")}
        assert not [each for each in folders if not (each / "__init__.py").is_file()]


@pytest.mark.parametrize("text", [": [", "- a", "1: 2", "disable_jit: 1", "num_threads: 0", "cache_dir: kept"])
def test_numba_reads_no_settings_there(tmp_path, text):
    """Those of `cache_dir` name a folder of pickles; `reload_config` is what each compilation calls."""
    (tmp_path / ".numba_config.yaml").write_text(text)
    code = (
        "import sttest.core.machine_code; from numba.core import config; config.reload_config();"
        "print(config.CACHE_DIR, config.DISABLE_JIT, config.NUMBA_NUM_THREADS > 0)"
    )
    environment = os.environ.get("NUMBA_CACHE_DIR", "")
    assert run(tmp_path, code) == f"{environment} {os.environ.get('NUMBA_DISABLE_JIT', 0)} True\n"


def test_settings_of_the_environment_work(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code = "import sttest.core.machine_code; from numba.core import config; print(config.CACHE_DIR)"
    assert run(tmp_path, code) == f"{tmp_path}\n"


def test_xdsl_imports_no_dialects_from_there(tmp_path):
    for name in ("cffi", "msvcrt", "absent"):
        (tmp_path / f"{name}.irdl").write_text("garbage(")
    code = (
        "import sttest.compile.ir.reader, importlib.util as util; print(util.find_spec('absent'));"
        "from xdsl.dialects.cmath import Cmath; print(Cmath.name)"
    )
    assert run(tmp_path, code) == "None\ncmath\n"
