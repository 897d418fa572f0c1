"""Payloads in DSLX against the reference evaluator, to the bit: every operation, special numbers and random ones."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec

import numpy as np
import pytest
from float_points import pairs, points
from linalg_programs import random_program, random_whole_program
from payload_runs import block_of, by_reference, by_xls, different, function_of, random_values

from sttest.compile.compiler import compile_text
from sttest.compile.dialects import df
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError, SttestError
from sttest.frontend.shipped import lowered_text

pytestmark = pytest.mark.skipif(find_spec("xls") is None, reason="XLS is not installed: pip install 'sttest[rtl]'")
COUNTS = [pytest.param(1_000_000, marks=pytest.mark.nightly, id="nightly"), pytest.param(100_000, id="quick")]
PREDICATES = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
INTEGERS = ("i1", "i4", "i8", "i16", "i32")


def check(types: tuple[str, ...], body: str, results: list[tuple[str, str]], values: list[np.ndarray]) -> None:
    block = block_of(types, body, results)
    found, wanted = by_xls(function_of(block), values), by_reference(block, values)
    for (name, kind), ours, theirs in zip(results, found, wanted, strict=True):
        unlike = np.flatnonzero(different(ours, theirs, kind))
        shown = [([each[place] for each in values], ours[place], theirs[place]) for place in unlike[:3]]
        assert not len(unlike), (name, len(unlike), shown)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", ["addf", "subf", "mulf", "divf", "maximumf", "minimumf"])
def test_operations_of_two_floats(name: str, count: int) -> None:
    check(("f32", "f32"), f"%y = arith.{name} %x0, %x1 : f32", [("%y", "f32")], [*pairs(count)])


@pytest.mark.parametrize("count", COUNTS)
def test_comparisons(count: int) -> None:
    body = "".join(f"%{each} = arith.cmpf {each}, %x0, %x1 : f32\n" for each in PREDICATES)
    body += "%never = arith.cmpf false, %x0, %x1 : f32\n%always = arith.cmpf true, %x0, %x1 : f32\n"
    results = [(f"%{each}", "i1") for each in (*PREDICATES, "never", "always")]
    check(("f32", "f32"), body, results, [*pairs(count)])


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", ["exp", "tanh", "sqrt", "rsqrt", "roundeven", "absf"])
def test_functions_of_a_float(name: str, count: int) -> None:
    check(("f32",), f"%y = math.{name} %x0 : f32", [("%y", "f32")], [points(count)])


@pytest.mark.parametrize("count", COUNTS)
def test_conversions_of_a_float(count: int) -> None:
    body = "%n = arith.negf %x0 : f32\n%b = arith.bitcast %x0 : f32 to i32\n%h = arith.truncf %x0 : f32 to f16\n"
    check(("f32",), body, [("%n", "f32"), ("%b", "i32"), ("%h", "f16")], [points(count)])


def test_all_halves_become_floats() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    check(("f16",), "%y = arith.extf %x0 : f16 to f32", [("%y", "f32")], [halves])


def test_floats_between_halves_are_rounded_to_the_even_one() -> None:
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    between = (halves[1:] + halves[:-1]) / 2
    near = np.concatenate([between, np.nextafter(between, np.float32(0)), np.nextafter(between, np.float32(1e9))])
    check(("f32",), "%y = arith.truncf %x0 : f32 to f16", [("%y", "f16")], [np.concatenate([near, -near])])


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", INTEGERS)
def test_integers(kind: str, count: int) -> None:
    names = ("addi", "subi", "muli", "maxsi", "minsi")
    body = "".join(f"%{name} = arith.{name} %x0, %x1 : {kind}\n" for name in names)
    results = [(f"%{name}", kind) for name in names]
    for other in INTEGERS:
        if other != kind:
            op = "extsi" if INTEGERS.index(other) > INTEGERS.index(kind) else "trunci"
            body += f"%to_{other} = arith.{op} %x0 : {kind} to {other}\n"
            results.append((f"%to_{other}", other))
    body += f"%f = arith.sitofp %x0 : {kind} to f32\n%s = arith.select %x2, %x0, %x1 : {kind}\n"
    values = [random_values(each, count, seed) for seed, each in enumerate((kind, kind, "i1"))]
    check((kind, kind, "i1"), body, [*results, ("%f", "f32"), ("%s", kind)], values)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", INTEGERS[1:])
def test_floats_towards_zero(kind: str, count: int) -> None:
    reach = float(1 << (int(kind[1:]) - 1))
    x = points(count)
    x = x[(x > -reach - 1) & (x < reach)]
    check(("f32",), f"%y = arith.fptosi %x0 : f32 to {kind}", [("%y", kind)], [x])


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("low", "high", "kind"), [(-127, 127, "i8"), (-7, 7, "i4"), (0, 0, "i8"), (3, 30000, "i16")])
def test_rounded_and_clamped(low: int, high: int, kind: str, count: int) -> None:
    body = f"""%r = math.roundeven %x0 : f32
        %low = arith.constant {low}.0 : f32
        %high = arith.constant {high}.0 : f32
        %a = arith.maximumf %r, %low : f32
        %b = arith.minimumf %a, %high : f32
        %y = arith.fptosi %b : f32 to {kind}"""
    x = points(count)
    halves = np.arange(-300, 300, dtype=np.float32) / 2
    near = [np.nextafter(halves, np.float32(sign * 1e9)) for sign in (-1, 1)]
    check(("f32",), body, [("%y", kind)], [np.concatenate([x[~np.isnan(x)], halves, *near])])
    zero = by_xls(function_of(block_of(("f32",), body, [("%y", kind)])), [np.full(1, np.nan, np.float32)])
    assert zero[0].tolist() == [0], "as the emitted C++ has it"


def test_constants_of_every_type() -> None:
    kinds = {"f32": "-0.1", "f16": "0.3333", "i1": "true", "i4": "-8", "i8": "-3", "i16": "300", "i32": "-70000"}
    body = "".join(
        f"%c{kind} = arith.constant {value}{'' if kind == 'i1' else f' : {kind}'}\n" for kind, value in kinds.items()
    )
    check(("f32",), body, [(f"%c{kind}", kind) for kind in kinds], [np.zeros(3, np.float32)])


def test_what_has_no_defined_value_is_refused() -> None:
    with pytest.raises(InputError, match=r"math\.log has no defined value"):
        function_of(block_of(("f32",), "%y = math.log %x0 : f32", [("%y", "f32")]))


# --- Payloads of real designs, and of random programs


def payloads_of(text: str, name: str, options: CompileOptions) -> dict[str, df.TaskOp]:
    """A task for every payload that a design has, by its DSLX."""
    design = compile_text(text, name, "u55c", options)
    return {function_of(op.payload.block).text: op for op in design.module.walk() if isinstance(op, df.TaskOp)}


def check_task(task: df.TaskOp, count: int = 2000) -> None:
    """On random values; halves are scales, none of which is negative or infinite."""
    block, source = task.payload.block, np.random.default_rng(0)
    values = [
        (source.standard_normal(count) * 3).astype(np.float32) if kind == "f32" else random_values(kind, count, number)
        for number, kind in enumerate(str(value.type) for value in block.args)
    ]
    values = [np.abs(np.nan_to_num(each, posinf=1)) if each.dtype == np.float16 else each for each in values]
    assert isinstance(block.last_op, df.YieldOp)
    results = [str(value.type) for value in block.last_op.arguments]
    found, wanted = by_xls(function_of(block), values), by_reference(block, values)
    for kind, ours, theirs in zip(results, found, wanted, strict=True):
        assert not different(ours, theirs, kind).any(), task.sym_name


@pytest.mark.parametrize(
    "model",
    ["gpt2", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("qwen", "llama", "llama-3.2-1b", "gemma"))],
)
@pytest.mark.parametrize("phase", [pytest.param("prefill", marks=pytest.mark.nightly), "decode"])
def test_payloads_of_shipped_blocks(model: str, phase: str) -> None:
    for task in payloads_of(lowered_text(model, phase, small=True), model, CompileOptions()).values():
        check_task(task)


@pytest.mark.parametrize("count", [pytest.param(200, marks=pytest.mark.nightly), 10])
def test_payloads_of_random_programs(count: int) -> None:
    found: dict[str, df.TaskOp] = {}
    for seed in range(count):
        options = CompileOptions(precision="fp32", tile_size=4, overall_unroll=100_000)
        for program in (random_program(seed), random_whole_program(seed)):
            with suppress(SttestError):  # sizes that are refused, not operations
                found |= payloads_of(program, f"random{seed}", options)
    assert len(found) > 3
    for task in found.values():
        check_task(task)
