"""Blocks of Mamba-2: transformers' own values token by token, the softplus, what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sttest as st
from sttest.core.errors import InputError
from sttest.models.parameters import block_parameters
from sttest.models.registry import get_config, model_config

pytestmark = pytest.mark.torch
SMALL = model_config("small-mamba2")


def theirs(config):
    """A block of transformers of the same sizes, with random weights."""
    import torch
    from transformers import Mamba2Config
    from transformers.models.mamba2.modeling_mamba2 import Mamba2Model

    torch.manual_seed(7)
    model = Mamba2Model(
        Mamba2Config(
            hidden_size=config.hidden,
            num_heads=config.heads,
            head_dim=config.head_dim,
            state_size=config.state,
            n_groups=config.kv_heads,
            conv_kernel=config.conv_kernel,
            num_hidden_layers=1,
            vocab_size=32,
            expand=config.heads * config.head_dim // config.hidden,
            layer_norm_epsilon=config.eps,
            chunk_size=4,
        )
    )
    with torch.no_grad():
        for parameter in model.layers[0].parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape))
    return model.layers[0].eval()


def taken(block, config) -> dict:
    """Its weights under our names."""
    import torch

    mixer, inner, shared = block.mixer, config.heads * config.head_dim, config.kv_heads * config.state
    found = {"mixer_norm.weight": block.norm.weight, "mixer.norm.weight": mixer.norm.weight}
    found |= {"mixer.ssm.a": -torch.exp(mixer.A_log), "mixer.ssm.dt_bias": mixer.dt_bias, "mixer.ssm.d": mixer.D}
    found["mixer.out_proj.weight"] = mixer.out_proj.weight.T
    rows = mixer.in_proj.weight.split([inner, inner, shared, shared, config.heads])
    found |= {f"mixer.{name}_proj.weight": part.T for name, part in zip(("gate", *"xbc", "dt"), rows, strict=True)}
    channels = [inner, shared, shared]
    parts = zip("xbc", mixer.conv1d.weight.squeeze(1).split(channels), mixer.conv1d.bias.split(channels), strict=True)
    for name, weight, bias in parts:
        found |= {f"mixer.conv_{name}.weight": weight[:, -1], f"mixer.conv_{name}.bias": bias}
        found |= {f"mixer.conv_{name}.weight_{ago}": weight[:, -1 - ago] for ago in range(1, config.conv_kernel)}
    return found


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_steps_give_what_transformers_gives(groups):
    import torch

    from sttest_systems.state_space.block import Mamba2Block, run_steps

    config = replace(SMALL, kv_heads=groups)
    wanted, ours = theirs(config), Mamba2Block(config)
    ours.load_state_dict(taken(wanted, config))
    x = torch.randn(11, config.hidden, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        y, state = run_steps(ours, config, x)
        golden = wanted(x[None])[0]
    assert y.shape == golden.shape
    assert float((y - golden).abs().max() / golden.abs().max()) < 1e-5
    assert float(state["ssm_state"].abs().max()) > 0


def test_softplus_is_pytorchs():
    import torch

    from sttest_systems.state_space.block import Softplus

    x = torch.cat([torch.linspace(-30, 30, 4001), torch.tensor([-100.0, -1e30, 0.0, 1e30])])
    wanted = torch.nn.functional.softplus(x.double(), threshold=1e9)
    found = Softplus()(x).double()
    assert torch.allclose(found, wanted, rtol=4e-7, atol=1e-30)


def test_a_state_forgets_the_oldest_input():
    import torch

    from sttest_systems.state_space.block import empty_state, next_state

    state = empty_state(SMALL)
    for number in range(1, 6):
        new = {f"{name}_new": torch.full_like(state[f"{name}_1"], number) for name in ("conv_x", "conv_b", "conv_c")}
        state = next_state(state, {**new, "ssm_new": state["ssm_state"]})
    assert [float(state[f"conv_x_{ago}"][0, 0]) for ago in (1, 2, 3)] == [5, 4, 3]


def test_parameters_are_counted():
    from sttest_systems.state_space.block import Mamba2Block

    for config in (SMALL, replace(SMALL, kv_heads=4)):
        assert sum(each.numel() for each in Mamba2Block(config).parameters()) == block_parameters(config)
    # 24 layers, tied embeddings of 50288 tokens and the last norm: what its name says.
    full = get_config("mamba2")
    assert 24 * block_parameters(full) + full.vocab * full.hidden + full.hidden == pytest.approx(128.99e6, rel=1e-3)


@pytest.mark.parametrize(
    "options", [{"phase": "prefill", "tokens": 8}, {"tokens": 2}, {"batch": 2}, {"head": True}, {"cards": 2}], ids=str
)
def test_what_a_step_is_not(options):
    shape = {"phase": "decode", "context": 8} | options
    shape["context"] = 0 if shape["phase"] == "prefill" else 8
    with pytest.raises(InputError) as error:
        st.compile("small-mamba2", **shape)
    assert error.value.code in ("state-of-tokens", "head-of-state", "bad-cards")


def test_there_is_no_attention_block_of_it():
    from sttest.models.blocks import PrefillBlock

    with pytest.raises(InputError, match="no attention"):
        PrefillBlock(SMALL)
