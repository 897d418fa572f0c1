"""The SystemVerilog of a whole kernel, as it is packed for Vitis, before a front end that shares no code with ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sttest.compile.rtl import module_text
from sttest.compile.rtl.cells import Cells
from sttest.crosscheck.rtl_kernel import package_kernel
from sttest.package import DesignPackage
from sttest.targets.rtl.kernel import VENDOR_CELLS


@pytest.mark.nightly
def test_slang_takes_a_whole_kernel(tmp_path: Path) -> None:
    """Names are declared before their use, modules are there with the ports and parameters that instances give."""
    pyslang = pytest.importorskip("pyslang", reason="needs pyslang, pip install pyslang")
    pytest.importorskip("xls", reason="needs XLS, pip install 'sttest[rtl]'")
    folder = tmp_path / "small"
    made = ("compile", "small-gpt2", "--phase", "decode", "--context", "32", "-o", str(folder))
    subprocess.run([sys.executable, "-P", "-m", "sttest", *made], check=True, capture_output=True)
    kernel = package_kernel(DesignPackage.read(folder), Cells(kept_in=tmp_path / "cells"))
    compilation = pyslang.ast.Compilation()
    for name, text in {f"{VENDOR_CELLS}.sv": module_text(VENDOR_CELLS), **kernel.sources({})}.items():
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(text, name))
    assert kernel.name in {root.name for root in compilation.getRoot().topInstances}
    assert [str(each.code) for each in compilation.getAllDiagnostics() if each.isError()] == []
