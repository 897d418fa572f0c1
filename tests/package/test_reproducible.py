"""One command gives one package, byte by byte, whatever the order of hashes, with -O, and beside another process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

TEXT = Path(__file__).parents[2] / "sttest/frontend/lowered/small-gpt2-decode-c32.mlir"
MODEL = ("compile", "small-gpt2", "--phase", "decode", "--context", "32")
STUDY = """title: two clocks and two widths
base: {model: small-gpt2, context: 32}
axes: {board.clock_mhz: [200, 250], board.hbm.bandwidth: [230, 460]}
"""


def started(folder: Path, arguments: Sequence[object], *, seed: int, optimized: bool, cache: str) -> subprocess.Popen:
    """The command line in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "STTEST_CACHE": str(folder / cache)}
    command = [sys.executable, *(["-O"] if optimized else []), "-m", "sttest", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)


def ended(process: subprocess.Popen) -> None:
    _, complaints = process.communicate(timeout=1200)
    assert process.returncode == 0, complaints


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def same(first: Path, second: Path) -> int:
    """Compares two packages; the number of their files."""
    found, others = files_of(first), files_of(second)
    assert found.keys() == others.keys()
    assert [name for name, content in found.items() if content != others[name]] == []
    return len(found)


@pytest.mark.daily
@pytest.mark.timeout(900)
def test_two_packages_made_at_once_by_different_processes_are_equal(tmp_path: Path) -> None:
    running = [
        started(tmp_path, ["compile", TEXT, "-o", name], seed=seed, optimized=optimized, cache="cache")
        for name, seed, optimized in (("a", 1, False), ("b", 2, True))
    ]
    for process in running:
        ended(process)
    assert same(tmp_path / "a", tmp_path / "b") > 15


SLOW = {
    "model": MODEL,
    "text": ("compile", TEXT),
    "placed": (*MODEL, "--check-resources", "--print-after-all"),
    "default": (*MODEL, "--design", "default", "--budget", "all"),
    "groups": ("compile", "small-gemma", "--phase", "decode", "--context", "32", "--groups"),
}


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", SLOW)
def test_packages_are_equal_with_four_seeds_with_O_and_with_a_warm_cache(name: str, tmp_path: Path) -> None:
    for seed in range(4):
        ended(started(tmp_path, [*SLOW[name], "-o", f"s{seed}"], seed=seed, optimized=False, cache=f"cache{seed}"))
    ended(started(tmp_path, [*SLOW[name], "-o", "optimized"], seed=4, optimized=True, cache="cacheO"))
    ended(started(tmp_path, [*SLOW[name], "-o", "warm"], seed=5, optimized=False, cache="cache0"))
    for other in ("s1", "s2", "s3", "optimized", "warm"):
        assert same(tmp_path / "s0", tmp_path / other) > 0


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_tables_are_equal_from_one_process_and_from_two(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY)
    tables = []
    for jobs in (1, 2):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        arguments = ["whatif", tmp_path / "study.yaml", "--jobs", jobs, "-o", "out"]
        ended(started(folder, arguments, seed=jobs, optimized=jobs == 2, cache="cache"))
        tables.append(files_of(folder / "out"))
    names = ("table.csv", "table.md", "figure.svg")
    assert [name for name in names if tables[0][name] != tables[1][name]] == []
