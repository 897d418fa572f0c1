"""Several tokens in one decode step mean what as many steps of one token do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from sttest.models.blocks import DecodeBlock, PrefillBlock
from sttest.models.quant.block import decode_twin, quantize_block
from sttest.models.quant.contraction import DefinedOrder
from sttest.models.quant.quantizers import QuantizedTensor
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_inputs, prefill_mask, rope_table
from sttest.models.weights import randomize

pytestmark = pytest.mark.torch

CASES = [("gpt2", "global"), ("qwen", "global"), ("llama", "global"), ("gemma", "global"), ("gemma", "local")]
# The step reaches past the small window of 16, whose far end then moves from token to token.
CONTEXT, TOKENS = 14, 5


@dataclass(frozen=True)
class Step:
    """A decode block, the tokens of a step, and the cache before them."""

    block: DecodeBlock
    config: Any
    kind: Any
    x: Any
    cache: tuple[Any, Any]

    def at_once(self, **changed: Any) -> Any:
        """Results of all tokens in one step."""
        return self._run(self.x, CONTEXT, self.cache, **changed)

    def one_by_one(self) -> tuple[Any, Any, Any]:
        """Results of a step per token, each of which lengthens the cache."""
        cache, rows = self.cache, []
        for number in range(TOKENS):
            y, *new = self._run(self.x[number : number + 1], CONTEXT + number, cache)
            cache = tuple(appended(side, entry) for side, entry in zip(cache, new, strict=True))
            rows.append(y)
        k, v = (since(side, CONTEXT) for side in cache)
        return torch.cat(rows), k, v

    def _run(self, x: Any, context: int, cache: tuple[Any, Any], **changed: Any) -> Any:
        tables = decode_inputs(self.config, context, len(x), self.kind)
        given = {name: torch.from_numpy(table) for name, table in tables.items()} | changed
        with torch.no_grad(), DefinedOrder():
            return self.block(x=x, k_cache=cache[0], v_cache=cache[1], **given)


def step_of(name: str, kind: Any, precision: str) -> Step:
    config = small(get_config(name))
    first = PrefillBlock(config)
    randomize(first, seed=2)
    first = quantize_block(first, load_scheme(precision))
    x = torch.randn(CONTEXT + TOKENS, config.hidden, generator=torch.Generator().manual_seed(1))
    given = {"mask": torch.from_numpy(prefill_mask(config, CONTEXT, kind))}
    if config.rope_theta is not None:
        given["rope"] = torch.from_numpy(rope_table(config, range(CONTEXT), kind))
    with torch.no_grad(), DefinedOrder():
        _, k, v = first(x=x[:CONTEXT], **given)
    return Step(decode_twin(config, first), config, kind, x[CONTEXT:], (k, v))


def appended(side: Any, new: Any) -> Any:
    if isinstance(side, QuantizedTensor):
        return QuantizedTensor(*(torch.cat(pair, 1) for pair in zip(side, new, strict=True)))
    return torch.cat([side, new], 1)


def since(side: Any, first: int) -> Any:
    return (
        QuantizedTensor(*(part[:, first:] for part in side)) if isinstance(side, QuantizedTensor) else side[:, first:]
    )


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_in_floating_point_within_rounding(name, kind):
    step = step_of(name, kind, "fp32")
    for found, expected in zip(step.at_once(), step.one_by_one(), strict=True):
        assert (found - expected).abs().max() <= 1e-5


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_quantized_to_the_bit(name, kind):
    step = step_of(name, kind, "w4a8")
    (y, k, v), (expected, k_expected, v_expected) = step.at_once(), step.one_by_one()
    assert torch.equal(y, expected)
    for found, wanted in ((k, k_expected), (v, v_expected)):
        assert torch.equal(found.values, wanted.values)
        assert torch.equal(found.scales, wanted.scales)


def test_no_token_depends_on_a_later_one():
    step = step_of("gpt2", "global", "w4a8")
    y, _, _ = step.at_once()
    changed = torch.cat([step.x[:3], 2 * step.x[3:]])
    other, _, _ = Step(step.block, step.config, step.kind, changed, step.cache).at_once()
    assert torch.equal(y[:3], other[:3])
    assert not (y[3:] == other[3:]).any(dim=1).all()


def test_the_mask_of_the_tokens_makes_a_tree():
    """Two drafts that follow the same token: the second does not see the first, as if it came right after."""
    step = step_of("llama", "global", "w4a8")
    tables = decode_inputs(step.config, CONTEXT, TOKENS)
    mask_new, rope = tables["mask_new"].copy(), tables["rope"].copy()
    mask_new[2, 1], rope[2] = mask_new[0, 1], rope[1]
    y, _, _ = step.at_once(mask_new=torch.from_numpy(mask_new), rope=torch.from_numpy(rope))
    swapped = torch.cat([step.x[:1], step.x[2:3], step.x[2:]])
    expected, _, _ = Step(step.block, step.config, step.kind, swapped, step.cache).at_once()
    assert torch.equal(y[2], expected[1])


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_scale_per_position_within_rounding(name, kind):
    # Sums over positions are paired from the last one on, and the last one is another token's.
    step = step_of(name, kind, "w4a8-position")
    (y, *_), (expected, *_) = step.at_once(), step.one_by_one()
    assert (y - expected).abs().max() <= 1e-2
