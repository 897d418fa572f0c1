"""Value graphs of compiled designs: names, memory, packages, refusals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from functional_runs import graph_of, results_of, whole_tensors
from linalg_programs import Program
from linalg_values import values_of

from sttest.compile.compiler import compile_text
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import DoesNotFitError, InputError
from sttest.frontend.shipped import lowered_text
from sttest.package.compiled import write_package
from sttest.reference import ReferenceGraph, memory_images
from sttest.reference.graph import BITS, MemoryLayout, ReferenceStream

PLAIN = CompileOptions(precision="fp32", tile_size=4, overall_unroll=100_000)


def test_a_package_holds_what_its_design_computes(tmp_path: Path) -> None:
    design = compile_text(lowered_text("qwen", "decode", small=True), "qwen", "u55c", CompileOptions())
    package = write_package(design, tmp_path / "package")
    assert package.reference_graph == value_graph(design.module, "qwen")
    assert package.manifest.to_json()["values"] == {"file": "values.json"}


def test_a_package_says_why_nobody_knows_its_values(tmp_path: Path) -> None:
    program = Program()
    value = program.argument(4, 4)
    wide = "%w = arith.extf %i0 : f32 to f64\n%s = arith.truncf %w : f64 to f32"
    text = program.text(program.unary(value)).replace("%s = math.exp %i0 : f32", wide)
    package = write_package(compile_text(text, "wide", "u55c", PLAIN), tmp_path / "package")
    assert not (package.folder / "values.json").exists()
    with pytest.raises(InputError, match="elements of f64 have no defined values"):
        _ = package.reference_graph


def test_tensors_keep_the_names_that_the_model_gave_them() -> None:
    graph = graph_of(lowered_text("gpt2", "decode", small=True), CompileOptions())
    kinds = {argument.name: argument.kind for argument in graph.arguments}
    assert kinds["attn.q_proj.weight"] == kinds["attn.q_proj.weight_scale"] == "parameter"
    assert (kinds["x"], kinds["k_cache"]) == ("input", "cache")
    assert [result.name for result in graph.results] == ["y", "k_new", "k_new_scale", "v_new", "v_new_scale"]
    assert graph.stream["load_x__fork_load_x"].origin == "x"


def test_text_without_names_gets_some() -> None:
    program = Program()
    value = program.argument(4, 8)
    graph = graph_of(program.text(program.unary(value), program.add(value, value)), PLAIN)
    assert [argument.name for argument in graph.arguments] == ["a0"]
    assert [result.name for result in graph.results] == ["result0", "result1"]


def test_an_argument_in_two_orders_has_two_images() -> None:
    program = Program()
    value = program.argument(8, 8)
    text = program.text(program.matmul(value, value))
    graph = graph_of(text, PLAIN)
    assert [load.argument for load in graph.loads] == ["a0", "a0"]
    tensors = whole_tensors(graph, seed=1)
    assert len(memory_images(graph, tensors)) == 2
    assert np.array_equal(results_of(graph, tensors)["result0"], values_of(text, tensors)[0])


@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_images_hold_the_tiles_in_the_order_in_which_they_are_streamed(phase: str) -> None:
    # With tokens that are not cut, every token is a tile.
    graph = graph_of(lowered_text("gpt2", phase, small=True), CompileOptions(precision="w4a8", vector_bits=1 << 20))
    source = np.random.default_rng(2)
    tensors = {argument.name: _random(argument, source) for argument in graph.arguments}
    images = memory_images(graph, tensors)
    packed = [load for load in graph.loads if load.layout.packed]
    assert {graph.stream[load.sink].dtype for load in packed} == {"i4", "f16", "f32"}
    for load in packed:
        expected = _packed(tensors[load.argument], graph.stream[load.sink], load.layout)
        assert np.array_equal(images[load.name], expected), load.name


def _packed(tensor: np.ndarray, stream: ReferenceStream, layout: MemoryLayout) -> np.ndarray:
    """The tiles as they are first streamed, beat by beat; int4 in nibbles, the first one low; zeros to a whole beat."""
    first: dict[tuple[int, ...], list[np.ndarray]] = {}
    for point in np.ndindex(*stream.trips):
        corner = tuple(
            sum(factor * step * index for factor, step, index in zip(row, stream.steps, point, strict=True))
            for row in stream.coefficients
        )
        if corner not in first:
            tile = tensor[tuple(slice(low, low + size) for low, size in zip(corner, stream.element, strict=True))]
            starts = [range(0, size, part) for size, part in zip(tile.shape, layout.beat, strict=True)]
            first[corner] = [
                tile[tuple(slice(low, low + size) for low, size in zip(start, layout.beat, strict=True))].reshape(-1)
                for start in product(*starts)
            ]
    elements = np.concatenate([beat for beats in first.values() for beat in beats])
    if stream.dtype == "i4":
        nibbles = np.pad(elements & 0xF, (0, elements.size % 2)).astype(np.uint8)
        elements = nibbles[0::2] | nibbles[1::2] << 4
    data = np.ascontiguousarray(elements).view(np.uint8)
    return np.pad(data, (0, -data.size % (layout.beat_bits // 8)))


def _random(argument, source: np.random.Generator) -> np.ndarray:
    if argument.dtype.startswith("i"):
        reach = 1 << (BITS[argument.dtype] - 1)
        return source.integers(-reach, reach, argument.shape).astype(np.int8)
    return source.standard_normal(argument.shape).astype({"f16": np.float16, "f32": np.float32}[argument.dtype])


def test_several_kernels_have_no_values_in_common() -> None:
    text = 'func.func @f() { "df.kernel"() <{sym_name = "%s"}> ({ "df.yield"() : () -> () }) : () -> ()\n func.return }'
    module = parse("\n".join(text.replace("@f", f"@f{n}") % f"k{n}" for n in range(2)), "two", new_context())
    with pytest.raises(DoesNotFitError, match="demand 2 groups, bound 1 groups"):
        value_graph(module, "two")


def test_a_module_without_streams_is_refused() -> None:
    module = parse(lowered_text("gpt2", "decode", small=True), "linalg", new_context())
    with pytest.raises(InputError, match="the module has no kernel; run linalg-to-kernels first"):
        value_graph(module, "linalg")


def test_a_result_that_nothing_computes_is_refused() -> None:
    program = Program()
    value = program.argument(4, 4)
    with pytest.raises(
        InputError, match="result 1 is an argument, and nothing computes it; leave it out of the results"
    ):
        graph_of(program.text(program.unary(value), value), PLAIN)


def test_the_depth_of_a_fifo_changes_no_value() -> None:
    program = Program()
    value = program.argument(8, 12)
    text = program.text(program.reduce(program.matmul(value, program.argument(12, 8)), 1))
    graph = graph_of(text, PLAIN)
    tensors = whole_tensors(graph, seed=4)
    shallow = replace(graph, streams=tuple(replace(stream, depth=1) for stream in graph.streams))
    assert isinstance(shallow, ReferenceGraph)
    assert np.array_equal(results_of(shallow, tensors)["result0"], values_of(text, tensors)[0])
