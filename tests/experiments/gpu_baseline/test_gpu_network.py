"""What is timed computes what transformers computes."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs the front-end extra")
pytest.importorskip("transformers", reason="needs the front-end extra")

from experiments.gpu_baseline.hugging_face import build_model
from experiments.gpu_baseline.network import Network
from experiments.gpu_baseline.quantized import quantize_linears, quantized
from sttest.models.registry import get_config, small

pytestmark = pytest.mark.torch
MODELS = ("gpt2", "qwen", "llama", "gemma")
PROMPT, NEW, LENGTH = 20, 6, 40


@pytest.mark.parametrize("name", MODELS)
def test_a_generation_over_the_static_cache_is_transformers_own(name):
    """Window layers included: the small Gemma sees 16 positions, fewer than the prompt has."""
    config = replace(small(get_config(name)), layers=6)
    torch.manual_seed(3)
    model = build_model(config, "cpu", "float32")
    network = Network(config, model, LENGTH)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
        tokens = network.prompt[:, :PROMPT]
        found = [network.prefill(PROMPT)]
        chosen = [network.token.clone()]
        network.set_position(PROMPT)
        for _ in range(NEW):
            found.append(network.decode())
            chosen.append(network.token.clone())
            network.advance()
        wanted = model(torch.cat([tokens, *chosen[:-1]], 1), use_cache=False).logits[0, PROMPT - 1 :]
    torch.testing.assert_close(torch.stack(found), wanted, rtol=2e-4, atol=2e-4)


def test_the_same_step_twice_is_the_same_step():
    config = small(get_config("qwen"))
    network = Network(config, build_model(config, "cpu", "float32"), LENGTH)
    network.set_position(LENGTH - 1)
    with torch.no_grad():
        network.token.fill_(5)
        first = network.decode()
        network.token.fill_(5)
        assert torch.equal(first, network.decode())


@pytest.mark.parametrize("weights", ["int4", "int8"])
def test_quantized_layers_are_near_the_originals(weights):
    torch.manual_seed(1)
    weight, bias = torch.randn(50, 256, dtype=torch.bfloat16), torch.randn(50, dtype=torch.bfloat16)
    x = torch.randn(1, 3, 256, dtype=torch.bfloat16)
    wanted = x.float() @ weight.float().T + bias.float()
    found = quantized(weight, bias, weights)(x)
    assert found.shape == (1, 3, 50)
    error = float((found.float() - wanted).norm() / wanted.norm())
    assert error < (0.12 if weights == "int4" else 0.02)


def test_every_linear_layer_is_replaced():
    config = replace(small(get_config("gpt2")), layers=2)
    model = build_model(config, "cpu", "bfloat16")
    quantize_linears(model, "int8")
    names = [type(module).__name__ for module in model.modules()]
    assert names.count("Int8Linear") == 4 * 2 + 1
    assert not {"Linear", "Conv1D"} & set(names)


def test_a_kernel_that_computes_something_else_is_refused(monkeypatch):
    from experiments.gpu_baseline.quantized import Int8Linear

    monkeypatch.setattr(Int8Linear, "product", lambda self, x: 1.1 * (x @ self.dequantized(x).T.to(x.dtype)))
    with pytest.raises(ValueError, match="off its own weights"):
        quantized(torch.randn(16, 64), None, "int8")
