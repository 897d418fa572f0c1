"""Two small kernels as C++, word for word: what a change of the emission does is read in the diff of a golden file."""

from __future__ import annotations

from pathlib import Path

import pytest
from operation_kernels import operations_text
from small_kernels import made

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.targets.vitis.rules import check_kernel

GOLDEN = Path(__file__).parent / "golden"


def _linear() -> str:
    """A normalization, a product with a weight and an activation, compiled from linalg text."""
    text = (GOLDEN / "linear.mlir").read_text(encoding="utf-8")
    return emit_design(compile_text(text, "linear", "u55c", CompileOptions(precision="fp32"))).text


def _integers() -> str:
    """Quantization, integer arithmetic, halves and truth values in steps of eight lanes."""
    return made(operations_text(8, ["quantize", "integers", "narrow"])).emitted.text


@pytest.mark.parametrize("emit", [_linear, _integers], ids=["linear", "integers"])
def test_golden(emit: object, request: pytest.FixtureRequest) -> None:
    assert callable(emit)
    found = emit()
    path = GOLDEN / f"{emit.__name__.strip('_')}.cpp"
    if request.config.getoption("update_golden"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), "if that is right, write it with pytest --update-golden"
    assert check_kernel(found) == []
    assert max(map(len, found.splitlines())) <= 250
