"""`sttest models`, and the parameters per block that it shows."""

import json
from math import prod

import pytest
from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp

from sttest.compile.opt import parse
from sttest.frontend.shipped import SHIPPED_MODELS, lowered_text
from sttest.models.parameters import block_parameters
from sttest.models.registry import get_config, known_models


@pytest.mark.parametrize("name", SHIPPED_MODELS)
def test_parameters_per_block_are_those_of_the_lowered_block(name):
    module = parse(lowered_text(name, "decode", small=False), name)
    function = next(op for op in module.walk() if isinstance(op, FuncOp))
    kinds = function.attributes["sttest.arg_kinds"]
    assert isinstance(kinds, ArrayAttr)
    shapes = [kind.get_shape() for kind in function.function_type.inputs if isinstance(kind, TensorType)]
    counted = sum(prod(shape) for shape, kind in zip(shapes, kinds, strict=True) if kind == StringAttr("parameter"))
    assert block_parameters(get_config(name)) == counted


def test_every_model_has_a_line(sttest):
    lines = sttest("models").stdout.splitlines()
    for config in known_models().values():
        line = next(line for line in lines if line.split()[:1] == [config.name])
        assert config.public_name in line
        assert f"{config.hidden:,}" in line
        assert len(line) <= 80


def test_json_has_shapes_and_sources(sttest):
    told = {entry["name"]: entry for entry in json.loads(sttest("models", "--json").stdout)["models"]}
    assert told.keys() == known_models().keys()
    assert told["gpt2"]["layers"] == 24
    assert "Table 7" in told["qwen"]["source"] or "table 7" in told["qwen"]["source"]
