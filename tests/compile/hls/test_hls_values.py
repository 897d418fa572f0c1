"""Emitted C++ run by the C simulation against the functional engine, to the bit: every type, layout and operation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_kernels import Made, Port, kernel_text, made, needs_compiler, random_tensors

from sttest.boards.backends.csim import build, build_kernel, run_kernel
from sttest.compile.hls.rules import check_kernel
from sttest.sim.functional import memory_images, run

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def quick_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """These kernels run for microseconds: they need no optimiser, whose time is most of a build."""
    flags = tuple("-O0" if flag == "-O2" else flag for flag in build.FLAGS)
    monkeypatch.setattr(build, "FLAGS", flags)


def assert_same_values(kernel: Made, folder: Path) -> None:
    """No warnings, no broken rules, and the bytes that the functional engine leaves in memory."""
    assert check_kernel(kernel.emitted.text) == []
    executable = build_kernel(kernel.package(folder / "package"), folder / "work")
    assert executable.warnings == ""
    images = memory_images(kernel.values, random_tensors(kernel.values, seed=1))
    wanted = run(kernel.values, images).results
    memories = kernel.emitted.memories
    given = {each.name: np.frombuffer(images[each.label], np.uint8) for each in memories if not each.writes}
    found = run_kernel(executable, given)
    assert found.verdict == "done"
    for each in memories:
        if each.writes:
            left = np.frombuffer(wanted[each.label], np.uint8)
            assert np.array_equal(left, found.results[each.name]), each.name


def _stream(element: str, trips: str, steps: str, index: str) -> str:
    dims = ",".join(f"d{number}" for number in range(trips.count(",") + 1 if trips else 0))
    return f"!df.itensor<{element}, iter_space: [{trips}]*[{steps}], iter_map: ({dims})->({index})>"


# Tensor, order in which it is read, order in which it is written: how tokens lie in 512-bit words differs.
LAYOUTS = {
    "whole_words": ("32x32xf32", _stream("16x16xf32", "2,2", "16,16", "d0,d1"), None),
    "other_order": (
        "32x32xf32", _stream("16x16xf32", "2,2", "16,16", "d1,d0"), _stream("8x32xf32", "4", "8", "d0,0"),
    ),
    "streamed_again": (
        "8x16xi8", _stream("1x16xi8", "3,8", "1,1", "d1,0"), _stream("8x4xi8", "3,4", "1,4", "0,d1"),
    ),
    "several_in_a_word": ("6x16xi4", _stream("1x16xi4", "6", "1", "d0,0"), None),
    "in_a_word_reversed_dims": (
        "4x4xf32", _stream("1x1xf32", "4,4", "1,1", "d1,d0"), _stream("2x4xf32", "2", "2", "d0,0"),
    ),
    "across_words": (
        "6x10xf32", _stream("2x5xf32", "2,3", "5,2", "d1,d0"), _stream("3x10xf32", "2", "3", "d0,0"),
    ),
    "halves": ("3x40xf16", _stream("1x10xf16", "3,4", "1,10", "d0,d1"), _stream("3x8xf16", "5", "8", "0,d0")),
    "one_element": ("1xf32", _stream("1xf32", "", "", "0"), None),
}  # fmt: skip


@pytest.mark.parametrize("vector_bits", [4096, 128])
def test_tensors_pass_through_in_every_layout(vector_bits: int, tmp_path: Path) -> None:
    """Memory to stream, to another order where there is one, and back; parameters are packed in stream order."""
    inputs, results, body = [], [], []
    for name, (tensor, source, sink) in LAYOUTS.items():
        for suffix, parameter in (("", False), ("_packed", True)):
            inputs.append(Port(f"{name}{suffix}", f"tensor<{tensor}>", source, parameter))
            results.append(Port(f"{name}{suffix}_out", f"tensor<{tensor}>", sink or source))
            value = f"%{name}{suffix}_stream"
            copy = f"df.converter {value} : {source} -> {sink}" if sink else None
            body.append(f"{value[:-7]}_out_stream = {copy or _identity(value, source)}")
    assert_same_values(made(kernel_text(inputs, results, "\n".join(body)), vector_bits), tmp_path)


def _identity(value: str, stream: str) -> str:
    return f"df.fork {value} : {stream} -> {stream}"


# Payloads over one or two operands of 4 x 32 elements: argument types, result type, body.
OPERATIONS = {
    "floats": (("f32", "f32"), "f32", """
        %k = arith.constant -1.5 : f32
        %a = arith.addf %x0, %x1 : f32
        %b = arith.mulf %a, %x0 : f32
        %c = arith.subf %b, %k : f32
        %d = arith.maximumf %c, %x1 : f32
        %e = arith.minimumf %d, %x0 : f32
        %f = arith.negf %e : f32
        %g = math.roundeven %f : f32
        %h = math.absf %x1 : f32
        %i = arith.divf %g, %h : f32
        %p = arith.cmpf olt, %x0, %x1 : f32
        %y = arith.select %p, %i, %e : f32"""),
    "functions": (("f32",), "f32", """
        %h = math.absf %x0 : f32
        %s = math.sqrt %h : f32
        %one = arith.constant 1.0 : f32
        %u = arith.addf %s, %one : f32
        %r = math.rsqrt %u : f32
        %t = math.tanh %x0 : f32
        %e = math.exp %t : f32
        %l = math.log %u : f32
        %f = math.erf %x0 : f32
        %i = math.sin %l : f32
        %o = math.cos %f : f32
        %p = math.powf %u, %r : f32
        %a = arith.addf %e, %i : f32
        %b = arith.addf %o, %p : f32
        %y = arith.mulf %a, %b : f32"""),
    "quantise": (("f32", "f32"), "i8", """
        %low = arith.constant -127.0 : f32
        %high = arith.constant 127.0 : f32
        %one = arith.constant 1.0 : f32
        %m = math.absf %x1 : f32
        %s = arith.addf %m, %one : f32
        %q = arith.divf %x0, %s : f32
        %r = math.roundeven %q : f32
        %a = arith.maximumf %r, %low : f32
        %b = arith.minimumf %a, %high : f32
        %y = arith.fptosi %b : f32 to i8"""),
    "integers": (("i4", "i8"), "i32", """
        %a = arith.extsi %x0 : i4 to i8
        %b = arith.muli %a, %x1 : i8
        %c = arith.subi %b, %a : i8
        %d = arith.maxsi %c, %x1 : i8
        %e = arith.extsi %d : i8 to i32
        %k = arith.constant -70000 : i32
        %f = arith.muli %e, %k : i32
        %g = arith.addi %f, %f : i32
        %y = arith.minsi %g, %k : i32"""),
    "narrow": (("i32", "f16"), "f16", """
        %a = arith.trunci %x0 : i32 to i8
        %b = arith.sitofp %a : i8 to f32
        %c = arith.extf %x1 : f16 to f32
        %d = arith.mulf %b, %c : f32
        %y = arith.truncf %d : f32 to f16"""),
    "truth": (("f32", "i8"), "i8", """
        %k = arith.constant 0.5 : f32
        %p = arith.cmpf uge, %x0, %k : f32
        %no = arith.constant false
        %zero = arith.constant 0 : i8
        %a = arith.extsi %p : i1 to i8
        %b = arith.addi %a, %x1 : i8
        %q = arith.select %p, %no, %p : i1
        %y = arith.select %q, %zero, %b : i8"""),
}  # fmt: skip


@pytest.mark.parametrize("lanes", [1, 8, 128])
def test_operations(lanes: int, tmp_path: Path) -> None:
    inputs, results, body = [], [], []
    for name, (types, result, payload) in OPERATIONS.items():
        streams = [_stream(f"4x16x{kind}", "2", "16", "0,d0") for kind in (*types, result)]
        for number, (kind, stream) in enumerate(zip(types, streams, strict=False)):
            inputs.append(Port(f"{name}_in{number}", f"tensor<4x32x{kind}>", stream))
        results.append(Port(f"{name}_out", f"tensor<4x32x{result}>", streams[-1]))
        sources = ", ".join(f"%{name}_in{number}_stream" for number in range(len(types)))
        scalars = ", ".join(f"%x{number}: {kind}" for number, kind in enumerate((*types, result)))
        maps = ", ".join(["affine_map<(d0,d1)->(d0,d1)>"] * (len(types) + 1))
        body.append(
            f'%{name}_out_stream = df.task "{name}" loops [1,2] tile [4,16] kinds "parallel,parallel" lanes {lanes} '
            f"accesses [{maps}] ins({sources} : {', '.join(streams[:-1])}) -> {streams[-1]} "
            f"{{\n^bb0({scalars}):\n{payload}\ndf.yield %y : {result}\n}}"
        )
    _add_truths_between_tasks(inputs, results, body)
    assert_same_values(made(kernel_text(inputs, results, "\n".join(body))), tmp_path)


def _add_truths_between_tasks(inputs: list[Port], results: list[Port], body: list[str]) -> None:
    """A stream of i1, which no memory holds, from one task to another."""
    floats, truths, bytes_ = (_stream(f"4x16x{kind}", "2", "16", "0,d0") for kind in ("f32", "i1", "i8"))
    inputs.append(Port("asked", "tensor<4x32xf32>", floats))
    results.append(Port("answers", "tensor<4x32xi8>", bytes_))
    head = 'loops [1,2] tile [4,16] kinds "parallel,parallel" lanes 16'
    maps = "accesses [affine_map<(d0,d1)->(d0,d1)>, affine_map<(d0,d1)->(d0,d1)>]"
    body.append(
        f'%truths = df.task "ask" {head} {maps} ins(%asked_stream : {floats}) -> {truths} {{\n'
        "^bb0(%x: f32, %r: i1):\n%p = arith.cmpf uno, %x, %x : f32\n%k = arith.constant 0.0 : f32\n"
        "%q = arith.cmpf ogt, %x, %k : f32\n%y = arith.select %p, %p, %q : i1\ndf.yield %y : i1\n}\n"
        f'%answers_stream = df.task "answer" {head} {maps} ins(%truths : {truths}) -> {bytes_} {{\n'
        "^bb0(%t: i1, %r: i8):\n%y = arith.extsi %t : i1 to i8\ndf.yield %y : i8\n}"
    )


@pytest.mark.parametrize("vector_bits", [4096, 256])
def test_running_sums_are_chains(vector_bits: int, tmp_path: Path) -> None:
    """Two reduction loops in a tile, spread over lanes in all ways: rounding shows every change of order."""
    left = _stream("4x2x8xf32", "2,3", "4,2", "d0,d1,0")
    right = _stream("2x8x4xf32", "2,3", "1,2", "d1,0,0")
    result = _stream("4x4xf32", "2", "4", "d0,0")
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
    assert_same_values(made(kernel_text(inputs, results, "\n".join(body)), vector_bits), tmp_path)
