"""Makes small faults in the max-plus engine and in the search of deadlocks, and counts those that their tests notice.

    python tests/mutants/run.py --minutes 30 --seed 1
    python tests/mutants/run.py sttest/sim/deadlock.py --minutes 10

A fault is one of cosmic-ray's: another operator, comparison or number, a loop left out.  Those tried are drawn by the
seed until the time is over.  Each runs in a copy of the tree, kernels compiled anew, until the first test fails.  What
no test notices is printed with its line; the score is the share that was noticed, or ran out of time.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parents[2]
SOURCES = (*sorted(str(path.relative_to(ROOT)) for path in (ROOT / "sttest/sim/maxplus").glob("*.py")),
           "sttest/sim/deadlock.py")  # fmt: skip
TESTS = ("tests/sim/deadlock", "tests/sim/test_maxplus.py", "tests/sim/checker", "tests/sim/maxplus")
COPIED = ("sttest", "tests", "benchmarks", "pyproject.toml")
CPU_S = 900
"""Processor time of a mutant's tests, after which it counts as noticed: most loop for ever."""
# Annotations are `A | B` too, and decorators say what is compiled: changing these is no fault of the program.
_LEFT_OUT = ("ReplaceBinaryOperator_BitOr", "RemoveDecorator", "ExceptionReplacer", "Variable")


@dataclass(frozen=True)
class Mutant:
    """The n-th place of a file where an operator of cosmic-ray can change something."""

    file: str
    operator: str
    number: int

    def text(self) -> str | None:
        """The changed source; None where it is the old one."""
        source = (ROOT / self.file).read_text(encoding="utf-8")
        changed = mutate_code(source, get_operator(self.operator)(), self.number)
        return None if changed == source else changed


def mutants(files: Sequence[str]) -> Iterator[Mutant]:
    """All of some files."""
    names = [name for name in operator_names() if not any(part in name for part in _LEFT_OUT)]
    for file in files:
        nodes = list(ast_nodes(get_ast((ROOT / file).read_text(encoding="utf-8"))))
        for name in names:
            operator = get_operator(name)()
            count = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            yield from (Mutant(file, name, number) for number in range(count))


def noticed(mutant: Mutant, text: str, folder: Path, tests: Sequence[str]) -> bool:
    """Whether a test of the copy in ``folder`` fails with the changed file; the file is put back."""
    path = folder / mutant.file
    path.write_text(text, encoding="utf-8")
    try:
        return not passes(folder, tests)
    finally:
        shutil.copyfile(ROOT / mutant.file, path)


def passes(folder: Path, tests: Sequence[str]) -> bool:
    """Whether all tests pass in a copy of the tree, in ``CPU_S`` seconds of a processor."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
        environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": cache}
        return subprocess.run(
            command, cwd=folder, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)),
        ).returncode == 0  # fmt: skip


def difference(mutant: Mutant, text: str) -> str:
    """The changed lines."""
    source = (ROOT / mutant.file).read_text(encoding="utf-8").splitlines()
    lines = list(difflib.unified_diff(source, text.splitlines(), n=0, lineterm=""))[2:]
    return "\n".join(f"    {line}" for line in lines)


def copy_tree(folder: Path) -> Path:
    """What the tests need of the tree."""
    for name in COPIED:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__")
        (shutil.copytree(source, folder / name, ignore=ignored) if source.is_dir() else shutil.copy(source, folder))
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it; exit code 1 where the tests fail without any fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=SOURCES, help="[the engine's modules and deadlock.py]")
    parser.add_argument("--tests", nargs="*", default=TESTS, help=f"[{' '.join(TESTS)}]")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    until, killed, tried = time.monotonic() + 60 * asked.minutes, 0, 0
    every = list(mutants(asked.files))
    random.Random(asked.seed).shuffle(every)
    with tempfile.TemporaryDirectory() as name:
        folder = copy_tree(Path(name))
        if not passes(folder, asked.tests):
            print("the tests fail without any fault")
            return 1
        for mutant in every:
            if time.monotonic() > until:
                break
            if (text := mutant.text()) is None:
                continue
            tried += 1
            if noticed(mutant, text, folder, asked.tests):
                killed += 1
            else:
                print(f"survived: {mutant.file}, {mutant.operator}\n{difference(mutant, text)}", flush=True)
    share = f", {killed / tried:.0%}" if tried else ""
    print(f"{killed} of {tried} noticed{share}; {len(every):,} are possible, seed {asked.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
