"""Emitted C++ run by the C simulation against the reference engine, to the bit: every type, layout and operation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from operation_kernels import operations_text
from small_kernels import Port, kernel_text, made, needs_compiler, stream_type
from value_checks import assert_same_values

pytestmark = [needs_compiler, pytest.mark.usefixtures("quick_build")]


# Tensor, order in which it is read, order in which it is written: how tokens lie in 512-bit words differs.
LAYOUTS = {
    "whole_words": ("32x32xf32", stream_type("16x16xf32", "2,2", "16,16", "d0,d1"), None),
    "other_order": (
        "32x32xf32",
        stream_type("16x16xf32", "2,2", "16,16", "d1,d0"),
        stream_type("8x32xf32", "4", "8", "d0,0"),
    ),
    "streamed_again": (
        "8x16xi8",
        stream_type("1x16xi8", "3,8", "1,1", "d1,0"),
        stream_type("8x4xi8", "3,4", "1,4", "0,d1"),
    ),
    "several_in_a_word": ("6x16xi4", stream_type("1x16xi4", "6", "1", "d0,0"), None),
    "in_a_word_reversed_dims": (
        "4x4xf32",
        stream_type("1x1xf32", "4,4", "1,1", "d1,d0"),
        stream_type("2x4xf32", "2", "2", "d0,0"),
    ),
    "across_words": (
        "6x10xf32",
        stream_type("2x5xf32", "2,3", "5,2", "d1,d0"),
        stream_type("3x10xf32", "2", "3", "d0,0"),
    ),
    "halves": ("3x40xf16", stream_type("1x10xf16", "3,4", "1,10", "d0,d1"), stream_type("3x8xf16", "5", "8", "0,d0")),
    "a_loop_of_one_trip": ("8x8xf32", stream_type("4x4xf32", "2,2,1", "4,4,2", "d0,(d1 + d2)"), None),
    # Called like what loops count with.
    "t0": ("1xf32", stream_type("1xf32", "", "", "0"), None),
}


@pytest.mark.parametrize(("vector_bits", "beat_bits"), [(4096, 512), (128, 512), (4096, 128)])
def test_tensors_pass_through_in_every_layout(vector_bits: int, beat_bits: int, tmp_path: Path) -> None:
    """Memory to stream, to another order where there is one, and back; parameters are packed in stream order."""
    inputs, results, body = [], [], []
    for name, (tensor, source, sink) in LAYOUTS.items():
        for suffix, parameter in (("", False), ("_packed", True)):
            inputs.append(Port(f"{name}{suffix}", f"tensor<{tensor}>", source, parameter))
            results.append(Port(f"{name}{suffix}_out", f"tensor<{tensor}>", sink or source))
            value = f"%{name}{suffix}_stream"
            copy = f"df.converter {value} : {source} -> {sink}" if sink else None
            body.append(f"{value[:-7]}_out_stream = {copy or _identity(value, source)}")
    text = kernel_text(inputs, results, "\n".join(body))
    assert_same_values(made(text, vector_bits, beat_bits=beat_bits), tmp_path)


# Tokens whose slices are words, parts of words, and of which a dim of one element comes first; one order walks back.
SLICED = {
    "words": ("256x128xf32", stream_type("16x16xf32", "16,8", "16,16", "d0,d1")),
    "parts_of_words": ("256x256xi4", stream_type("16x16xi4", "16,16", "16,16", "d1,d0")),
    "behind_a_dim_of_one": ("8x128x64xi8", stream_type("1x16x16xi8", "8,8,4", "1,16,16", "d0,d1,d2")),
    "streamed_again": ("128x128xf16", stream_type("16x16xf16", "3,8,8", "1,16,16", "d1,d2")),
}


@pytest.mark.parametrize(("vector_bits", "beat_bits"), [(4096, 512), (1024, 256)])
def test_slices_are_put_together(vector_bits: int, beat_bits: int, tmp_path: Path) -> None:
    """Large parameters come in slices, each over a channel of its own."""
    inputs, results, body = [], [], []
    for name, (tensor, stream) in SLICED.items():
        inputs.append(Port(name, f"tensor<{tensor}>", stream, parameter=True))
        results.append(Port(f"{name}_out", f"tensor<{tensor}>", stream))
        body.append(f"%{name}_out_stream = {_identity(f'%{name}_stream', stream)}")
    kernel = made(kernel_text(inputs, results, "\n".join(body)), vector_bits, slices=True, beat_bits=beat_bits)
    assert {load.argument for load in kernel.values.loads if load.part and load.part.slices > 1} == SLICED.keys()
    assert len(kernel.values.loads) > 2 * len(SLICED)
    assert_same_values(kernel, tmp_path)


def _identity(value: str, stream: str) -> str:
    return f"df.fork {value} : {stream} -> {stream}"


@pytest.mark.parametrize("lanes", [1, 128])
def test_operations(lanes: int, tmp_path: Path) -> None:
    assert_same_values(made(operations_text(lanes)), tmp_path)


def test_products_in_luts_have_the_values_of_others(tmp_path: Path) -> None:
    text, count = re.subn(r'(df\.task "integers" [^\n]* lanes 128 )', r"\1fabric ", operations_text(128))
    assert count == 1
    kernel = made(text)
    assert "#pragma HLS bind_op variable=product op=mul impl=fabric" in kernel.emitted.text
    assert "dsp_product(" not in kernel.emitted.text
    assert kernel.emitted.text.count("lut_product(") == 3  # the function, and two products
    assert_same_values(kernel, tmp_path)


@pytest.mark.daily
def test_running_sums_are_chains(tmp_path: Path) -> None:
    """Two reduction loops in a tile, spread over lanes in all ways: rounding shows every change of order."""
    left = stream_type("4x2x8xf32", "2,3", "4,2", "d0,d1,0")
    right = stream_type("2x8x4xf32", "2,3", "1,2", "d1,0,0")
    result = stream_type("4x4xf32", "2", "4", "d0,0")
    inputs, results, body = [], [], []
    for lanes in (1, 4, 32, 64, 256):
        inputs.append(Port(f"left{lanes}x", "tensor<8x6x8xf32>", left))
        inputs.append(Port(f"right{lanes}x", "tensor<6x8x4xf32>", right, parameter=True))
        results.append(Port(f"sums{lanes}x", "tensor<8x4xf32>", result))
        body.append(
            f'%sums{lanes}x_stream = df.task "sums{lanes}" loops [2,1,3,1] tile [4,4,2,8] '
            f'kinds "parallel,parallel,reduction,reduction" init 0.5 : f32 lanes {lanes} '
            "accesses [affine_map<(d0,d1,d2,d3)->(d0,d2,d3)>, affine_map<(d0,d1,d2,d3)->(d2,d3,d1)>, "
            "affine_map<(d0,d1,d2,d3)->(d0,d1)>] "
            f"ins(%left{lanes}x_stream, %right{lanes}x_stream : {left}, {right}) -> {result} {{\n"
            "^bb0(%x0: f32, %x1: f32, %r: f32):\n%p = arith.mulf %x0, %x1 : f32\n%s = arith.addf %r, %p : f32\n"
            "df.yield %s : f32\n}"
        )
    assert_same_values(made(kernel_text(inputs, results, "\n".join(body)), vector_bits=256), tmp_path)
