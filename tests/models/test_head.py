"""The head as a design has it: whole tiles of columns, of which none past the vocabulary is ever chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sttest.models.registry import CONFIGS, get_config, small
from sttest.models.tables import head_columns, token_ids

WIDEST_TILE = 256
ODD = replace(small(get_config("gpt2")), vocab=250)


@pytest.mark.parametrize("name", CONFIGS)
def test_columns_are_whole_tiles_with_little_waste(name: str) -> None:
    config = get_config(name)
    columns = head_columns(config)
    assert columns % WIDEST_TILE == 0
    assert 0 <= columns - config.vocab < WIDEST_TILE
    assert np.array_equal(token_ids(config).astype(np.int64), np.arange(columns))


@pytest.mark.torch
@pytest.mark.parametrize("winner", [0, 17, 249])
def test_no_column_past_the_vocabulary_is_chosen(winner: int) -> None:
    torch = pytest.importorskip("torch")
    from sttest.models.head import Choice, head_weight

    weight = torch.randn(ODD.hidden, ODD.vocab, generator=torch.Generator().manual_seed(1))
    x = 10 * weight[:, winner : winner + 1].T
    logits = x @ head_weight(ODD, weight)
    # All of them negative: zeros in the columns past the vocabulary would win.
    below = logits - logits.max() - 1
    for each in (logits, below):
        assert Choice()(each, torch.from_numpy(token_ids(ODD))).tolist() == [winner]


@pytest.mark.torch
@pytest.mark.parametrize("columns", [256, 512, 50_432])
def test_the_choice_by_tiles_is_the_first_of_the_largest(columns: int) -> None:
    torch = pytest.importorskip("torch")
    from sttest.models.head import Choice

    ids = torch.arange(float(columns))
    generator = torch.Generator().manual_seed(columns)
    for _ in range(20):
        # Few different values: most rows have their largest in several tiles.
        logits = torch.randint(-3, 4, (3, columns), generator=generator).float()
        assert Choice()(logits, ids).tolist() == logits.argmax(-1).tolist()


@pytest.mark.torch
def test_of_equals_the_first_is_chosen() -> None:
    torch = pytest.importorskip("torch")
    from sttest.models.head import Choice
    from sttest.models.layers import greedy

    logits = torch.tensor([[-1.0, 3.0, 2.0, 3.0]])
    found = Choice()(logits, torch.arange(4.0))
    assert found.tolist() == [greedy(logits[0])] == [1]


@pytest.mark.torch
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("scheme", ["w4a8", "w4a8-channel", "fp32"])
def test_a_padded_head_is_quantized_as_the_model_s(scheme: str, tied: bool) -> None:
    torch = pytest.importorskip("torch")
    from sttest.models.checkpoint import randomize_model
    from sttest.models.head import head_parameters, head_weight
    from sttest.models.language_model import LanguageModel, quantize_model
    from sttest.models.quant.quantizers import quantize_weight
    from sttest.models.quant.scheme import load_scheme

    config = replace(ODD, layers=1, tied_embeddings=tied)
    model, chosen = LanguageModel(config), load_scheme(scheme)
    randomize_model(model, 3)
    plain = model.embedding.tokens.T if tied else model.head.get_parameter("weight")
    padded = head_weight(config, plain.detach())
    found = head_parameters(quantize_model(model, chosen))
    assert found["head.proj.weight"].shape == (config.hidden, head_columns(config))
    if not chosen.quantizes:
        assert np.array_equal(found["head.proj.weight"], padded.numpy())
        return
    wanted = quantize_weight(padded, chosen.group, chosen.weight_max)
    assert np.array_equal(found["head.proj.weight"], wanted.values.numpy())
    assert np.array_equal(found["head.proj.weight_scale"], wanted.scales.numpy())
    assert torch.equal(torch.from_numpy(found["head.norm.bias"]), model.norm.get_parameter("bias"))
