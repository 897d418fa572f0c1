"""The shipped texts: form, names and values."""

import re
from functools import cache

import numpy as np
import pytest
from linalg_interpreter import evaluate, function_of, names, parse
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from sttest.core.errors import InputError
from sttest.frontend.shipped import SHIPPED_MODELS, SHIPPED_SHAPES, lowered_text, shipped
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_mask, prefill_mask, rope_table

OPS = {
    *("builtin.module", "func.func", "func.return", "linalg.generic", "linalg.fill", "linalg.yield"),
    *("tensor.empty", "tensor.expand_shape", "tensor.collapse_shape", "arith.constant"),
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.maximumf"),
    *("arith.cmpf", "arith.select", "math.exp", "math.rsqrt", "math.tanh"),
}
# LN: sum, squares, rsqrt, scale. Attention: 3 projections with bias, 2 layouts, scores, mask, max, exp,
# sum, mix, division, output. MLP: fc1, GELU, fc2. Two residuals, each with the bias before it.
GPT2_PREFILL_LOOP_NESTS = 2 * 4 + 6 + 2 + 2 + 3 + 1 + 1 + 1 + 3 + 2
SMALL = [(name, phase) for name, phase, is_small in shipped() if is_small]


parsed = cache(lambda name, phase, is_small: parse(lowered_text(name, phase, small=is_small)))


def loop_nests(module) -> list[GenericOp]:
    return [op for op in module.walk() if isinstance(op, GenericOp)]


def is_contraction(op: GenericOp) -> bool:
    return any(t.data == IteratorType.REDUCTION for t in op.iterator_types.data) and len(op.inputs) > 1


@pytest.mark.parametrize(("name", "phase", "is_small"), shipped())
def test_texts_are_few_clean_loop_nests(name, phase, is_small):
    text = lowered_text(name, phase, small=is_small)
    module = parse(text)
    assert {op.name for op in module.walk()} <= OPS
    assert not re.search(r"f64|i64>|x(i64|f64)|index", text.replace("indexing_maps", ""))
    for op in loop_nests(module):
        assert all(m.data.is_projected_permutation() for m in op.indexing_maps.data)


@pytest.mark.parametrize(("name", "phase", "is_small"), shipped())
def test_contractions_only_multiply_and_add(name, phase, is_small):
    module = parsed(name, phase, is_small)
    contractions = [op for op in loop_nests(module) if is_contraction(op)]
    for op in contractions:
        assert sorted(inner.name for inner in op.body.block.ops) == ["arith.addf", "arith.mulf", "linalg.yield"]
    config = get_config(name)
    ropes, own_scores = 2 * (config.rope_theta is not None), int(phase == "decode")
    assert len(contractions) == 4 + (3 if config.gated else 2) + 2 + ropes + own_scores


@pytest.mark.parametrize(("name", "phase", "is_small"), shipped())
def test_costly_functions_are_not_repeated_over_a_broadcast(name, phase, is_small):
    for op in loop_nests(parsed(name, phase, is_small)):
        if any(inner.name == "math.rsqrt" for inner in op.body.block.ops):
            assert {value.type for value in op.inputs} == {op.outputs[0].type}


def test_gpt2_prefill_has_as_many_loop_nests_as_it_decomposes_into():
    assert len(loop_nests(parsed("gpt2", "prefill", True))) == GPT2_PREFILL_LOOP_NESTS


@pytest.mark.parametrize(("name", "phase", "is_small"), shipped())
def test_everything_is_named(name, phase, is_small):
    module = parsed(name, phase, is_small)
    function = function_of(module)
    arguments, kinds = names(function, "arg_names"), names(function, "arg_kinds")
    assert len(arguments) == len(kinds) == len(function.args) == len(set(arguments))
    assert names(function, "result_names") == ["y", "k_new", "v_new"]
    by_kind = {kind: [a for a, k in zip(arguments, kinds, strict=True) if k == kind] for kind in set(kinds)}
    rope = ["rope"] if get_config(name).rope_theta is not None else []
    assert sorted(by_kind["input"]) == sorted(["x", "mask", *rope])
    assert by_kind.get("cache", []) == (["k_cache", "v_cache"] if phase == "decode" else [])
    assert {"attn.q_proj.weight", "attn.o_proj.weight"} <= set(by_kind["parameter"])
    assert function.attributes["sttest.phase"] == StringAttr(phase)


@pytest.mark.parametrize(("name", "phase", "is_small"), shipped())
def test_every_loop_nest_knows_its_module(name, phase, is_small):
    module = parsed(name, phase, is_small)
    function = function_of(module)
    weights: dict[SSAValue, str] = dict(zip(function.args, names(function, "arg_names"), strict=True))
    for op in loop_nests(module):
        source = op.attributes["sttest.source"]
        assert isinstance(source, StringAttr)
        assert source.data != "block"
        for operand in op.inputs:
            if is_contraction(op) and weights.get(operand, "").endswith(".weight"):
                assert weights[operand] == f"{source.data}.weight"


def test_unknown_phase_is_refused():
    with pytest.raises(InputError, match="no phase 'train'"):
        lowered_text("gpt2", "train", small=True)


def host_inputs(config, phase, kind):
    tokens, context = SHIPPED_SHAPES[True][phase]
    generator = np.random.default_rng(5)
    given = {"x": generator.standard_normal((tokens, config.hidden), np.float32)}
    if phase == "prefill":
        given["mask"] = prefill_mask(config, tokens, kind)
    else:
        given["mask"] = decode_mask(config, context, kind)
        cache = (config.kv_heads, context, config.head_dim)
        given |= {name: generator.standard_normal(cache, np.float32) for name in ("k_cache", "v_cache")}
    if config.rope_theta is not None:
        given["rope"] = rope_table(config, range(context, context + tokens), kind)
    return given


@pytest.mark.torch
@pytest.mark.parametrize(("name", "phase"), SMALL)
def test_text_computes_what_the_module_computes(name, phase):
    torch = pytest.importorskip("torch")
    from sttest.models.blocks import DecodeBlock, PrefillBlock
    from sttest.models.weights import randomize

    config = small(get_config(name))
    kind = "global" if config.sliding_window is None else "local"
    block = (PrefillBlock if phase == "prefill" else DecodeBlock)(config)
    randomize(block, seed=11)
    given = host_inputs(config, phase, kind)
    with torch.no_grad():
        expected = block(**{key: torch.from_numpy(value) for key, value in given.items()})
    weights = {key: value.detach().numpy() for key, value in block.named_parameters()}
    results = evaluate(parsed(name, phase, True), {**given, **weights})
    for result, value in zip(("y", "k_new", "v_new"), expected, strict=True):
        assert np.abs(results[result] - value.numpy()).max() <= 1e-4, result


@pytest.mark.parametrize("name", SHIPPED_MODELS)
@pytest.mark.parametrize("is_small", [True, False])
def test_heads_follow_their_block_and_are_named(name, is_small):
    module = parse(lowered_text(name, "decode", small=is_small, head=True))
    block = parsed(name, "decode", is_small)
    function = function_of(module)
    assert {op.name for op in module.walk()} <= OPS | {"arith.minimumf"}
    assert names(function, "result_names") == ["y", "k_new", "v_new", "logits", "token"]
    added = [arg for arg in names(function, "arg_names") if arg not in names(function_of(block), "arg_names")]
    bias = ["head.norm.bias"] if get_config(name).norm == "layernorm" else []
    assert added == ["head.norm.weight", *bias, "head.proj.weight", "token_ids"]
    sources = [str(op.attributes["sttest.source"]) for op in loop_nests(module)]
    assert [each for each in sources if '"head.' not in each] == [
        str(op.attributes["sttest.source"]) for op in loop_nests(block)
    ]


def test_a_prefill_has_no_head():
    with pytest.raises(InputError, match="the head follows one token"):
        lowered_text("gpt2", "prefill", head=True, small=True)


def test_the_name_says_which_size_is_meant() -> None:
    assert lowered_text("gpt2", "decode") == lowered_text("gpt2", "decode", small=False)
    assert lowered_text("small-gpt2", "decode") == lowered_text("gpt2", "decode", small=True)
    assert lowered_text("gpt2", "decode") != lowered_text("small-gpt2", "decode")
