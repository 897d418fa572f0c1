"""Modules of a model that are called as processes of DMAs that wait are compiled as any others."""

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text

NAMES = {"attn.o_proj": "attn.look_ahead", "mlp.fc1": "mlp.on_hold"}


@pytest.mark.daily
@pytest.mark.parametrize("share", ["none", "weights"])
def test_names_change_no_depth_and_no_process(share):
    text = lowered_text("small-gpt2", "decode")
    renamed = text
    for name, other in NAMES.items():
        renamed = renamed.replace(name, other)
    assert renamed != text
    options = CompileOptions(share=share, gemv_lanes=64)
    plain, tricky = (compile_text(each, "small", "u55c", options) for each in (text, renamed))
    assert list(plain.depths.values()) == list(tricky.depths.values())
    assert len(plain.graph.processes) == len(tricky.graph.processes)
    assert any(name.endswith("_ahead") for name in tricky.depths)
