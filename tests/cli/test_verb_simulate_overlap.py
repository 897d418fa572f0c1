"""`sttest simulate --overlap`: who is busy at once, as text and as JSON."""

import json

import pytest

BLOCK = "examples/residual-block/designs/block.json"


def test_states_add_up_and_text_says_the_same(sttest):
    found = json.loads(sttest("simulate", BLOCK, "--overlap", "--json").stdout)
    told = found["overlap"]
    assert told["cycles"] == found["cycles"]
    assert sum(state["cycles"] for state in told["states"]) == found["cycles"]
    assert told["use"]["compute"]["busy_share"] == pytest.approx(
        told["use"]["compute"]["busy_cycles"] / found["cycles"]
    )
    text = sttest("simulate", BLOCK, "--overlap").stdout
    assert "cycles in which exactly these are busy:" in text
    for state in told["states"]:
        assert f"{state['cycles']:,}" in text
    assert "overlap" not in json.loads(sttest("simulate", BLOCK, "--json").stdout)
