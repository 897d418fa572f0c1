"""The `hls` folder of a design package, and what the package says where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.core.kernel_signature import BufferArgument, read_signature
from sttest.frontend.shipped import lowered_text
from sttest.package import DesignPackage
from sttest.package.compiled import write_package
from sttest.targets.vitis.rules import check_kernel

LINEAR = (Path(__file__).parent / "golden" / "linear.mlir").read_text(encoding="utf-8")


def test_signature_and_memory_table_say_the_same(tmp_path: Path) -> None:
    design = compile_text(LINEAR, "linear", "u55c", CompileOptions(precision="fp32"))
    package = write_package(design, tmp_path / "package").folder
    (kernel,) = read_signature(package / "hls" / "signature.json").kernels
    table = json.loads((package / "hls" / "memory.json").read_text(encoding="utf-8"))
    assert table["kernel"] == kernel.name == "group0"
    assert [row["name"] for row in table["arguments"]] == ["x", "proj_weight", "proj_bias", "act"]
    assert [row["dma"] for row in table["arguments"]] == ["load_x", "load_proj_weight", "load_proj_bias", "store_act"]
    assert [row["packed"] for row in table["arguments"]] == [False, True, True, False]
    assert [row["shape"] for row in table["arguments"]] == [[1, 32], [32, 32], [32], [1, 32]]
    for row, argument in zip(table["arguments"], kernel.arguments, strict=True):
        assert isinstance(argument, BufferArgument)
        assert (argument.name, argument.index, argument.bytes) == (row["name"], row["index"], row["bytes"])
        assert (argument.access, argument.element, argument.alignment_bytes) == (row["direction"], "float32", 64)
    assert check_kernel(DesignPackage.read(package).files.cpp_text) == []


def test_a_design_without_cpp_is_a_package_that_says_why(tmp_path: Path) -> None:
    """No operation of docs/reference/values.md adds halves; a design that does can still be timed."""
    text = (
        "builtin.module { func.func @main(%x: tensor<32xf16>) -> tensor<32xf16> { "
        "%e = tensor.empty() : tensor<32xf16> "
        "%y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], "
        'iterator_types = ["parallel"]} ins(%x : tensor<32xf16>) outs(%e : tensor<32xf16>) { '
        "^bb0(%a: f16, %b: f16): %s = arith.addf %a, %a : f16 linalg.yield %s : f16 } -> tensor<32xf16> "
        "func.return %y : tensor<32xf16> } }"
    )
    design = compile_text(text, "halves", "u55c", CompileOptions(precision="fp32"))
    package = write_package(design, tmp_path / "package")
    assert not (package.folder / "hls").exists()
    with pytest.raises(InputError, match=r"the design has no C\+\+: .*arith\.addf"):
        _ = package.files


@pytest.mark.parametrize(("name", "phase"), [("gpt2", "decode"), ("gemma", "prefill")])
def test_small_blocks_keep_to_the_rules(name: str, phase: str) -> None:
    design = compile_text(lowered_text(name, phase, small=True), "block", "u55c", CompileOptions(precision="fp32"))
    emitted = emit_design(design)
    assert check_kernel(emitted.text) == []
    assert emitted.text.startswith("// block: a dataflow kernel for Vitis HLS 2024.1.\n")


def test_ports_of_another_width_are_refused() -> None:
    design = compile_text(LINEAR, "linear", "u55c", CompileOptions(precision="fp32", beat_bits=64))
    with pytest.raises(InputError, match=r"ports of 64 bits have no C\+\+.*128, 256, 512"):
        emit_design(design)


def test_text_from_outside_stays_where_it_belongs() -> None:
    """Names of designs and modules may hold anything: a backslash at the end would take the next line along."""
    text = LINEAR.replace('sttest.source = "norm"', 'sttest.source = "norm \\\\"')
    emitted = emit_design(compile_text(text, "evil \\", "u55c", CompileOptions(precision="fp32")))
    assert emitted.text.startswith("// evil ?: a dataflow")
    assert check_kernel(emitted.text) == []
