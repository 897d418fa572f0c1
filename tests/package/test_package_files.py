"""One room knows what is inside a package: nobody else names a file of it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import sttest

ROOT = Path(sttest.__file__).parent
PARTS = {
    "timed_graph.json", "timed_graph_placed.json", "values.json", "kernel.cpp", "signature.json", "memory.json",
    "link.cfg", "kernels.csv", "fifos.csv", "converters.csv", "memory.csv", "memory_kinds.csv", "activity.csv",
    "resources.csv", "partition.csv", "crossings.csv", "relays.csv", "fusion.csv", "banks.csv",
}  # fmt: skip
MANIFESTS = {"core/files.py", "core/results.py", "studies/report/read.py"}
"""Where the manifests of folders of results and of packed parameters are read and written."""
_PATH = re.compile(r"[\w.{}*/-]+")


def names(text: str) -> list[str]:
    """File names and folders in a path; none in prose, which may name files."""
    return text.split("/") if _PATH.fullmatch(text) else []


def folders(node: ast.AST) -> bool:
    """Whether a path is made with a folder of a package: ``package / "hls"``."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and any(
            isinstance(side, ast.Constant) and str(side.value).split("/")[0] in ("hls", "ir", "reports")
            for side in (node.left, node.right)
        )
    )


@pytest.mark.daily
def test_nobody_else_names_a_file_of_a_package() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.parent != ROOT / "package"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if folders(node) or (isinstance(node, ast.Constant) and _names_a_part(str(node.value), path))
    ]
    assert found == []


def _names_a_part(text: str, path: Path) -> bool:
    parts = PARTS if path.relative_to(ROOT).as_posix() in MANIFESTS else PARTS | {"manifest.json"}
    return any(name in parts for name in names(text))
