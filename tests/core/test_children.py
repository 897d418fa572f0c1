"""Children that are Python import nothing from the current folder, and those that take long end with their parent."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sttest.core.children import python_command, safe_path

ROOT = Path(__file__).parents[2]
HOME = "sttest/core/children.py"
PROCESSES = "sttest/core/processes.py"
FORKS = "benchmarks/hostile/campaign.py"
"""It forks, and so starts no Python."""
SHADOWED = (
    "json",
    "typing",
    "numpy",
    "torch",
    "ctypes",
    "runpy",
    "pickle",
    "multiprocessing",
    "struct",
    "signal",
    "tempfile",
    "sttest",
    "experiments",
    "selectors",
    "threading",
    "sitecustomize",
    "usercustomize",
)


# --- No new one can come without


def sources() -> Iterator[tuple[str, ast.AST]]:
    for room in ("sttest", "experiments", "benchmarks"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def of_python(node: ast.AST) -> bool:
    """Whether it names the interpreter, or a way to start one."""
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr="executable" | "_base_executable"):
            return True
        case ast.ImportFrom(module="sys", names=names):
            return any(each.name == "executable" for each in names)
        case (
            ast.List(elts=[ast.Constant(value=str(program)), ast.Constant(value=str(first)), *_])
            | ast.Tuple(elts=[ast.Constant(value=str(program)), ast.Constant(value=str(first)), *_])
        ):
            return program.rpartition("/")[2] in ("python", "python3") and first.startswith("-")
        case _:
            return False


def starts_by_itself(node: ast.AST) -> bool:
    """Whether it starts processes without a command line, or through a shell."""
    match node:
        case ast.Import(names=names):
            return any(each.name.startswith(("multiprocessing", "concurrent.futures.process")) for each in names)
        case ast.ImportFrom(module=str(module), names=names):
            pools = {"ProcessPoolExecutor", "process"} if module.startswith("concurrent") else set[str]()
            return module.startswith("multiprocessing") or any(each.name in pools for each in names)
        case ast.Attribute(value=ast.Name(id="os"), attr=name):
            return name.startswith(("exec", "spawn", "posix_spawn", "system", "popen"))
        case ast.keyword(arg="shell"):
            return True
        case ast.Attribute(attr="LocalCluster" | "ProcessPoolExecutor"):
            return True
        case _:
            return False


def shown(tree: ast.AST) -> set[ast.AST]:
    """What only becomes part of a text, or of what the doctor finds."""
    texts = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "PartStatus")
    ]
    return {inner for text in texts for inner in ast.walk(text)}


@pytest.mark.parametrize(
    ("finds", "text"),
    [
        (of_python, "x = [sys.executable, '-m', 'a']"),
        (of_python, "from sys import executable"),
        (of_python, "run(['/usr/bin/python3', '-c', 'a'])"),
        (starts_by_itself, "import multiprocessing.pool"),
        (starts_by_itself, "from concurrent.futures import ProcessPoolExecutor"),
        (starts_by_itself, "os.execv('python', [])"),
        (starts_by_itself, "run('python', shell=True)"),
    ],
)
def test_the_search_finds_what_it_looks_for(finds: Callable[[ast.AST], bool], text: str) -> None:
    assert any(map(finds, ast.walk(ast.parse(text))))


@pytest.mark.daily
def test_every_command_line_of_python_comes_from_one_place() -> None:
    found = {
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, tree in sources()
        if name != HOME
        for node in ast.walk(tree)
        if of_python(node) and node not in shown(tree)
    }
    assert found == set()


@pytest.mark.daily
def test_processes_are_started_in_one_place() -> None:
    found = {name for name, tree in sources() for node in ast.walk(tree) if starts_by_itself(node)}
    assert found == {PROCESSES, FORKS}


# --- They import nothing from the current folder


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder whose modules, named as those of Python and others, leave a trace when they are imported."""
    for name in SHADOWED:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + ' ')\n")
    return tmp_path


LOWERED = """
from sttest.frontend import lowering
from sttest.models.program import check_head
done = lowering._run(check_head, {"out": {"phase": "prefill"}}, probing=False)
print(done.returncode, done.stdout.decode().split()[0])
"""
POOLED = """
from sttest.core.processes import run_all
if __name__ == "__main__":
    print(sorted(run_all(len, {1: "a", 2: "bc"}, 2)))
"""
WORKER = """
import subprocess
from sttest.core.children import python_command
for ends in (False, True):
    command = python_command(["-m", "sttest.targets.synth.worker"], ends_with_us=ends)
    subprocess.run(command, check=False, capture_output=True)
print("done")
"""


@pytest.mark.parametrize(
    ("script", "says"),
    [(LOWERED, "2 error\n"), (POOLED, "[(1, 1), (2, 2)]\n"), (WORKER, "done\n")],
    ids=["lowering", "pool", "worker"],
)
def test_modules_of_the_current_folder_are_not_run(script: str, says: str, foreign: Path, tmp_path: Path) -> None:
    (tmp_path / "script").mkdir()
    file = tmp_path / "script" / "main.py"
    file.write_text(script)
    # As the console script: without -P, which children of a pool would take over, and not in the current folder.
    done = subprocess.run(
        [sys.executable, str(file)], cwd=foreign, capture_output=True, text=True, check=False, timeout=280
    )
    assert (done.stdout, done.returncode) == (says, 0), done.stderr
    assert not (foreign / "ran").exists(), (foreign / "ran").read_text()


def test_a_command_of_a_module_and_of_code_has_the_option() -> None:
    assert python_command(["-c", "pass"])[1:] == ["-P", "-c", "pass"]
    ending = python_command(["-W", "ignore", "-m", "a", "b"], ends_with_us=True)
    assert ending[1:] == ["-P", "-W", "ignore", "-m", "sttest.core.child", str(os.getpid()), "a", "b"]


def test_a_child_has_the_arguments_and_the_name_of_its_module(tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text("import sys\nprint(__name__, sys.argv[1:], sys.argv[0][-7:])\n")
    command = python_command(["-m", "told", "a", "-b"], ends_with_us=True)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.stderr) == ("__main__ ['a', '-b'] told.py\n", "")


def test_the_environment_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "", "0"):
        if before is None:
            monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
        else:
            monkeypatch.setenv("PYTHONSAFEPATH", before)
        with safe_path():
            assert os.environ["PYTHONSAFEPATH"] == "1"
        assert os.environ.get("PYTHONSAFEPATH") == before


# --- They end with their parent


SLEEPING = """
import functools, sys
from sttest.frontend import lowering
told = "import os, time; from pathlib import Path; Path(PLACE).write_text(str(os.getpid()) + ';'); time.sleep(300)"
told = told.replace("PLACE", repr(sys.argv[1]))
lowering._run(functools.partial(exec, told), {"out": {}}, probing=False)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_parent_leaves_no_lowering_process(number: signal.Signals, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-P", "-c", SLEEPING, str(place)]) as parent:
        assert wait_for(lambda: place.exists() and place.read_text().endswith(";"), 250)
        parent.send_signal(number)
    child = int(place.read_text().removesuffix(";"))
    try:
        assert wait_for(lambda: state(child) in ("", "Z"), 30)
    finally:
        if state(child) not in ("", "Z"):
            os.kill(child, signal.SIGKILL)


def test_a_child_whose_parent_has_gone_already_does_nothing() -> None:
    command = python_command(["-m", "this"], ends_with_us=True)
    command[command.index(str(os.getpid()))] = "1"
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


def state(pid: int) -> str:
    """A letter, ``Z`` for a process that has ended and that nobody has asked for; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_for(found: Callable[[], bool], limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if found():
            return True
        time.sleep(0.05)
    return False
