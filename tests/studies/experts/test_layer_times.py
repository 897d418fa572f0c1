"""Layers whose experts come from a lower memory first: later by the copy, in both engines alike."""

import pytest

import sttest as st
from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.studies.experts.layer_times import late_by, layer_cycles
from sttest.studies.tier_copy import copy_into_hbm

BYTES = 100_000


@pytest.fixture(scope="module", params=["none", "weights"])
def graph(request):
    pytest.importorskip("torch", reason="the block is lowered")
    return st.compile(
        "small-qwen3-30b-a3b", phase="decode", context=32, board="u280", share=request.param, gemv_lanes=512
    ).graph


@pytest.mark.torch
def test_each_missing_expert_adds_its_copy(graph):
    board = require_hbm(load_board("u280"))
    found = layer_cycles(graph, board, "ddr", BYTES, range(4))
    assert found[0] == st.api.Graph(graph).simulate().cycles
    for count in range(1, 4):
        copied = copy_into_hbm(board, "ddr", count * BYTES).cycles
        # What the layer does meanwhile, such as to read ahead, may hide some of it, never add to it but a few cycles.
        assert 0.5 * copied <= found[count] - found[0] <= copied + 64
    assert found == layer_cycles(graph, board, "ddr", BYTES, range(4), "simpy")


@pytest.mark.torch
def test_nothing_else_is_late(graph):
    late = late_by(graph, 1000)
    changed = [new.name for new, old in zip(late.processes, graph.processes, strict=True) if new is not old]
    assert changed
    assert all(name.startswith("load_") and name.endswith("_hold") for name in changed)


def test_a_block_without_experts_is_refused():
    graph = st.compile("small-gpt2", phase="decode", context=32).graph
    with pytest.raises(InputError, match="no DMA of the design reads parts by number"):
        late_by(graph, 10)
