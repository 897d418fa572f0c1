"""Several tokens of a decode step: one tile has them all, each weight is read once, and values are PyTorch's."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from block_goldens import Case, golden_and_found, same_bits
from functional_runs import graph_of
from linalg_programs import Program

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.linalg.contraction import token_rows
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import tiling_passes
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.models.registry import model_config
from sttest.sim.graph import MemoryPort

CONTEXT = 32
DEFAULT, WIDE = CompileOptions(), CompileOptions(gemv_lanes=256, overall_unroll=2048)
LAYERS = CompileOptions(gemv_lanes=128, overall_unroll=1024, share="all", layers=2)


def nightly(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.nightly)


@cache
def text(model: str, tokens: int, *, head: bool = False) -> str:
    if tokens == 1:
        return lowered_text(model, "decode", small=True)
    pytest.importorskip("torch_mlir")
    from sttest.frontend.lowering import linalg_text

    return linalg_text(model_config(f"small-{model}"), "decode", tokens, CONTEXT, head=head)


@cache
def design(model: str, tokens: int, options: CompileOptions) -> CompiledDesign:
    return compile_text(text(model, tokens), f"{model}-{tokens}", "u55c", options)


def tasks_of(model: str, tokens: int, options: CompileOptions) -> dict[str, df.TaskOp]:
    context = new_context()
    module = parse(text(model, tokens), model, context)
    for each in tiling_passes(options):
        each.apply(context, module)
    return {task.sym_name.data: task for task in all_of(module, df.TaskOp)}


def bytes_read(found: CompiledDesign) -> Counter[str]:
    """Bytes that DMAs move in a launch, by what they move."""
    moved: Counter[str] = Counter()
    for port in found.graph.processes:
        if isinstance(port, MemoryPort):
            moved[port.origin] += port.tokens * port.token_bytes
    return moved


@pytest.mark.torch
@pytest.mark.parametrize(
    ("model", "tokens", "options"),
    [("gpt2", 4, DEFAULT), ("gpt2", 4, WIDE), ("qwen", 3, WIDE), ("qwen", 3, LAYERS)],
    ids=["default", "wide", "odd", "layers"],
)
def test_each_weight_is_read_once_for_all_tokens(model: str, tokens: int, options: CompileOptions) -> None:
    one, several = bytes_read(design(model, 1, options)), bytes_read(design(model, tokens, options))
    parameters = [name for name in one if "weight" in name or "bias" in name or "input_scale" in name]
    assert parameters
    assert {name: several[name] for name in parameters} == {name: one[name] for name in parameters}
    assert {name: several[name] for name in ("k_cache", "v_cache")} == {
        name: one[name] for name in ("k_cache", "v_cache")
    }
    assert several["x"] == tokens * one["x"]


@pytest.mark.torch
def test_rows_divide_the_columns_of_an_engine() -> None:
    """A tile has as many results and points as that of one token: the stream of weights is as much narrower."""
    one, four = (tasks_of("gpt2", tokens, WIDE)["mlp_fc1"] for tokens in (1, 4))
    assert (one.tile_sizes, one.lane_count) == ((16, 16), 256)
    assert (four.tile_sizes, four.lane_count) == ((4, 4, 16), 256)


@pytest.mark.torch
def test_all_rows_lie_in_one_tile_whatever_the_lanes() -> None:
    for options in (DEFAULT, WIDE):
        tasks = tasks_of("qwen", 3, options)
        for name in ("attn_q_proj", "attn_scores", "attn_mix", "attn_norm", "mlp_gate_proj"):
            assert 3 in tasks[name].tile_sizes, name
    # Two query heads per key head, and three tokens: keys are read once for all of them.
    assert tasks["attn_scores"].tile_sizes[:3] == (1, 3, 2)


@pytest.mark.torch
def test_integers_are_added_before_they_are_rescaled() -> None:
    one, several = (tasks_of("gpt2", tokens, DEFAULT) for tokens in (1, 4))
    joined = {name for name in several if name.endswith(("_joined", "_joint_peak"))}
    assert joined == {"attn_mix_joined", "attn_mix_joint_peak", "attn_softmax_joined"}
    assert not joined & one.keys()
    rescaled = {name for name in several if name.startswith(("attn_mix", "attn_softmax")) and "rescale" in name}
    assert rescaled == {name for name in one if name.startswith(("attn_mix", "attn_softmax")) and "rescale" in name}


def test_rows_are_those_of_the_products() -> None:
    for rows, expected in ((1, 1), (4, 4), (16, 16), (17, 1)):
        program = Program()
        first = program.matmul(program.argument(rows, 32), program.argument(32, 16))
        program_text = program.text(program.matmul(first, program.argument(16, 32)))
        (function,) = functions(parse(program_text, "text", new_context()))
        assert token_rows(function) == expected


def test_rows_that_lie_behind_each_other_in_one_dim_are_not_one_tile() -> None:
    """Parts of both rows would have a gap between them."""
    program = Program()
    x, weight = program.argument(2 * 4), program.argument(4, 2)
    text = program.text(program.matmul(program.expand(x, 0, 2), weight))
    for tile_size, element in ((1, 1), (2, 2)):
        design = compile_text(text, "rows", "u55c", CompileOptions(tile_size=tile_size, precision="fp32"))
        (task,) = all_of(design.module, df.TaskOp)
        assert df.itensor_of(task.sources[0]).element_shape == (element,)
        emit_design(design)


def test_products_of_several_numbers_of_rows_have_none_in_common() -> None:
    program = Program()
    four = program.matmul(program.argument(4, 32), program.argument(32, 16))
    eight = program.matmul(program.argument(8, 32), program.argument(32, 16))
    (function,) = functions(parse(program.text(four, eight), "text", new_context()))
    assert token_rows(function) == 1


@pytest.mark.torch
@pytest.mark.parametrize(
    ("model", "tokens", "context", "options"),
    [
        ("gpt2", 4, 27, WIDE),
        ("qwen", 3, 32, WIDE),
        ("gemma", 4, 32, DEFAULT),
        nightly("gpt2", 2, 32, DEFAULT),
        nightly("gpt2", 8, 32, WIDE),
        nightly("gpt2", 16, 32, DEFAULT),
        nightly("llama", 4, 32, DEFAULT),
        nightly("llama-3.2-1b", 4, 27, WIDE),
    ],
)
def test_values_agree_with_pytorch_to_the_bit(model: str, tokens: int, context: int, options: CompileOptions) -> None:
    assert differing(model, "w4a8", tokens, context, options) == []


@pytest.mark.torch
@pytest.mark.parametrize("scheme", ["w4a8-channel", "w4a8-static", "w8a8"])
def test_every_scheme_agrees_to_the_bit(scheme: str) -> None:
    assert differing("qwen", scheme, 3, 32, CompileOptions(precision=scheme)) == []


@pytest.mark.torch
def test_a_scale_per_position_takes_one_token_at_a_time() -> None:
    with pytest.raises(InputError, match="take one token per step") as refusal:
        tasks_of("qwen", 3, CompileOptions(precision="w4a8-position"))
    assert refusal.value.code == "values-in-two-tensors"


@pytest.mark.torch
def test_fewer_tokens_than_the_design_has() -> None:
    assert differing("gpt2", "w4a8", 3, 27, WIDE, room=4) == []


@pytest.mark.torch
def test_the_head_chooses_a_token_after_each() -> None:
    case = Case("gpt2", "decode", "w4a8", 32, head=True, step=3)
    golden, found = golden_and_found(case, graph_of(text("gpt2", 3, head=True), WIDE))
    assert same_bits(found, golden)
    assert found.token is not None
    assert found.token.shape == (3,)


def differing(
    model: str, scheme: str, tokens: int, context: int, options: CompileOptions, *, room: int = 0
) -> list[str]:
    """Results of the compiled block, perhaps with ``room`` for more tokens, that are not the fake-quantized one's."""
    pytest.importorskip("torch")
    import numpy as np

    from sttest.crosscheck.case import WeightSource, make_case
    from sttest.models.program import BlockShape
    from sttest.models.quant.scheme import load_scheme
    from sttest.reference import run

    config = model_config(f"small-{model}")
    case = make_case(config, BlockShape("decode", tokens, context), load_scheme(scheme), WeightSource(seed=1))
    graph = graph_of(text(model, room or tokens), options)
    found = case.results(graph, run(graph, case.images(graph)).results)
    assert found.keys() == case.golden.keys()
    return [name for name in found if not np.array_equal(found[name], case.golden[name])]
