"""A limit is lowered, and one that is lower already stays."""

import subprocess
import sys

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
