"""The pass `quantize`: who plays which role, what is shared, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from linalg_programs import Program
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.linalg.ops import GenericOp

from sttest.compile.ir.module_walk import functions
from sttest.compile.linalg.iteration import is_view
from sttest.compile.linalg.tensor_build import element_of
from sttest.compile.opt import new_context, parse
from sttest.compile.passes.quantize import Quantize
from sttest.compile.quantization.softmax_weights import is_softmax_weight
from sttest.core.errors import InputError
from sttest.frontend.shipped import SHIPPED_MODELS, lowered_text


def quantized(text: str, scheme: str = "w4a8") -> ModuleOp:
    module = parse(text, "text", new_context())
    Quantize(scheme).apply(new_context(), module)
    module.verify()
    return module


def named(program: Program, kinds: list[str], *results: str, entries: tuple[str, ...] = ("y",)) -> str:
    """A text whose arguments have kinds and are called a0, a1, …"""
    lists = {"arg_names": [f"a{number}" for number in range(len(kinds))], "arg_kinds": kinds, "result_names": entries}
    attributes = ", ".join(f"sttest.{key} = {json.dumps(values)}" for key, values in lists.items())
    return program.text(*results).replace(") {\n", f") attributes {{{attributes}}} {{\n", 1)


def steps(module: ModuleOp) -> Counter[str]:
    """Computing ops by module and step."""
    ops = [op for op in module.walk() if isinstance(op, GenericOp) and not is_view(op)]
    texts = [(op.attributes.get("sttest.source"), op.attributes.get("sttest.step")) for op in ops]
    return Counter(
        "_".join(part.data for part in pair if isinstance(part, StringAttr)) for pair in texts if pair != (None, None)
    )


def strings(module: ModuleOp, attribute: str) -> list[str]:
    (function,) = functions(module)
    found = function.attributes[f"sttest.{attribute}"]
    assert isinstance(found, ArrayAttr)
    return [item.data for item in found if isinstance(item, StringAttr)]


def sums_of(module: ModuleOp, name: str) -> list[str]:
    """Element types of what a module's step sums."""
    source, _, step = name.partition("_")
    wanted = {"sttest.source": StringAttr(source)} | ({"sttest.step": StringAttr(step)} if step else {})
    ops = [op for op in module.walk() if isinstance(op, GenericOp) and dict(op.attributes) == wanted]
    return [str(element_of(op.results[0])) for op in ops if not is_view(op)]


def refused(text: str, scheme: str = "w4a8") -> InputError:
    with pytest.raises(InputError) as error:
        quantized(text, scheme)
    assert error.value.hints
    return error.value


def product(rows: int, kind: str = "parameter") -> str:
    program = Program()
    return named(program, ["input", kind], program.matmul(program.argument(4, rows), program.argument(rows, 8)))


def test_one_quantizer_serves_all_that_read_a_tensor() -> None:
    found = steps(quantized(lowered_text("gpt2", "decode", small=True)))
    assert found["attn_norm_peak"] == found["attn_norm_quantize"] == 1
    # Queries meet the cache and the own key; keys meet queries and leave for the cache.
    assert found["attn.q_proj_quantize"] == found["attn.k_proj_quantize"] == 1
    assert not any(step.startswith("attn.softmax_peak") for step in found)


def test_floating_point_stays_as_it_is() -> None:
    text = lowered_text("gpt2", "prefill", small=True)
    assert str(quantized(text, "fp32")) == str(parse(text, "text", new_context()))


def test_constant_scales_are_arguments_and_await_nothing() -> None:
    module = quantized(lowered_text("gpt2", "decode", small=True), "w4a8-static")
    names, kinds = strings(module, "arg_names"), strings(module, "arg_kinds")
    place = names.index("attn.q_proj.weight")
    assert names[place : place + 3] == ["attn.q_proj.weight", "attn.q_proj.weight_scale", "attn.q_proj.input_scale"]
    assert [name for name in names if name.endswith("input_scale")] == [
        f"{module}.input_scale" for module in ("attn.q_proj", "attn.o_proj", "mlp.fc1", "mlp.fc2", "attn.scores")
    ]
    scales = {name: kind for name, kind in zip(names, kinds, strict=True) if name.endswith("_scale")}
    assert {name for name, kind in scales.items() if kind != "parameter"} == {"k_cache_scale", "v_cache_scale"}
    # Keys and values keep their barrier; the mix looks for the largest of scales that are there.
    peaks = {step for step in steps(module) if step.endswith("_peak")}
    assert peaks == {"attn.k_proj_peak", "attn.v_proj_peak", "attn.mix_peak"}


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_the_mix_sums_integers(model: str, phase: str) -> None:
    module = quantized(lowered_text(model, phase, small=True))
    assert sums_of(module, "attn.mix") == ["i32"]
    assert sums_of(module, "attn.softmax_denominator") == ["i32"]
    # One stream of int8 weights: the denominator rounds as it adds.
    assert steps(module)["attn.softmax_quantize"] == 1


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_a_scale_per_position_stays_in_the_mix(model: str, phase: str) -> None:
    module = quantized(lowered_text(model, phase, small=True), "w4a8-position")
    assert sums_of(module, "attn.mix") == ["f32"]
    assert sums_of(module, "attn.softmax_denominator") == ["i32"]
    assert steps(module)["attn.softmax_quantize"] == 1
    assert not any(step.startswith(("attn.mix_peak", "attn.mix_scale")) for step in steps(module))


def test_scales_along_a_sum_that_meet_no_softmax_stay_in_the_sum() -> None:
    program = Program()
    weights, cache = program.argument(2, 4, 16), program.argument(2, 16, 8)
    module = quantized(named(program, ["input", "cache"], program.matmul(weights, cache)))
    found = [op for op in module.walk() if isinstance(op, GenericOp) and len(op.inputs) == 3]
    assert [str(op.results[0].type) for op in found] == ["tensor<2x4x8xf32>"]
    assert [str(value.type) for value in found[0].inputs] == [
        "tensor<2x4x16xi8>",
        "tensor<2x16x8xi8>",
        "tensor<2x16xf16>",
    ]


def test_without_an_integer_cache_attention_stays_in_floating_point(tmp_path: Path) -> None:
    scheme = tmp_path / "linear.yaml"
    scheme.write_text("kv_bits: 32\n")
    module = quantized(lowered_text("gpt2", "prefill", small=True), str(scheme))
    assert strings(module, "result_names") == ["y", "k_new", "v_new"]
    found = steps(module)
    assert found["mlp.fc1_rescale"] == 1
    assert found["attn.scores_rescale"] == found["attn.mix_rescale"] == 0


def test_what_nobody_calls_a_parameter_is_an_activation() -> None:
    program = Program()
    module = quantized(program.text(program.matmul(program.argument(4, 16), program.argument(16, 8))))
    (function,) = functions(module)
    assert [str(argument.type) for argument in function.body.block.args] == ["tensor<4x16xf32>", "tensor<16x8xf32>"]
    assert steps(module)["peak"] == 2


def test_an_exponential_of_anything_but_a_difference_to_the_maximum_has_a_peak() -> None:
    program = Program()
    weights = program.unary(program.argument(4, 16))
    assert steps(quantized(program.text(program.matmul(weights, program.argument(16, 8)))))["peak"] == 2


def test_groups_that_do_not_divide_the_inputs() -> None:
    assert "tensor<3x8xf16>" in str(quantized(product(192)))
    assert "tensor<25x8xf16>" in str(quantized(product(1600)))
    assert "tensor<1x8xf16>" in str(quantized(product(262)))


def test_fewer_inputs_than_a_group_are_one_group() -> None:
    assert "tensor<1x8xf16>" in str(quantized(product(96)))


def test_weights_alone_meet_inputs_in_floating_point(tmp_path: Path) -> None:
    scheme = tmp_path / "weights.yaml"
    scheme.write_text("activations: none\nkv_bits: 32\n")
    text = str(quantized(product(16), str(scheme)))
    assert "xi4>" in text
    assert "arith.muli" not in text


def test_a_weight_that_is_also_added() -> None:
    program = Program()
    x, weight = program.argument(16, 16), program.argument(16, 16)
    text = named(program, ["input", "parameter"], program.add(program.matmul(x, weight), weight))
    assert refused(text).code == "weight-read-elsewhere"


def test_a_weight_behind_a_transpose() -> None:
    program = Program()
    x, weight = program.argument(4, 16), program.argument(8, 16)
    text = named(program, ["input", "parameter"], program.matmul(x, program.transpose(weight, [1, 0])))
    assert refused(text).code == "weight-through-view"


def test_a_weight_summed_along_either_dim() -> None:
    program = Program()
    x, weight = program.argument(16, 16), program.argument(16, 16)
    once = program.matmul(x, weight)
    dims = [(once, [0, 2]), (weight, [1, 2])]
    body = "%m = arith.mulf %i0, %i1 : f32\n%s = arith.addf %m, %acc : f32\nlinalg.yield %s : f32"
    twice = program.generic(dims, (16, 16), [0, 1], "ppr", body, "0.0")
    assert refused(named(program, ["input", "parameter"], twice)).code == "weight-in-two-ways"


def test_keys_that_are_read_before_they_are_split_in_heads() -> None:
    program = Program()
    keys = program.unary(program.argument(4, 16))
    cached = program.expand(keys, 1, 2)
    text = named(program, ["input"], cached, program.unary(keys), entries=("k_new", "y"))
    assert refused(text).code == "entry-not-by-head"


def test_an_entry_of_the_cache_brings_its_scales_along() -> None:
    program = Program()
    cached = program.transpose(program.expand(program.unary(program.argument(4, 16)), 1, 2), [1, 0, 2])
    module = quantized(named(program, ["input"], cached, entries=("k_new",)))
    assert strings(module, "result_names") == ["k_new", "k_new_scale"]
    assert "(tensor<2x4x8xi8>, tensor<2x4xf16>)" in str(module)


_EXPONENTIAL = """
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#both = affine_map<(i, j) -> (i, j)>
func.func @f(%a : tensor<8x8xf32>, %b : tensor<8x8xf32>) -> tensor<8x8xf32> {
  %low = arith.constant -3.0e38 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %peak = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%OF : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
    ^bb0(%x : f32, %old : f32):
      %larger = arith.maximumf %x, %old : f32
      linalg.yield %larger : f32
  } -> tensor<8xf32>
  %whole = tensor.empty() : tensor<8x8xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%a, %peak : tensor<8x8xf32>, tensor<8xf32>) outs(%whole : tensor<8x8xf32>) {
    ^bb0(%x : f32, %most : f32, %old : f32):
      %less = arith.subf %x, %most : f32
      %weight = math.exp %less : f32
      linalg.yield %weight : f32
  } -> tensor<8x8xf32>
  func.return %weights : tensor<8x8xf32>
}
"""


@pytest.mark.parametrize(
    ("change", "is_softmax"),
    [
        (("OF", "a"), True),
        (("OF", "b"), False),
        (
            (
                '#row], iterator_types = ["parallel", "reduction"]',
                '#column], iterator_types = ["reduction", "parallel"]',
            ),
            False,
        ),
        (("arith.maximumf %x, %old", "arith.minimumf %x, %old"), False),
    ],
    ids=["own", "another-tensor", "another-dim", "minimum"],
)
def test_a_softmax_weight_is_under_the_maximum_of_its_own_scores(change, is_softmax):
    """Under any other the exponential may be above 1, and no constant scale holds it."""
    text = _EXPONENTIAL.replace(*change).replace("OF", "a")
    (function,) = functions(parse(text, "text", new_context()))
    assert function.body.block.last_op is not None
    assert is_softmax_weight(function.body.block.last_op.operands[0]) == is_softmax
