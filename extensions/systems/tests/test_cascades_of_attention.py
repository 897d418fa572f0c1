"""Passes over the positions, and designs of attention alone: FLAT keeps rows on chip, one pass does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch_mlir")

import numpy as np
import torch

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.frontend.lowering import linalg_text
from sttest.frontend.shipped import lowered_text
from sttest.models.registry import get_config, small
from sttest_systems.attention_cascades.attention_alone import AttentionAlone, AttentionShape
from sttest_systems.attention_cascades.cascades import Cascade, attention_text, fastest, measured, passes_of

pytestmark = pytest.mark.torch

SHAPE = AttentionShape(2, 16, 256, 16)
RUNNING: dict[str, Any] = {"attention": "one-pass", "attention_maximum": "running"}
SCALES = ({"overall_unroll": 512, "most_lanes": 128}, {"overall_unroll": 1024, "most_lanes": 256})


@pytest.fixture(scope="module")
def text() -> str:
    return attention_text(SHAPE)


@pytest.mark.nightly
@settings(deadline=None, max_examples=8)
@given(
    model=st.sampled_from(["qwen", "gpt2"]),
    chunk=st.sampled_from([4, 8, 16, 32]),
    maximum=st.sampled_from(["chunk", "running"]),
    precision=st.sampled_from(["fp32", "w4a8", "w4a8-position"]),
)
def test_one_pass_is_one_whatever_the_chunks(model: str, chunk: int, maximum: str, precision: str) -> None:
    text, options = lowered_text(model, "decode", small=True), CompileOptions(precision=precision)
    assert passes_of(text, options, "u55c") == 2
    options = options.with_(attention="one-pass", attention_maximum=maximum, attention_chunk=chunk)
    assert passes_of(text, options, "u55c") == 1


@pytest.mark.nightly
def test_a_decode_step_s_own_tokens_join_without_another_pass() -> None:
    block = linalg_text(small(get_config("qwen")), "decode", 4, 32)
    assert passes_of(block, CompileOptions(), "u55c") == 2
    assert passes_of(block, CompileOptions(attention_chunk=8, **RUNNING), "u55c") == 1


@pytest.mark.nightly
def test_rows_are_kept_where_there_are_two_passes(text: str) -> None:
    """The bytes between scores and mix: of two passes they grow with the positions, of one they do not."""
    long = attention_text(AttentionShape(2, 16, 1024, 16))
    kept = {
        name: [fastest(each, Cascade(name, options), SCALES, "u55c", "maxplus") for each in (text, long)]
        for name, options in (("two", {}), ("one", RUNNING))
    }
    two, one = ([each.attention_bytes for each in found if each is not None] for found in kept.values())
    assert two[1] > 2.5 * two[0]
    assert one[1] < 1.1 * one[0]


@pytest.mark.nightly
def test_narrow_units_beside_the_products_are_what_keeps_lanes_idle(text: str) -> None:
    found = [fastest(text, Cascade("narrow", {}, lanes), SCALES[1:], "u55c", "maxplus") for lanes in (64, 2)]
    wide, narrow = (each for each in found if each is not None)
    assert narrow.cycles > 4 * wide.cycles
    assert narrow.busy < 0.25 * wide.busy
    assert narrow.moved_bytes == wide.moved_bytes


@pytest.mark.nightly
def test_the_busy_share_is_the_closed_form(text: str) -> None:
    design = compile_text(text, "attention", "u55c", CompileOptions(overall_unroll=512, most_lanes=128))
    found = measured(design, text, "", "maxplus")
    assert found.busy == pytest.approx(SHAPE.macs / (2 * 128) / found.cycles)
    assert measured(design, text, "", "simpy").cycles == found.cycles


@pytest.mark.nightly
def test_no_scale_that_fits_is_none(text: str) -> None:
    assert fastest(text, Cascade("all"), [{"overall_unroll": 65536}], "u55c", "maxplus") is None


def test_attention_alone_is_pytorch_s() -> None:
    generator = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(*each, generator=generator) for each in ((5, 2, 16), (2, 40, 16), (2, 40, 16)))
    found = AttentionAlone(16)(q, k, v)
    wanted = torch.nn.functional.scaled_dot_product_attention(q.transpose(0, 1), k, v).transpose(0, 1)
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)
