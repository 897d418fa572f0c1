"""Programs of KernelBench (levels 1 to 3), at small sizes, compiled and compared with PyTorch.

``python tests/frontend/kernelbench.py FOLDER [PART OF A NAME ...]`` takes the folder ``KernelBench`` of a clone of
https://github.com/ScalingIntelligence/KernelBench, runs each program in a process of its own, and writes
``kernelbench.csv``.  The programs are PyTorch as others write it; nothing of them is kept here but their names.
"""

from __future__ import annotations

import ast
import copy
import csv
import json
import subprocess
import sys
import warnings
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from conformance import LEAST_DB, _cause, sqnr_db

TABLE = Path(__file__).with_name("kernelbench.csv")
TIMEOUT_S = 240
_PLAIN = 16
"""Sizes up to this stay as they are."""
_MOST_ELEMENTS = 2**22
"""Of parameters and inputs of a program that is tried; networks for pictures cannot be shrunk from outside."""


@dataclass(frozen=True)
class Row:
    """What became of a program: ``right``, ``wrong``, ``refused``, ``left out`` or ``slow``."""

    level: str
    program: str
    outcome: str
    decibels: str = ""
    cause: str = ""


class _Smaller(ast.NodeTransformer):
    """Sizes above a few become a few; what was divisible by 16, 8 or 4 still is."""

    def __init__(self, batch: int) -> None:
        self.batch = batch

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        named = [each.id for each in node.targets if isinstance(each, ast.Name)]
        if any("batch" in name for name in named) and isinstance(node.value, ast.Constant | ast.BinOp):
            node.value = ast.copy_location(ast.Constant(self.batch), node.value)
            return node
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if any(isinstance(each, ast.Name | ast.List | ast.Call) for each in ast.walk(node)):
            self.generic_visit(node)
            return node
        value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
        return ast.copy_location(ast.Constant(_small(value)), node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.copy_location(ast.Constant(_small(node.value)), node)


def _small(value: Any) -> Any:
    if not isinstance(value, int) or isinstance(value, bool) or value <= _PLAIN:
        return value
    return next((size for size in (16, 8, 4) if value % size == 0), 9 if value % 2 else 10)


def program(path: Path, batch: int) -> tuple[Any, list[Any]]:
    """The model of a program, and its inputs."""
    names: dict[str, Any] = {"__name__": path.stem}
    tree = ast.fix_missing_locations(_Smaller(batch).visit(ast.parse(path.read_text(encoding="utf-8"))))
    exec(compile(tree, str(path), "exec"), names)
    return names["Model"](*names["get_init_inputs"]()), names["get_inputs"]()


def _running(path: Path) -> tuple[Any, list[Any]]:
    """A program that runs, of a small batch, or of one as large as other sizes, with which some are multiplied."""
    import torch

    for batch in (2, _PLAIN):
        module, inputs = program(path, batch)
        try:
            with torch.no_grad():
                module.eval()(*inputs)
        except Exception:
            if batch == _PLAIN:
                raise
        else:
            return module, inputs
    raise AssertionError


def measured(path: Path) -> Row:
    import torch

    from sttest.compile.compiler import compile_text
    from sttest.compile.options import CompileOptions
    from sttest.compile.reference_graph import value_graph
    from sttest.core.errors import SttestError
    from sttest.frontend.module_source import ModuleSource
    from sttest.reference import memory_images, read_results, run

    level, name = path.parent.name, path.stem
    torch.manual_seed(0)
    try:
        module, inputs = _running(path)
    except Exception as error:
        return Row(level, name, "left out", "", f"does not run at small sizes: {type(error).__name__}")
    elements = sum(each.numel() for each in (*module.parameters(), *(i for i in inputs if hasattr(i, "numel"))))
    if elements > _MOST_ELEMENTS:
        return Row(level, name, "left out", "", f"{elements:,} elements")
    try:
        source = ModuleSource.of(module, tuple(inputs), name="program", where=name)
        # Values are the matter here: what on-chip memory, channels and lanes there are decides nothing.
        options = CompileOptions(
            precision="fp32", overall_unroll=2**13, first_lanes=1, c_max_bytes=2**32, channels="together"
        )
        design = compile_text(source.text(), "program", "u55c", options)
        graph = value_graph(design.module, "program")
        tensors = source.parameters() | source.inputs()
        images = memory_images(graph, {key: value for key, value in tensors.items() if key in graph.argument})
        found = read_results(graph, run(graph, images).results)
    except SttestError as error:
        return Row(level, name, "refused", "", _cause(error).replace(f"{path.parent}/", ""))
    true = source.run(source.inputs())
    worst = min(sqnr_db(each, found[key]) for key, each in true.items())
    if worst < LEAST_DB and _is_noise(module, inputs, list(true.values()), [found[key] for key in true]):
        return Row(level, name, "left out", "", "PyTorch's own float32 is noise at small sizes, by its float64")
    return Row(level, name, "right" if worst >= LEAST_DB else "wrong", f"{worst:.0f}")


def _is_noise(module: Any, inputs: list[Any], true: list[Any], found: list[Any]) -> bool:
    """Whether PyTorch in float32 is no nearer to itself in float64 than our results are, but for a factor of two.

    A group of one element has no variance, but rounding has.
    """
    import torch

    exact = [each.double() if torch.is_tensor(each) and each.is_floating_point() else each for each in inputs]
    with torch.no_grad():
        made = copy.deepcopy(module).double().eval()(*exact)
    for each, theirs, ours in zip(made if isinstance(made, tuple | list) else (made,), true, found, strict=True):
        nearest = each.double().numpy()
        if sqnr_db(theirs, ours) >= LEAST_DB:
            continue
        own = float(np.abs(theirs - nearest).max())
        if sqnr_db(nearest, theirs) >= LEAST_DB or float(np.abs(ours - nearest).max()) > 2 * own:
            return False
    return True


def main(folder: Path, parts: list[str]) -> None:
    done = {}
    if TABLE.is_file():
        with TABLE.open(encoding="utf-8", newline="") as file:
            done = {(row["level"], row["program"]): Row(**row) for row in csv.DictReader(file)}
    paths = [each for level in ("level1", "level2", "level3") for each in sorted((folder / level).glob("*.py"))]
    for path in paths:
        if parts and not any(part in f"{path.parent.name}/{path.stem}" for part in parts):
            continue
        row = _apart(path)
        print(*astuple(row), sep=" | ", flush=True)
        done[row.level, row.program] = row
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([each.name for each in fields(Row)])
            writer.writerows(astuple(each) for _, each in sorted(done.items()))


def _apart(path: Path) -> Row:
    command = [sys.executable, __file__, "--one", str(path)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return Row(path.parent.name, path.stem, "slow", "", f"more than {TIMEOUT_S} s")
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        return Row(path.parent.name, path.stem, "wrong", "", f"crashed: {last[:200]}")
    return Row(**json.loads(ran.stdout.splitlines()[-1]))


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = measured(Path(sys.argv[2]))
        print(json.dumps({each.name: getattr(found, each.name) for each in fields(Row)}))
    else:
        main(Path(sys.argv[1]), sys.argv[2:])
