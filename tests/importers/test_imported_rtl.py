"""Designs of other tools as clocked hardware: every FIFO is accessed in the cycles that the engines say."""

import shutil
from pathlib import Path

import pytest

from sttest.importers.finn import read_finn
from sttest.importers.tapa import read_tapa
from sttest.targets.rtl import compare, emulate_all

EXAMPLES = Path(__file__).parents[2] / "examples"
RATES = """\
tasks:
  Load: {iterations: 64, interval: 1, latency: 70, streams: {elements: 1}}
  Add: {iterations: 64, interval: 1, latency: 8, streams: {left: 1, right: 1, sum: {every: 4}}}
  Store: {iterations: 16, interval: 2, latency: 5, streams: {elements: 1}}
"""


@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("verilator"), reason="needs verilator")
def test_imported_designs_are_the_same_in_hardware(tmp_path: Path) -> None:
    """A residual block of FINN's layers, and a vector addition of TAPA with a level of hierarchy."""
    pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")
    rates = tmp_path / "rates.yaml"
    rates.write_text(RATES)
    block = read_finn(EXAMPLES / "finn-residual/residual.onnx")
    graphs = [block.with_depths({"fork__join": 19}), read_tapa(EXAMPLES / "tapa-vadd/nested.json", rates)]
    for graph, run in zip(graphs, emulate_all(graphs, "verilator", tmp_path), strict=True):
        assert run.verdict == "done"
        assert compare(graph, run).is_exact
