"""Compiled decoder blocks against PyTorch: to the last bit where the golden's order of sums is defined."""

from __future__ import annotations

import pytest
from block_goldens import Case, error, golden_and_found, same_bits
from functional_runs import graph_of

from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import SHIPPED_MODELS, lowered_text
from sttest.reference import ReferenceGraph

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PHASES = ("prefill", "decode")


def graph(case: Case) -> ReferenceGraph:
    text = lowered_text(case.model, case.phase, small=case.small, head=case.head)
    return graph_of(text, CompileOptions(precision=case.scheme))


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_floating_point(model: str, phase: str) -> None:
    case = Case(model, phase, "fp32", 32)
    golden, found = golden_and_found(case, graph(case))
    assert error(found, golden) < 2e-6


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_quantized_blocks_agree_to_the_bit(model: str, phase: str) -> None:
    case = Case(model, phase, "w4a8", 32)
    golden, found = golden_and_found(case, graph(case))
    assert same_bits(found, golden)


@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_heads_agree_to_the_bit(model: str) -> None:
    case = Case(model, "decode", "w4a8", 32, head=True)
    golden, found = golden_and_found(case, graph(case))
    assert found.logits is not None
    assert found.token == found.logits.argmax()
    assert same_bits(found, golden)


@pytest.mark.parametrize("scheme", ["w4a8-channel", "w4a8-static", "w8a8"])
def test_every_scheme_agrees_to_the_bit(scheme: str) -> None:
    case = Case("gemma", "prefill", scheme, 32)
    golden, found = golden_and_found(case, graph(case))
    assert same_bits(found, golden)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("model", ["gpt2", "qwen"])
def test_a_scale_per_position_agrees_to_the_bit(model: str, phase: str) -> None:
    # Positions that are padded have scales too.
    case = Case(model, phase, "w4a8-position", 27)
    golden, found = golden_and_found(case, graph(case))
    assert same_bits(found, golden)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("model", ["gpt2", "gemma"])
def test_padding_changes_nothing(model: str, phase: str) -> None:
    case = Case(model, phase, "w4a8", 21)
    golden, found = golden_and_found(case, graph(case))
    assert same_bits(found, golden)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "case", [Case("gpt2", "prefill", "w4a8", 32, small=False), Case("gpt2", "decode", "w4a8", 64, small=False)], ids=str
)
def test_blocks_of_published_size_agree_to_the_bit(case: Case) -> None:
    golden, found = golden_and_found(case, graph(case))
    assert same_bits(found, golden)


@pytest.mark.nightly
def test_floating_point_at_published_size() -> None:
    case = Case("gpt2", "prefill", "fp32", 32, small=False)
    golden, found = golden_and_found(case, graph(case))
    assert error(found, golden) < 1e-5
