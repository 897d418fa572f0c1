"""Designs of other tools as clocked hardware: every FIFO is accessed in the cycles that the engines say."""

import shutil
from pathlib import Path

import pytest

from sttest.importers.finn import read_finn
from sttest.importers.tapa import read_tapa
from sttest.targets.rtl import compare, emulate_all

DATA = Path(__file__).parents[1] / "data"
RATES = """\
tasks:
  Mmap2Stream: {iterations: 64, interval: 1, latency: 70, streams: {stream: 1}}
  Add: {iterations: 64, interval: 1, latency: 8, streams: {a: 1, b: 1, c: {every: 4}}}
  Stream2Mmap: {iterations: 16, interval: 2, latency: 5, streams: {stream: 1}}
"""


@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("verilator"), reason="needs verilator")
def test_imported_designs_are_the_same_in_hardware(tmp_path: Path) -> None:
    """A residual block of FINN, and TAPA's vector addition in slots of a card."""
    pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")
    rates = tmp_path / "rates.yaml"
    rates.write_text(RATES)
    block = read_finn(DATA / "finn/residual_testcase.onnx")
    graphs = [
        block.with_depths({"DuplicateStreams_Batch_0__AddStreams_Batch_0": 94}),
        read_tapa(DATA / "tapa/vadd_floorplanned.json", rates),
    ]
    for graph, run in zip(graphs, emulate_all(graphs, "verilator", tmp_path), strict=True):
        assert run.verdict == "done"
        assert compare(graph, run).is_exact
