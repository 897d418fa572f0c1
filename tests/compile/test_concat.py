"""Concatenations from text to values and times: one process that reads its streams in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from concat_programs import PROGRAMS
from expanded_fifos import expanded_depths
from functional_runs import graph_of, results_of, whole_tensors
from linalg_programs import Program, random_whole_program
from linalg_values import values_of
from xdsl.dialects import tensor

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.opt import new_context, parse, run_opt
from sttest.compile.options import CompileOptions
from sttest.compile.passes.quantize import Quantize
from sttest.compile.reference_graph import value_graph
from sttest.compile.reports import resource_table
from sttest.compile.resources.design import design_resources
from sttest.compile.timing.fifo_depths import STRATEGIES, reads_in_turn, stream_depths
from sttest.core.errors import InputError, SttestError
from sttest.crosscheck.differences import first_other_module, origins
from sttest.reference import memory_images, run
from sttest.reference.graph import Concat
from sttest.sim import simulate
from sttest.sim.graph import Event, Loop, Pipeline, Process

RANDOM_SEEDS = range(400, 424)
# What a random program may be refused for: its sizes, not its form.
REFUSALS = {"tile-too-large"}


def compiled(text: str, tile_size: int = 4, strategy: str = "normal") -> CompiledDesign:
    options = CompileOptions(tile_size=tile_size, overall_unroll=100_000, precision="fp32", strategy=strategy)
    return compile_text(text, "concat", "u55c", options)


@pytest.mark.parametrize("tile_size", [1, 4, 16])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_the_text(name: str, tile_size: int) -> None:
    # The least tile that every product of these programs has.
    tile_size = min(tile_size, 8) if "products" in name else tile_size
    graph = graph_of(PROGRAMS[name], CompileOptions(tile_size=tile_size, vector_bits=128, precision="fp32"))
    tensors = whole_tensors(graph, seed=len(name))
    for found, expected in zip(results_of(graph, tensors).values(), values_of(PROGRAMS[name], tensors), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("vector_bits", [32, 128, 512])
def test_parts_that_come_at_different_rates_have_tokens_of_one_width(vector_bits: int) -> None:
    """Where tasks take turns, streams are as wide as their ends are quick; a concatenation passes tokens on."""
    program = Program()
    first, second = program.argument(4, 8, 4), program.argument(2, 8, 4)
    whole = program.concat([first, program.transpose(second, [2, 1, 0]), first], 2)
    text = program.text(whole, program.unary(whole))
    options = CompileOptions(
        tile_size=8, overall_unroll=100_000, precision="fp32", vector_bits=vector_bits, share="all"
    )
    graph = graph_of(text, options)
    tensors = whole_tensors(graph, seed=vector_bits)
    for found, expected in zip(results_of(graph, tensors).values(), values_of(text, tensors), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_sized_designs_finish_in_every_engine(name: str, strategy: str) -> None:
    graph = compiled(PROGRAMS[name], strategy=strategy).graph
    stepped, fast = simulate(graph, engine="simpy"), simulate(graph, engine="maxplus")
    assert stepped.verdict == fast.verdict == "done"
    assert stepped.finish == fast.finish
    assert stream_depths(graph, strategy) == expanded_depths(graph, strategy)


def test_sized_random_designs_finish() -> None:
    texts = {seed: text for seed in RANDOM_SEEDS if "tensor.concat" in (text := random_whole_program(seed))}
    verdicts = {seed: verdict_or_refusal(seed, text) for seed, text in texts.items()}
    assert set(verdicts.values()) <= {"done", *REFUSALS}, verdicts
    assert list(verdicts.values()).count("done") >= 6


def verdict_or_refusal(seed: int, text: str) -> str:
    try:
        graph = compiled(text, (1, 2, 4, 8)[seed % 4], STRATEGIES[seed % 2]).graph
    except SttestError as error:
        return error.code
    return simulate(graph).verdict


def test_a_value_with_itself_waits_for_its_first_copy() -> None:
    # All tokens of the first copy are read before one of the last: FIFOs of two tokens can't hold them.
    graph = compiled(PROGRAMS["itself by rows"]).graph
    assert simulate(graph.with_all_depths(2)).verdict == "deadlock"
    (join,) = [process for process in graph.processes if process.category == "concat"]
    assert isinstance(join, Pipeline)
    last = next(event.fifo for event in join.loops[0].events if event.when == (None, (12, 17, 1)))
    assert next(fifo.depth for fifo in graph.fifos if fifo.name == last) >= 6


def test_fifos_hold_what_is_in_flight_in_the_model() -> None:
    """Hardware of fewer stages, and the C simulation, keep nothing in a pipeline: the designs finish there too."""
    program = Program()
    value = program.unary(program.argument(12, 12))
    graph = compiled(program.text(program.concat([value, program.unary(value), value], 0)), tile_size=2).graph
    shallow = [without_stages(process) for process in graph.processes]
    found = simulate(replace(graph, processes=tuple(shallow)))
    assert found.verdict == "done"
    (path,) = [fifo for fifo in graph.fifos if fifo.name == "op_2__op_concat"]
    # With the tokens that the exponential has in flight left out, this would not finish.
    in_flight = 15
    fewer = {path.name: path.depth - in_flight}
    assert simulate(graph, depths=fewer).verdict == "done"
    assert simulate(replace(graph, processes=tuple(shallow)), depths=fewer).verdict == "deadlock"


def without_stages(process: Process) -> Process:
    if not isinstance(process, Pipeline):
        return process
    events = [replace(event, stage=0) for event in process.loops[0].events]
    return replace(process, loops=(replace(process.loops[0], events=tuple(events)),))


def test_reads_of_every_iteration_are_not_in_turn() -> None:
    both = Loop((4,), 1, 2, (Event("a", "read", 0), Event("b", "read", 0, (0,)), Event("c", "write", 1)))
    assert not reads_in_turn(Pipeline("both", (both,)))
    first, second = Event("a", "read", 0, (None, (0, 1, 1))), Event("b", "read", 0, (None, 2))
    assert reads_in_turn(Pipeline("turns", (Loop((2, 3), 1, 2, (first, second)),)))
    meeting = replace(second, when=(None, (1, 2, 1)))
    assert not reads_in_turn(Pipeline("meeting", (Loop((2, 3), 1, 2, (first, meeting)),)))


def test_a_token_passes_per_cycle() -> None:
    graph = compiled(PROGRAMS["columns"]).graph
    (join,) = [process for process in graph.processes if process.category == "concat"]
    assert isinstance(join, Pipeline)
    (loop,) = join.loops
    # Two rows of tiles, in each 3, 4 and 1 tiles of 4 x 4.
    assert (loop.trips, loop.ii, join.repeat) == ((2, 8), 1, 1)
    whens = [event.when for event in loop.events if event.op == "read"]
    assert whens == [(None, (0, 2, 1)), (None, (3, 6, 1)), (None, (7, 7, 1))]


def test_parts_in_the_order_of_the_whole_need_no_converter() -> None:
    program = Program()
    value = program.argument(16, 16)
    parts = [program.matmul(value, program.argument(16, columns)) for columns in (32, 16)]
    text = program.text(program.unary(program.concat(parts, 1)))
    module = compiled(text, tile_size=16).module
    assert len(all_of(module, df.ConcatOp)) == 1
    assert not all_of(module, df.ConverterOp)


def test_a_concatenation_is_named_by_its_module() -> None:
    text = PROGRAMS["rows"].replace("<{dim = 0 : i64}>", '<{dim = 0 : i64}> {sttest.source = "attn.mix"}')
    design = compiled(text)
    graph = value_graph(design.module, "concat")
    (join,) = [node for node in graph.nodes if isinstance(node, Concat)]
    assert (join.name, join.origin, graph.stream[join.sink].origin) == ("attn_mix_concat", "attn.mix", "attn.mix")
    assert "attn_mix_concat" in {process.name for process in design.graph.processes}
    assert "attn_mix_concat" in design.fusion.fusion.group_of


def test_the_ladder_finds_its_module() -> None:
    text = PROGRAMS["rows"].replace("<{dim = 0 : i64}>", '<{dim = 0 : i64}> {sttest.source = "attn.mix"}')
    graph = value_graph(compiled(text).module, "concat")
    tensors = whole_tensors(graph, seed=3)
    found = run(graph, memory_images(graph, tensors), keep=graph.stream)
    (wanted,) = values_of(text, tensors)
    assert first_other_module(graph, {"attn.mix": wanted}, found.streams) == ""
    assert first_other_module(graph, {"attn.mix": wanted + 1}, found.streams) == "attn.mix"
    (join,) = [node for node in graph.nodes if isinstance(node, Concat)]
    assert origins(graph) == {"load_a0__attn_mix_concat": "a0", "load_a1__attn_mix_concat": "a1", join.sink: "attn.mix"}


def test_it_takes_registers_and_a_choice_but_no_operators() -> None:
    design = compiled(PROGRAMS["columns"])
    taken = design_resources(design)
    (row,) = resource_table(taken, design).frame().query("kind == 'concat'").itertuples()
    token_bits = 4 * 4 * 32
    assert row.dsp == row.bram18 == 0
    assert token_bits < row.ff
    assert token_bits < row.lut


def refused(text: str, pipeline: str = "linalg-to-kernels") -> InputError:
    with pytest.raises(InputError) as error:
        run_opt(text, "text", pipeline)
    return error.value


def concat_text(result: str, *parts: str, dim: int = 0) -> str:
    """Arguments of these types, concatenated."""
    arguments = ", ".join(f"%a{number}: {part}" for number, part in enumerate(parts))
    names = ", ".join(f"%a{number}" for number in range(len(parts)))
    concat = f"tensor.concat dim({dim}) {names} : ({', '.join(parts)}) -> {result}"
    return f"func.func @main({arguments}) -> {result} {{\n%0 = {concat}\nfunc.return %0 : {result}\n}}\n"


def test_an_empty_part_is_refused_by_name() -> None:
    error = refused(concat_text("tensor<4xf32>", "tensor<4xf32>", "tensor<0xf32>"))
    assert (error.code, error.where) == ("dynamic-shape", "func.func @main")
    assert "tensor<0xf32> has a dim that is not known or empty" in error.what
    assert error.hints


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (concat_text("tensor<9xf32>", "tensor<4xf32>", "tensor<4xf32>"), "does not match inferred shape"),
        (
            concat_text("tensor<8xf32>", "tensor<4xf32>", "tensor<4xf32>", dim=1),
            "dim must be less than the tensor rank",
        ),
        (concat_text("tensor<8x2xf32>", "tensor<4x2xf32>", "tensor<4x3xf32>"), "size mismatch"),
        (concat_text("tensor<8xf32>", "tensor<4xf32>", "tensor<4xi8>"), "f32"),
    ],
)
def test_parts_that_do_not_fit_are_no_valid_text(text: str, rule: str) -> None:
    error = refused(text)
    assert error.code == "bad-ir"
    assert rule in str(error)


def test_a_constant_part_is_refused() -> None:
    text = concat_text("tensor<8xf32>", "tensor<4xf32>", "tensor<4xf32>")
    text = text.replace("%0 = ", "%c = arith.constant dense<0.0> : tensor<4xf32>\n%0 = ").replace(
        "%a0, %a1 :", "%a0, %c :"
    )
    error = refused(text)
    assert error.code == "constant-operand"
    assert error.where == "tensor.concat -> tensor<8xf32>"


def with_kinds(text: str, kinds: str, results: str = '"y"') -> str:
    names = ", ".join(f'"m{number}.a"' for number in range(kinds.count(",") + 1))
    lists = f"sttest.arg_names = [{names}], sttest.arg_kinds = [{kinds}], sttest.result_names = [{results}]"
    return text.replace(") {\n", f") attributes {{{lists}}} {{\n", 1)


def test_an_integer_cache_is_concatenated_as_the_floats_that_it_stands_for() -> None:
    text = with_kinds(PROGRAMS["cache"], '"input", "cache", "input"')
    module = parse(text, "text", new_context())
    Quantize("w4a8").apply(new_context(), module)
    module.verify()
    (concat,) = all_of(module, tensor.ConcatOp)
    (function,) = [op for op in module.walk() if op.name == "func.func"]
    assert "i8" in str(function.regions[0].block.args[1].type)
    assert {str(part.type) for part in concat.inputs} == {"tensor<2x7x8xf32>", "tensor<2x1x8xf32>"}
    graph = graph_of(text, CompileOptions(precision="w4a8", tile_size=4))
    assert any(isinstance(node, Concat) for node in graph.nodes)


def test_a_quantized_weight_is_not_concatenated() -> None:
    program = Program()
    weight = program.argument(128, 16)
    text = program.text(program.matmul(program.argument(8, 128), weight), program.concat([weight, weight], 0))
    with pytest.raises(InputError) as error:
        Quantize("w4a8").apply(new_context(), parse(with_kinds(text, '"parameter", "input"', '"y", "z"'), "text"))
    assert error.value.code == "weight-read-elsewhere"
    assert error.value.where.startswith("tensor.concat")
