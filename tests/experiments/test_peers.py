"""Fractions of the weight-bandwidth roofline."""

from __future__ import annotations

import pytest

from experiments import peers
from experiments.published import published_table
from sttest.core.errors import InputError
from sttest.models.registry import get_config


@pytest.mark.parametrize(("model", "weights"), [("gpt2", 301_989_888), ("qwen", 357_826_560)])
def test_weights_of_a_token(model: str, weights: int) -> None:
    assert peers.weight_gb_per_token(get_config(model)) == pytest.approx(weights / 2e9)


def test_every_peer_has_a_fraction_or_says_what_is_missing(tmp_path) -> None:
    peers.reproduce(tmp_path / "peers")
    table = (tmp_path / "peers" / "table.csv").read_text(encoding="utf-8")
    rows = list(peers._peer_rows(dict.fromkeys(peers.OURS, peers.BestDecode(1000, 0.5))))
    fractions = [row for row in rows if row.metric == "roofline fraction"]
    assert len(fractions) == len(published_table("peers"))
    for row in fractions:
        assert row.model in table
        if row.value is None:
            assert "not published" in row.note
        else:
            assert row.reference is not None
            assert row.value == pytest.approx(row.reference, abs=6e-3), "rounding of bytes and fractions as collected"


def test_every_fpga_has_our_best_design_beside_it_and_what_differs(tmp_path) -> None:
    ours = dict.fromkeys(peers.OURS, peers.BestDecode(1000, 0.5))
    rows = list(peers._peer_rows(ours))
    beside = [row for row in rows if row.metric == "our best design over it, roofline fraction"]
    fpgas = [row for row in published_table("peers").to_dict("records") if row["platform"] == "fpga"]
    assert [row.model for row in beside] == [row["work"] for row in fpgas]
    assert all("theirs: " in row.note and row.note.split("theirs: ")[1] for row in beside)
    (streamtensor,) = (row for row in beside if row.model == "StreamTensor [256:256]")
    assert streamtensor.value == pytest.approx(0.5 / (229.61 * 0.151 / 460))
    speeds = {row.model: row.value for row in rows if row.metric == "our best design over it, decode speed"}
    assert speeds["DFX"] == pytest.approx(1000 / 185.19)
    assert speeds["InTAR"] is None
    assert "FlexLLM" not in speeds, "another model"


def test_without_results_it_says_what_to_run(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(peers, "ROOT", tmp_path)
    with pytest.raises(InputError, match="run sttest reproduce best first"):
        peers.reproduce(tmp_path / "peers")
