"""Linear layers in two factors: which have a rank, what it may be, and the factors themselves."""

from __future__ import annotations

import json

import pytest

import sttest as st
from sttest.core.errors import InputError
from sttest.models.parameters import block_parameters, linear_layers, weight_shapes
from sttest.models.ranks import with_ranks
from sttest.models.registry import described_config, description, model_config

SMALL = model_config("small-gpt2")


def test_later_entries_go_over_earlier_ones():
    ranks = dict(with_ranks(SMALL, ["25%", "mlp.*=48", "mlp.fc2=8"]).ranks)
    assert ranks["attn.q_proj"] == 16
    assert (ranks["mlp.fc1"], ranks["mlp.fc2"]) == (48, 8)
    assert ranks.keys() == linear_layers(SMALL).keys()


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("0", "bad-rank"),
        ("65", "bad-rank"),
        ("101%", "bad-rank"),
        ("half", "bad-rank"),
        ("mlp.fc3=4", "unknown-layer"),
        ("mlp.fc1=", "bad-rank"),
        ("-4", "bad-rank"),
        ("mlp.fc1=%", "bad-rank"),
        ("1.5", "bad-rank"),
    ],
)
def test_ranks_that_no_layer_has(entry, code):
    with pytest.raises(InputError) as error:
        with_ranks(SMALL, [entry])
    assert error.value.code == code


def test_experts_have_no_rank():
    with pytest.raises(InputError) as error:
        with_ranks(model_config("small-mixtral-8x7b"), ["mlp.*=16"])
    assert error.value.code == "unknown-layer"


def test_a_package_says_its_ranks():
    config = with_ranks(SMALL, ["16"])
    assert described_config(config.name, description(config)) == config
    assert json.loads(description(config) or "")["ranks"][0] == ["attn.q_proj", 16]


def test_what_cannot_have_factors_is_refused(tmp_path):
    (tmp_path / "a.mlir").write_text("")
    with pytest.raises(InputError, match="for models"):
        st.compile(tmp_path / "a.mlir", ranks=("16",))
    with pytest.raises(InputError, match="one card"):
        st.compile("small-gpt2", phase="decode", context=32, ranks=("16",), cards=2)


@pytest.mark.torch
def test_parameters_are_counted():
    from sttest.models.blocks import PrefillBlock

    config = with_ranks(SMALL, ["25%", "mlp.fc1=50%"])
    block = PrefillBlock(config)
    assert sum(parameter.numel() for parameter in block.parameters()) == block_parameters(config)
    shapes = {
        name.removesuffix(".weight"): tuple(each.shape) for name, each in block.named_parameters() if each.ndim == 2
    }
    assert shapes == weight_shapes(config)


@pytest.mark.torch
def test_factors_are_the_best_of_their_rank_and_all_of_the_full_one():
    import torch

    from sttest_systems.low_rank.factors import truncated

    weight = torch.randn(48, 96, generator=torch.Generator().manual_seed(3))
    values = torch.linalg.svdvals(weight.double())
    for rank in (1, 16, 47):
        u, v = truncated(weight, rank)
        assert (u.shape, v.shape) == ((48, rank), (rank, 96))
        left = (weight.double() - u.double() @ v.double()).square().sum()
        assert float(left) == pytest.approx(float(values[rank:].square().sum()), rel=1e-5)
    u, v = truncated(weight, 48)
    assert torch.allclose(u @ v, weight, atol=1e-5)


@pytest.mark.torch
def test_a_full_rank_changes_no_result_by_more_than_rounding():
    import torch

    from sttest.models.blocks import PrefillBlock, run_prefill
    from sttest.models.weights import randomize
    from sttest_systems.low_rank.factors import factored

    block = PrefillBlock(SMALL)
    randomize(block, 5)
    x = torch.randn(8, SMALL.hidden, generator=torch.Generator().manual_seed(1))
    ranks = with_ranks(SMALL, ["100%"]).ranks
    with torch.no_grad():
        whole, both = run_prefill(block, SMALL, x)[0], run_prefill(factored(block, ranks), SMALL, x)[0]
        half = run_prefill(factored(block, with_ranks(SMALL, ["50%"]).ranks), SMALL, x)[0]
    assert torch.allclose(whole, both, atol=1e-4)
    assert not torch.allclose(whole, half, atol=1e-2)


@pytest.mark.torch
def test_a_models_layers_are_its_checkpoints_factored():
    import torch

    from sttest.models.checkpoint import load_model

    whole, low = load_model(SMALL, seed=4), load_model(with_ranks(SMALL, ["mlp.fc1=32"]), seed=4)
    assert torch.equal(whole.embedding.tokens, low.embedding.tokens)
    name = "layers.2.mlp.fc1"
    weight, factors = whole.state_dict()[f"{name}.weight"], low.state_dict()
    off = factors[f"{name}.u.weight"] @ factors[f"{name}.v.weight"] - weight
    left = torch.linalg.svdvals(weight.double())[32:].square().sum()
    assert float(off.square().sum()) == pytest.approx(float(left), rel=1e-3)
