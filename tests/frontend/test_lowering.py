"""The structure of the text is the family's: no shape adds or removes a loop nest."""

import pytest

pytest.importorskip("torch_mlir")

from linalg_interpreter import function_of, names, parse
from xdsl.dialects.linalg.ops import GenericOp

from sttest.frontend.lowering import lower
from sttest.frontend.shipped import lowered_text
from sttest.models.program import TorchProgram, block_program
from sttest.models.registry import get_config, small

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::FutureWarning")]


def structure(text):
    nests = [op for op in parse(text).walk() if isinstance(op, GenericOp)]
    return [(op.attributes["sttest.source"], op.indexing_maps, op.iterator_types) for op in nests]


@pytest.mark.parametrize(
    ("name", "phase", "tokens", "context"),
    [("gpt2", "prefill", 2, 0), ("gpt2", "decode", 1, 7), ("gemma", "prefill", 2, 0), ("gemma", "decode", 1, 7)],
)
def test_other_shapes_have_the_same_loop_nests(name, phase, tokens, context):
    text = lower(block_program(small(get_config(name)), phase, tokens, context))
    assert structure(text) == structure(lowered_text(name, phase, small=True))


@pytest.mark.parametrize(("phase", "context"), [("prefill", 0), ("decode", 1)])
def test_a_loop_of_one_trip_stays_a_loop(phase, context):
    text = lower(block_program(small(get_config("qwen")), phase, 1, context))
    # Maps may differ: an axis of size 1 that was put in for broadcasting then has a loop to be read by.
    ours, shipped = structure(text), structure(lowered_text("qwen", phase, small=True))
    assert [(source, loops) for source, _, loops in ours] == [(source, loops) for source, _, loops in shipped]


def test_full_and_small_size_have_the_same_loop_nests():
    assert structure(lowered_text("qwen", "decode", small=False)) == structure(
        lowered_text("qwen", "decode", small=True)
    )


def test_one_tensor_given_twice_is_two_arguments():
    import torch

    class Difference(torch.nn.Module):
        def forward(self, a, b):
            return a - b

    shared = torch.empty(4, 8, device="meta")
    module = parse(lower(TorchProgram(Difference(), {"a": shared, "b": shared})))
    assert names(function_of(module), "arg_names") == ["a", "b"]
    (nest,) = (op for op in module.walk() if isinstance(op, GenericOp))
    assert set(nest.inputs) == set(function_of(module).args)
