"""GPUs that generations are compared with, recomputed from the published and measured figures."""

from __future__ import annotations

import pytest

from experiments.gpu_opponents import a100_opponents, h200_opponents
from experiments.h200 import H200
from sttest.core.errors import InputError

A100 = {each.name: each for each in a100_opponents()}
MEASURED = {each.name: each for each in h200_opponents()}


def test_per_layer_carries_published_gpt2_rows_over_by_layers() -> None:
    """StreamTensor Table 5, [64:64]: TTFT 8.76 ms, 114.56 tokens/s; Gemma has 26 of GPT-2's 24 layers."""
    found = A100["A100 per layer"].generation("gemma", 64, 64)
    assert found is not None
    assert found.ttft_s == pytest.approx(8.76e-3 * 26 / 24)
    assert found.latency_s == pytest.approx((8.76e-3 + 64 / 114.56) * 26 / 24)
    assert found.joules == {
        "tdp": pytest.approx(300 * found.latency_s),
        "drawn": pytest.approx(131.02 * found.latency_s),
        "net": pytest.approx((131.02 - 62.12) * found.latency_s),
    }


def test_published_qwen_speeds_are_used_as_they_are() -> None:
    for name, tokens_per_s in (("A100 HF eager", 47.4), ("A100 graphs", 311.55)):
        found = A100[name].generation("qwen", 32, 128)
        assert found is not None
        assert found.latency_s == pytest.approx(129 / tokens_per_s)
    assert A100["A100 HF eager"].generation("llama", 32, 32) is None


def test_other_models_are_scaled_by_the_same_mode_of_the_h200() -> None:
    h200 = H200()
    qwen, llama = (A100["A100 graphs"].generation(model, 32, 128) for model in ("qwen", "llama"))
    assert qwen is not None
    assert llama is not None
    measured = h200.speed("qwen", "graph-bf16") / h200.speed("llama", "graph-bf16")
    assert llama.latency_s / qwen.latency_s == pytest.approx(measured)


def test_a_measured_diagonal_is_what_was_measured() -> None:
    found = MEASURED["H200 compile-bf16"].generation("qwen", 64, 64)
    measured_ms = H200().value("qwen", "compile-bf16", "latency [64:64]")
    assert found is not None
    assert measured_ms is not None
    assert 1e3 * found.latency_s == pytest.approx(measured_ms)
    assert found.joules["tdp"] == pytest.approx(700 * found.latency_s)
    per_token_j = H200().value("qwen", "compile-bf16", "energy_gross c=512")
    assert per_token_j is not None
    assert 64 * per_token_j < found.joules["drawn"] < 75 * per_token_j
    assert found.joules["net"] < found.joules["drawn"] < found.joules["tdp"]


def test_what_was_not_measured_is_absent() -> None:
    graph = MEASURED["H200 graph-bf16"].generation("qwen", 32, 32)
    assert graph is not None
    assert set(graph.joules) == {"tdp"}
    assert MEASURED["H200 compile-int4"].generation("gemma", 32, 32) is None
    with pytest.raises(InputError, match="no decode speed of 'gemma'"):
        H200().speed("gemma", "compile-int4")
