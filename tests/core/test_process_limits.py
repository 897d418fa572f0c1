"""A limit is lowered, and one that is lower already stays."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of processes are those of Unix")


@pytest.mark.parametrize(
    ("kind", "before", "asked", "after"),
    [
        ("RLIMIT_AS", None, 1 << 34, (1 << 34, 1 << 34)),
        ("RLIMIT_AS", 1 << 33, 1 << 34, (1 << 33, 1 << 33)),
        ("RLIMIT_CPU", None, 100, (100, 105)),
        ("RLIMIT_CPU", 102, 100, (100, 102)),
        ("RLIMIT_CPU", 50, 100, (50, 50)),
    ],
)
def test_a_lower_limit_stays(kind, before, asked, after):
    code = f"import resource\nfrom sttest.core.limits import lower_limit\nkind = resource.{kind}\n"
    code += f"resource.setrlimit(kind, ({before}, {before}))\n" if before else ""
    code += f"lower_limit(kind, {asked})\nprint(resource.getrlimit(kind))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == f"{after}\n"


def test_a_compiler_ends_with_a_parent_that_is_killed(tmp_path):
    code = f"""
import os
from pathlib import Path
from sttest.importers.cpp.compiler import run_limited
run_limited(["sh", "-c", "echo $$ > child.new; mv child.new child; exec sleep 60"], Path({str(tmp_path)!r}), "waiting")
"""
    parent = subprocess.Popen([sys.executable, "-P", "-c", code])
    told = tmp_path / "child"
    try:
        wait_until(told.exists)
    finally:
        parent.kill()
        parent.wait()
    child = Path("/proc") / told.read_text().strip() / "stat"
    wait_until(lambda: not child.exists() or child.read_text().rpartition(")")[2].split()[0] in "ZX")


def wait_until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
