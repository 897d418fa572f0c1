"""Networks of experts in PyTorch: the choice, weights side by side, and the numbers of parameters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

torch = pytest.importorskip("torch", reason="models need PyTorch")

from sttest.core.errors import InputError
from sttest.models.experts import ChosenMlp, ExpertMlp, TopExperts, beside
from sttest.models.experts_family import expert_parameters
from sttest.models.parameters import block_parameters
from sttest.models.registry import get_config, small
from sttest.models.tables import expert_tables
from sttest.models.weights import layer_state, randomize

pytestmark = pytest.mark.torch


@settings(max_examples=300, deadline=None)
@given(some.lists(some.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0]), min_size=4, max_size=12), some.integers(1, 4))
def test_the_best_come_first_and_of_equals_the_first(scores, count):
    row = torch.tensor([scores])
    ids, places = (torch.arange(n, dtype=torch.float32) for n in (len(scores), count))
    chosen, weights = TopExperts()(row, ids, places)
    expected = sorted(range(len(scores)), key=lambda expert: (-scores[expert], expert))[:count]
    assert chosen[0].tolist() == expected
    best = np.exp(np.array([scores[expert] for expert in expected]))
    np.testing.assert_allclose(weights[0].numpy(), best / best.sum(), rtol=1e-6)


def test_one_wide_network_with_the_chosen_weights_is_the_same():
    config = small(get_config("qwen3-30b-a3b"))
    all_experts = ExpertMlp(config)
    randomize(all_experts, seed=7)
    x = torch.randn(1, config.hidden, generator=torch.Generator().manual_seed(3))
    tables = [torch.from_numpy(table) for table in expert_tables(config).values()]
    with torch.no_grad():
        y, chosen = all_experts(x)
        numbers = [int(each) for each in chosen[0]]
        state = {
            f"{name}.weight": beside(getattr(all_experts, name).weight, numbers, by_rows=name == "down_proj")
            for name in ("gate_proj", "up_proj", "down_proj")
        }
        wide = ChosenMlp(config)
        wide.load_state_dict({**state, "router.proj.weight": all_experts.router.proj.weight})
        again, same = wide(x, *tables)
    assert torch.equal(chosen, same)
    assert torch.equal(y, again)


@pytest.mark.parametrize(
    ("name", "billions", "active"),
    [("qwen3-30b-a3b", 30.5, 3.3), ("mixtral-8x7b", 46.7, 12.9)],  # model cards: in total, and of a token
)
def test_sizes_give_the_published_number_of_parameters(name, billions, active):
    config = get_config(name)
    around = 2 * config.vocab * config.hidden + config.hidden
    total = config.layers * block_parameters(config) + around
    idle = config.layers * (config.experts - config.experts_per_token) * expert_parameters(config)
    assert round(total / 1e9, 1) == billions
    assert abs((total - idle) / 1e9 - active) <= 0.06


def test_weights_of_another_number_of_experts_are_refused():
    config = small(get_config("mixtral-8x7b"))
    each = {f"block_sparse_moe.experts.{n}.w1.weight": torch.zeros(config.ffn, config.hidden) for n in range(3)}
    with pytest.raises(InputError, match=f"not one matrix of one shape for each of {config.experts} experts"):
        layer_state(config, each)


def test_a_block_takes_the_experts_of_one_token():
    from sttest.models.program import check_shape

    config = get_config("qwen3-30b-a3b")
    check_shape(config, "decode", 1, 64)
    for phase, tokens, context, batch in (("prefill", 16, 0, 1), ("decode", 2, 64, 1), ("decode", 1, 64, 2)):
        with pytest.raises(InputError, match="takes one token") as caught:
            check_shape(config, phase, tokens, context, batch)
        assert caught.value.code == "experts-of-tokens"
