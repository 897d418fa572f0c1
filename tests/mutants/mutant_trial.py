"""Tests a mutant in a copy of the tree, and says how it was noticed."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mutant_faults
from mutant_faults import Mutant

COPIED = ("sttest", "tests", "benchmarks", "conftest.py", "pyproject.toml")
KERNEL = "sttest/sim/maxplus/kernel.py"
KINDS = ("assertion", "error", "crash", "timeout", "import", "compile", "survived")
"""How a mutant ended: a test's assertion, another exception, a signal, a test that goes on for ever; its module or

a test file can't be imported, it can't be compiled; no test failed."""
STILLBORN = ("import", "compile")
"""These need no test of what they do."""
_WALL_S = 1200.0
_MEMORY = 4 << 30


@dataclass(frozen=True)
class Outcome:
    """One of ``KINDS``, the test that noticed, and what it said."""

    kind: str
    test: str = ""
    what: str = ""


@dataclass
class Workplace:
    """A copy of the tree, with the compiled code and the times of its tests without a fault.

    ``cache``: compiled code; ``took``: seconds of a processor by test.
    """

    folder: Path
    cache: Path
    took: dict[str, float] = field(default_factory=dict[str, float])
    _imported: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    @classmethod
    def made_in(cls, folder: Path) -> Workplace:
        """Copies what the tests need of the tree."""
        tree = folder / "tree"
        tree.mkdir(parents=True)
        for name in COPIED:
            source = mutant_faults.ROOT / name
            ignored = shutil.ignore_patterns("__pycache__")
            (shutil.copytree(source, tree / name, ignore=ignored) if source.is_dir() else shutil.copy2(source, tree))
        (folder / "cache").mkdir()
        return cls(tree, folder / "cache")

    def is_sound(self, tests: Sequence[str]) -> bool:
        """Whether all tests pass without a fault; their times, and what they compiled, are kept."""
        outcome, self.took = self._run(self.cache, tests)
        if outcome.kind != "survived":
            print(f"{outcome.kind}: {outcome.test} {outcome.what}", file=sys.stderr)
        return outcome.kind == "survived"

    def outcome(self, mutant: Mutant, text: str, tests: Sequence[str]) -> Outcome:
        """Runs the tests with the changed file, which is put back; all that it is compiled into is compiled anew."""
        path = self.folder / mutant.file
        path.write_text(text, encoding="utf-8")
        try:
            with tempfile.TemporaryDirectory() as cache:
                self.keep_others(Path(cache), mutant.file)
                return self._run(Path(cache), tests)[0]
        finally:
            shutil.copy2(mutant_faults.ROOT / mutant.file, path)

    def keep_others(self, cache: Path, changed: str) -> None:
        """Links the compiled code of those files that import the changed one neither themselves nor by others."""
        for kept in self.cache.rglob("*.nb*"):
            if changed in self._imports_of(kept.name.split(".")[0]):
                continue
            place = cache / kept.relative_to(self.cache)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(kept, place)

    def _imports_of(self, stem: str) -> set[str]:
        """What the files of a name import."""
        if stem not in self._imported:
            sources = (self.folder / "sttest").rglob(f"{stem}.py")
            self._imported[stem] = {name for path in sources for name in imported_by(path, self.folder)}
        return self._imported[stem]

    def _run(self, cache: Path, tests: Sequence[str]) -> tuple[Outcome, dict[str, float]]:
        with tempfile.TemporaryDirectory() as name:
            report, plan = Path(name) / "report", Path(name) / "plan"
            has_kernel = (self.folder / KERNEL).exists()
            kernel = KERNEL.removesuffix(".py").replace("/", ".") if has_kernel else None
            said = {"report": str(report), "folder": str(self.folder), "took": self.took, "kernel": kernel}
            plan.write_text(json.dumps(said | {"stamp": f"sources_{_digest(mutant_faults.ROOT)}"}), encoding="utf-8")
            report.touch()
            code = self._pytest(cache, plan, tests)
            lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        took = {line["test"]: line["took"] for line in lines if "took" in line}
        return _outcome(code, lines), took

    def _pytest(self, cache: Path, plan: Path, tests: Sequence[str]) -> int | None:
        """The exit code, negative of a signal; None where time was over."""
        options = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "mutant_watch")
        paths = os.pathsep.join([str(self.folder), str(Path(__file__).parent)])
        environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(cache), "STTEST_MUTANT": str(plan)}
        process = subprocess.Popen(
            [sys.executable, "-B", "-m", "pytest", *options, *tests],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY)),
        )
        try:
            return process.wait(_WALL_S)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _outcome(code: int | None, lines: list[dict[str, Any]]) -> Outcome:
    test = next((line["test"] for line in reversed(lines) if "test" in line), "")
    if code is None or code == -signal.SIGPROF:
        return Outcome("timeout", test)
    failed = next((line for line in lines if "kind" in line), None)
    if failed is not None:
        is_late = "Timeout" in failed["what"].partition("\n")[0]
        return Outcome("timeout" if is_late else failed["kind"], failed.get("test", ""), failed["what"])
    if code == 0:
        return Outcome("survived")
    return Outcome("crash" if code < 0 else "error", test, f"exit code {code}")


def imported_by(path: Path, folder: Path) -> set[str]:
    """A file, and all of the tree that it imports at its top, of whatever depth, relative to ``folder``."""
    found: set[str] = set()
    todo = [path]
    while todo:
        at = todo.pop()
        name = str(at.relative_to(folder))
        if name in found:
            continue
        found.add(name)
        for node in ast.walk(ast.parse(at.read_text(encoding="utf-8"))):
            todo += [each for module in _modules(node) if (each := folder / f"{module.replace('.', '/')}.py").is_file()]
    return found


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _digest(root: Path) -> str:
    """Names the unchanged kernels."""
    digest = hashlib.sha256()
    for path in sorted((root / KERNEL).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def table(outcomes: Sequence[tuple[Mutant, Outcome]], equivalent: Sequence[Mutant] = ()) -> list[dict[str, object]]:
    """A row per file, and one of all: how many ended how, and the shares that were noticed."""
    files = list(dict.fromkeys(mutant.file for mutant, _ in outcomes))
    rows: list[dict[str, object]] = []
    for file in [*files, "all"]:
        of_file = [(mutant, outcome) for mutant, outcome in outcomes if file in (mutant.file, "all")]
        count = Counter(outcome.kind for _, outcome in of_file)
        alike = sum(mutant in equivalent for mutant, outcome in of_file if outcome.kind == "survived")
        born = len(of_file) - sum(count[kind] for kind in STILLBORN)
        noticed = born - count["survived"]
        row: dict[str, object] = {"file": file, "tried": len(of_file), **{kind: count[kind] for kind in KINDS}}
        row |= {"equivalent": alike, "score": _share(noticed, born)}
        rows.append(row | {"score_without_equivalent": _share(noticed, born - alike)})
    return rows


def _share(part: int, of: int) -> str:
    return f"{part / of:.3f}" if of else ""
