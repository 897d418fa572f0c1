"""Inputs of which each layer of a launch has its own, as the text says (`sttest.inputs_per_layer`)."""

from __future__ import annotations

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.hls.network import PortMemory
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text

LAYERS = 3
SAID = 'sttest.inputs_per_layer = ["mask", "rope"], '


def memories(text: str, layers: int = LAYERS) -> dict[str, PortMemory]:
    """The arguments of the kernel by the DMAs behind them."""
    design = compile_text(text, "tables", "u55c", CompileOptions(layers=layers, share="all"))
    return {memory.label: memory for memory in emit_design(design).memories}


def test_each_layer_has_its_own_mask_and_tables() -> None:
    text = lowered_text("gemma", "decode", small=True)
    assert SAID in text
    block, looped = memories(text, 1), memories(text)
    for name in ("load_mask", "load_rope"):
        assert looped[name].layers == LAYERS
        assert looped[name].words == LAYERS * block[name].words
    # What enters is there once: behind the first layer it comes from the layer before.
    assert looped["load_x"].words == block["load_x"].words


@pytest.mark.parametrize(
    "text", [lowered_text("gemma", "decode", small=True).replace(SAID, ""), lowered_text("qwen", "decode", small=True)]
)
def test_without_a_word_of_it_all_layers_share_them(text: str) -> None:
    found = memories(text)
    assert {found[name].layers for name in ("load_mask", "load_rope", "load_x")} == {1}


@pytest.mark.daily
@pytest.mark.parametrize("name", ["masks", "k_cache"])
def test_what_is_no_input_is_refused(name: str) -> None:
    text = lowered_text("gemma", "decode", small=True).replace(SAID, f'sttest.inputs_per_layer = ["{name}"], ')
    with pytest.raises(InputError, match=f"names '{name}', which is no input"):
        memories(text)
