"""A batch gives every sequence what it would have alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from sttest.models.batch import run_decode_batch, run_prefill_batch
from sttest.models.blocks import PrefillBlock, run_decode, run_prefill
from sttest.models.config import DecoderConfig
from sttest.models.quant.block import decode_twin, quantize_block
from sttest.models.quant.contraction import DefinedOrder
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import get_config, small
from sttest.models.tables import of_batch
from sttest.models.weights import randomize

pytestmark = pytest.mark.torch

# One head per key-value head and learned positions; a group and rotary ones; a window of 16, which lengths pass.
FAMILIES = [("gpt2", "global"), ("qwen", "global"), ("gemma", "local")]
LENGTHS, ROOM = (21, 1, 17, 9), 24
SCHEMES = ["w4a8", "w8a8", "w4a8-position"]


def block_of(name: str, scheme: str, chunk: int | None = None) -> tuple[DecoderConfig, Any]:
    config = small(get_config(name))
    block = PrefillBlock(config)
    randomize(block, seed=3)
    return config, quantize_block(block, load_scheme(scheme), chunk=chunk)


def sequences(config: DecoderConfig, more: int = 0) -> list[Any]:
    source = torch.Generator().manual_seed(4)
    return [torch.randn(length + more, config.hidden, generator=source) for length in LENGTHS]


def parts(output: Any) -> list[Any]:
    """Activations, keys and values; of quantized ones integers and scales."""
    flat: list[Any] = []
    for each in output:
        flat += list(each) if isinstance(each, tuple) else [each]
    return flat


def decoded(config: DecoderConfig, block: Any, kind: Any) -> tuple[list[Any], list[list[Any]]]:
    """What a batch gives, and what each sequence gives alone."""
    inputs, twin = sequences(config, more=1), decode_twin(config, block)
    before, now = [x[:-1] for x in inputs], [x[-1:] for x in inputs]
    with torch.no_grad(), DefinedOrder():
        caches = [run_prefill(block, config, x, kind)[1:] for x in before]
        together = run_decode_batch(twin, config, now, caches, ROOM, kind)
        alone = [
            run_decode(twin, config, x, cache, length, kind)
            for x, cache, length in zip(now, caches, LENGTHS, strict=True)
        ]
    return parts(together), [parts(each) for each in alone]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("name", "kind"), FAMILIES)
def test_a_step_gives_each_sequence_what_it_has_alone(name, kind, scheme):
    together, alone = decoded(*block_of(name, scheme), kind)
    for number, own in enumerate(alone):
        assert torch.equal(together[0][number], own[0][0])
        assert all(torch.equal(batch[number], one) for batch, one in zip(together[1:], own[1:], strict=True))


@pytest.mark.parametrize(("name", "kind"), FAMILIES)
def test_a_step_in_one_pass_too(name, kind):
    config, block = block_of(name, "w4a8", chunk=ROOM)
    together, alone = decoded(config, block, kind)
    for number, own in enumerate(alone):
        assert torch.equal(together[0][number], own[0][0])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("name", "kind"), FAMILIES)
def test_a_prefill_gives_each_prompt_what_it_has_alone(name, kind, scheme):
    config, block = block_of(name, scheme)
    prompts = sequences(config)
    with torch.no_grad(), DefinedOrder():
        together = parts(run_prefill_batch(block, config, prompts, ROOM, kind))
        alone = [parts(run_prefill(block, config, x, kind)) for x in prompts]
    rows = together[0].view(len(prompts), ROOM, -1)
    for number, (length, own) in enumerate(zip(LENGTHS, alone, strict=True)):
        assert torch.equal(rows[number, -length:], own[0])
        for batch, one in zip(together[1:], own[1:], strict=True):
            assert torch.equal(batch[number][:, -length:], one)


def test_in_floating_point_up_to_the_order_of_sums():
    together, alone = decoded(*block_of("qwen", "fp32"), "global")
    for number, own in enumerate(alone):
        assert torch.allclose(together[0][number], own[0][0], atol=1e-5)


def test_rows_of_tokens_follow_each_other_and_the_rest_is_each_sequences_own():
    one = {"x": np.zeros((1, 3)), "mask": np.zeros(4), "rope": np.zeros((1, 2, 2, 5)), "k_cache": np.zeros((2, 4, 5))}
    assert {name: found.shape for name, found in of_batch([one, one]).items()} == {
        "x": (2, 3),
        "mask": (2, 4),
        "rope": (2, 2, 2, 5),
        "k_cache": (2, 2, 4, 5),
    }
